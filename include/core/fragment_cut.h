/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fragments made by hand, where the kernel's way of cutting is not what is to be measured: a small
 * echo in many pieces shows what the request direction does to fragments, since its reply comes
 * whole. They are well formed only: no overlap, nothing beyond the longest datagram, and for IPv4 a
 * first piece that holds at least 68 bytes (RFC 791 3.2: what every module must forward whole).
 */
#ifndef FPING_BENCH_CORE_FRAGMENT_CUT_H
#define FPING_BENCH_CORE_FRAGMENT_CUT_H

#include "core/fragments.h"

#define FRAGMENT_CUT_MIN_IP4 48u        /* IP payload of a piece: 68 bytes with the header */
#define FRAGMENT_CUT_MIN_IP6 8u
#define FRAGMENT_HEADER_BYTES_IP4 20u   /* what is written before a piece: the IPv4 header */
#define FRAGMENT_HEADER_BYTES_IP6 8u    /* the fragment header; the kernel writes the rest */
#define FRAGMENT_HEADER_BYTES_MAX 20u

enum fragment_order {
	FRAGMENT_FORWARD,
	FRAGMENT_REVERSE,
	FRAGMENT_ODD_EVEN, /* the first, third, fifth ... piece, then the second, fourth ... */
};

struct fragment_cut {
	uint32_t piece_bytes;     /* IP payload of every piece but the last; 0: sent whole */
	enum fragment_order order;
	bool dont_fragment;       /* IPv4: no router may cut it either */
};

/* What stands in the headers of all pieces of a datagram beside their place. */
struct fragment_header_facts {
	uint32_t identification;  /* 16 bits for IPv4; never 0, or the kernel numbers each piece */
	uint8_t time_to_live;
	uint8_t traffic_class;
	bool dont_fragment;
	uint8_t destination[4];   /* IPv4; the source stays 0: the kernel fills in its own */
};

/*
 * The plan of a datagram of payload_bytes (IP payload) cut by hand: fragments.h tells its packets.
 * False, and the plan untouched, if a piece would not be a multiple of 8, too short for the family,
 * or longer than the MTU allows, or the datagram does not fit into one packet but is to be whole.
 */
bool fragment_plan_make_cut(struct fragment_plan *plan, uint8_t family, uint32_t mtu,
			    uint32_t payload_bytes, uint32_t piece_bytes) MUST_CHECK;

/* Largest piece that fits into a packet of this MTU: IP payload, a multiple of 8; 0: none. */
uint32_t fragment_cut_max(uint8_t family, uint32_t mtu);

/* Which of `count` pieces is sent at this place, both from 0. */
uint32_t fragment_cut_index(enum fragment_order order, uint32_t count, uint32_t place);

/* The IPv4 header of a piece (RFC 791 3.1); total length and checksum are left to the kernel. */
void fragment_write_ip4(uint8_t header[static FRAGMENT_HEADER_BYTES_IP4],
			const struct fragment *fragment,
			const struct fragment_header_facts *facts);

/* The IPv6 fragment header of a piece of an ICMPv6 message (RFC 8200 4.5). */
void fragment_write_ip6(uint8_t header[static FRAGMENT_HEADER_BYTES_IP6],
			const struct fragment *fragment, uint32_t identification);

/*
 * The checksum of an ICMPv6 message (RFC 4443 2.3, RFC 8200 8.1): with the pseudo-header of both
 * addresses. The checksum field in the message must be 0.
 */
uint16_t fragment_checksum_ip6(const uint8_t source[static 16],
			       const uint8_t destination[static 16], const uint8_t *message,
			       uint32_t length);

#endif
