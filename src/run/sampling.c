/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requests whose way is stamped (--stamps split): memory for them, and the stamps on their way
 * from a transport's error queue to core/stamps.c. Stamps that lie in that queue wake every wait at
 * once, so it is emptied in each round while some are out, and never asked otherwise: that is a
 * system call each time. It comes after the look at the socket, or the replies to sampled
 * requests would wait for it, and only theirs.
 */
#include <string.h>

#include "base/random.h"
#include "run/engine_internal.h"

#define SAMPLES_MIN UINT64_C(256)
#define SAMPLES_MAX UINT64_C(65536) /* under way at once; the oldest is forgotten then */
#define STAMP_ROUNDS_MAX 16u        /* batches of stamps taken between two looks at the socket */

/* Histograms of a target: of the whole budget but one part, which is rtt_kernel itself. */
#define HISTOGRAM_KINDS (2u + BUDGET_PARTS - 1u)

static bool can_split(const struct engine *engine)
{
	const struct engine_setup *setup = &engine->setup;

	if (setup->configuration->stamps != STAMPS_SPLIT)
		return false;
	for (uint32_t i = 0; i < setup->transport_count; i++)
		if (!setup->transports[i]->sends_stamps)
			return false;
	return setup->transport_count > 0;
}

/*
 * One array a kind, not a target: so no single piece is larger than what a run without these
 * needs, and pages that nothing is recorded in are never touched.
 */
static int allocate_histograms(struct engine *engine, struct stamps_target *targets,
			       struct error *error)
{
	uint32_t count = engine->setup.target_count;
	struct histogram *kinds[HISTOGRAM_KINDS];

	for (uint32_t kind = 0; kind < HISTOGRAM_KINDS; kind++) {
		kinds[kind] = engine_allocate(engine, count, sizeof(*kinds[kind]), error);
		if (kinds[kind] == NULL)
			return -ERROR_NO_MEMORY;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t kind = 0;

		targets[i].rtt_kernel = &kinds[kind++][i];
		targets[i].rtt_hardware = &kinds[kind++][i];
		for (int part = 0; part < BUDGET_PARTS; part++)
			targets[i].budget[part] = part == BUDGET_DRIVER_TO_DRIVER
							  ? targets[i].rtt_kernel
							  : &kinds[kind++][i];
	}
	return 0;
}

int engine_allocate_sampling(struct engine *engine, struct error *error)
{
	const struct engine_setup *setup = &engine->setup;
	uint32_t every =
		configuration_stamp_every(setup->configuration, engine_active_targets(engine));
	uint32_t count = setup->target_count;
	struct random_state random;
	uint64_t seed, samples;

	if (!can_split(engine))
		return 0;
	samples = engine_power_of_two(max_u64(
		SAMPLES_MIN, min_u64(engine_outstanding(engine) / every + count, SAMPLES_MAX)));
	struct stamps_sample *ring = engine_allocate(engine, samples, sizeof(*ring), error);
	struct stamps_target *targets = engine_allocate(engine, count, sizeof(*targets), error);
	if (ring == NULL || targets == NULL || allocate_histograms(engine, targets, error) < 0)
		return error_set(error, ERROR_NO_MEMORY,
				 "no memory for the send stamps of %u targets: fewer targets or "
				 "--stamps rx need less", count);
	/* The key is as random as the run is: the same for every run of a simulation. */
	memcpy(&seed, setup->plan->key, sizeof(seed));
	random_seed(&random, seed);
	for (uint32_t i = 0; i < count; i++)
		targets[i].phase = (uint32_t)random_next(&random);
	stamps_init(&engine->stamps, ring, samples, targets, every,
		    setup->configuration->timeout_ns);
	engine->stamp_every = every;
	return 0;
}

static void take_stamp(struct engine *engine, const struct transport_stamp *stamp)
{
	static const enum stamps_kind kinds[] = {
		[TRANSPORT_STAMP_QUEUE] = STAMPS_QUEUE,
		[TRANSPORT_STAMP_DRIVER] = STAMPS_DRIVER,
		[TRANSPORT_STAMP_HARDWARE] = STAMPS_HARDWARE,
	};

	stamps_take(&engine->stamps, stamp->id, kinds[stamp->kind], stamp->stamp_ns,
		    stamp->real_ns);
}

void engine_drain_stamps(struct engine *engine, uint32_t index)
{
	struct transport *transport = engine->setup.transports[index];

	if (engine->stamp_every == 0)
		return;
	for (uint32_t round = 0; round < STAMP_ROUNDS_MAX; round++) {
		int count = transport->row->receive_stamps(transport, engine->sent_stamps,
							   TRANSPORT_BATCH);

		/* What real time has been set since must not meet what is older. */
		engine_note_clock_steps(engine);
		for (int i = 0; i < count; i++)
			take_stamp(engine, &engine->sent_stamps[i]);
		if (count < (int)TRANSPORT_BATCH)
			break;
	}
}

void engine_take_stamps(struct engine *engine)
{
	if (engine->stamp_every == 0)
		return;
	for (uint32_t i = 0; i < engine->setup.transport_count; i++)
		if (stamps_awaits_stamps(&engine->stamps))
			engine_drain_stamps(engine, i);
	stamps_expire(&engine->stamps, engine->now_ns);
}

int64_t engine_receive_call(const struct engine *engine)
{
	if (engine->stamp_every == 0)
		return STAMPS_NONE;
	return stamps_awaits_replies(&engine->stamps) ? clock_now(engine->setup.clock)
						      : STAMPS_NONE;
}

void engine_note_clock_steps(struct engine *engine)
{
	const struct real_time *real_time = engine->setup.real_time;

	if (real_time == NULL || real_time->steps == engine->clock_steps)
		return;
	engine->clock_steps = real_time->steps;
	if (engine->stamp_every != 0)
		stamps_void(&engine->stamps);
}

void engine_close_sampling(struct engine *engine)
{
	if (engine->stamp_every == 0)
		return;
	/* The last reply may have been faster than the stamps of its own request. */
	for (uint32_t i = 0; i < engine->setup.transport_count; i++)
		engine_drain_stamps(engine, i);
	stamps_close(&engine->stamps);
}
