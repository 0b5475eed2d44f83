/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a reader must know of the course of a run before believing its figures: what came before
 * them, which part of them was different, and what the clock and the host did meanwhile.
 */
#include "report/text_lines.h"

#include <math.h>
#include <string.h>

#include "report/lines.h"

#define CUT_WORTH_TELLING   0.01 /* of the replies */
#define STEAL_WORTH_TELLING 0.01 /* of the time */
#define TEXT_LENGTH	    512

static const char *safe(const char *from, char text[static TEXT_LENGTH])
{
	(void)format_escape(from, strlen(from), text, TEXT_LENGTH);
	return text;
}

/* ---- a target ---- */

void text_warmup(FILE *stream, const struct result *result, const struct result_target *target)
{
	const struct tally *warmup = &target->warmup;
	char text[FORMAT_LENGTH];
	struct lines lines;

	if (warmup->sent == 0)
		return;
	lines_open(&lines, stream, "warmup");
	lines_add(&lines, "", "%llu requests before", (unsigned long long)warmup->sent);
	if (result->warmup_ns > 0)
		lines_add(&lines, " ", "(%s)",
			  text_duration(result, (double)result->warmup_ns, text));
	lines_add(&lines, ", ", "%llu answered", (unsigned long long)warmup->received);
	if (warmup->lost > 0)
		lines_add(&lines, ", ", "%llu lost", (unsigned long long)warmup->lost);
	if (warmup->in_flight_at_end > 0)
		lines_add(&lines, ", ", "%llu not waited for",
			  (unsigned long long)warmup->in_flight_at_end);
	lines_close(&lines);
}

void text_steady(FILE *stream, const struct result *result, const struct result_target *target)
{
	const struct result_steady *steady = &target->steady;
	char share[FORMAT_LENGTH], cut[FORMAT_LENGTH], rest[FORMAT_LENGTH];
	struct lines lines;

	/* On a coarse clock the means would not be told apart. */
	if (!steady->known || steady->cut_replies == 0 || result->clock.is_coarse ||
	    (steady->is_steady && steady->cut_share < CUT_WORTH_TELLING))
		return;
	lines_open(&lines, stream, "steady");
	lines_prose(&lines, "", "%sthe first %llu replies (%s) were %s,",
		    steady->is_steady ? "" : "no: ", (unsigned long long)steady->cut_replies,
		    format_ratio(steady->cut_share, share),
		    steady->cut_mean_ns > steady->rest_mean_ns ? "slower" : "faster");
	lines_prose(&lines, " ", "%s on average, the rest %s",
		    text_duration(result, steady->cut_mean_ns, cut),
		    text_duration(result, steady->rest_mean_ns, rest));
	if (steady->is_steady)
		lines_prose(&lines, ": ", "--warmup %llu leaves them out",
			    (unsigned long long)target->warmup.sent + steady->cut_replies);
	lines_close(&lines);
}

/* ---- the run ---- */

/* A rate of counts, "2.595 GHz". */
static const char *frequency_text(double per_s, char text[static FORMAT_LENGTH])
{
	bool is_fast = per_s >= 1e9;
	char number[FORMAT_LENGTH];

	(void)snprintf(text, FORMAT_LENGTH, "%.32s %s",
		       format_significant(per_s / (is_fast ? 1e9 : 1e6), 4, number),
		       is_fast ? "GHz" : "MHz");
	return text;
}

static bool clock_is_ordinary(const struct result_clock *clock)
{
	return clock->source == NULL || strcmp(clock->source, "monotonic") == 0 ||
	       strcmp(clock->source, "sim") == 0;
}

void text_clock(FILE *stream, const struct result *result)
{
	const struct result_clock *clock = &result->clock;
	char text[TEXT_LENGTH], figure[FORMAT_LENGTH];
	struct lines lines;

	if (clock_is_ordinary(clock) && !clock->is_coarse && clock->fault[0] == '\0')
		return;
	lines_open(&lines, stream, "clock");
	lines_add(&lines, "", "%s", clock->source == NULL ? "unknown" : clock->source);
	if (clock->reason[0] != '\0')
		lines_prose(&lines, ": ", "%s", safe(clock->reason, text));
	if (clock->is_calibrated) {
		lines_break(&lines);
		lines_add(&lines, "", "%s by our own calibration",
			  frequency_text(clock->counts_per_s, figure));
		lines_add(&lines, ", ", "+-%s ppm",
			  format_significant(clock->calibration_bound * 1e6, 2, figure));
		lines_add(&lines, ", ", "start and end %s ppm apart",
			  format_significant(fabs(clock->drift) * 1e6, 2, figure));
	}
	if (clock->is_coarse) {
		lines_break(&lines);
		lines_prose(&lines, "", "it steps by %s: no time is shown finer than that",
			    text_duration(result, (double)clock->step_ns, figure));
	}
	if (clock->fault[0] != '\0') {
		lines_break(&lines);
		lines_prose(&lines, "", "%s", safe(clock->fault, text));
	}
	lines_close(&lines);
}

void text_host(FILE *stream, const struct result *result)
{
	const struct result_processor *processor = &result->processor;
	const struct maybe *drops = &processor->softnet_drops, *steal = &processor->steal_s;
	bool has_drops = drops->known && drops->value > 0.0;
	bool has_steal = steal->known && processor->known &&
			 steal->value > STEAL_WORTH_TELLING * processor->wall_s;
	char text[FORMAT_LENGTH];
	struct lines lines;

	if (!has_drops && !has_steal)
		return;
	lines_open(&lines, stream, "host");
	if (has_drops)
		lines_prose(&lines, "",
			    "%.0f packets dropped on arrival: this host had no time for them",
			    drops->value);
	if (has_steal) {
		lines_break(&lines);
		lines_prose(&lines, "", "%s of processor time taken by the hypervisor",
			    format_duration(steal->value * 1e9, text));
	}
	lines_close(&lines);
}
