/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One fragment of an ICMP or ICMPv6 message as it passed an interface: what its headers say of its
 * place in the datagram. Nothing is needed of the data, so the bytes may be cut off anywhere behind
 * the headers (a capture keeps only the start of each packet).
 */
#ifndef FPING_BENCH_CORE_FRAGMENT_PIECE_H
#define FPING_BENCH_CORE_FRAGMENT_PIECE_H

#include "base/address.h"

struct fragment_piece {
	struct address source, destination;
	uint32_t id;
	uint32_t offset;        /* of its first byte in the datagram, a multiple of 8 */
	uint32_t payload_bytes; /* its part of the datagram, >= 1 */
	uint32_t packet_bytes;  /* with all headers, as the IP header says */
	bool more;              /* it is not the last */
	bool has_echo;          /* the bytes hold type and identifier: pieces of offset 0 do */
	uint8_t type;
	uint16_t identifier;
};

/*
 * Reads the packet that starts with its IP header (RFC 791 3.1; RFC 8200 4.5, the fragment header
 * perhaps behind others), `length` bytes of which are there. False, and *piece undefined: it is no
 * fragment, of another protocol, its headers are not all there, or they cannot be true (no data, a
 * piece that is not the last with a length that is no multiple of 8, an end past 65,535).
 *
 * Behind the first fragment an ICMPv6 message can only be known by the next header that the
 * fragment header names; where that is a further extension header, only the first is taken.
 */
bool fragment_piece_read(const uint8_t *bytes, size_t length,
			 struct fragment_piece *piece) MUST_CHECK;

#endif
