/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fragmentation in lines: how requests are cut, what that costs on the wire, what the kernel
 * counted, and what lost fragments may do to the measurement.
 */
#include "report/text_lines.h"

#include "base/format.h"
#include "report/lines.h"

#define SIZES_LENGTH	     128
#define REASSEMBLY_WAIT_S    30
#define PINNED_WORTH_TELLING 1048576.0 /* a quarter of what Linux lets all senders hold */

/* "1500 + 596", "2 x 1500 + 68": runs of equal sizes are counted. */
static const char *sizes_text(const struct result_fragments *fragments,
			      char text[static SIZES_LENGTH])
{
	const char *plus = "";
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0, run; i < fragments->per_request && used < SIZES_LENGTH - 32;
	     i += run) {
		int written;

		run = 1;
		while (i + run < fragments->per_request &&
		       fragments->sizes[i + run] == fragments->sizes[i])
			run++;
		written = run == 1 ? snprintf(text + used, SIZES_LENGTH - used, "%s%u", plus,
					      fragments->sizes[i])
				   : snprintf(text + used, SIZES_LENGTH - used, "%s%u x %u", plus,
					      run, fragments->sizes[i]);
		used += written > 0 ? (size_t)written : 0;
		plus = " + ";
	}
	return text;
}

static void add_plan(struct lines *lines, const struct result_target *target)
{
	const struct result_fragments *fragments = &target->fragments;
	/* Replies are cut by the other host's kernel, whatever was done to the requests. */
	bool replies_differ =
		target->has_cut ||
		(fragments->largest_in_reply > 0 &&
		 (fragments->per_request == 1 ||
		  fragments->largest_in_reply != fragments->sizes[0]));
	char sizes[SIZES_LENGTH], text[FORMAT_LENGTH];

	lines_prose(lines, "", "%u per %s (%s bytes%s)", fragments->per_request,
		    replies_differ ? "request" : "datagram each way", sizes_text(fragments, sizes),
		    target->has_cut ? ", cut by hand" : "");
	if (target->payload_bytes > 0)
		lines_prose(lines, ", ", "%s over the payload on the wire",
			    format_ratio(fragments->overhead, text));
	if (replies_differ && fragments->largest_in_reply > 0)
		lines_prose(lines, "; ", "replies came in fragments of up to %u bytes",
			    fragments->largest_in_reply);
	else if (target->has_cut && target->tally.received > 0)
		lines_prose(lines, "; ", "replies came whole");
	if (!fragments->counters_known)
		return;
	/* What the kernel did not cut it does not count. */
	if (target->has_cut)
		lines_prose(lines, "; ", "received %llu by the kernel's count",
			    (unsigned long long)fragments->reassembled_fragments);
	else
		lines_prose(lines, "; ", "sent %llu, received %llu by the kernel's count",
			    (unsigned long long)fragments->created,
			    (unsigned long long)fragments->reassembled_fragments);
	if (fragments->reassembly_failures > 0)
		lines_prose(lines, ", ", "%llu reassemblies failed",
			    (unsigned long long)fragments->reassembly_failures);
}

static void add_risk(struct lines *lines, const struct result *result,
		     const struct result_target *target)
{
	const struct maybe *repeat = &target->fragments.id_repeat_ns;
	enum payload_pattern pattern = result->configuration->pattern;
	uint64_t found = pattern == PAYLOAD_DISTINCT ? target->tally.mixed : target->tally.corrupt;
	char text[FORMAT_LENGTH];

	if (!repeat->known || repeat->value >= (double)(REASSEMBLY_WAIT_S * NANOSECONDS_PER_SECOND))
		return;
	lines_break(lines);
	lines_prose(lines, "", "ids repeat every %s",
		    format_duration_in(repeat->value, FORMAT_S, 2, text));
	lines_prose(lines, ", ", "reassembly waits %d s:", REASSEMBLY_WAIT_S);
	lines_prose(lines, " ", "a lost fragment can meet a stranger");
	if (pattern == PAYLOAD_FIXED)
		lines_prose(lines, " ", "(a fixed pattern may hide it)");
	else
		lines_prose(lines, " ", "(payload checked: %llu %s)", (unsigned long long)found,
			    pattern == PAYLOAD_DISTINCT ? "mixed" : "corrupt");
}

static void add_loss(struct lines *lines, const struct result_fragments *fragments)
{
	const struct maybe *losses[] = {&fragments->loss_one_way, &fragments->loss_both_ways};
	const struct maybe_interval *intervals[] = {&fragments->loss_one_way_ci95,
						    &fragments->loss_both_ways_ci95};
	static const char *const places[] = {"if only one way loses", "if both ways lose alike"};
	char loss[FORMAT_LENGTH], low[FORMAT_LENGTH], high[FORMAT_LENGTH];

	lines_break(lines);
	for (size_t i = 0; i < ARRAY_LENGTH(losses); i++)
		lines_prose(lines, ", ", "%s%s (%s to %s) %s", i == 0 ? "loss per fragment " : "",
			    format_ratio(losses[i]->value, loss),
			    format_ratio(intervals[i]->low, low),
			    format_ratio(intervals[i]->high, high), places[i]);
}

void text_fragments(FILE *stream, const struct result *result, const struct result_target *target)
{
	const struct result_fragments *fragments = &target->fragments;
	const struct maybe *pinned = &fragments->pinned_bytes_estimate;
	char text[FORMAT_LENGTH];
	struct lines lines;

	if (!fragments->known || (fragments->per_request == 1 && fragments->largest_in_reply == 0))
		return;
	lines_open(&lines, stream, "fragments");
	add_plan(&lines, target);
	add_risk(&lines, result, target);
	if (fragments->per_request > 1 && target->tally.lost > 0 && fragments->loss_one_way.known)
		add_loss(&lines, fragments);
	if (pinned->known && pinned->value >= PINNED_WORTH_TELLING) {
		lines_break(&lines);
		lines_prose(&lines, "",
			    "lost fragments hold about %s MB of the other host's "
			    "reassembly memory",
			    format_significant(pinned->value / 1e6, 2, text));
	}
	lines_close(&lines);
}
