/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was measured of one target, in lines. Durations have three significant digits, which is
 * what the histogram's buckets are good for; rates have four.
 */
#include "report/text_lines.h"

#include <string.h>

#include "base/format.h"
#include "report/lines.h"

#define SLOW_INTERVAL_NS    (100 * NANOSECONDS_PER_MILLISECOND)
#define CELL_LENGTH	    (FORMAT_LENGTH + 8)
#define GAP_WIDE	    3  /* blanks between columns ... */
#define GAP_NARROW	    2  /* ... and where they would not fit */
#define ROW_ROOM	    67 /* columns behind the label */
#define SHARE_WORTH_TELLING 0.001

bool text_is_slow(const struct result *result)
{
	return result->interval_ns >= SLOW_INTERVAL_NS;
}

void text_rate(FILE *stream, const struct result *result, const struct result_target *target)
{
	char text[FORMAT_LENGTH], share[FORMAT_LENGTH], link[FORMAT_LENGTH];
	struct lines lines;

	if (text_is_slow(result) || !target->received_per_s.known || target->tally.received < 2)
		return;
	lines_open(&lines, stream, "rate");
	lines_add(&lines, "", "%s round trips", format_rate(target->received_per_s.value, text));
	if (target->payload_bytes_per_s.known && target->payload_bytes > 0)
		lines_add(&lines, "   ", "%s payload each way",
			  format_bytes_per_s(target->payload_bytes_per_s.value, text));
	if (target->wire_bits_per_s.known && target->link_share.known &&
	    target->link_share.value >= SHARE_WORTH_TELLING)
		lines_add(&lines, "   ", "%s on the wire each way (%s of %s)",
			  format_bytes_per_s(target->wire_bits_per_s.value / 8.0, text),
			  format_ratio(target->link_share.value, share),
			  format_bits_per_s((double)target->link_bits_per_s, link));
	else if (target->wire_bits_per_s.known)
		lines_add(&lines, "   ", "%s on the wire each way",
			  format_bytes_per_s(target->wire_bits_per_s.value / 8.0, text));
	lines_close(&lines);
}

/* ---- rtt ---- */

struct column {
	double quantile; /* 0 for the maximum */
	const char *label;
};

static const struct column columns[] = {
	{0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}, {0.999, "p99.9"}, {0.0, "max"},
};

/* "p99 18 us", or "" where the sample cannot support it. */
static void cell_text(const struct histogram *histogram, const struct column *column,
		      char cell[static CELL_LENGTH])
{
	char text[FORMAT_LENGTH];
	int64_t value_ns;

	cell[0] = '\0';
	if (column->quantile > 0.0 && !histogram_supports(histogram->samples, column->quantile))
		return;
	value_ns = column->quantile > 0.0 ? histogram_quantile(histogram, column->quantile)
					  : histogram->max_ns;
	(void)snprintf(cell, CELL_LENGTH, "%s %s", column->label,
		       format_duration((double)value_ns, text));
}

/* One row; each cell is as wide as the wider of the two rows' cells. */
static void print_row(FILE *stream, const char *label,
		      char cells[static ARRAY_LENGTH(columns)][CELL_LENGTH],
		      const size_t widths[static ARRAY_LENGTH(columns)])
{
	size_t owed = 0; /* blanks that the next cell needs before it */
	size_t gap = GAP_WIDE, all = 0;
	struct lines lines;

	for (size_t i = 0; i < ARRAY_LENGTH(columns); i++)
		all += widths[i] == 0 ? 0 : widths[i] + GAP_WIDE;
	if (all > ROW_ROOM + GAP_WIDE)
		gap = GAP_NARROW;
	lines_open(&lines, stream, label);
	for (size_t i = 0; i < ARRAY_LENGTH(columns); i++) {
		char blanks[ROW_ROOM + 2 * CELL_LENGTH];

		if (widths[i] == 0)
			continue;
		if (cells[i][0] != '\0') {
			(void)snprintf(blanks, sizeof(blanks), "%*s", (int)owed, "");
			lines_add(&lines, blanks, "%s", cells[i]);
			owed = 0;
		}
		owed += widths[i] - strlen(cells[i]) + gap;
	}
	lines_close(&lines);
}

/*
 * Both round-trip times side by side: from our send call to our receive call, and to the moment
 * at which the kernel had the reply. Their distance is the time that replies waited for us.
 */
void text_times(FILE *stream, const struct result_target *target)
{
	const struct histogram *rows[] = {target->rtt_user, target->rtt_ping};
	static const char *const labels[] = {"rtt", "  to kernel"};
	char cells[ARRAY_LENGTH(rows)][ARRAY_LENGTH(columns)][CELL_LENGTH];
	size_t widths[ARRAY_LENGTH(columns)] = {0};

	memset(cells, 0, sizeof(cells));
	for (size_t row = 0; row < ARRAY_LENGTH(rows); row++) {
		if (rows[row] == NULL || rows[row]->samples == 0)
			continue;
		for (size_t i = 0; i < ARRAY_LENGTH(columns); i++) {
			cell_text(rows[row], &columns[i], cells[row][i]);
			widths[i] = max_u64(widths[i], strlen(cells[row][i]));
		}
	}
	for (size_t row = 0; row < ARRAY_LENGTH(rows); row++) {
		if (rows[row] != NULL && rows[row]->samples > 0)
			print_row(stream, labels[row], cells[row], widths);
	}
}

/* ---- in flight ---- */

/* A depth: three digits, below 1 two. */
static const char *depth_text(double depth, char text[static FORMAT_LENGTH])
{
	return format_significant(depth, depth < 1.0 ? 2 : 3, text);
}

void text_in_flight(FILE *stream, const struct result *result, const struct result_target *target)
{
	const struct maybe *unexplained = &target->in_flight_unexplained;
	char text[FORMAT_LENGTH];
	struct lines lines;

	if (!target->in_flight_mean.known || target->in_flight_max == 0 ||
	    (text_is_slow(result) && target->in_flight_max < 2))
		return;
	lines_open(&lines, stream, "in flight");
	lines_add(&lines, "", "mean %s", depth_text(target->in_flight_mean.value, text));
	lines_add(&lines, "   ", "max %llu", (unsigned long long)target->in_flight_max);
	if (target->littles_law.known)
		lines_add(&lines, "   ", "rate x rtt %s",
			  depth_text(target->littles_law.value, text));
	if (target->in_flight_network.known && target->in_flight_receive_queue.known) {
		lines_break(&lines);
		lines_add(&lines, "", "sending and on the network %s",
			  depth_text(target->in_flight_network.value, text));
		lines_add(&lines, ", ", "waiting in our socket %s",
			  depth_text(target->in_flight_receive_queue.value, text));
		if (unexplained->known && unexplained->value > 0.01 * target->in_flight_mean.value)
			lines_add(&lines, ", ", "%s %s",
				  target->given_up > 0 ? "held by requests given up"
						       : "unexplained",
				  depth_text(unexplained->value, text));
	}
	lines_close(&lines);
}

void text_schedule(FILE *stream, const struct result *result, const struct result_target *target)
{
	const struct histogram *lateness = target->lateness;
	char text[FORMAT_LENGTH];
	struct lines lines;

	if (result->interval_ns <= 0 || (text_is_slow(result) && target->tally.skipped == 0))
		return;
	lines_open(&lines, stream, "schedule");
	lines_add(&lines, "", "asked %s",
		  format_rate((double)NANOSECONDS_PER_SECOND / (double)result->interval_ns, text));
	if (lateness != NULL && lateness->samples > 0) {
		lines_add(&lines, "   ", "late by p50 %s",
			  format_duration((double)histogram_quantile(lateness, 0.5), text));
		if (histogram_supports(lateness->samples, 0.99))
			lines_add(
				&lines, ", ", "p99 %s",
				format_duration((double)histogram_quantile(lateness, 0.99), text));
		lines_add(&lines, ", ", "max %s", format_duration((double)lateness->max_ns, text));
	}
	if (target->tally.skipped > 0)
		lines_add(&lines, "   ", "%llu left out after stalls",
			  (unsigned long long)target->tally.skipped);
	lines_close(&lines);
}
