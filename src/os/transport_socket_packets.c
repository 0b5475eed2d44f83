/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches through one socket. The header arrays are linked to their vectors, names and control
 * buffers when the socket is opened; a call fills in what changes and hands the arrays to the
 * kernel. A batch of one goes by the plain calls, which cost less than an array of one.
 *
 * An ICMP error leaves its errno on the socket, where the next call that sends or receives finds
 * it and fails with it instead of doing its work; with a raw socket it may be the answer to another
 * process's packet. Such a failure takes the errno off, so the call is simply done again. The
 * same failure is the sign that the error queue holds something: only then it is looked at.
 */
#include "os/transport_socket.h"

#include <errno.h>
#include <string.h>

#include "os/socket_options.h"
#include "os/transport_socket_internal.h"

#define STALE_ERRORS_MAX 2    /* one call done again this often for errors of earlier packets */
#define INTERRUPTIONS_MAX 100 /* and this often for EINTR */
#define QUEUE_ENTRIES_MAX 64  /* entries of others skipped in one look at the error queue */
#define EMPTY_RECEIVES_MAX 64 /* then the error queue is looked at without a sign */

static void from_socket_address(const union socket_address *name, struct address *address)
{
	if (name->any.sa_family == AF_INET) {
		uint8_t bytes[4];

		memcpy(bytes, &name->ip4.sin_addr, sizeof(bytes));
		*address = address_from_ip4(bytes);
	} else if (name->any.sa_family == AF_INET6) {
		*address = address_from_ip6(name->ip6.sin6_addr.s6_addr, name->ip6.sin6_scope_id);
	} else {
		memset(address, 0, sizeof(*address));
	}
}

/* ---- the error queue ---- */

static bool tells_mtu(const struct control_facts *facts)
{
	switch (facts->origin) {
	case CONTROL_ORIGIN_LOCAL:
		return facts->system_errno == EMSGSIZE;
	case CONTROL_ORIGIN_ICMP4:
		return facts->type == 3 && facts->code == 4;
	case CONTROL_ORIGIN_ICMP6:
		return facts->type == 2;
	default:
		return false;
	}
}

/* Whether this entry is for the caller: a raw socket gets the ICMP errors as packets as well. */
static bool is_wanted(const struct transport_socket *socket, const struct control_facts *facts)
{
	if (!facts->has_error)
		return false;
	if (facts->origin == CONTROL_ORIGIN_LOCAL)
		return true;
	return !socket->is_raw &&
	       facts->origin == (socket->family == 4 ? CONTROL_ORIGIN_ICMP4 : CONTROL_ORIGIN_ICMP6);
}

/* Takes one entry off the kernel's queue: 1, or 0 when there is none, or only what nobody wants. */
static int take_entry(struct transport_socket *socket, struct transport_error *error)
{
	_Alignas(struct cmsghdr) uint8_t control[CONTROL_MESSAGE_BYTES];
	union socket_address name;
	struct control_facts facts;

	for (int i = 0; i < QUEUE_ENTRIES_MAX; i++) {
		struct iovec vector = {.iov_base = error->bytes, .iov_len = sizeof(error->bytes)};
		struct msghdr header = {
			.msg_name = &name,
			.msg_namelen = sizeof(name),
			.msg_iov = &vector,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		ssize_t length;

		name.any.sa_family = AF_UNSPEC;
		length = recvmsg(socket->descriptor, &header, MSG_ERRQUEUE | MSG_DONTWAIT);
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0) {
			socket->errors_suspected = false;
			return 0;
		}
		control_message_parse(control, header.msg_controllen, &facts);
		if (!is_wanted(socket, &facts))
			continue;
		error->is_local = facts.origin == CONTROL_ORIGIN_LOCAL;
		error->type = facts.type;
		error->code = facts.code;
		error->system_errno = facts.system_errno;
		error->mtu = tells_mtu(&facts) ? facts.information : 0;
		error->offender = facts.offender;
		from_socket_address(&name, &error->destination);
		error->length = (uint32_t)min_u64((uint64_t)length, sizeof(error->bytes));
		return 1;
	}
	return 0;
}

/* Whether the list has an error of this host's own that says the same. */
static bool is_known(const struct transport_socket *socket, const struct transport_error *error)
{
	for (uint32_t i = 0; i < socket->error_count && error->is_local; i++) {
		const struct transport_error *known = &socket->errors[i];

		if (known->is_local && known->system_errno == error->system_errno &&
		    known->mtu == error->mtu &&
		    address_equal(&known->destination, &error->destination))
			return true;
	}
	return false;
}

/*
 * Moves entries from the kernel's queue to our list. One failed send may leave several entries of
 * this host's own, one for every time that it was tried: they become one.
 */
static void collect_errors(struct transport_socket *socket)
{
	while (socket->errors_suspected && socket->error_count < SOCKET_ERRORS_MAX) {
		struct transport_error *error = &socket->errors[socket->error_count];

		if (take_entry(socket, error) == 0)
			return;
		if (!is_known(socket, error))
			socket->error_count++;
	}
}

int transport_socket_receive_error(struct transport *transport, struct transport_error *error)
{
	struct transport_socket *socket = transport->context;

	if (socket->error_count == 0)
		collect_errors(socket);
	if (socket->error_count == 0)
		return 0;
	*error = socket->errors[0];
	socket->error_count--;
	memmove(&socket->errors[0], &socket->errors[1],
		socket->error_count * sizeof(socket->errors[0]));
	return 1;
}

/* ---- sending ---- */

/* What ICMP errors leave on a socket (the kernel's icmp_err_convert, icmpv6_err_convert). */
static bool may_be_stale(int system_errno)
{
	switch (system_errno) {
	case EHOSTUNREACH:
	case ENETUNREACH:
	case ECONNREFUSED:
	case EHOSTDOWN:
	case ENONET:
	case EPROTO:
	case EACCES:
	case EMSGSIZE:
	case EOPNOTSUPP:
	case ENOPROTOOPT:
		return true;
	default:
		return false;
	}
}

/* Whether this host itself has found a packet too long: then EMSGSIZE is the call's own error. */
static bool is_too_long(struct transport_socket *socket)
{
	collect_errors(socket);
	for (uint32_t i = 0; i < socket->error_count; i++) {
		if (socket->errors[i].is_local && socket->errors[i].system_errno == EMSGSIZE)
			return true;
	}
	return socket->error_count == SOCKET_ERRORS_MAX;
}

/* One system call: how many were accepted, or -errno. */
static int send_once(struct transport_socket *socket, uint32_t count)
{
	int sent;

	if (count > 1) {
		sent = sendmmsg(socket->descriptor, socket->send_headers, count, MSG_DONTWAIT);
	} else {
		const struct msghdr *only = &socket->send_headers[0].msg_hdr;

		sent = sendto(socket->descriptor, only->msg_iov->iov_base, only->msg_iov->iov_len,
			      MSG_DONTWAIT, only->msg_name, only->msg_namelen) < 0
			       ? -1
			       : 1;
	}
	return sent < 0 ? -errno : sent;
}

int transport_socket_send(struct transport *transport, const struct transport_outgoing *packets,
			  uint32_t count)
{
	struct transport_socket *socket = transport->context;
	int interruptions = 0;
	int stale = 0;

	count = (uint32_t)min_u64(count, TRANSPORT_BATCH);
	for (uint32_t i = 0; i < count; i++) {
		/* sendmmsg only reads the bytes, but its vectors know no const */
		socket->send_vectors[i].iov_base = (void *)(uintptr_t)packets[i].bytes;
		socket->send_vectors[i].iov_len = packets[i].length;
		socket->send_headers[i].msg_hdr.msg_name =
			&socket->destinations[packets[i].destination];
	}
	for (;;) {
		int sent = send_once(socket, count);

		if (sent > 0) {
			/* Cut short: the next packet met an error that is not told. */
			if ((uint32_t)sent < count)
				socket->errors_suspected = true;
			return sent;
		}
		if (sent == -EINTR) {
			if (interruptions++ >= INTERRUPTIONS_MAX)
				return -EAGAIN;
			continue;
		}
		if (sent == -EAGAIN || sent == -ENOBUFS)
			return sent;
		socket->errors_suspected = true;
		if (!may_be_stale(-sent) || stale++ >= STALE_ERRORS_MAX)
			return sent;
		if (sent == -EMSGSIZE && is_too_long(socket))
			return sent;
	}
}

/* ---- receiving ---- */

static void note_drops(struct transport_socket *socket, uint32_t count)
{
	uint32_t more = count - socket->last_drops;

	/* A packet tells the count of when it was queued, which may be older than what is known. */
	if (more == 0 || more > INT32_MAX)
		return;
	socket->last_drops = count;
	socket->drops += more;
}

/* One system call: how many came, or -errno. */
static int receive_once(struct transport_socket *socket, uint32_t count)
{
	ssize_t length;
	int received;

	if (count > 1) {
		received = recvmmsg(socket->descriptor, socket->receive_headers, count,
				    MSG_DONTWAIT | MSG_TRUNC, NULL);
		return received < 0 ? -errno : received;
	}
	length = recvmsg(socket->descriptor, &socket->receive_headers[0].msg_hdr,
			 MSG_DONTWAIT | MSG_TRUNC);
	if (length < 0)
		return -errno;
	socket->receive_headers[0].msg_len = (unsigned)length;
	return 1;
}

/* Does the call again while it fails with what is not about this call; 0: nothing there. */
static int receive_batch(struct transport_socket *socket, uint32_t count)
{
	int interruptions = 0;
	int stale = 0;

	for (;;) {
		int received = receive_once(socket, count);

		if (received >= 0)
			return received;
		if (received == -EAGAIN)
			return 0;
		if (received == -EINTR) {
			if (interruptions++ >= INTERRUPTIONS_MAX)
				return 0;
			continue;
		}
		socket->errors_suspected = true;
		if (stale++ >= STALE_ERRORS_MAX)
			return received;
	}
}

int transport_socket_receive(struct transport *transport, struct transport_incoming *packets,
			     uint32_t count, int64_t *now_ns)
{
	struct transport_socket *socket = transport->context;
	bool has_offset = false;
	int64_t offset_ns = 0;
	int received;

	count = (uint32_t)min_u64(count, TRANSPORT_BATCH);
	for (uint32_t i = 0; i < count; i++) {
		socket->receive_vectors[i].iov_base = packets[i].bytes;
		socket->receive_vectors[i].iov_len = packets[i].capacity;
	}
	received = receive_batch(socket, count);
	*now_ns = clock_now(socket->clock);
	if (received <= 0) {
		if (++socket->empty_receives % EMPTY_RECEIVES_MAX == 0)
			socket->errors_suspected = true;
		return received;
	}
	for (int i = 0; i < received; i++) {
		struct transport_incoming *packet = &packets[i];
		struct mmsghdr *header = &socket->receive_headers[i];
		struct control_facts facts;

		/* MSG_TRUNC gives the true length, except on ping sockets: there it is unknown. */
		packet->full_length = header->msg_len;
		if ((header->msg_hdr.msg_flags & MSG_TRUNC) != 0 &&
		    packet->full_length <= packet->capacity)
			packet->full_length = packet->capacity + 1;
		packet->length = (uint32_t)min_u64(header->msg_len, packet->capacity);
		from_socket_address(&socket->receive_names[i], &packet->source);

		control_message_parse(socket->controls[i], header->msg_hdr.msg_controllen, &facts);
		packet->ttl = facts.ttl;
		packet->largest_fragment = facts.largest_fragment;
		packet->stamp_ns = INT64_MIN;
		if (facts.has_stamp) {
			if (!has_offset)
				offset_ns = clock_offset(socket->clock, *now_ns, &socket->pair);
			has_offset = true;
			packet->stamp_ns = facts.stamp_real_ns + offset_ns;
		}
		if (facts.has_drops)
			note_drops(socket, facts.drops);
		/* The kernel wrote what it used; it needs to know the sizes again next time. */
		header->msg_hdr.msg_namelen = sizeof(socket->receive_names[i]);
		header->msg_hdr.msg_controllen = CONTROL_MESSAGE_BYTES;
	}
	return received;
}

uint64_t transport_socket_drops(struct transport *transport)
{
	struct transport_socket *socket = transport->context;
	uint32_t count;

	/* The count comes with the next packet that is queued; a last burst shows only here. */
	if (socket_options_drops(socket->descriptor, &count))
		note_drops(socket, count);
	return socket->drops;
}
