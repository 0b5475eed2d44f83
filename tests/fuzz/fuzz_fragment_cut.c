/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any datagram cut by hand in any way: either there is no plan, or the headers of the pieces, read
 * as a receiver reads them, tile the datagram exactly once whatever the order, and none is longer
 * than the MTU or a first piece too short to be forwarded.
 */
#include <stdbool.h>

#include "base/bytes.h"
#include "core/fragment_cut.h"
#include "fuzz/require.h"

#define PIECES_MAX (FRAGMENT_PAYLOAD_MAX_IP6 / 8 + 1)

/* Offset in the datagram and whether more follow, from the header that was written. */
static uint32_t read_header(const struct fragment_plan *plan, const struct fragment *piece,
			    const struct fragment_header_facts *facts, bool *more)
{
	uint8_t header[FRAGMENT_HEADER_BYTES_MAX];
	uint16_t word;

	if (plan->family == 6) {
		fragment_write_ip6(header, piece, facts->identification);
		word = bytes_get16(header + 2);
		*more = (word & 1u) != 0;
		REQUIRE((word & 6u) == 0, "reserved bits");
		REQUIRE(bytes_get32(header + 4) == facts->identification, "identification");
		return word & 0xfff8u;
	}
	fragment_write_ip4(header, piece, facts);
	word = bytes_get16(header + 6);
	*more = (word & 0x2000u) != 0;
	REQUIRE((word & 0x8000u) == 0, "reserved bit");
	REQUIRE(((word & 0x4000u) != 0) == facts->dont_fragment, "DF");
	REQUIRE(bytes_get32(header + 12) == 0, "a source that is not the kernel's");
	REQUIRE(bytes_get16(header + 4) == (uint16_t)facts->identification, "identification");
	return (word & 0x1fffu) * 8u;
}

static void check_pieces(const struct fragment_plan *plan, enum fragment_order order,
			 const struct fragment_header_facts *facts)
{
	static bool seen[PIECES_MAX];
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < plan->count; i++)
		seen[i] = false;
	for (uint32_t place = 0; place < plan->count; place++) {
		uint32_t index = fragment_cut_index(order, plan->count, place);
		struct fragment piece;
		bool more;

		REQUIRE(index < plan->count && !seen[index], "piece %u sent twice", index);
		seen[index] = true;
		REQUIRE(fragment_at(plan, index, &piece), "piece %u is missing", index);
		REQUIRE(read_header(plan, &piece, facts, &more) == index * plan->piece_bytes,
			"piece %u is elsewhere", index);
		REQUIRE(more == (index + 1 < plan->count), "piece %u: more", index);
		REQUIRE(!more || piece.payload_bytes == plan->piece_bytes, "piece %u: length",
			index);
		REQUIRE(!more || piece.payload_bytes % 8 == 0, "piece %u: odd length", index);
		REQUIRE(piece.packet_bytes <= plan->mtu, "piece %u is too long", index);
		REQUIRE(index > 0 || plan->family == 6 || piece.packet_bytes >= 68, "short first");
		REQUIRE(piece.payload_bytes > 0, "piece %u is empty", index);
		bytes += piece.payload_bytes;
	}
	REQUIRE(bytes == plan->payload_bytes, "the pieces hold %llu", (unsigned long long)bytes);
}

static void check_cut(uint8_t family, uint32_t mtu, uint32_t payload, uint32_t cut,
		      enum fragment_order order, const struct fragment_header_facts *facts)
{
	struct fragment_plan plan = {.count = 77}, whole;
	uint32_t least = family == 4 ? FRAGMENT_CUT_MIN_IP4 : FRAGMENT_CUT_MIN_IP6;
	bool stays_whole = cut == 0 || cut >= payload;
	bool can_be = fragment_plan_make(&whole, family, mtu, payload);
	bool well_formed = can_be && (stays_whole ? whole.count == 1
						  : cut % 8 == 0 && cut >= least &&
							    cut <= fragment_cut_max(family, mtu));

	REQUIRE(fragment_plan_make_cut(&plan, family, mtu, payload, cut) == well_formed,
		"well formed: %d", well_formed);
	if (!well_formed) {
		REQUIRE(plan.count == 77, "a refused plan was changed");
		return;
	}
	if (plan.count > 1)
		check_pieces(&plan, order, facts);
	else
		REQUIRE(stays_whole, "one piece of many");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};

	while (input.left > 0) {
		uint8_t family = (uint8_t)input_take(&input, 1);
		uint32_t mtu = (uint32_t)input_take(&input, 4);
		uint32_t payload = (uint32_t)input_take(&input, 4);
		uint32_t cut = (uint32_t)input_take(&input, 4);
		unsigned order = (unsigned)input_take(&input, 1) % 3;
		struct fragment_header_facts facts = {
			.identification = (uint32_t)input_take(&input, 4),
			.time_to_live = 64,
			.dont_fragment = input_take(&input, 1) % 2 != 0,
		};

		/* As they come, and brought into the range where plans exist. */
		check_cut(family, mtu, payload, cut, (enum fragment_order)order, &facts);
		check_cut(family % 2 == 0 ? 4 : 6, 68 + mtu % 70000, payload % 65540,
			  cut % 8192 * 8, (enum fragment_order)order, &facts);
	}
	return 0;
}
