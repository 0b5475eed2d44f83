/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel tells beside a received packet: a chain of control messages, read here from
 * bytes and a length, so that the reader can be fed anything. It never fails: what is not
 * understood, cut short or of the wrong size is left out.
 */
#ifndef FPING_BENCH_OS_CONTROL_MESSAGE_H
#define FPING_BENCH_OS_CONTROL_MESSAGE_H

#include "base/address.h"

/* Room for all messages that our sockets can get with one packet, an error queue's included. */
#define CONTROL_MESSAGE_BYTES 256u

/* Where an entry of the error queue comes from (SO_EE_ORIGIN_*). */
enum control_origin {
	CONTROL_ORIGIN_NONE = 0,
	CONTROL_ORIGIN_LOCAL = 1,
	CONTROL_ORIGIN_ICMP4 = 2,
	CONTROL_ORIGIN_ICMP6 = 3,
	CONTROL_ORIGIN_STAMP = 4, /* no error: when a packet of ours left */
	/* others are of no use here */
};

/* What a stamp of the error queue is about (SCM_TSTAMP_*), in control_facts.information. */
enum control_stamp {
	CONTROL_STAMP_SENT = 0,      /* its driver had the packet, or the hardware had it sent */
	CONTROL_STAMP_SCHEDULED = 1, /* it came to the queue of the interface */
	CONTROL_STAMP_ACKNOWLEDGED = 2,
};

struct control_facts {
	bool has_stamp;
	int64_t stamp_real_ns;     /* CLOCK_REALTIME; only if 0 <= nanoseconds < 10^9 and it fits */
	int64_t hardware_ns;       /* the interface's stamp on its own clock; INT64_MIN: none */
	int ttl;                   /* 0..255, -1 when not told */
	bool has_drops;
	uint32_t drops;            /* drops of the socket when the packet was queued; wraps */
	uint32_t largest_fragment; /* IP bytes; 0 when the packet came whole */
	bool has_error;            /* the following belong to an entry of the error queue */
	uint8_t origin;            /* enum control_origin */
	uint8_t type;
	uint8_t code;
	int system_errno;
	uint32_t information;      /* the MTU where the error tells one; enum control_stamp */
	uint32_t data;             /* of a stamp: the packet's id */
	struct address offender;   /* who sent the ICMP error; family 0 when not told */
};

/*
 * Reads a control buffer as recvmsg left it (native byte order, aligned messages, cmsg(3)).
 * `control` may have any alignment; nothing beyond length is touched.
 */
void control_message_parse(const uint8_t *control, size_t length, struct control_facts *facts);

#endif
