/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send stamps: how they are asked for and whose they are. The wish travels with the packet, as a
 * control message, so that the others cost nothing. It is stamped when it comes to the queue of the
 * interface and when the driver takes it (and, where that is on already, when the hardware has sent
 * it); of a fragmented packet that is the first fragment.
 *
 * What comes back names the packet by a number. Since Linux 6.13 that is an id of ours, which
 * travels with the wish. Before, it is the kernel's count of the packets of this socket that asked
 * for stamps; a ring tells which of ours that was. Whether a packet that was refused has been
 * counted depends on where in the kernel it failed; after such a failure the counts no longer
 * tell anything, and no more stamps are asked for: order is not a way to match.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/errqueue.h> /* after time.h, which it needs and does not include */
#include <linux/net_tstamp.h>

#include "os/transport_socket.h"
#include "os/transport_socket_internal.h"

#ifndef SCM_TS_OPT_ID
#define SCM_TS_OPT_ID 81 /* asm-generic/socket.h since Linux 6.13 */
#endif

/* ---- asking ---- */

static size_t put_message(uint8_t *control, size_t at, int type, uint32_t value)
{
	struct cmsghdr header;

	memset(&header, 0, sizeof(header));
	header.cmsg_len = CMSG_LEN(sizeof(value));
	header.cmsg_level = SOL_SOCKET;
	header.cmsg_type = type;
	memcpy(control + at, &header, sizeof(header));
	memcpy(control + at + CMSG_LEN(0), &value, sizeof(value));
	return at + CMSG_SPACE(sizeof(value));
}

void transport_socket_stamps_init(struct transport_socket *socket, uint32_t wishes, uint32_t room)
{
	socket->stamps.room = room;
	socket->stamps.wishes = wishes;
	socket->stamps.way = wishes != 0 ? SOCKET_STAMPS_GIVEN : SOCKET_STAMPS_NONE;
	socket->stamps.is_proven = wishes == 0;
	for (size_t i = 0; i < TRANSPORT_BATCH; i++) {
		size_t length = put_message(socket->stamps.controls[i], 0, SO_TIMESTAMPING, wishes);

		(void)put_message(socket->stamps.controls[i], length, SCM_TS_OPT_ID, 0);
	}
}

void transport_socket_ask_stamps(struct transport_socket *socket,
				 const struct transport_outgoing *packets, uint32_t count)
{
	const size_t first_bytes = CMSG_SPACE(sizeof(uint32_t));
	struct socket_stamps *stamps = &socket->stamps;

	for (uint32_t i = 0; i < count; i++) {
		struct msghdr *header = &socket->send_headers[i].msg_hdr;

		header->msg_control = NULL;
		header->msg_controllen = 0;
		if (!packets[i].wants_stamps || stamps->way == SOCKET_STAMPS_NONE)
			continue;
		header->msg_control = stamps->controls[i];
		header->msg_controllen = first_bytes;
		if (stamps->way == SOCKET_STAMPS_COUNTED)
			continue;
		memcpy(stamps->controls[i] + first_bytes + CMSG_LEN(0), &packets[i].stamp_id,
		       sizeof(packets[i].stamp_id));
		header->msg_controllen += CMSG_SPACE(sizeof(packets[i].stamp_id));
	}
}

void transport_socket_stamps_sent(struct transport_socket *socket,
				  const struct transport_outgoing *packets, uint32_t sent,
				  uint32_t count)
{
	struct socket_stamps *stamps = &socket->stamps;

	for (uint32_t i = 0; i < sent; i++) {
		if (!packets[i].wants_stamps)
			continue;
		stamps->is_proven = true;
		if (stamps->way == SOCKET_STAMPS_NONE)
			return;
		stamps->awaited++;
		stamps->unread++;
		stamps->are_counted = stamps->way == SOCKET_STAMPS_COUNTED;
		if (stamps->are_counted)
			stamps->counted_ids[stamps->counted++ % SOCKET_COUNTED_STAMPS] =
				packets[i].stamp_id;
	}
	if (sent < count && packets[sent].wants_stamps && stamps->way == SOCKET_STAMPS_COUNTED)
		stamps->way = SOCKET_STAMPS_NONE;
}

/* The next way to try where the kernel does not know the present one. */
static enum socket_stamp_way next_way(struct socket_stamps *stamps)
{
	if (stamps->way == SOCKET_STAMPS_COUNTED)
		return SOCKET_STAMPS_NONE;
	if (stamps->counted_ids == NULL)
		stamps->counted_ids = calloc(SOCKET_COUNTED_STAMPS, sizeof(*stamps->counted_ids));
	return stamps->counted_ids != NULL ? SOCKET_STAMPS_COUNTED : SOCKET_STAMPS_NONE;
}

bool transport_socket_stamps_refused(struct transport_socket *socket,
				     const struct transport_outgoing *first, int system_errno)
{
	struct socket_stamps *stamps = &socket->stamps;

	if (!first->wants_stamps)
		return false;
	if (!stamps->is_proven && system_errno == EINVAL) {
		bool was_last = stamps->way == SOCKET_STAMPS_NONE;

		/* Without any wish it is refused as well: that was not the reason. */
		stamps->way = was_last ? SOCKET_STAMPS_GIVEN : next_way(stamps);
		return !was_last;
	}
	if (stamps->way == SOCKET_STAMPS_COUNTED)
		stamps->way = SOCKET_STAMPS_NONE;
	return false;
}

/* ---- what comes back ---- */

bool transport_socket_stamp_of(const struct control_facts *facts, struct transport_stamp *stamp)
{
	if (!facts->has_error || facts->origin != CONTROL_ORIGIN_STAMP)
		return false;
	if (facts->information == CONTROL_STAMP_SCHEDULED && facts->has_stamp) {
		stamp->kind = TRANSPORT_STAMP_QUEUE;
		stamp->real_ns = facts->stamp_real_ns;
		return true;
	}
	if (facts->information != CONTROL_STAMP_SENT)
		return false;
	/*
	 * By hardware or by the driver. Beside a hardware stamp the kernel may put the time of our
	 * reading into the place of the other one.
	 */
	if (facts->hardware_ns != INT64_MIN) {
		stamp->kind = TRANSPORT_STAMP_HARDWARE;
		stamp->real_ns = facts->hardware_ns;
		return true;
	}
	stamp->kind = TRANSPORT_STAMP_DRIVER;
	stamp->real_ns = facts->stamp_real_ns;
	return facts->has_stamp;
}

/* Which packet of ours the kernel's number stands for. */
static bool find_id(const struct socket_stamps *stamps, uint32_t number, uint32_t *id)
{
	uint32_t age = stamps->counted - 1 - number;

	*id = number;
	if (!stamps->are_counted)
		return true;
	if (age >= SOCKET_COUNTED_STAMPS || age >= stamps->counted)
		return false;
	*id = stamps->counted_ids[number % SOCKET_COUNTED_STAMPS];
	return true;
}

void transport_socket_keep_stamp(struct transport_socket *socket,
				 const struct control_facts *facts, bool usable, int64_t offset_ns)
{
	struct socket_stamps *stamps = &socket->stamps;
	struct transport_stamp stamp;

	if (!transport_socket_stamp_of(facts, &stamp) || !find_id(stamps, facts->data, &stamp.id))
		return;
	stamp.stamp_ns = INT64_MIN;
	if (usable && stamp.kind != TRANSPORT_STAMP_HARDWARE)
		stamp.stamp_ns = stamp.real_ns + offset_ns;
	if (stamp.kind == TRANSPORT_STAMP_DRIVER && stamps->awaited > 0)
		stamps->awaited--;
	/* Nobody has asked for long: the oldest goes. */
	if (stamps->count == SOCKET_STAMPS_MAX) {
		stamps->first = (stamps->first + 1) % SOCKET_STAMPS_MAX;
		stamps->count--;
	}
	stamps->waiting[(stamps->first + stamps->count++) % SOCKET_STAMPS_MAX] = stamp;
}
