/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of single fragments, on top of the two views of IP headers. What the headers claim is
 * judged here once, so that the tables behind may take it as possible.
 */
#include "core/fragment_piece.h"

#include "base/bytes.h"
#include "core/ip4.h"
#include "core/ip6.h"

#define DATAGRAM_MAX 65535u
#define ECHO_READ_BYTES 6u /* type, code, checksum, identifier */
#define OFFSET_UNIT 8u

/* What both families have: headers of header_bytes before the data, total_bytes with them. */
static bool measure(struct fragment_piece *piece, uint32_t header_bytes, uint32_t total_bytes)
{
	if (total_bytes <= header_bytes)
		return false;
	piece->packet_bytes = total_bytes;
	piece->payload_bytes = total_bytes - header_bytes;
	if (piece->more && piece->payload_bytes % OFFSET_UNIT != 0)
		return false;
	return piece->offset + piece->payload_bytes <= DATAGRAM_MAX;
}

static void read_echo(const uint8_t *bytes, size_t length, size_t at, struct fragment_piece *piece)
{
	piece->has_echo = length >= at + ECHO_READ_BYTES && piece->offset == 0;
	if (!piece->has_echo)
		return;
	piece->type = bytes[at];
	piece->identifier = bytes_get16(bytes + at + 4);
}

static bool read_ip4(const uint8_t *bytes, size_t length, struct fragment_piece *piece)
{
	struct ip4_view view;

	if (ip4_view(bytes, length, &view) != IP_OK || view.protocol != IP4_PROTOCOL_ICMP ||
	    (view.fragment_offset == 0 && !view.more_fragments))
		return false;
	piece->source = address_from_ip4(view.source);
	piece->destination = address_from_ip4(view.destination);
	piece->id = view.id;
	piece->offset = view.fragment_offset;
	piece->more = view.more_fragments;
	read_echo(bytes, length, view.header_bytes, piece);
	return measure(piece, view.header_bytes, view.total_length);
}

static bool read_ip6(const uint8_t *bytes, size_t length, struct fragment_piece *piece)
{
	struct ip6_view view;

	if (ip6_view(bytes, length, &view) != IP_OK || view.protocol != IP6_PROTOCOL_ICMP ||
	    !view.has_fragment)
		return false;
	piece->source = address_from_ip6(view.source, 0);
	piece->destination = address_from_ip6(view.destination, 0);
	piece->id = view.fragment_id;
	piece->offset = view.fragment_offset;
	piece->more = view.more_fragments;
	read_echo(bytes, length, view.upper_offset, piece);
	return measure(piece, view.fragment_data, IP6_HEADER_BYTES + view.payload_length);
}

bool fragment_piece_read(const uint8_t *bytes, size_t length, struct fragment_piece *piece)
{
	if (length == 0)
		return false;
	*piece = (struct fragment_piece){.offset = 0};
	return bytes[0] >> 4 == 4 ? read_ip4(bytes, length, piece)
				  : read_ip6(bytes, length, piece);
}
