/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded look at an IPv4 header (RFC 791 section 3.1): what it says, copied out, and nothing
 * that has not been received. Options are skipped by length and never decoded: the header length
 * alone says where the data starts, and decoders of options are where other pings have failed.
 */
#ifndef FPING_BENCH_CORE_IP4_H
#define FPING_BENCH_CORE_IP4_H

#include "core/ip_status.h"

#define IP4_HEADER_BYTES 20u /* without options */
#define IP4_PROTOCOL_ICMP 1u

struct ip4_view {
	uint16_t header_bytes;    /* 20..60, options included, all of it received */
	uint16_t total_length;    /* header and data, as the header says; not verified */
	uint16_t id;
	uint16_t fragment_offset; /* in bytes */
	bool more_fragments;
	bool dont_fragment;
	uint8_t ttl;
	uint8_t protocol;
	uint8_t source[4];
	uint8_t destination[4];
};

/*
 * Reads the header at the start of length bytes. IP_SHORT: fewer than 20 bytes, or than the header
 * length says. IP_BAD: another version, or a header length below 20. total_length is the caller's
 * to judge: that of a received packet must fit what was received, that of a quoted one may have
 * been changed on its way by old routers.
 */
enum ip_status ip4_view(const uint8_t *bytes, size_t length, struct ip4_view *view) MUST_CHECK;

#endif
