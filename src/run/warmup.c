/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The warm-up: requests that are sent before the measurement, at its pace, and counted apart. Each
 * target has a shadow in the account, to which they are booked: so the rule of the account holds
 * for both, and nothing that a warm-up request brings can enter a figure of the measurement,
 * whenever it comes. The measurement starts for all targets at one moment and without a pause: what
 * the warm-up has out then holds its slots until it is answered.
 */
#include "run/engine_internal.h"

#define RELEASE_AFTER FLIGHT_GIVE_UP_AFTER /* replies of the measurement */

void engine_start_warmup(struct engine *engine)
{
	const struct configuration *configuration = engine->setup.configuration;

	engine->warmup_start_ns = engine->start_ns;
	engine->warmup_until_ns = TIME_NEVER_NS;
	engine->is_warming = configuration->warmup_requests != 0 || configuration->warmup_ns != 0;
	if (configuration->warmup_ns != 0)
		engine->warmup_until_ns = engine->start_ns + configuration->warmup_ns;
	if (!engine->is_warming)
		engine_start_measurement(engine);
}

/* Everything that is counted or timed by the engine itself starts anew. */
void engine_start_measurement(struct engine *engine)
{
	const struct configuration *configuration = engine->setup.configuration;
	const struct real_time *real_time = engine->setup.real_time;

	engine->warmup_ns = engine->is_warming ? engine->now_ns - engine->warmup_start_ns : 0;
	engine->is_warming = false;
	engine->warmup_until_ns = TIME_NEVER_NS;
	engine->start_ns = engine->now_ns;
	engine->progress_ns = engine->now_ns;
	if (configuration->deadline_ns != 0) {
		engine->deadline_ns = engine->now_ns + configuration->deadline_ns;
		engine->stop_waiting_ns = engine->deadline_ns + ENGINE_LINGER_NS;
	}
	engine->stops = 0;
	engine->stopped_ns = 0;
	engine->steps_before = real_time != NULL ? real_time->steps : 0;
	for (uint32_t i = 0; i < engine->setup.transport_count; i++) {
		struct transport *transport = engine->setup.transports[i];

		engine->drops_before[i] = transport->row->drops(transport);
	}
	for (uint32_t i = 0; i < engine->setup.target_count; i++) {
		struct engine_pace *pace = &engine->paces[i];

		pace->outage_count = 0;
		if (pace->outage_from_ns != INT64_MIN)
			pace->outage_from_ns = engine->now_ns;
		if (pace->finished)
			continue;
		pace->skipped_before = pace->pacer.skipped;
		if (configuration->count != 0 && configuration->deadline_ns == 0 &&
		    !engine_has_series(engine))
			pacer_limit(&pace->pacer, configuration->count);
		schedule_set(&engine->schedule, i, engine->now_ns);
	}
	if (engine->setup.measurement_starts != NULL)
		engine->setup.measurement_starts(engine->setup.context);
}

void engine_end_warmup_if_due(struct engine *engine)
{
	uint64_t wanted = engine->setup.configuration->warmup_requests;

	if (!engine->is_warming)
		return;
	if (wanted == 0 && engine->now_ns < engine->warmup_until_ns)
		return;
	for (uint32_t i = 0; wanted != 0 && i < engine->setup.target_count; i++)
		if (!engine->paces[i].finished && engine->paces[i].pacer.attempts < wanted)
			return;
	engine_start_measurement(engine);
}

uint32_t engine_limit_warmup(const struct engine *engine, uint32_t target, uint32_t count)
{
	uint64_t wanted = engine->setup.configuration->warmup_requests;

	if (!engine->is_warming || wanted == 0)
		return count;
	return (uint32_t)min_u64(count,
				 wanted - min_u64(engine->paces[target].pacer.attempts, wanted));
}

/*
 * Lost requests of the warm-up would hold their slots until the timeout: newer ones are answered,
 * so they are given up as any other that is overtaken.
 */
void engine_release_warmup(struct engine *engine, uint32_t target)
{
	uint32_t shadow = target + engine->setup.target_count;

	if (!engine->has_shadows || engine->account.targets[shadow].slots.used == 0 ||
	    engine->account.targets[target].tally.received < RELEASE_AFTER)
		return;
	account_give_up_all(&engine->account, shadow, engine->now_ns);
	engine_slot_freed(engine, target);
}
