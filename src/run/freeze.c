/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a run: what the engine's rooms hold is copied into the frozen result. Figures that
 * follow from these are made by core/summary.c, not here.
 */
#include <string.h>

#include "run/engine_internal.h"

static void freeze_outages(const struct engine *engine, const struct engine_pace *pace,
			   struct result_target *result)
{
	memcpy(result->outages, pace->outages, sizeof(result->outages));
	result->outage_count = pace->outage_count;
	if (pace->outage_from_ns == INT64_MIN || pace->outage_count == RESULT_OUTAGES_MAX)
		return;
	/* Sends still failed when the run ended. */
	struct result_outage *outage = &result->outages[result->outage_count++];
	outage->from_ns = pace->outage_from_ns - engine->start_ns;
	outage->to_ns = engine->now_ns - engine->start_ns;
	memcpy(outage->what, pace->outage_what, sizeof(outage->what));
}

/* Where the kernel's stamps tell of the way: what was sampled, and what it says of the rest. */
static void freeze_stamps(const struct engine *engine, uint32_t index, struct result_target *result)
{
	const struct stamps_target *target = &engine->stamps.targets[index];

	result->stamps = target->counts;
	result->rtt_kernel = target->rtt_kernel;
	if (target->rtt_hardware->samples > 0)
		result->rtt_hardware = target->rtt_hardware;
	for (int part = 0; part < BUDGET_PARTS; part++)
		result->budget[part] = target->budget[part];
	result->sending_held_ns = (double)target->sending_sum_ns;
	result->sending_samples = target->counts.complete;
	if (stamps_slopes(target, &result->sending_slope, &result->network_slope))
		result->sampled_ping_mean_ns =
			(struct maybe){.known = true, .value = target->moments.ping_ns};
}

/* How the replies followed each other. */
static void freeze_course(const struct account_target *target, struct result_target *result)
{
	const struct reordering *reordering = &target->reordering;
	uint64_t extent = 0;

	result->rfc3550_ns = delay_variation_jitter(&target->variation);
	result->ipdv_mean_ns = delay_variation_mean(&target->variation);
	result->reordered_ratio.known = target->tally.received > 0;
	if (result->reordered_ratio.known)
		result->reordered_ratio.value =
			(double)target->tally.reordered / (double)target->tally.received;
	result->reorder_extent_max = reordering->extent_max;
	result->reorder_extent_p99.known = reordering_extent_p99(reordering, &extent);
	result->reorder_extent_p99.value = (double)extent;
	steady_judge(&target->steady, target->depth.last_ns - target->depth.start_ns,
		     &result->steady);
}

/* What the target's lost requests hold at its host, or all that are cut in the same series. */
static void freeze_harm(const struct engine *engine, uint32_t index, struct result_target *result)
{
	const struct account_target *target = &engine->account.targets[index];

	if (target->harm == NULL)
		return;
	result->pinned_bytes = (struct maybe){
		true, (double)harm_budget_held(target->harm, engine->now_ns)};
	result->pinned_bytes_most = target->harm->most;
}

static void freeze_target(const struct engine *engine, uint32_t index, struct result_target *result)
{
	const struct account_target *target = &engine->account.targets[index];

	result->tally = target->tally;
	result->tally.skipped = engine->paces[index].pacer.skipped +
				engine->paces[index].skipped_in_turns -
				engine->paces[index].skipped_before;
	if (engine->has_shadows)
		result->warmup = engine->account.targets[index + engine->setup.target_count].tally;
	memcpy(result->reply_ttl, target->ttls, sizeof(result->reply_ttl));
	result->reply_ttl_count = target->ttl_count;
	result->reply_ttl_changes = target->ttl_changes;
	memcpy(result->loss_runs, target->loss_runs.runs, sizeof(result->loss_runs));
	result->loss_run_count = target->loss_runs.count;
	result->loss_runs_left_out = target->loss_runs.left_out;
	freeze_course(target, result);
	result->rtt_user = target->rtt_user;
	result->rtt_ping = target->rtt_ping;
	result->rtt_intended = target->rtt_intended;
	result->lateness = target->lateness;
	result->ewma_rtt_ns.known = target->ewma_ns >= 0;
	result->ewma_rtt_ns.value = target->ewma_ns;
	result->given_up = target->given_up;
	result->given_up_held_ns = (double)target->given_up_held_ns;
	result->given_up_answered_rtt_ns = (double)target->given_up_answered_ns;
	result->receive_queue_held_ns = (double)target->queue_sum_ns;
	result->receive_queue_samples = target->queue_samples;
	memcpy(result->errors, target->errors, sizeof(result->errors));
	result->error_count = target->error_count;
	memcpy(result->mixed, target->mixed, sizeof(result->mixed));
	result->mixed_count = target->mixed_count;
	result->fragments.largest_in_reply = target->largest_fragment;
	freeze_outages(engine, &engine->paces[index], result);
	freeze_harm(engine, index, result);
	if (engine->stamp_every != 0)
		freeze_stamps(engine, index, result);
	if (!target->has_started)
		return;
	result->depth = &target->depth;
	result->in_flight_max = target->depth.max;
	result->window_ns = target->depth.last_ns - target->depth.start_ns;
	result->elapsed_ns = result->window_ns;
}

void engine_freeze(struct engine *engine, struct result *result, struct result_target *rows)
{
	const struct configuration *configuration = engine->setup.configuration;

	for (uint32_t i = 0; i < engine->setup.target_count; i++) {
		freeze_target(engine, i, &rows[i]);
		if (!engine->setup.targets[i].usable)
			continue;
		struct transport *transport =
			engine->setup.transports[engine->setup.targets[i].transport];
		rows[i].tally.local_drops =
			transport->row->drops(transport) -
			engine->drops_before[engine->setup.targets[i].transport];
	}
	result->stamps = configuration->stamps;
	if (configuration->stamps == STAMPS_SPLIT && engine->stamp_every == 0)
		result->stamps = STAMPS_RX;
	result->stamp_every = engine->stamp_every;
	result->warmup_ns =
		engine->is_warming ? engine->now_ns - engine->warmup_start_ns : engine->warmup_ns;
	if (engine->setup.real_time != NULL) {
		result->disturbance.clock_steps =
			engine->setup.real_time->steps - engine->steps_before;
		result->disturbance.largest_step_ns = engine->setup.real_time->largest_step_ns;
	}
	result->disturbance.stops = engine->stops;
	result->disturbance.stopped_ns = engine->stopped_ns;
	result->ending = engine->ending;
	result->harm_bytes = engine->harm_most;
	memcpy(result->fault, engine->fault, sizeof(result->fault));
	result->elapsed_ns = engine->now_ns - engine->start_ns;
	if (engine->has_schedule)
		result->interval_ns =
			configuration_interval_ns(configuration, engine_active_targets(engine));
	else
		result->depth = (uint32_t)(engine_outstanding(engine) /
					   max_u64(engine_active_targets(engine), 1));
}
