/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the capture of fragments has shown, in lines: one for each direction, and what each of them
 * has to say beyond "all there, in order" below it.
 */
#include "report/text_lines.h"

#include "core/result_capture.h"
#include "report/lines.h"

#define SIZES_LENGTH 160
#define MISSING_SHOWN 8u

/* "1500 + 596", "5 x 1500 + 628" */
static const char *sizes_text(const struct result_capture_pattern *pattern,
			      char text[static SIZES_LENGTH])
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < pattern->run_count && used < SIZES_LENGTH; i++) {
		const struct result_capture_run *run = &pattern->runs[i];
		const char *plus = i == 0 ? "" : " + ";
		int written = run->count == 1
				      ? snprintf(text + used, SIZES_LENGTH - used, "%s%u", plus,
						 run->packet_bytes)
				      : snprintf(text + used, SIZES_LENGTH - used, "%s%u x %u",
						 plus, run->count, run->packet_bytes);

		used += written > 0 ? (size_t)written : 0;
	}
	return text;
}

static void add_sizes(struct lines *lines, const struct result_capture_way *way)
{
	const struct result_capture_pattern *most = &way->patterns[0];
	uint64_t kinds = way->pattern_count;
	char sizes[SIZES_LENGTH];

	if (kinds == 0)
		return;
	for (uint32_t i = 1; i < way->pattern_count; i++) {
		if (way->patterns[i].count > most->count)
			most = &way->patterns[i];
	}
	if (kinds == 1 && way->patterns_left_out == 0)
		lines_prose(lines, " ", "of %s bytes", sizes_text(most, sizes));
	else
		lines_prose(lines, ", ", "mostly (%llu) of %s bytes",
			    (unsigned long long)most->count, sizes_text(most, sizes));
}

static void add_order(struct lines *lines, const struct result_capture_way *way)
{
	if (way->complete == 0)
		return;
	if (way->in_order == way->complete) {
		lines_prose(lines, ", ", "in order");
		return;
	}
	if (way->reversed == way->complete) {
		lines_prose(lines, ", ", "in reverse order");
		return;
	}
	lines_prose(lines, ", ", "%llu in order", (unsigned long long)way->in_order);
	if (way->reversed > 0)
		lines_prose(lines, ", ", "%llu reversed", (unsigned long long)way->reversed);
	if (way->other_order > 0)
		lines_prose(lines, ", ", "%llu in another order",
			    (unsigned long long)way->other_order);
}

static void add_completeness(struct lines *lines, const struct result_capture_way *way,
			     bool holes_are_known)
{
	if (way->complete == way->trains) {
		lines_prose(lines, ", ", "all complete");
		return;
	}
	lines_prose(lines, ", ", "%llu complete", (unsigned long long)way->complete);
	if (way->incomplete > 0 && holes_are_known)
		lines_prose(lines, ", ", "%llu incomplete", (unsigned long long)way->incomplete);
	if (way->undecided > 0)
		lines_prose(lines, ", ", "%llu not over at the end",
			    (unsigned long long)way->undecided);
	if (way->evicted > 0)
		lines_prose(lines, ", ", "%llu lost sight of", (unsigned long long)way->evicted);
}

/* Pieces are counted from 1, for people. */
static void add_missing(struct lines *lines, const struct result_capture_way *way)
{
	if (way->missing_count == 0 && way->missing_unknown == 0)
		return;
	lines_break(lines);
	for (uint32_t i = 0; i < way->missing_count && i < MISSING_SHOWN; i++)
		lines_prose(lines, ", ", "%s%u (%llu times)", i == 0 ? "missing: fragment " : "",
			    way->missing[i].index + 1,
			    (unsigned long long)way->missing[i].count);
	if (way->missing_count > MISSING_SHOWN)
		lines_prose(lines, ", ", "and %u others", way->missing_count - MISSING_SHOWN);
	if (way->missing_unknown > 0)
		lines_prose(lines, way->missing_count > 0 ? "; " : "",
			    "which are missing is not all known for %llu",
			    (unsigned long long)way->missing_unknown);
}

static void add_times(struct lines *lines, const struct result_capture_way *way, bool is_in)
{
	char text[FORMAT_LENGTH], low[FORMAT_LENGTH], high[FORMAT_LENGTH];

	if (way->gap_samples == 0)
		return;
	lines_break(lines);
	lines_prose(lines, "", "first to last %s (%s to %s)",
		    format_duration((double)way->gap_median_ns, text),
		    format_duration((double)way->gap_min_ns, low),
		    format_duration((double)way->gap_max_ns, high));
	if (is_in && way->dispersion_bits_per_s.known)
		lines_prose(lines, "; ", "spaced as by a link of %s",
			    format_bits_per_s(way->dispersion_bits_per_s.value, text));
}

static void add_way(struct lines *lines, const struct result_capture_way *way, bool is_in,
		    bool holes_are_known)
{
	if (is_in)
		lines_break(lines);
	lines_prose(lines, "", "%s: %llu datagrams in fragments", is_in ? "in" : "out",
		    (unsigned long long)way->trains);
	if (way->trains == 0)
		return;
	add_sizes(lines, way);
	add_completeness(lines, way, holes_are_known);
	add_order(lines, way);
	if (way->duplicates > 0)
		lines_prose(lines, ", ", "%llu fragments came again",
			    (unsigned long long)way->duplicates);
	if (way->overlaps > 0)
		lines_prose(lines, ", ", "%llu overlapping",
			    (unsigned long long)way->overlaps);
	if (holes_are_known)
		add_missing(lines, way);
	add_times(lines, way, is_in);
}

void text_capture(FILE *stream, const struct result *result, const struct result_target *target)
{
	const struct result_capture *capture = result->capture;
	struct lines lines;

	if (capture == NULL || target != result_capture_target(result))
		return;
	lines_open(&lines, stream, "capture");
	add_way(&lines, &capture->out, false, capture->holes_are_known);
	add_way(&lines, &capture->in, true, capture->holes_are_known);
	if (!capture->holes_are_known) {
		lines_break(&lines);
		if (capture->drops_are_known)
			lines_prose(&lines, "", "%llu fragments found no room in the capture:",
				    (unsigned long long)capture->drops);
		else
			lines_prose(&lines, "", "whether the capture saw all is not known:");
		lines_prose(&lines, " ", "what is missing cannot be told");
	}
	if (capture->targets + capture->targets_left_out > 1) {
		lines_break(&lines);
		lines_prose(&lines, "", "of the %u hosts behind %s", capture->targets,
			    capture->interface);
		if (capture->targets_left_out > 0)
			lines_prose(&lines, "; ", "%u behind other interfaces are left out",
				    capture->targets_left_out);
	}
	lines_close(&lines);
}
