/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any packets in any order through the table of trains: every train is booked once, no table is
 * overrun, no figure is invented. An input is a row of packets, each behind a byte of its length,
 * one of its direction and what to do before, and two that say how much time has passed.
 */
#include <stdbool.h>
#include <string.h>

#include "core/fragment_trains.h"
#include "fuzz/require.h"

#define SLOTS 16u
#define PACKET_MAX 255u

static struct fragment_train table[SLOTS];
static struct fragment_trains trains;

static void check_way(const struct result_capture_way *way)
{
	uint64_t in_patterns = way->patterns_left_out;

	REQUIRE(way->trains == way->complete + way->incomplete + way->undecided + way->evicted,
		"trains");
	REQUIRE(way->complete == way->in_order + way->reversed + way->other_order, "orders");
	REQUIRE(way->gap_samples <= way->complete, "gaps");
	REQUIRE(way->gap_samples == 0 || (way->gap_min_ns >= 0 &&
					  way->gap_min_ns <= way->gap_median_ns &&
					  way->gap_median_ns <= way->gap_max_ns),
		"order of gaps");
	REQUIRE(!way->dispersion_bits_per_s.known || way->dispersion_bits_per_s.value > 0.0,
		"rate");
	for (uint32_t i = 0; i < way->pattern_count; i++) {
		const struct result_capture_pattern *pattern = &way->patterns[i];

		REQUIRE(pattern->count > 0 && pattern->run_count > 0, "an empty pattern");
		for (uint32_t run = 0; run < pattern->run_count; run++)
			REQUIRE(pattern->runs[run].count > 0 &&
					pattern->runs[run].packet_bytes > 20 &&
					pattern->runs[run].packet_bytes <= 65575,
				"a run of %u times %u bytes", pattern->runs[run].count,
				pattern->runs[run].packet_bytes);
		in_patterns += pattern->count;
	}
	REQUIRE(in_patterns == way->complete, "patterns");
	for (uint32_t i = 1; i < way->missing_count; i++)
		REQUIRE(way->missing[i - 1].index < way->missing[i].index, "order of indexes");
	REQUIRE(way->incomplete > 0 || way->missing_count + way->missing_unknown == 0, "missing");
}

/* Takes one packet off the input and passes it. Returns whether it was a fragment to be read. */
static bool pass(struct input *input, int64_t *now_ns)
{
	uint8_t packet[PACKET_MAX];
	size_t length = (size_t)input_take(input, 1);
	uint64_t what = input_take(input, 1);
	int64_t stamp_ns;

	*now_ns += (int64_t)input_take(input, 2) << (what >> 4);
	stamp_ns = (what & 2) != 0 ? INT64_MIN : *now_ns / 3;
	if (length > input->left)
		length = input->left;
	memcpy(packet, input->at, length);
	input->at += length;
	input->left -= length;
	if ((what & 4) != 0)
		fragment_trains_void_stamps(&trains);
	return fragment_trains_take(&trains, packet, length, (what & 1) != 0, stamp_ns, *now_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};
	struct fragment_trains_settings settings = {.identifiers = {0x4142, 0x4142}};
	struct result_capture result;
	int64_t now_ns = 0;
	uint64_t taken = 0;

	memset(&result, 0, sizeof(result));
	settings.datagram_bytes = (uint32_t)input_take(&input, 2);
	settings.peer.family = (uint8_t)(input_take(&input, 1) % 8);
	fragment_trains_init(&trains, &settings, table, SLOTS);
	while (input.left > 0)
		taken += pass(&input, &now_ns);
	fragment_trains_finish(&trains, now_ns, (int64_t)settings.datagram_bytes, &result);
	check_way(&result.in);
	check_way(&result.out);
	REQUIRE(result.in.trains + result.out.trains + result.foreign <= taken,
		"more trains than packets");
	REQUIRE(result.in.duplicates + result.in.overlaps + result.out.duplicates +
				result.out.overlaps <= taken,
		"more duplicates than packets");
	return 0;
}
