/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a datagram is cut into fragments, and what that costs and risks. The plan is the one that
 * Linux makes, exact to the byte:
 *
 *   IPv4 (RFC 791 3.2; net/ipv4/ip_output.c): with M = MTU - 20 and R = M rounded down to a
 *   multiple of 8, a payload T <= M is sent whole, and a longer one as 1 + ceil((T - M) / R)
 *   fragments. All but the last carry R bytes; the last may use all of M. The obvious
 *   ceil(T / R) is one too many where M is no multiple of 8.
 *
 *   IPv6 (RFC 8200 4.5; net/ipv6/ip6_output.c): a payload T <= MTU - 40 is sent whole, and a
 *   longer one as ceil(T / R) fragments with R = MTU - 48 rounded down, for the last one too.
 *
 * Payload here means IP payload: the echo data and the 8 bytes of ICMP header before it.
 */
#ifndef FPING_BENCH_CORE_FRAGMENTS_H
#define FPING_BENCH_CORE_FRAGMENTS_H

#include "base/base.h"

#define FRAGMENT_ECHO_HEADER_BYTES 8u
#define FRAGMENT_MTU_MIN_IP4 68u        /* RFC 791 3.2 */
#define FRAGMENT_MTU_MIN_IP6 1280u      /* RFC 8200 5 */
#define FRAGMENT_PAYLOAD_MAX_IP4 65515u /* 16-bit total length less the header */
#define FRAGMENT_PAYLOAD_MAX_IP6 65535u /* 16-bit payload length */

struct fragment_plan {
	uint8_t family;         /* 4 or 6 */
	uint32_t mtu;
	uint32_t payload_bytes; /* of the whole datagram */
	uint32_t count;         /* IP packets, >= 1 */
	uint32_t header_bytes;  /* before the payload of each: 20, 40, or 48 where cut */
	uint32_t piece_bytes;   /* payload of every packet but the last */
	uint32_t last_bytes;    /* payload of the last (or only) packet */
};

struct fragment {
	uint32_t offset;        /* of its first payload byte in the datagram, a multiple of 8 */
	uint32_t payload_bytes;
	uint32_t packet_bytes;  /* with the IP header (and IPv6 fragment header) */
	bool more;              /* further fragments follow */
};

/*
 * Makes the plan. False, and the plan untouched, if family is neither 4 nor 6, the MTU is below
 * the least that the protocol allows (a number that came in an ICMP error may be anything), or
 * the datagram cannot be that long.
 */
bool fragment_plan_make(struct fragment_plan *plan, uint8_t family, uint32_t mtu,
			uint32_t payload_bytes) MUST_CHECK;

/* Describes packet `index` of the plan; false if index >= count. */
bool fragment_at(const struct fragment_plan *plan, uint32_t index,
		 struct fragment *fragment) MUST_CHECK;

/* Bytes of all packets of the plan: IP bytes; Ethernet frames; frames with preamble and gap. */
uint64_t fragment_ip_bytes(const struct fragment_plan *plan);
uint64_t fragment_frame_bytes(const struct fragment_plan *plan);
uint64_t fragment_wire_bytes(const struct fragment_plan *plan);

/*
 * What all headers, padding and gaps add to the echo data, as a part of it: wire bytes / data
 * bytes - 1. False if there is no data.
 */
bool fragment_overhead(const struct fragment_plan *plan, double *ratio) MUST_CHECK;

/*
 * The longest payload that fits into at most `count` packets, never more than a datagram can
 * hold; 0 if count is 0 or family or MTU cannot be used. One byte more is a fragment boundary.
 */
uint32_t fragment_payload_max(uint8_t family, uint32_t mtu, uint32_t count);

/*
 * After how long an identification comes again at this rate of datagrams to one host: 2^16 /
 * rate for IPv4 (RFC 6864 4), 2^32 / rate for IPv6, whose identifications are drawn at random on
 * Linux, so that this is the mean distance. False if the rate is not above 0.
 */
bool fragment_id_repeat_ns(uint8_t family, double datagrams_per_s, double *repeat_ns) MUST_CHECK;

/*
 * Estimated bytes of reassembly memory that one incomplete datagram holds in a Linux receiver
 * until its timer runs out, if one of its fragments is missing: a received fragment of 1,500
 * bytes was measured to hold about 2,270, and others are taken in proportion, which is about 1.5
 * times the datagram; but a small one holds 832. 0 for a datagram sent whole.
 */
uint64_t fragment_pinned_bytes(const struct fragment_plan *plan);

/*
 * Loss per fragment that a loss per datagram implies if `fragments` of them must arrive and are
 * lost independently: 1 - (1 - p)^(1/n). Exact for tiny losses too. 0 <= p <= 1, n >= 1.
 */
double fragment_loss(double datagram_loss, uint32_t fragments);

#endif
