/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one received packet means, as plain data. A parser turns any bytes into exactly one
 * event and never fails: a packet that is malformed or somebody else's is an event too, and is
 * counted.
 */
#ifndef FPING_BENCH_CORE_EVENT_H
#define FPING_BENCH_CORE_EVENT_H

#include "base/address.h"

enum event_kind {
	EVENT_REPLY,        /* an echo reply that carries our identifier */
	EVENT_ERROR,        /* an ICMP error that quotes one of our requests, as far as it goes */
	EVENT_FOREIGN,      /* well formed, but not about us */
	EVENT_SHORT,        /* ends before what it must hold */
	EVENT_BAD_HEADER,   /* version, header length, total length or reply code cannot be right */
	EVENT_BAD_CHECKSUM, /* the ICMP checksum is wrong */
};

struct event {
	enum event_kind kind;
	uint8_t type;                /* ICMP type and code of the packet itself */
	uint8_t code;
	int ttl;                     /* time to live or hop limit, -1 when not known */
	uint16_t identifier;         /* of the reply, or of the quoted request */
	uint16_t sequence;           /* ICMP sequence of the reply, or of the quoted request */
	uint32_t mtu;                /* fragmentation needed, packet too big: as received, else 0 */
	struct address destination;  /* EVENT_ERROR: where the quoted request went */
	const uint8_t *payload;      /* echo data of the reply, or what is quoted of it */
	uint32_t payload_length;     /* bytes at payload that were really received */
	uint32_t claimed_length;     /* echo data length by the reply's IP header, >= payload_length
	                              * when the buffer was too small for all of it */
};

#endif
