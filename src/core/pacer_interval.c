/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interval: an absolute schedule. The places of the schedule are numbered; the first
 * preload - 1 are extra ones, due at the start, and place preload - 1 + k is due at exactly
 * start + k x interval, computed anew from k each time, so that no error can add up. Places are
 * used up by requests (attempts) and by requests that were left out (skipped).
 *
 * After a stall the requests of the last 10 ms are still made, in one burst, and all older ones
 * are left out: a measurement that suddenly sends thousands would measure its own burst.
 *
 * Differences of times are taken as unsigned numbers: from any start to any later now they fit
 * in 64 bits, which signed ones would not.
 */
#include "core/pacer.h"

static int validate(const struct pacer_settings *settings, struct error *error)
{
	if (settings->interval_ns <= 0)
		return error_set(error, ERROR_INVALID, "the interval must be at least 1 ns");
	if (settings->preload == 0)
		return error_set(error, ERROR_INVALID,
				 "at least 1 request must start the schedule");
	return 0;
}

/* start + k x interval, or TIME_NEVER_NS where that is past the end of time. */
static int64_t due_time(const struct pacer_settings *settings, uint64_t k)
{
	uint64_t left = (uint64_t)TIME_NEVER_NS - (uint64_t)settings->start_ns;
	uint64_t offset;

	if (__builtin_mul_overflow(k, (uint64_t)settings->interval_ns, &offset) || offset >= left)
		return TIME_NEVER_NS;
	return (int64_t)((uint64_t)settings->start_ns + offset);
}

/* The extra requests at the start share one due time, so they are a decision of their own. */
static void send_extra(const struct pacer *pacer, uint64_t place, struct pacer_decision *decision)
{
	decision->action = PACER_SEND;
	decision->count = (uint32_t)(pacer->settings.preload - 1 - place);
	decision->intended_ns = pacer->settings.start_ns;
	decision->spacing_ns = 0;
}

static void next(struct pacer *pacer, int64_t now_ns, uint32_t slots_used,
		 struct pacer_decision *decision)
{
	const struct pacer_settings *settings = &pacer->settings;
	uint64_t extra = settings->preload - 1;
	uint64_t place = pacer->attempts + pacer->skipped;
	uint64_t first, last, behind;
	uint32_t most = pacer_catch_up(settings->interval_ns);

	(void)slots_used;
	if (place < extra) {
		send_extra(pacer, place, decision);
		return;
	}
	first = place - extra;
	last = ((uint64_t)now_ns - (uint64_t)settings->start_ns) / (uint64_t)settings->interval_ns;
	if (first > last) {
		decision->action = PACER_WAIT;
		decision->until_ns = due_time(settings, first);
		return;
	}
	behind = last - first;
	if (behind >= most) {
		pacer->skipped += behind - (most - 1);
		first += behind - (most - 1);
		behind = most - 1;
	}
	decision->action = PACER_SEND;
	decision->count = (uint32_t)behind + 1;
	decision->intended_ns = due_time(settings, first);
	decision->spacing_ns = settings->interval_ns;
}

const struct pacer_row pacer_interval = {
	.name = "interval",
	.summary = "one request every interval, on a schedule that does not drift",
	.has_schedule = true,
	.validate = validate,
	.next = next,
};

uint32_t pacer_catch_up(int64_t interval_ns)
{
	int64_t burst = interval_ns > 0 ? PACER_CATCH_UP_NS / interval_ns : 0;

	return (uint32_t)min_i64(max_i64(burst, 1), PACER_CATCH_UP_MAX);
}
