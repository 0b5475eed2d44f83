/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded look at an IPv6 header and the extension headers behind it (RFC 8200 sections 3 and 4).
 * Raw sockets strip these from what is received; they matter in what an ICMPv6 error quotes. The
 * walk stops after eight headers and each step advances by at least eight bytes, so no content can
 * make it long. No option inside a header is decoded.
 */
#ifndef FPING_BENCH_CORE_IP6_H
#define FPING_BENCH_CORE_IP6_H

#include "core/ip_status.h"

#define IP6_HEADER_BYTES 40u
#define IP6_EXTENSIONS_MAX 8u
#define IP6_PROTOCOL_ICMP 58u

struct ip6_view {
	uint32_t upper_offset;    /* where the walk ended, from the start; received up to here */
	uint16_t payload_length;  /* everything behind the first 40 bytes, as the header says */
	uint8_t hop_limit;
	uint8_t protocol;         /* of what is at upper_offset */
	bool has_fragment;        /* a fragment header was met; the next four are of it */
	bool more_fragments;
	uint16_t fragment_offset; /* in bytes; if not 0, later data is at upper_offset */
	uint32_t fragment_id;
	uint16_t fragment_data;   /* where its part of the datagram starts, behind that header */
	uint8_t source[16];
	uint8_t destination[16];
};

/*
 * Reads the header at the start of length bytes and walks to the first header that is not
 * hop-by-hop, routing, fragment, authentication (RFC 4302), destination options, mobility, HIP or
 * Shim6 (IANA's list of extension headers, without ESP, behind which nothing can be read). A
 * fragment header with an offset ends the walk. IP_SHORT: the bytes end inside the 40, or inside an
 * extension header. IP_BAD: another version, or more than eight extension headers.
 */
enum ip_status ip6_view(const uint8_t *bytes, size_t length, struct ip6_view *view) MUST_CHECK;

#endif
