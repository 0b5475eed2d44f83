/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any family, MTU and size through the fragment plan: the pieces must tile the datagram exactly,
 * all but the last a multiple of 8, none longer than the MTU, and as few as the rule says.
 */
#include <math.h>
#include <stdbool.h>

#include "core/ethernet.h"
#include "core/fragments.h"
#include "fuzz/require.h"

static uint32_t count_by_rule(uint8_t family, uint32_t mtu, uint32_t payload)
{
	uint64_t whole = mtu - (family == 4 ? 20 : 40);
	uint64_t piece = (family == 4 ? whole : whole - 8) / 8 * 8;

	if (payload <= whole)
		return 1;
	if (family == 6)
		return (uint32_t)((payload + piece - 1) / piece);
	return (uint32_t)(1 + (payload - whole + piece - 1) / piece);
}

static void check_pieces(const struct fragment_plan *plan)
{
	struct fragment piece;
	uint64_t next = 0, ip = 0, frames = 0, wire = 0;

	for (uint32_t i = 0; i < plan->count; i++) {
		REQUIRE(fragment_at(plan, i, &piece), "piece %u is missing", i);
		REQUIRE(piece.offset == next, "piece %u starts at %u", i, piece.offset);
		REQUIRE(piece.more == (i + 1 < plan->count), "piece %u: more", i);
		REQUIRE(!piece.more || piece.payload_bytes % 8 == 0, "piece %u: odd size", i);
		REQUIRE(piece.packet_bytes <= plan->mtu, "piece %u is too long", i);
		REQUIRE(piece.payload_bytes > 0 || plan->payload_bytes == 0, "piece %u is empty",
			i);
		REQUIRE(piece.packet_bytes == piece.payload_bytes + plan->header_bytes, "header");
		next += piece.payload_bytes;
		ip += piece.packet_bytes;
		frames += ethernet_frame_bytes(piece.packet_bytes);
		wire += ethernet_wire_bytes(piece.packet_bytes);
	}
	REQUIRE(next == plan->payload_bytes, "the pieces hold %llu", (unsigned long long)next);
	REQUIRE(!fragment_at(plan, plan->count, &piece), "a piece too many");
	REQUIRE(fragment_ip_bytes(plan) == ip && fragment_frame_bytes(plan) == frames &&
			fragment_wire_bytes(plan) == wire,
		"sums");
}

static void check_plan(uint8_t family, uint32_t mtu, uint32_t payload)
{
	struct fragment_plan plan, more;
	uint32_t least = family == 4 ? FRAGMENT_MTU_MIN_IP4 : FRAGMENT_MTU_MIN_IP6;
	uint32_t longest = family == 4 ? FRAGMENT_PAYLOAD_MAX_IP4 : FRAGMENT_PAYLOAD_MAX_IP6;
	bool possible = (family == 4 || family == 6) && mtu >= least && payload <= longest;
	double overhead;
	uint32_t most;

	REQUIRE(fragment_plan_make(&plan, family, mtu, payload) == possible, "possible: %d",
		possible);
	if (!possible)
		return;
	REQUIRE(plan.count == count_by_rule(family, mtu, payload), "count %u", plan.count);
	check_pieces(&plan);
	REQUIRE(fragment_overhead(&plan, &overhead) == (payload > FRAGMENT_ECHO_HEADER_BYTES),
		"overhead");
	REQUIRE((fragment_pinned_bytes(&plan) == 0) == (plan.count == 1), "pinned");
	most = fragment_payload_max(family, mtu, plan.count);
	REQUIRE(most >= payload && most <= longest, "most %u", most);
	REQUIRE(fragment_plan_make(&more, family, mtu, most) && more.count == plan.count,
		"at most");
	REQUIRE(most == longest || (fragment_plan_make(&more, family, mtu, most + 1) &&
				    more.count == plan.count + 1),
		"above most");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};

	while (input.left > 0) {
		uint8_t family = (uint8_t)input_take(&input, 1);
		uint32_t mtu = (uint32_t)input_take(&input, 4);
		uint32_t payload = (uint32_t)input_take(&input, 4);
		double loss = (double)input_take(&input, 4) / (double)UINT32_MAX;
		uint32_t pieces = 1 + (uint32_t)input_take(&input, 1);
		double single = fragment_loss(loss, pieces);

		/* As they come, and brought into the range where plans exist. */
		check_plan(family, mtu, payload);
		check_plan(family % 2 == 0 ? 4 : 6, 68 + mtu % 70000, payload % 65540);
		REQUIRE(single >= 0.0 && single <= loss * (1.0 + 1e-12),
			"loss per fragment %g of %g", single, loss);
		REQUIRE(fabs(1.0 - pow(1.0 - single, pieces) - loss) < 1e-9, "loss %g", loss);
	}
	return 0;
}
