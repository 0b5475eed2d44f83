/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole runs over the simulated network, in this process: the engine, the account, the pacers
 * and the summary as they are in the program, hundreds of runs a second. What a single run
 * cannot show is shown here: that intervals have their coverage, and that figures which can be
 * derived from each other agree whatever the network does.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/simulation.h"
#include "core/summary.h"
#include "sim/sim.h"

#define RUNS 1000

static int failures;

void judge(const char *name, bool passed, const char *format, ...)
{
	va_list arguments;

	if (passed) {
		printf("ok sim/%s\n", name);
		return;
	}
	printf("not ok sim/%s: ", name);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	failures++;
}

void die(const struct error *error)
{
	printf("not ok sim/set-up: %s\n", error->text);
	exit(1);
}

void run_simulation(struct run *run)
{
	struct error error = {0};

	run->time_ns = 1000000000;
	run->clock = (struct clock_source){.row = &clock_simulated, .context = &run->time_ns};
	run->plan = (struct payload_plan){.bytes = run->configuration.payload_bytes,
					  .key = "fixed for a test"};
	payload_plan_init(&run->plan);
	run->target.address = address_from_ip4((const uint8_t[]){10, 0, 0, 2});
	run->target.usable = true;
	run->target.name = "10.0.0.2";
	struct transport_settings settings = {
		.family = 4,
		.identifier = 4711,
		.configuration = &run->configuration,
		.packet_bytes = run->plan.bytes + 8,
		.outstanding = 65536,
		.clock = &run->clock,
		.waiter = &run->waiter,
	};
	if (run->transport.row == NULL)
		run->transport.row = &transport_sim;
	if (run->transport.row->open(&run->transport, &settings, -1, &error) < 0)
		die(&error);
	run->time_ns += run->head_start_ns;
	int destination = run->transport.row->add_destination(&run->transport,
							      &run->target.address, &error);
	if (destination < 0)
		die(&error);
	run->target.destination = (uint32_t)destination;
	struct engine_setup setup = {
		.configuration = &run->configuration,
		.clock = &run->clock,
		.waiter = &run->waiter,
		.real_time = run->real_time,
		.transports = {&run->transport},
		.transport_count = 1,
		.plan = &run->plan,
		.targets = &run->target,
		.target_count = 1,
		.pacer = pacer_find(configuration_mode(&run->configuration)),
	};
	if (engine_open(&run->engine, &setup, &error) < 0)
		die(&error);
	if (engine_run(run->engine, &error) < 0)
		die(&error);
	run->result.configuration = &run->configuration;
	run->result.mode = setup.pacer->name;
	run->result.targets = &run->result_target;
	run->result.target_count = 1;
	run->result_target.name = "10.0.0.2";
	run->result_target.family = 4;
	run->result_target.mtu = run->configuration.simulation.mtu;
	run->result_target.payload_bytes = run->plan.bytes;
	if (run->clock_factor > 0)
		engine_rescale(run->engine, run->clock_factor);
	engine_freeze(run->engine, &run->result, run->result.targets);
	summary_complete(&run->result, NULL, NULL);
}

void end_simulation(struct run *run)
{
	engine_close(run->engine);
	run->transport.row->close(&run->transport);
	free(run);
}

struct run *new_run(uint64_t seed, const char *simulation)
{
	struct run *run = calloc(1, sizeof(*run));
	struct error error = {0};

	if (run == NULL)
		exit(1);
	configuration_defaults(&run->configuration);
	simulation_defaults(&run->configuration.simulation);
	if (simulation_parse(simulation, &run->configuration.simulation, &error) < 0)
		die(&error);
	run->configuration.simulation.seed = seed;
	run->configuration.transport = "sim";
	run->configuration.timeout_ns = 20 * NANOSECONDS_PER_MILLISECOND;
	return run;
}

/*
 * 5 % of the fragments of requests are lost: over many runs, the interval of
 * loss_per_fragment.one_way holds the truth in 93 to 97 of 100.
 */
static void test_coverage(void)
{
	int covered = 0;
	double sum = 0;

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct run *run = new_run(seed, "fragment-loss=0.05,mtu=1500,delay=100us");

		run->configuration.flood = true;
		run->configuration.preload = 16;
		run->configuration.count = 1000;
		run->configuration.payload_bytes = 2048;
		run_simulation(run);
		const struct result_fragments *fragments = &run->result_target.fragments;
		covered += fragments->loss_one_way_ci95.known &&
			   fragments->loss_one_way_ci95.low <= 0.05 &&
			   fragments->loss_one_way_ci95.high >= 0.05;
		sum += fragments->loss_one_way.value;
		end_simulation(run);
	}
	judge("fragment-loss-interval-coverage", covered >= 930 && covered <= 970,
	      "%d of 1000 intervals hold the truth (mean %g)", covered, sum / RUNS);
	judge("fragment-loss-unbiased", fabs(sum / RUNS - 0.05) < 0.0015, "mean %g, not %g",
	      sum / RUNS, 0.05);
}

struct scene {
	const char *name;
	const char *simulation;
	bool flood;
	uint32_t depth;
	uint64_t count;
};

/* Whatever the network does: the account balances and Little's law holds. */
static void test_invariants(const struct scene *scene)
{
	const struct result_target *target;
	double worst = 0, unbalanced = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct run *run = new_run(seed, scene->simulation);

		run->configuration.flood = scene->flood;
		run->configuration.depth = scene->depth;
		run->configuration.count = scene->count;
		if (!scene->flood && scene->depth == 0)
			run->configuration.interval_ns = 100000;
		run_simulation(run);
		target = &run->result_target;
		unbalanced += !result_tally_balances(&target->tally) ||
			      target->tally.in_flight_at_end != 0 ||
			      target->tally.sent != scene->count ||
			      target->rtt_user->samples != target->tally.received;
		if (target->in_flight_mean.known && target->in_flight_mean.value > 0)
			worst = fmax(worst, fabs(target->littles_law.value /
							 target->in_flight_mean.value - 1));
		if (scene->depth != 0 && target->in_flight_max > scene->depth)
			unbalanced++;
		end_simulation(run);
	}
	judge(scene->name, unbalanced == 0 && worst < 1e-6,
	      "%g of 20 runs do not balance; Little's law is open by %g", unbalanced, worst);
}

/* X(N) = min(N/R0, 1/S): a single server behind a fixed delay. */
static void test_two_bounds(void)
{
	static const uint32_t depths[] = {1, 4, 16, 64, 256};
	double worst = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(depths); i++) {
		struct run *run = new_run(1, "delay=500us,service=20us,send=1ns");
		double bound, rate;

		run->configuration.depth = depths[i];
		run->configuration.count = 20000;
		run_simulation(run);
		rate = run->result_target.received_per_s.value;
		bound = fmin(depths[i] / 520e-6, 1 / 20e-6);
		worst = fmax(worst, fabs(rate / bound - 1));
		end_simulation(run);
	}
	judge("rate-obeys-both-bounds", worst < 0.02, "rate is off by %g (limit %g)", worst, 0.02);
}

/* At the deadline sending ends; what comes back within 30 ms is taken, and no more waited for. */
static void test_deadline(void)
{
	struct run *run = new_run(1, "delay=10ms");
	uint64_t near, far;

	run->configuration.timeout_ns = NANOSECONDS_PER_SECOND;
	run->configuration.depth = 8;
	run->configuration.deadline_ns = NANOSECONDS_PER_SECOND;
	run_simulation(run);
	near = run->result_target.tally.in_flight_at_end;
	end_simulation(run);
	run = new_run(1, "delay=150ms");
	run->configuration.timeout_ns = NANOSECONDS_PER_SECOND;
	run->configuration.depth = 8;
	run->configuration.deadline_ns = NANOSECONDS_PER_SECOND;
	run_simulation(run);
	far = run->result_target.tally.in_flight_at_end;
	judge("deadline-takes-what-is-near",
	      near == 0 && far == 8 && run->result_target.tally.lost == 0 &&
		      run->result.ending == ENDING_DEADLINE &&
		      run->result.elapsed_ns <= 1040 * NANOSECONDS_PER_MILLISECOND,
	      "%llu and %llu were left in flight", (unsigned long long)near,
	      (unsigned long long)far);
	end_simulation(run);
}

int main(void)
{
	static const struct scene scenes[] = {
		{"quiet-flood", "delay=50us", true, 0, 5000},
		{"loss-flood", "delay=50us,loss=0.05", true, 0, 3000},
		{"loss-depth-64", "delay=50us,loss=0.02,jitter=100us", false, 64, 20000},
		{"reorder-duplicates", "delay=50us,reorder=0.1,duplicate=0.1", false, 16, 20000},
		{"corrupt", "delay=50us,corrupt=0.05", false, 8, 20000},
		{"slower-than-the-timeout", "delay=15ms,jitter=10ms", false, 32, 3000},
		{"everything-lost", "loss=1", false, 4, 50},
		{"interval-loss", "delay=30us,loss=0.1,jitter=50us", false, 0, 5000},
		{"interval-everything",
		 "delay=1ms,loss=0.1,jitter=30ms,duplicate=0.1,corrupt=0.02", false, 0, 5000},
	};

	test_coverage();
	for (size_t i = 0; i < ARRAY_LENGTH(scenes); i++)
		test_invariants(&scenes[i]);
	test_two_bounds();
	test_stall();
	test_deadline();
	test_stamps();
	test_warmup();
	test_rescale();
	test_sizes();
	test_loss();
	test_conductors();
	test_confusions();
	return failures == 0 ? 0 : 1;
}
