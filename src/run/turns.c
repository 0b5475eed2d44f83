/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The turns of a series: one target after the other is active, in the order that the conductor
 * names, with a pacer of its own for each turn. A turn is over when its last request has been
 * answered, or when waiting longer is not worth it; what comes later is still counted where it
 * belongs, since every target has its own row in the account, and lost is lost at the timeout only.
 */
#include <stdio.h>

#include "run/engine_internal.h"

/* What follows from the point of a target, before its first request. */
static void apply_point(struct engine *engine, uint32_t target)
{
	const struct series_point *point = &engine->setup.series->points[target];
	struct account_target *row = &engine->account.targets[target];
	struct payload_plan *plan = &engine->plans[target];

	*plan = *engine->setup.plan;
	plan->bytes = point->payload_bytes;
	payload_plan_init(plan);
	row->plan = plan;
	row->pinned_bytes = engine_pinned_bytes(engine, target, point->payload_bytes);
}

static int start_turn(struct engine *engine, int64_t not_before_ns, struct error *error)
{
	const struct series_turn *turn = &engine->turn;
	struct engine_pace *pace = &engine->paces[turn->row];
	struct pacer_settings settings = engine_pacer_settings(engine);

	if (engine->account.targets[turn->row].tally.sent == 0)
		apply_point(engine, turn->row);
	settings.count = turn->requests;
	settings.start_ns = max_i64(max_i64(turn->start_ns, not_before_ns),
				    engine_harm_free_at(engine, turn->row));
	if (engine->has_schedule && turn->interval_ns > 0)
		settings.interval_ns = turn->interval_ns;
	if (turn->burst > 0)
		settings.preload = turn->burst;
	pace->skipped_in_turns += pace->pacer.skipped;
	int status = pacer_init(&pace->pacer, engine->setup.pacer, &settings, error);
	if (status < 0)
		return status;
	engine->turn_log.count = 0;
	engine->account.targets[turn->row].log = &engine->turn_log;
	pace->finished = false;
	pace->retry_at_ns = 0;
	account_resume(&engine->account, turn->row, settings.start_ns);
	schedule_set(&engine->schedule, turn->row, settings.start_ns);
	return 0;
}

/* Asks the conductor; the series may be over. */
static int next_turn(struct engine *engine, int64_t not_before_ns, struct error *error)
{
	const struct engine_series *series = engine->setup.series;
	uint32_t last = engine->turn.row;

	engine->turn = (struct series_turn){.requests = 1};
	engine->has_turn = series->conductor->row->next(series->conductor, engine->account.targets,
							series->points, engine->now_ns,
							&engine->turn);
	engine->account.targets[last].log = NULL;
	if (engine->has_turn)
		return start_turn(engine, not_before_ns, error);
	engine->unfinished = 0;
	return 0;
}

int engine_start_turns(struct engine *engine, struct error *error)
{
	for (uint32_t i = 0; i < engine->setup.target_count; i++)
		engine->paces[i].finished = true;
	engine->unfinished = 1; /* the series itself */
	return next_turn(engine, 0, error);
}

int64_t engine_turn_until(const struct engine *engine)
{
	const struct engine_pace *pace = &engine->paces[engine->turn.row];

	if (!engine->has_turn || !pace->finished)
		return TIME_NEVER_NS;
	return engine->last_sent_ns + engine->turn.patience_ns;
}

/* With a schedule the next request is due an interval after the last one, whoever sends it. */
static int64_t next_start_ns(const struct engine *engine)
{
	const struct engine_pace *pace = &engine->paces[engine->turn.row];
	struct pacer pacer = pace->pacer;
	struct pacer_decision decision;

	if (!engine->has_schedule)
		return 0;
	pacer.settings.count = 0;
	pacer_next(&pacer, engine->now_ns, 0, &decision);
	return decision.action == PACER_WAIT ? decision.until_ns : 0;
}

void engine_end_turn_if_due(struct engine *engine)
{
	struct error error;

	if (!engine->has_turn || !engine->paces[engine->turn.row].finished)
		return;
	if (engine->account.targets[engine->turn.row].slots.used > 0 &&
	    engine->now_ns < engine_turn_until(engine))
		return;
	int64_t start_ns = next_start_ns(engine);
	account_pause(&engine->account, engine->turn.row);
	engine_end_outage(engine, &engine->paces[engine->turn.row]);
	if (next_turn(engine, start_ns, &error) < 0) {
		engine->ending = ENDING_FAULT;
		(void)snprintf(engine->fault, sizeof(engine->fault), "%.199s", error.text);
	}
}
