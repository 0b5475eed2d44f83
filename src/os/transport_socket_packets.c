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
#define EMPTY_RECEIVES_MAX 64 /* then the error queue is looked at without a sign */

void transport_socket_read_address(const union socket_address *name, struct address *address)
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
	transport_socket_collect_errors(socket);
	return transport_socket_has_too_long(socket);
}

/* One system call: how many were accepted, or -errno. */
static int send_once(struct transport_socket *socket, uint32_t count)
{
	int sent;

	if (count > 1 || socket->send_headers[0].msg_hdr.msg_controllen > 0) {
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

/*
 * The call failed for the first packet. True: for a reason that does not lie in it, so that the
 * call is to be done again; *stale counts those that were errors of earlier packets.
 */
static bool is_worth_another(struct transport_socket *socket,
			     const struct transport_outgoing *first, int system_errno, int *stale)
{
	if (transport_socket_stamps_refused(socket, first, system_errno))
		return true;
	if (system_errno == EAGAIN || system_errno == ENOBUFS)
		return false;
	socket->errors_suspected = true;
	if (!may_be_stale(system_errno) || (*stale)++ >= STALE_ERRORS_MAX)
		return false;
	return system_errno != EMSGSIZE || !is_too_long(socket);
}

/* Packets that are cut by hand, up to the first that is not: how many left, or -errno. */
static int send_cut(struct transport_socket *socket, const struct transport_outgoing *packets,
		    uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		int sent;

		if (packets[i].cut == NULL)
			return (int)i;
		sent = fragment_sender_send(socket->fragments, &packets[i]);
		if (sent < 0)
			return i > 0 ? (int)i : sent;
	}
	return (int)count;
}

int transport_socket_send(struct transport *transport, const struct transport_outgoing *packets,
			  uint32_t count)
{
	struct transport_socket *socket = transport->context;
	int interruptions = 0;
	int stale = 0;
	int sent;

	transport_socket_make_room(socket);
	count = (uint32_t)min_u64(count, TRANSPORT_BATCH);
	if (packets[0].cut != NULL && socket->fragments != NULL)
		return send_cut(socket, packets, count);
	for (uint32_t i = 0; i < count; i++) {
		/* sendmmsg only reads the bytes, but its vectors know no const */
		socket->send_vectors[i].iov_base = (void *)(uintptr_t)packets[i].bytes;
		socket->send_vectors[i].iov_len = packets[i].length;
		socket->send_headers[i].msg_hdr.msg_name =
			&socket->destinations[packets[i].destination];
	}
	for (;;) {
		transport_socket_ask_stamps(socket, packets, count);
		sent = send_once(socket, count);
		if (sent > 0)
			break;
		if (sent == -EINTR && interruptions++ < INTERRUPTIONS_MAX)
			continue;
		if (!is_worth_another(socket, &packets[0], -sent, &stale))
			break;
	}
	if (sent > 0)
		transport_socket_stamps_sent(socket, packets, (uint32_t)sent, count);
	/* Cut short: the next packet met an error that is not told. */
	if (sent > 0 && (uint32_t)sent < count)
		socket->errors_suspected = true;
	transport->sends_stamps =
		socket->fragments == NULL && socket->stamps.way != SOCKET_STAMPS_NONE;
	return sent == -EINTR ? -EAGAIN : sent;
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

/* One received packet: what its header and its control messages say, stamps apart. */
static void read_packet(const struct transport_socket *socket, uint32_t place,
			struct transport_incoming *packet, struct control_facts *facts)
{
	const struct mmsghdr *header = &socket->receive_headers[place];

	/* MSG_TRUNC gives the true length, except on ping sockets: there it is unknown. */
	packet->full_length = header->msg_len;
	if ((header->msg_hdr.msg_flags & MSG_TRUNC) != 0 && packet->full_length <= packet->capacity)
		packet->full_length = packet->capacity + 1;
	packet->length = (uint32_t)min_u64(header->msg_len, packet->capacity);
	transport_socket_read_address(&socket->receive_names[place], &packet->source);

	control_message_parse(socket->controls[place], header->msg_hdr.msg_controllen, facts);
	packet->ttl = facts->ttl;
	packet->largest_fragment = facts->largest_fragment;
	packet->stamp_ns = INT64_MIN;
	packet->stamp_real_ns = INT64_MIN;
	packet->hardware_ns = facts->hardware_ns;
}

int transport_socket_receive(struct transport *transport, struct transport_incoming *packets,
			     uint32_t count, int64_t *now_ns)
{
	struct transport_socket *socket = transport->context;
	bool has_offset = false, usable = false;
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
	for (uint32_t i = 0; i < (uint32_t)received; i++) {
		struct msghdr *header = &socket->receive_headers[i].msg_hdr;
		struct control_facts facts;

		read_packet(socket, i, &packets[i], &facts);
		if (facts.has_stamp && !has_offset && socket->real_time != NULL)
			usable = real_time_offset(socket->real_time, *now_ns, &offset_ns);
		has_offset = has_offset || facts.has_stamp;
		if (facts.has_stamp && usable) {
			packets[i].stamp_real_ns = facts.stamp_real_ns;
			packets[i].stamp_ns = facts.stamp_real_ns + offset_ns;
		}
		if (facts.has_drops)
			note_drops(socket, facts.drops);
		/* The kernel wrote what it used; it needs to know the sizes again next time. */
		header->msg_namelen = sizeof(socket->receive_names[i]);
		header->msg_controllen = CONTROL_MESSAGE_BYTES;
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
