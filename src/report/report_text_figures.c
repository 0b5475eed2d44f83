/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast requests went to one target, and how well that was kept. Durations have three
 * significant digits, which is what the histogram's buckets are good for; rates have four.
 */
#include "report/text_lines.h"

#include <math.h>

#include "base/format.h"
#include "report/lines.h"

#define SLOW_INTERVAL_NS    (100 * NANOSECONDS_PER_MILLISECOND)
#define SHARE_WORTH_TELLING 0.001 /* of the link */
#define DELAY_WORTH_TELLING 0.02  /* of a percentile of the round trip */

bool text_is_slow(const struct result *result)
{
	return result->interval_ns >= SLOW_INTERVAL_NS;
}

const char *text_duration(const struct result *result, double ns, char text[static FORMAT_LENGTH])
{
	int64_t shown_ns;

	if (!result->clock.is_coarse)
		return format_duration(ns, text);
	shown_ns = result_shown_ns(result, (int64_t)llround(ns));
	/* Nanoseconds would promise too much, even of a zero. */
	return shown_ns == 0 ? format_duration_in(0.0, FORMAT_MS, 1, text)
			     : format_duration((double)shown_ns, text);
}

const char *text_quantile(const struct result *result, const struct histogram *histogram, double q,
			  char text[static FORMAT_LENGTH])
{
	return text_duration(result, (double)histogram_quantile(histogram, q), text);
}

void text_rate(FILE *stream, const struct result *result, const struct result_target *target)
{
	/* Replies to requests that were cut by hand are other bytes on the wire. */
	const char *ways = target->has_cut ? "in requests" : "each way";
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
		lines_add(&lines, "   ", "%s on the wire %s (%s of %s)",
			  format_bytes_per_s(target->wire_bits_per_s.value / 8.0, text), ways,
			  format_ratio(target->link_share.value, share),
			  format_bits_per_s((double)target->link_bits_per_s, link));
	else if (target->wire_bits_per_s.known)
		lines_add(&lines, "   ", "%s on the wire %s",
			  format_bytes_per_s(target->wire_bits_per_s.value / 8.0, text), ways);
	lines_close(&lines);
}

/* ---- the schedule ---- */

/* Adds "p50 12 us, p99 15 us", as far as the sample supports it. */
static void add_percentiles(struct lines *lines, const struct result *result, const char *before,
			    const struct histogram *histogram)
{
	char text[FORMAT_LENGTH];

	lines_add(lines, "   ", "%sp50 %s", before, text_quantile(result, histogram, 0.5, text));
	if (histogram_supports(histogram->samples, 0.99))
		lines_add(lines, ", ", "p99 %s", text_quantile(result, histogram, 0.99, text));
}

/* Whether a percentile of one is visibly above that of the other. */
static bool is_above(const struct histogram *one, const struct histogram *other, double q)
{
	double above_ns = (double)(histogram_quantile(one, q) - histogram_quantile(other, q));

	return histogram_supports(one->samples, q) &&
	       above_ns > DELAY_WORTH_TELLING * (double)histogram_quantile(other, q);
}

void text_schedule(FILE *stream, const struct result *result, const struct result_target *target)
{
	const struct histogram *lateness = target->lateness, *intended = target->rtt_intended;
	const struct histogram *rtt = target->rtt_user;
	char text[FORMAT_LENGTH];
	struct lines lines;

	if (result->interval_ns <= 0 || result_is_search(result) ||
	    (text_is_slow(result) && target->tally.skipped == 0))
		return;
	lines_open(&lines, stream, "schedule");
	lines_add(&lines, "", "asked %s",
		  format_rate((double)NANOSECONDS_PER_SECOND / (double)result->interval_ns, text));
	if (lateness != NULL && lateness->samples > 0) {
		add_percentiles(&lines, result, "late by ", lateness);
		lines_add(&lines, ", ", "max %s",
			  text_duration(result, (double)lateness->max_ns, text));
	}
	if (intended != NULL && rtt != NULL && intended->samples > 0 &&
	    (is_above(intended, rtt, 0.5) || is_above(intended, rtt, 0.99)))
		add_percentiles(&lines, result, "rtt from the intended time ", intended);
	if (target->tally.skipped > 0)
		lines_add(&lines, "   ", "%llu left out after stalls",
			  (unsigned long long)target->tally.skipped);
	lines_close(&lines);
}
