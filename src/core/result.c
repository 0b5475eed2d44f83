/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The questions that every user of a result asks the same way: does the account of a target
 * balance, which exit status do the replies ask for, and how finely may a time be shown.
 */
#include "core/result.h"

int64_t result_whole_steps_ns(int64_t step_ns, int64_t ns)
{
	int64_t sign = ns < 0 ? -1 : 1;
	int64_t shown_ns;

	if (step_ns <= 0)
		return ns;
	shown_ns = (sign * ns + step_ns / 2) / step_ns * step_ns;
	/* A step of 3.999994 ms is one of 4 ms whose rate a time service corrects. */
	return sign * ((shown_ns + 500) / NANOSECONDS_PER_MICROSECOND *
		       NANOSECONDS_PER_MICROSECOND);
}

int64_t result_shown_step_ns(const struct result_clock *clock)
{
	return clock->is_coarse ? clock->step_ns : 0;
}

int64_t result_shown_ns(const struct result *result, int64_t ns)
{
	return result_whole_steps_ns(result_shown_step_ns(&result->clock), ns);
}

const struct result_target *result_rows(const struct result *result, uint32_t *count)
{
	if (result->target_count == 1 && result->targets[0].point_count > 0) {
		*count = result->targets[0].point_count;
		return result->targets[0].points;
	}
	*count = result->target_count;
	return result->targets;
}

bool result_is_search(const struct result *result)
{
	return result->target_count == 1 && (result->targets[0].mtu_search != NULL ||
					     result->targets[0].diagnosis != NULL);
}

bool result_tally_balances(const struct tally *tally)
{
	return tally->received + tally->lost + tally->in_flight_at_end == tally->sent &&
	       tally->lost_error_reply + tally->lost_damaged_reply + tally->lost_late_reply +
			       tally->lost_local_receive_drop + tally->lost_unknown ==
		       tally->lost;
}

int result_exit_status(const struct result *result)
{
	const struct configuration *configuration = result->configuration;
	bool wants_all = configuration->count > 0 && configuration->deadline_ns > 0 &&
			 !configuration_has_series(configuration);

	for (uint32_t i = 0; i < result->target_count; i++) {
		uint64_t received = result->targets[i].tally.received;

		if (received == 0 || (wants_all && received < configuration->count))
			return 1;
	}
	return 0;
}
