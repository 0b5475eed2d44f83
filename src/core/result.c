/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two questions that every user of a result asks the same way: does the account of a target
 * balance, and which exit status do the replies ask for.
 */
#include "core/result.h"

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
	bool wants_all = configuration->count > 0 && configuration->deadline_ns > 0;

	for (uint32_t i = 0; i < result->target_count; i++) {
		uint64_t received = result->targets[i].tally.received;

		if (received == 0 || (wants_all && received < configuration->count))
			return 1;
	}
	return 0;
}
