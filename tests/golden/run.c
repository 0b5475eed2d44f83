/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers to build a result: the bookkeeping that the engine and the account do in a real run,
 * for conversations of one request at a time, whose every figure can be worked out by hand.
 */
#include "golden/golden.h"

#include <string.h>

#include "core/summary.h"

static const char *const names[GOLDEN_TARGETS] = {"10.9.0.2", "10.9.0.3", "10.9.0.4", "10.9.0.5"};

static void copy(char *to, size_t size, const char *from)
{
	(void)snprintf(to, size, "%s", from);
}

static void begin_target(struct golden_run *run, uint32_t i)
{
	struct result_target *target = &run->targets[i];

	target->name = names[i];
	copy(target->address, sizeof(target->address), names[i]);
	target->family = 4;
	copy(target->interface, sizeof(target->interface), "eth0");
	copy(target->source, sizeof(target->source), "10.9.0.1");
	target->mtu = target->path_mtu = 1500;
	target->link_bits_per_s = UINT64_C(10000000000);
	target->payload_bytes = 56;
	target->ip_overhead_bytes = 28;
	histogram_init(&run->user[i]);
	histogram_init(&run->ping[i]);
	histogram_init(&run->intended[i]);
	histogram_init(&run->lateness[i]);
	target->rtt_user = &run->user[i];
	target->rtt_ping = &run->ping[i];
	depth_start(&run->depth[i], 0);
	target->depth = &run->depth[i];
}

static void describe_host(struct result *result)
{
	copy(result->started, sizeof(result->started), "2026-01-02T03:04:05.678901+00:00");
	copy(result->environment.kernel, sizeof(result->environment.kernel), "Linux 6.18.0");
	copy(result->environment.machine, sizeof(result->environment.machine), "x86_64");
	copy(result->environment.cpu, sizeof(result->environment.cpu), "Example CPU");
	result->environment.cpus = 2;
	copy(result->environment.clocksource, sizeof(result->environment.clocksource), "tsc");
	copy(result->environment.driver, sizeof(result->environment.driver), "veth");
	result->clock.source = "monotonic";
	copy(result->clock.reason, sizeof(result->clock.reason), "the default");
}

void golden_begin(struct golden_run *run, uint32_t targets, const char *const *arguments)
{
	struct result *result = &run->result;

	memset(run, 0, sizeof(*run));
	configuration_defaults(&run->configuration);
	run->configuration.flood = true;
	run->configuration.transport = "auto";
	describe_host(result);
	result->version = "1.2.3";
	result->build = "abcdef0";
	result->sandbox = "no capabilities, no new privileges";
	while (arguments[result->argument_count] != NULL)
		result->argument_count++;
	/* The result's argument vector is main's, whose strings are not const. */
	memcpy(&result->arguments, &arguments, sizeof(result->arguments));
	result->mode = "flood";
	result->configuration = &run->configuration;
	result->transport = "raw";
	result->stamps = run->configuration.stamps = STAMPS_RX;
	result->depth = 1;
	result->tagged = true;
	result->targets = run->targets;
	result->target_count = targets;
	result->counters = run->counters;
	result->refusals = run->refusals;
	for (uint32_t i = 0; i < targets; i++)
		begin_target(run, i);
}

void golden_make_ip6(struct golden_run *run, uint32_t index, const char *address)
{
	struct result_target *target = &run->targets[index];

	target->family = 6;
	target->name = address;
	target->ip_overhead_bytes = 48;
	copy(target->address, sizeof(target->address), address);
	copy(target->source, sizeof(target->source), "fd09::1");
}

/* Ping's moving average. */
static void average(struct maybe *ewma, double ping_ns)
{
	ewma->value = ewma->known ? ewma->value + (ping_ns - ewma->value) / 8.0 : ping_ns;
	ewma->known = true;
}

static void answer(struct golden_run *run, uint32_t i, const struct golden_trip *trip)
{
	struct result_target *target = &run->targets[i];

	run->now_ns[i] += trip->rtt_ns;
	target->tally.received++;
	histogram_record(&run->user[i], trip->rtt_ns);
	if (trip->queue_ns >= 0) {
		histogram_record(&run->ping[i], trip->rtt_ns - trip->queue_ns);
		target->receive_queue_held_ns += (double)trip->queue_ns;
		target->receive_queue_samples++;
	}
	average(&target->ewma_rtt_ns, (double)(trip->rtt_ns - max_i64(trip->queue_ns, 0)));
	(void)depth_change(&run->depth[i], -1, run->now_ns[i]);
}

static void give_up(struct golden_run *run, uint32_t i)
{
	struct result_target *target = &run->targets[i];

	run->now_ns[i] += run->configuration.timeout_ns;
	target->tally.lost++;
	target->tally.lost_unknown++;
	target->given_up++;
	target->given_up_held_ns += (double)run->configuration.timeout_ns;
	(void)depth_change(&run->depth[i], -1, run->now_ns[i]);
}

void golden_converse(struct golden_run *run, uint32_t i, const struct golden_trip *trips,
		     size_t count)
{
	for (size_t kind = 0; kind < count; kind++) {
		for (uint64_t n = 0; n < trips[kind].count; n++) {
			run->targets[i].tally.sent++;
			(void)depth_change(&run->depth[i], 1, run->now_ns[i]);
			if (trips[kind].rtt_ns > 0)
				answer(run, i, &trips[kind]);
			else
				give_up(run, i);
			run->now_ns[i] += trips[kind].pause_ns;
		}
	}
}

void golden_count(struct golden_run *run, const char *name, uint64_t before, uint64_t change)
{
	struct kernel_counter *first = &run->before.counters[run->before.count++];
	struct kernel_counter *last = &run->after.counters[run->after.count++];
	struct result_counter *counter = &run->counters[run->result.counter_count++];

	copy(first->name, sizeof(first->name), name);
	copy(last->name, sizeof(last->name), name);
	copy(counter->name, sizeof(counter->name), name);
	first->value = before;
	last->value = before + change;
	counter->change = (int64_t)change;
}

struct result_error *golden_error(struct golden_run *run, uint32_t index, int type, int code,
				  const char *text, const char *from, uint64_t count)
{
	struct result_target *target = &run->targets[index];
	struct result_error *error = &target->errors[target->error_count++];

	error->type = type;
	error->code = code;
	copy(error->text, sizeof(error->text), text);
	copy(error->from, sizeof(error->from), from);
	error->count = count;
	if (type >= 0)
		target->tally.icmp_errors += count;
	else
		target->tally.send_errors += count;
	return error;
}

void golden_processor(struct golden_run *run, double user_s, double system_s, uint64_t trips,
		      const char *accounting)
{
	struct result_processor *figures = &run->result.processor;

	figures->known = true;
	figures->user_s = user_s;
	figures->system_s = system_s;
	figures->wall_s = user_s + system_s + 0.01;
	figures->has_round_trips = trips > 0;
	figures->per_round_trip_ns = trips > 0 ? (user_s + system_s) * 1e9 / (double)trips : 0.0;
	(void)snprintf(figures->accounting, sizeof(figures->accounting), "%s", accounting);
}

void golden_schedule(struct golden_run *run, uint32_t target, int64_t interval_ns,
		     int64_t lateness_ns)
{
	struct histogram *lateness = &run->lateness[target];

	run->configuration.flood = false;
	run->configuration.interval_ns = interval_ns;
	run->result.mode = "interval";
	run->result.interval_ns = interval_ns;
	run->result.depth = 0;
	run->targets[target].lateness = lateness;
	run->targets[target].rtt_intended = &run->intended[target];
	for (uint64_t i = 0; i < run->targets[target].tally.sent; i++)
		histogram_record(lateness, lateness_ns + (int64_t)(i % 100) * 100);
	for (uint64_t i = 0; i < run->user[target].samples; i++)
		histogram_record(&run->intended[target], run->user[target].min_ns + lateness_ns);
}

void golden_measured_clock(struct golden_run *run)
{
	struct result_clock *clock = &run->result.clock;

	clock->is_measured = true;
	clock->step_ns = 10;
	clock->read_ns = 24.5;
	clock->grain_ns = (struct maybe){true, 10};
	clock->hiccup_ns = (struct maybe){true, 38000};
	clock->rate_error = 5e-4;
	clock->error_ns = (struct maybe){true, 40.5};
}

void golden_stamps(struct golden_run *run, uint32_t i, uint32_t every, uint64_t stamped,
		   const int64_t stretches_ns[static BUDGET_PARTS])
{
	struct result_target *target = &run->targets[i];

	run->result.stamps = run->configuration.stamps = STAMPS_SPLIT;
	run->result.stamp_every = every;
	target->stamps.sampled = target->stamps.complete = stamped;
	target->rtt_kernel = &run->kernel[i];
	for (int part = 0; part < BUDGET_PARTS; part++) {
		histogram_init(&run->budget[i][part]);
		target->budget[part] = &run->budget[i][part];
	}
	histogram_init(&run->kernel[i]);
	for (uint64_t n = 0; n < stamped; n++) {
		/* One in ten is slower by half, everywhere. */
		for (int part = 0; part < BUDGET_PARTS; part++)
			histogram_record(&run->budget[i][part],
					 stretches_ns[part] * (n % 10 == 0 ? 3 : 2) / 2);
		histogram_record(&run->kernel[i],
				 stretches_ns[BUDGET_DRIVER_TO_DRIVER] * (n % 10 == 0 ? 3 : 2) / 2);
		target->sending_held_ns += (double)(stretches_ns[BUDGET_CALL_TO_QUEUE] +
						    stretches_ns[BUDGET_QUEUE_TO_DRIVER]);
		target->sending_samples++;
	}
}

void golden_finish(struct golden_run *run)
{
	for (uint32_t i = 0; i < run->result.target_count; i++) {
		struct result_target *target = &run->targets[i];

		target->window_ns = run->depth[i].last_ns - run->depth[i].start_ns;
		target->elapsed_ns = target->window_ns;
		if (target->window_ns > run->result.elapsed_ns)
			run->result.elapsed_ns = target->window_ns;
	}
	summary_complete(&run->result, run->before.count > 0 ? &run->before : NULL,
			 run->after.count > 0 ? &run->after : NULL);
}
