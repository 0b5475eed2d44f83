/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A warm-up before a run: counted apart to the last request, whatever its replies do, and leaving
 * no trace in the figures of the measurement.
 */
#include <math.h>

#include "core/summary.h"
#include "sim/sim.h"

#define WARM	 500
#define MEASURED 3000

static void check(const char *name, const char *simulation,
		  void (*configure)(struct configuration *))
{
	struct run *run = new_run(3, simulation);
	const struct result_target *target = &run->result_target;
	const struct tally *warm = &target->warmup, *tally = &target->tally;
	double mean = 0.0, law = 0.0;

	run->configuration.count = MEASURED;
	run->configuration.warmup_requests = WARM;
	configure(&run->configuration);
	run_simulation(run);
	mean = target->in_flight_mean.value;
	law = target->littles_law.value;
	judge(name,
	      warm->sent == WARM && tally->sent == MEASURED && result_tally_balances(warm) &&
		      result_tally_balances(tally) && warm->received + warm->lost == WARM &&
		      target->rtt_user->samples == tally->received &&
		      fabs(law - mean) < 1e-6 * mean && run->result.warmup_ns > 0 &&
		      (run->configuration.preload == 0 ||
		       target->in_flight_max <= run->configuration.preload) &&
		      (run->configuration.depth == 0 ||
		       target->in_flight_max <= run->configuration.depth),
	      "%llu and %llu sent, %llu and %llu received, %llu timed, %g in flight, %g by Little",
	      (unsigned long long)warm->sent, (unsigned long long)tally->sent,
	      (unsigned long long)warm->received, (unsigned long long)tally->received,
	      (unsigned long long)target->rtt_user->samples, mean, law);
	end_simulation(run);
}

static void flood(struct configuration *configuration)
{
	configuration->flood = true;
}

static void depth(struct configuration *configuration)
{
	configuration->depth = 16;
}

static void interval(struct configuration *configuration)
{
	configuration->interval_ns = NANOSECONDS_PER_MILLISECOND;
}

static void slots(struct configuration *configuration)
{
	configuration->flood = true;
	configuration->preload = 4;
}

/* What was left out before the measurement is not the measurement's. */
static void test_skipped(void)
{
	struct run *run = new_run(7, "delay=100us,send=3ms");
	const struct tally *tally = &run->result_target.tally;

	run->configuration.interval_ns = NANOSECONDS_PER_MILLISECOND;
	run->configuration.count = 300;
	run->configuration.warmup_requests = 200;
	run_simulation(run);
	/* Each send takes as long as three are due. */
	judge("warmup-skips-apart",
	      tally->sent == 300 && tally->skipped >= 590 && tally->skipped <= 601,
	      "%llu sent, %llu left out", (unsigned long long)tally->sent,
	      (unsigned long long)tally->skipped);
	end_simulation(run);
}

static uint64_t drop_readings;

/* A socket that has dropped 1,000 before the measurement, and five in it. */
static uint64_t drops_of_others(struct transport *transport)
{
	(void)transport;
	return drop_readings++ == 0 ? 1000 : 1005;
}

static void test_drops(void)
{
	static struct transport_row row;
	struct run *run = new_run(8, "delay=1ms,send=1us");

	row = transport_sim;
	row.drops = drops_of_others;
	drop_readings = 0;
	run->transport.row = &row;
	run->configuration.flood = true;
	run->configuration.count = 100;
	run->configuration.warmup_requests = 10;
	run_simulation(run);
	judge("drops-of-the-measurement-only", run->result_target.tally.local_drops == 5,
	      "%llu drops", (unsigned long long)run->result_target.tally.local_drops);
	end_simulation(run);
}

/* By time: as many as that brings, and the measured count is not touched. */
static void test_by_time(void)
{
	struct run *run = new_run(4, "delay=1ms,send=1us");
	const struct result_target *target = &run->result_target;

	run->configuration.flood = true;
	run->configuration.count = 100;
	run->configuration.warmup_ns = 50 * NANOSECONDS_PER_MILLISECOND;
	run_simulation(run);
	judge("warmup-by-time",
	      target->warmup.sent >= 49 && target->warmup.sent <= 51 && target->tally.sent == 100 &&
		      run->result.warmup_ns >= 50 * NANOSECONDS_PER_MILLISECOND &&
		      run->result.warmup_ns <= 52 * NANOSECONDS_PER_MILLISECOND,
	      "%llu before in %lld ns, %llu measured", (unsigned long long)target->warmup.sent,
	      (long long)run->result.warmup_ns, (unsigned long long)target->tally.sent);
	end_simulation(run);
}

/* The network stands still at first: 100 ms, which only the warm-up sees. */
static void test_slow_start(void)
{
	struct run *run = new_run(5, "delay=100us,send=1us,stall-every=10s,stall=100ms");
	const struct result_target *target = &run->result_target;

	run->head_start_ns = 9950 * NANOSECONDS_PER_MILLISECOND;
	run->configuration.flood = true;
	run->configuration.count = 5000;
	run->configuration.warmup_requests = 20;
	run->configuration.timeout_ns = NANOSECONDS_PER_SECOND;
	run_simulation(run);
	judge("warmup-takes-the-slow-start",
	      target->rtt_user->max_ns < 200 * NANOSECONDS_PER_MICROSECOND &&
		      target->tally.received == 5000,
	      "the longest measured took %lld ns", (long long)target->rtt_user->max_ns);
	end_simulation(run);
}

/* What the warm-up has lost holds slots; the measurement gets them long before the timeout. */
static void test_lost_slots(void)
{
	struct run *run = new_run(6, "delay=1ms,send=1us,drop-every=4");
	const struct result_target *target = &run->result_target;

	run->configuration.depth = 64;
	run->configuration.count = 5000;
	run->configuration.warmup_requests = 300;
	run->configuration.timeout_ns = 10 * NANOSECONDS_PER_SECOND;
	run_simulation(run);
	judge("warmup-frees-its-slots",
	      target->warmup.lost == 75 && target->tally.lost == 1250 &&
		      target->in_flight_max == 64,
	      "%llu and %llu lost, at most %llu in flight", (unsigned long long)target->warmup.lost,
	      (unsigned long long)target->tally.lost, (unsigned long long)target->in_flight_max);
	end_simulation(run);
}

void test_warmup(void)
{
	check("warmup-flood", "delay=1ms,send=1us", flood);
	check("warmup-flood-loss", "delay=1ms,send=1us,loss=0.05,reorder=0.1,duplicate=0.05",
	      flood);
	check("warmup-depth", "delay=1ms,jitter=1ms,send=1us", depth);
	check("warmup-depth-loss", "delay=1ms,send=1us,loss=0.05,corrupt=0.02", depth);
	check("warmup-interval", "delay=5ms,send=1us,loss=0.01", interval);
	check("warmup-flood-slots", "delay=1ms,jitter=300us,send=1us", slots);
	test_skipped();
	test_drops();
	test_by_time();
	test_slow_start();
	test_lost_slots();
}
