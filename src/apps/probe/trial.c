/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trial for a clock in between: too fine to be refused, too coarse to be taken without a look
 * at what it is to measure. A few requests go to the first target, one after the other, over the
 * sockets of the run; they have a key of their own, so that none of their replies can be taken
 * for one of the measurement's.
 */
#include "apps/probe/probe.h"

#include <stdlib.h>
#include <sys/random.h>

#define TRIAL_REQUESTS 5u
#define TRIAL_WAIT_NS (200 * NANOSECONDS_PER_MILLISECOND) /* for each of them */

/*
 * Runs the engine over a configuration of its own: the median RTT, 0 if nothing came back. sent
 * receives how many requests left.
 */
static int64_t run_trial(struct probe *probe, struct engine_target target,
			 const struct payload_plan *plan, uint32_t *sent)
{
	struct configuration configuration = *probe_configuration(probe);
	struct result_target *row = calloc(1, sizeof(*row));
	struct result result = {.configuration = &configuration, .targets = row, .target_count = 1};
	struct engine *engine = NULL;
	int64_t rtt_ns = 0;
	struct error error;

	configuration.flood = false;
	configuration.preload = 0;
	configuration.depth = 1;
	configuration.interval_ns = 0;
	configuration.rate_per_s = 0;
	configuration.count = TRIAL_REQUESTS;
	configuration.timeout_ns = min_i64(configuration.timeout_ns, TRIAL_WAIT_NS);
	/* Without one, -c alone ends it: after so many requests, answered or not. */
	configuration.deadline_ns = 0;
	configuration.stamps = STAMPS_USER;
	configuration.warmup_requests = 0;
	configuration.warmup_ns = 0;
	struct engine_setup setup = {
		.configuration = &configuration,
		.clock = &probe->clock,
		.waiter = &probe->waiter,
		.transports = {&probe->transports[target.transport]},
		.transport_count = 1,
		.plan = plan,
		.targets = &target,
		.target_count = 1,
		.pacer = pacer_find("depth"),
	};
	target.transport = 0;
	if (row != NULL && engine_open(&engine, &setup, &error) == 0 &&
	    engine_run(engine, &error) == 0) {
		engine_freeze(engine, &result, row);
		*sent = (uint32_t)row->tally.sent;
		if (row->rtt_user->samples > 0)
			rtt_ns = max_i64(histogram_quantile(row->rtt_user, 0.5), 1);
	}
	engine_close(engine);
	free(row);
	return rtt_ns;
}

void probe_try_clock(struct probe *probe)
{
	struct payload_plan plan = probe->plan;
	uint32_t first = 0, sent = 0;
	int64_t rtt_ns;

	while (!probe->targets[first].usable)
		first++;
	if (getrandom(plan.key, sizeof(plan.key), 0) != (ssize_t)sizeof(plan.key))
		return;
	payload_plan_init(&plan);
	rtt_ns = run_trial(probe, probe->targets[first], &plan, &sent);
	/* Another clock is another offset from real time, not a step of it. */
	real_time_close(&probe->real_time);
	clock_reconsider(&probe->clock, clock_rows, rtt_ns, sent, &probe->result.clock);
	real_time_open(&probe->real_time, &probe->clock);
}
