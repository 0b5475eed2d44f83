/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The account of a train that is over. Which pieces are missing follows from the bytes that are and
 * the size of the others: all pieces of a datagram but the last are cut alike, so a place in bytes
 * is a place in pieces. Where they were not, or nothing says what the size was, only that is told
 * which does not depend on it.
 */
#include "core/fragment_trains_internal.h"

#include <string.h>

#define PICOSECONDS_PER_NANOSECOND 1000
#define GAP_MAX_NS (INT64_C(1) << HISTOGRAM_TOP_BITS) /* longer is no train but a wrong stamp */

/* ---- complete trains ---- */

/* Bytes of the IP packet of the piece that starts at this unit and ends before the other. */
static uint32_t packet_bytes(const struct fragment_train *train, uint32_t from, uint32_t to)
{
	uint32_t end = (uint32_t)min_u64((uint64_t)to * FRAGMENT_UNIT, train->end_bytes);

	return end - from * FRAGMENT_UNIT + (from == 0 ? train->header_first : train->header_rest);
}

/* Adds a piece to the runs; false if there are too many of them. */
static bool add_run(struct result_capture_pattern *pattern, uint32_t bytes)
{
	struct result_capture_run *run = &pattern->runs[pattern->run_count];

	if (pattern->run_count > 0 && run[-1].packet_bytes == bytes) {
		run[-1].count++;
		return true;
	}
	if (pattern->run_count == RESULT_CAPTURE_RUNS_MAX)
		return false;
	*run = (struct result_capture_run){bytes, 1};
	pattern->run_count++;
	return true;
}

/* The sizes of a complete train without overlaps; false if they cannot be listed. */
static bool make_pattern(const struct fragment_train *train, struct result_capture_pattern *pattern)
{
	uint32_t end = train->high_units;

	memset(pattern, 0, sizeof(*pattern));
	for (uint32_t from = 0, to; from < end; from = to) {
		to = fragment_next_start(train, from + 1, end);
		if (!add_run(pattern, packet_bytes(train, from, to)))
			return false;
	}
	return true;
}

static void count_pattern(struct result_capture_way *shown, const struct fragment_train *train)
{
	struct result_capture_pattern pattern;

	if (train->overlaps > 0 || !make_pattern(train, &pattern)) {
		shown->patterns_left_out++;
		return;
	}
	for (uint32_t i = 0; i < shown->pattern_count; i++) {
		if (memcmp(shown->patterns[i].runs, pattern.runs, sizeof(pattern.runs)) == 0) {
			shown->patterns[i].count++;
			return;
		}
	}
	if (shown->pattern_count == RESULT_CAPTURE_PATTERNS_MAX) {
		shown->patterns_left_out++;
		return;
	}
	pattern.count = 1;
	shown->patterns[shown->pattern_count++] = pattern;
}

static void time_train(struct fragment_trains_way *way, const struct fragment_train *train)
{
	int64_t gap_ns;

	if (train->pieces < 2 || train->stamps_are_void)
		return;
	gap_ns = train->last_stamp_ns - train->first_stamp_ns;
	if (gap_ns < 0 || gap_ns > GAP_MAX_NS)
		return;
	histogram_record(&way->gaps, gap_ns);
	if (train->duplicates == 0 && train->overlaps == 0)
		histogram_record(&way->spacing, gap_ns * PICOSECONDS_PER_NANOSECOND /
							(int64_t)train->bytes_behind);
}

static void book_complete(struct fragment_trains_way *way, const struct fragment_train *train)
{
	struct result_capture_way *shown = &way->shown;

	shown->complete++;
	if (train->rising)
		shown->in_order++;
	else if (train->falling)
		shown->reversed++;
	else
		shown->other_order++;
	count_pattern(shown, train);
	time_train(way, train);
}

/* ---- incomplete trains ---- */

/* False: the table has no room for a further index. */
static bool count_missing(struct result_capture_way *shown, uint32_t index)
{
	struct result_capture_missing *table = shown->missing;
	uint32_t at = 0;

	while (at < shown->missing_count && table[at].index < index)
		at++;
	if (at < shown->missing_count && table[at].index == index) {
		table[at].count++;
		return true;
	}
	if (shown->missing_count == RESULT_CAPTURE_MISSING_MAX)
		return false;
	for (uint32_t i = shown->missing_count++; i > at; i--)
		table[i] = table[i - 1];
	table[at] = (struct result_capture_missing){index, 1};
	return true;
}

/* Whether all pieces that were seen start at multiples of a size. */
static bool fits(const struct fragment_train *train, uint32_t piece_units)
{
	uint32_t end = train->high_units;
	uint32_t start = fragment_next_start(train, 0, end);

	while (start < end && start % piece_units == 0)
		start = fragment_next_start(train, start + 1, end);
	return start == end;
}

/*
 * Units of a piece that is not the last: by one of this train, else by what is usual in its
 * direction, else in the other. 0: nothing says so, or the pieces were not cut alike.
 */
static uint32_t piece_units_of(struct fragment_trains *trains, const struct fragment_train *train)
{
	const uint32_t sizes[] = {train->piece_units, trains->ways[train->outgoing].piece_units,
				  trains->ways[!train->outgoing].piece_units};

	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
		if (sizes[i] > 0)
			return train->overlaps == 0 && fits(train, sizes[i]) ? sizes[i] : 0;
	}
	return 0;
}

/*
 * The last piece of an IPv4 datagram may be up to seven bytes longer than the others: so little at
 * the end is no piece of its own if the piece before is missing too.
 */
static bool may_be_part_of_previous(const struct fragment_train *train, uint32_t unit,
				    uint32_t piece_units, uint32_t end_bytes)
{
	return train->source.family == 4 && end_bytes - unit * FRAGMENT_UNIT < FRAGMENT_UNIT &&
	       unit >= piece_units && !fragment_bit(train->covered, unit - piece_units);
}

/* Lists the holes. The end is that of the last piece, or of every request of the run. */
static void list_missing(struct fragment_trains *trains, const struct fragment_train *train)
{
	struct result_capture_way *shown = &fragment_way(trains, train)->shown;
	uint32_t piece_units = piece_units_of(trains, train);
	uint32_t end_bytes = train->has_last ? train->end_bytes : trains->settings.datagram_bytes;
	bool is_listed = piece_units > 0;
	uint32_t step = is_listed ? piece_units : UINT32_MAX / 2;

	if (end_bytes < train->high_units * FRAGMENT_UNIT && !train->has_last) {
		end_bytes = train->high_units * FRAGMENT_UNIT;
		is_listed = false; /* and at least one more */
	}
	/* Without a size of pieces only the first index is certain. */
	for (uint32_t unit = 0; unit < (end_bytes + FRAGMENT_UNIT - 1) / FRAGMENT_UNIT;
	     unit += step) {
		if (fragment_bit(train->covered, unit) ||
		    may_be_part_of_previous(train, unit, step, end_bytes))
			continue;
		if (!count_missing(shown, unit / step))
			is_listed = false;
	}
	shown->missing_unknown += !is_listed;
}

/* ---- all ---- */

/* A train without its first piece is ours unless it is of a host that was not asked. */
static bool is_foreign(const struct fragment_trains *trains, const struct fragment_train *train)
{
	const struct address *peer = &trains->settings.peer;
	const struct address *other = train->outgoing ? &train->destination : &train->source;

	if (train->has_echo || peer->family == 0)
		return train->is_foreign;
	return other->family != peer->family ||
	       memcmp(other->bytes, peer->bytes, sizeof(other->bytes)) != 0;
}

void fragment_train_close(struct fragment_trains *trains, struct fragment_train *train,
			  enum fragment_train_end end)
{
	struct fragment_trains_way *way = fragment_way(trains, train);

	train->state = FRAGMENT_TRAIN_CLOSED;
	train->is_foreign = is_foreign(trains, train);
	if (train->is_foreign) {
		trains->foreign++;
		return;
	}
	way->shown.trains++;
	way->shown.duplicates += train->duplicates;
	way->shown.overlaps += train->overlaps;
	switch (end) {
	case TRAIN_COMPLETE:
		book_complete(way, train);
		break;
	case TRAIN_INCOMPLETE:
		way->shown.incomplete++;
		list_missing(trains, train);
		break;
	case TRAIN_UNDECIDED:
		way->shown.undecided++;
		break;
	case TRAIN_EVICTED:
		way->shown.evicted++;
		break;
	}
	if (train->overlaps == 0 && train->piece_units > 0)
		way->piece_units = train->piece_units;
}
