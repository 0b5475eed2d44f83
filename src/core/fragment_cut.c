/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of a datagram that is cut by hand differs from the kernel's in the length of its pieces
 * only, so it is a plan like any other and all that is known of plans holds for it.
 */
#include "core/fragment_cut.h"

#include <string.h>

#include "base/bytes.h"
#include "core/checksum.h"

#define IP4_VERSION_AND_LENGTH 0x45u /* 20 bytes, no options */
#define IP4_DONT_FRAGMENT      0x4000u
#define IP4_MORE_FRAGMENTS     0x2000u
#define IP6_MORE_FRAGMENTS     0x0001u
#define IP6_BYTES	       40u
#define PROTOCOL_ICMP	       1u
#define PROTOCOL_ICMP6	       58u
#define OFFSET_UNIT	       8u

uint32_t fragment_cut_max(uint8_t family, uint32_t mtu)
{
	uint32_t header = family == 4 ? FRAGMENT_HEADER_BYTES_IP4
				      : IP6_BYTES + FRAGMENT_HEADER_BYTES_IP6;
	uint32_t least = family == 4 ? FRAGMENT_MTU_MIN_IP4 : FRAGMENT_MTU_MIN_IP6;

	return mtu < least ? 0 : (mtu - header) / OFFSET_UNIT * OFFSET_UNIT;
}

bool fragment_plan_make_cut(struct fragment_plan *plan, uint8_t family, uint32_t mtu,
			    uint32_t payload_bytes, uint32_t piece_bytes)
{
	uint32_t least = family == 4 ? FRAGMENT_CUT_MIN_IP4 : FRAGMENT_CUT_MIN_IP6;
	struct fragment_plan whole;

	/* Whether a datagram may be that long, and that MTU: as for the kernel's. */
	if (!fragment_plan_make(&whole, family, mtu, payload_bytes))
		return false;
	if (piece_bytes == 0 || piece_bytes >= payload_bytes) {
		if (whole.count > 1)
			return false;
		*plan = whole;
		return true;
	}
	if (piece_bytes % OFFSET_UNIT != 0 || piece_bytes < least ||
	    piece_bytes > fragment_cut_max(family, mtu))
		return false;
	*plan = whole;
	plan->count = (payload_bytes + piece_bytes - 1) / piece_bytes;
	plan->header_bytes = family == 4 ? FRAGMENT_HEADER_BYTES_IP4
					 : IP6_BYTES + FRAGMENT_HEADER_BYTES_IP6;
	plan->piece_bytes = piece_bytes;
	plan->last_bytes = payload_bytes - (plan->count - 1) * piece_bytes;
	return true;
}

uint32_t fragment_cut_index(enum fragment_order order, uint32_t count, uint32_t place)
{
	uint32_t odd = (count + 1) / 2; /* counted from one: the first is odd */

	switch (order) {
	case FRAGMENT_REVERSE:
		return count - 1 - place;
	case FRAGMENT_ODD_EVEN:
		return place < odd ? 2 * place : 2 * (place - odd) + 1;
	case FRAGMENT_FORWARD:
		break;
	}
	return place;
}

void fragment_write_ip4(uint8_t header[static FRAGMENT_HEADER_BYTES_IP4],
			const struct fragment *fragment,
			const struct fragment_header_facts *facts)
{
	uint16_t flags = (uint16_t)((facts->dont_fragment ? IP4_DONT_FRAGMENT : 0u) |
				    (fragment->more ? IP4_MORE_FRAGMENTS : 0u));

	memset(header, 0, FRAGMENT_HEADER_BYTES_IP4);
	header[0] = IP4_VERSION_AND_LENGTH;
	header[1] = facts->traffic_class;
	bytes_put16(header + 4, (uint16_t)facts->identification);
	bytes_put16(header + 6, (uint16_t)(flags | fragment->offset / OFFSET_UNIT));
	header[8] = facts->time_to_live;
	header[9] = PROTOCOL_ICMP;
	memcpy(header + 16, facts->destination, sizeof(facts->destination));
}

void fragment_write_ip6(uint8_t header[static FRAGMENT_HEADER_BYTES_IP6],
			const struct fragment *fragment, uint32_t identification)
{
	header[0] = PROTOCOL_ICMP6;
	header[1] = 0;
	/* The offset is a multiple of 8, so its low bits have room for the flag. */
	bytes_put16(header + 2,
		    (uint16_t)(fragment->offset | (fragment->more ? IP6_MORE_FRAGMENTS : 0u)));
	bytes_put32(header + 4, identification);
}

uint16_t fragment_checksum_ip6(const uint8_t source[static 16],
			       const uint8_t destination[static 16], const uint8_t *message,
			       uint32_t length)
{
	uint16_t sum = checksum_sum(source, 16);

	sum = checksum_combine(sum, checksum_sum(destination, 16), false);
	sum = checksum_combine(sum, checksum_fold((uint64_t)length + PROTOCOL_ICMP6), false);
	sum = checksum_combine(sum, checksum_sum(message, length), false);
	return checksum_finish(sum);
}
