/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A clock that was calibrated at the start and again at the end: everything that was measured with
 * the first rate is corrected by the one over the whole run, by the same factor everywhere, so
 * that figures which can be derived from each other still can. Differences between two stamps of
 * the kernel are not of this clock and stay.
 */
#include <math.h>

#include "run/engine_internal.h"

static void rescale_sum(int128 *sum_ns, double factor)
{
	*sum_ns += (int128)((double)*sum_ns * (factor - 1.0));
}

static void rescale_time(int64_t *ns, double factor)
{
	*ns += llround((double)*ns * (factor - 1.0));
}

static void rescale_target(struct account_target *target, double factor)
{
	struct histogram *const histograms[] = {target->rtt_user, target->rtt_ping,
						target->rtt_intended, target->lateness};

	for (size_t i = 0; i < ARRAY_LENGTH(histograms); i++)
		if (histograms[i] != NULL)
			histogram_rescale(histograms[i], factor);
	depth_rescale(&target->depth, factor);
	rescale_sum(&target->given_up_held_ns, factor);
	rescale_sum(&target->given_up_answered_ns, factor);
	rescale_sum(&target->queue_sum_ns, factor);
	target->variation.jitter_ns *= factor;
	target->variation.sum_ns = (uint128)((double)target->variation.sum_ns * factor);
	for (uint32_t i = 0; i < target->steady.count; i++)
		target->steady.means[i] *= factor;
	target->ewma_ns *= target->ewma_ns < 0 ? 1.0 : factor;
}

static void rescale_stamps(struct stamps_target *target, double factor)
{
	for (int part = 0; part < BUDGET_PARTS; part++)
		if (part != BUDGET_QUEUE_TO_DRIVER && part != BUDGET_DRIVER_TO_DRIVER)
			histogram_rescale(target->budget[part], factor);
	rescale_sum(&target->sending_sum_ns, factor);
	target->moments.ping_ns *= factor;
	target->moments.sending_ns *= factor;
}

static void rescale_outages(struct engine_pace *pace, int64_t start_ns, double factor)
{
	if (pace->outage_from_ns != INT64_MIN) {
		int64_t since_start_ns = pace->outage_from_ns - start_ns;

		rescale_time(&since_start_ns, factor);
		pace->outage_from_ns = start_ns + since_start_ns;
	}
	for (uint32_t i = 0; i < pace->outage_count; i++) {
		rescale_time(&pace->outages[i].from_ns, factor);
		rescale_time(&pace->outages[i].to_ns, factor);
	}
}

void engine_rescale(struct engine *engine, double factor)
{
	int64_t elapsed_ns = engine->now_ns - engine->start_ns;

	if (factor == 1.0)
		return;
	for (uint32_t i = 0; i < engine->setup.target_count; i++) {
		rescale_target(&engine->account.targets[i], factor);
		rescale_outages(&engine->paces[i], engine->start_ns, factor);
		if (engine->stamp_every != 0)
			rescale_stamps(&engine->stamps.targets[i], factor);
	}
	rescale_time(&engine->stopped_ns, factor);
	rescale_time(&engine->warmup_ns, factor);
	rescale_time(&elapsed_ns, factor);
	engine->now_ns = engine->start_ns + elapsed_ns;
}
