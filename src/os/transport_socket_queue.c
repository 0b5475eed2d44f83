/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The error queue of a socket, on which two kinds of entries come in any order: errors, and stamps
 * of packets that have left. Whoever asks for one kind must not lose the other, so one reader takes
 * everything that is there, many entries with one system call, and sorts it into two lists.
 *
 * The queue has to be emptied even if nobody wants what is in it: while it holds an entry, poll
 * returns at once with POLLERR.
 */
#include <errno.h>
#include <string.h>

#include "os/transport_socket.h"
#include "os/transport_socket_internal.h"

#define INTERRUPTIONS_MAX 100 /* one call done again this often for EINTR */
#define ROUNDS_MAX 16         /* calls in one look: an end in case entries keep coming */

_Static_assert(sizeof(((struct transport_error *)NULL)->bytes) == SOCKET_QUOTE_BYTES,
	       "a quote of another size");

void transport_socket_queue_init(struct transport_socket *socket)
{
	struct socket_queue *queue = &socket->queue;

	for (size_t i = 0; i < SOCKET_QUEUE_BATCH; i++) {
		struct msghdr *header = &queue->headers[i].msg_hdr;

		queue->vectors[i].iov_base = queue->bytes[i];
		queue->vectors[i].iov_len = sizeof(queue->bytes[i]);
		header->msg_iov = &queue->vectors[i];
		header->msg_iovlen = 1;
		header->msg_name = &queue->names[i];
		header->msg_control = queue->controls[i];
	}
}

/* ---- errors ---- */

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

static struct transport_error *error_at(struct socket_queue *queue, uint32_t place)
{
	return &queue->errors[(queue->first + place) % SOCKET_ERRORS_MAX];
}

/*
 * Whether the list has an error of this host's own that says the same. One failed send may leave
 * several entries, one for every time that it was tried: they become one.
 */
static bool is_known(struct socket_queue *queue, const struct transport_error *error)
{
	for (uint32_t i = 0; i < queue->count && error->is_local; i++) {
		const struct transport_error *known = error_at(queue, i);

		if (known->is_local && known->system_errno == error->system_errno &&
		    known->mtu == error->mtu &&
		    address_equal(&known->destination, &error->destination))
			return true;
	}
	return false;
}

static void keep_error(struct socket_queue *queue, const struct control_facts *facts,
		       const union socket_address *name, const uint8_t *bytes, uint32_t length)
{
	struct transport_error *error = error_at(queue, queue->count);

	error->is_local = facts->origin == CONTROL_ORIGIN_LOCAL;
	error->type = facts->type;
	error->code = facts->code;
	error->system_errno = facts->system_errno;
	error->mtu = tells_mtu(facts) ? facts->information : 0;
	error->offender = facts->offender;
	transport_socket_read_address(name, &error->destination);
	error->length = (uint32_t)min_u64(length, sizeof(error->bytes));
	memcpy(error->bytes, bytes, error->length);
	if (!is_known(queue, error))
		queue->count++;
}

/* ---- the reader ---- */

/* One system call for up to `most` entries: how many there were, 0 for none. */
static uint32_t take_entries(struct transport_socket *socket, uint32_t most)
{
	struct socket_queue *queue = &socket->queue;
	int taken = -1;

	for (uint32_t i = 0; i < most; i++) {
		queue->names[i].any.sa_family = AF_UNSPEC;
		queue->headers[i].msg_hdr.msg_namelen = sizeof(queue->names[i]);
		queue->headers[i].msg_hdr.msg_controllen = CONTROL_MESSAGE_BYTES;
	}
	for (int i = 0; i < INTERRUPTIONS_MAX && taken < 0; i++) {
		taken = recvmmsg(socket->descriptor, queue->headers, most,
				 MSG_ERRQUEUE | MSG_DONTWAIT, NULL);
		if (taken < 0 && errno != EINTR)
			return 0;
	}
	return taken > 0 ? (uint32_t)taken : 0;
}

/*
 * Sorts what is on the kernel's queue into the lists, as much as one call brings. Any entry may be
 * an error, and there must be room for it. False: nothing is left, or nothing more can be taken.
 */
static bool read_queue(struct transport_socket *socket)
{
	struct socket_queue *queue = &socket->queue;
	uint32_t most = (uint32_t)min_u64(SOCKET_QUEUE_BATCH, SOCKET_ERRORS_MAX - queue->count);
	uint32_t taken = most > 0 ? take_entries(socket, most) : 0;
	bool has_offset = false, usable = false;
	int64_t offset_ns = 0;

	for (uint32_t i = 0; i < taken; i++) {
		struct control_facts facts;

		control_message_parse(queue->controls[i], queue->headers[i].msg_hdr.msg_controllen,
				      &facts);
		if (is_wanted(socket, &facts)) {
			keep_error(queue, &facts, &queue->names[i], queue->bytes[i],
				   queue->headers[i].msg_len);
			continue;
		}
		if (!facts.has_error || facts.origin != CONTROL_ORIGIN_STAMP)
			continue;
		if (!has_offset && socket->real_time != NULL)
			usable = real_time_offset(socket->real_time, clock_now(socket->clock),
						  &offset_ns);
		has_offset = true;
		transport_socket_keep_stamp(socket, &facts, usable, offset_ns);
	}
	if (most == 0 || taken == most)
		return most > 0;
	socket->errors_suspected = false;
	socket->stamps.unread = 0;
	return false;
}

void transport_socket_make_room(struct transport_socket *socket)
{
	bool is_needed = socket->stamps.unread > socket->stamps.room;

	for (int i = 0; i < ROUNDS_MAX && is_needed; i++)
		is_needed = read_queue(socket);
}

void transport_socket_collect_errors(struct transport_socket *socket)
{
	/* A stamp that nobody waits for any more shows by nothing else than that it is missing. */
	bool is_worth_it = socket->errors_suspected || socket->stamps.awaited > 0;

	for (int i = 0; i < ROUNDS_MAX && is_worth_it; i++)
		is_worth_it = read_queue(socket);
}

bool transport_socket_has_too_long(const struct transport_socket *socket)
{
	const struct socket_queue *queue = &socket->queue;

	for (uint32_t i = 0; i < queue->count; i++) {
		const struct transport_error *error =
			&queue->errors[(queue->first + i) % SOCKET_ERRORS_MAX];

		if (error->is_local && error->system_errno == EMSGSIZE)
			return true;
	}
	return queue->count == SOCKET_ERRORS_MAX;
}

/* ---- the hooks ---- */

int transport_socket_receive_error(struct transport *transport, struct transport_error *error)
{
	struct transport_socket *socket = transport->context;
	struct socket_queue *queue = &socket->queue;

	if (queue->count == 0)
		transport_socket_collect_errors(socket);
	if (queue->count == 0)
		return 0;
	*error = *error_at(queue, 0);
	queue->first = (queue->first + 1) % SOCKET_ERRORS_MAX;
	queue->count--;
	return 1;
}

int transport_socket_receive_stamps(struct transport *transport, struct transport_stamp *stamps,
				    uint32_t count)
{
	struct transport_socket *socket = transport->context;
	struct socket_stamps *kept = &socket->stamps;
	uint32_t given = 0;

	count = (uint32_t)min_u64(count, TRANSPORT_BATCH);
	for (int i = 0; i < ROUNDS_MAX && kept->count < count; i++) {
		if (!read_queue(socket))
			break;
	}
	for (; given < count && kept->count > 0; given++) {
		stamps[given] = kept->waiting[kept->first];
		kept->first = (kept->first + 1) % SOCKET_STAMPS_MAX;
		kept->count--;
	}
	return (int)given;
}
