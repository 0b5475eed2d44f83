/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small steps are counted one by one, so that the cost of a reading is a median: the mean would
 * contain every interrupt that came between two readings.
 */
#include "core/clock_quality.h"

#include <string.h>

void clock_quality_init(struct clock_quality *quality)
{
	memset(quality, 0, sizeof(*quality));
}

void clock_quality_read(struct clock_quality *quality, int64_t now_ns)
{
	int64_t delta_ns = now_ns - quality->last_ns;

	quality->last_ns = now_ns;
	if (quality->readings++ == 0)
		return;
	if (delta_ns < 0) {
		quality->negatives++;
		return;
	}
	if (delta_ns < (int64_t)CLOCK_QUALITY_EXACT)
		quality->exact[delta_ns]++;
	if (delta_ns == 0) {
		quality->zeros++;
		return;
	}
	quality->steps++;
	quality->largest_ns = max_i64(quality->largest_ns, delta_ns);
	if (quality->step_ns == 0 || delta_ns < quality->step_ns)
		quality->step_ns = delta_ns;
}

/* Median of the differences between readings, or -1 if it is not among those counted exactly. */
static int64_t median_ns(const struct clock_quality *quality)
{
	uint64_t differences = quality->zeros + quality->steps;
	uint64_t seen = 0;

	for (uint32_t ns = 0; ns < CLOCK_QUALITY_EXACT; ns++) {
		seen += quality->exact[ns];
		if (2 * seen >= differences && differences > 0)
			return ns;
	}
	return -1;
}

void clock_quality_result(const struct clock_quality *quality, int64_t span_ns,
			  struct result_clock *facts)
{
	uint64_t differences = quality->zeros + quality->steps + quality->negatives;
	int64_t typical_ns = median_ns(quality);

	facts->is_measured = differences > 0;
	if (!facts->is_measured)
		return;
	facts->step_ns = quality->steps > 0 ? quality->step_ns : max_i64(span_ns, 1);
	facts->zero_share = (double)quality->zeros / (double)differences;
	facts->is_coarse = facts->step_ns > CLOCK_COARSE_STEP_NS;
	facts->read_ns = typical_ns > 0 && !facts->is_coarse
				 ? (double)typical_ns
				 : (double)span_ns / (double)differences;
	/* The largest gap of a coarse clock is one step of it. */
	facts->hiccup_ns.known = !facts->is_coarse;
	facts->hiccup_ns.value = facts->is_coarse ? 0.0 : (double)quality->largest_ns;
}

bool clock_is_fine_enough(const struct result_clock *facts, int64_t trial_rtt_ns)
{
	if (facts->is_coarse)
		return false;
	return trial_rtt_ns <= 0 || facts->step_ns <= trial_rtt_ns / 10;
}

bool clock_needs_trial(const struct result_clock *facts)
{
	return facts->is_measured && !facts->is_coarse && facts->step_ns > CLOCK_FINE_STEP_NS;
}

struct maybe clock_error(const struct result_clock *facts, int64_t rtt_ns)
{
	struct maybe error = {.known = facts->is_measured};

	if (error.known)
		error.value = (double)facts->step_ns + facts->read_ns +
			      facts->rate_error * (double)max_i64(rtt_ns, 0);
	return error;
}
