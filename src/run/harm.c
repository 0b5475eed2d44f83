/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is kept beside the account for requests that are cut: their kinds, where the run is a
 * series, and what the lost ones may hold in the memory of each host. The run ends when that is too
 * much, with everything that it has measured.
 */
#include <stdio.h>

#include "core/fragment_cut.h"
#include "run/engine_internal.h"

uint64_t engine_pinned_bytes(const struct engine *engine, uint32_t target, uint32_t payload_bytes)
{
	const struct engine_target *at = &engine->setup.targets[target];
	const struct fragment_cut *cut = engine_cut(engine, target);
	uint32_t bytes = payload_bytes + WIRE_ECHO_HEADER_BYTES;
	struct fragment_plan pieces;

	if (cut != NULL ? !fragment_plan_make_cut(&pieces, at->address.family, at->mtu, bytes,
						  cut->piece_bytes)
			: !fragment_plan_make(&pieces, at->address.family, at->mtu, bytes))
		return 0;
	return fragment_pinned_bytes(&pieces);
}

static int allocate_harms(struct engine *engine, struct error *error)
{
	const struct engine_setup *setup = &engine->setup;
	bool is_cut = engine_has_series(engine);
	uint32_t hosts = 0;

	for (uint32_t i = 0; i < setup->target_count; i++) {
		struct account_target *row = &engine->account.targets[i];

		hosts = hosts > setup->targets[i].host ? hosts : setup->targets[i].host + 1;
		row->pinned_bytes = engine_pinned_bytes(engine, i, setup->plan->bytes);
		is_cut = is_cut || row->pinned_bytes > 0;
	}
	if (!is_cut)
		return 0;
	engine->harms = engine_allocate(engine, hosts, sizeof(*engine->harms), error);
	if (engine->harms == NULL)
		return -ERROR_NO_MEMORY;
	for (uint32_t i = 0; i < hosts; i++)
		harm_budget_init(&engine->harms[i], HARM_KEPT_IP4_NS);
	for (uint32_t i = 0; i < setup->target_count; i++) {
		struct harm_budget *harm = &engine->harms[setup->targets[i].host];

		if (setup->targets[i].address.family == 6)
			harm->kept_ns = HARM_KEPT_IP6_NS;
		engine->account.targets[i].harm = harm;
	}
	return 0;
}

int engine_allocate_series(struct engine *engine, struct error *error)
{
	uint32_t count = engine->setup.target_count;

	if (engine_has_series(engine)) {
		engine->plans = engine_allocate(engine, count, sizeof(*engine->plans), error);
		if (engine->plans == NULL)
			return -ERROR_NO_MEMORY;
		engine->turn_log.rtts_ns = engine_allocate(
			engine, ENGINE_LOG_MAX, sizeof(*engine->turn_log.rtts_ns), error);
		if (engine->turn_log.rtts_ns == NULL)
			return -ERROR_NO_MEMORY;
		engine->turn_log.capacity = ENGINE_LOG_MAX;
		engine->account.plans_differ = true;
		for (uint32_t i = 0; i < count; i++)
			engine->account.targets[i].plan = engine->setup.plan;
	}
	return allocate_harms(engine, error);
}

void engine_watch_harm(struct engine *engine)
{
	struct harm_budget *exceeded = engine->account.exceeded;
	uint64_t held;

	engine->account.exceeded = NULL;
	if (exceeded == NULL || engine->setup.allow_harm)
		return;
	if (engine_has_series(engine) && engine->setup.series->conductor->row->waits_out_harm) {
		if (engine->has_turn && engine->account.targets[engine->turn.row].pinned_bytes > 0)
			engine_finish_target(engine, engine->turn.row);
		return;
	}
	held = harm_budget_held(exceeded, engine->now_ns);
	engine->ending = ENDING_FAULT;
	engine->harm_most = held;
	(void)snprintf(engine->fault, sizeof(engine->fault),
		       "ended early: lost fragments may hold %.1f MB of the other host's memory "
		       "for reassembly, %.1f MB is the limit (root may go on with --allow-harm)",
		       (double)held / 1e6, (double)HARM_BUDGET_BYTES / 1e6);
}

int64_t engine_harm_free_at(const struct engine *engine, uint32_t target)
{
	const struct account_target *row = &engine->account.targets[target];

	if (row->harm == NULL || row->pinned_bytes == 0 || engine->setup.allow_harm ||
	    harm_budget_held(row->harm, engine->now_ns) <= HARM_BUDGET_BYTES)
		return engine->now_ns;
	return harm_budget_free_at(row->harm, engine->now_ns, 0);
}
