/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs whose clock turns out to have had another rate: every time that it measured must follow by
 * the same factor, so that what can be derived from each other still can, and what is no time of
 * this clock must stay. Each run is held against its twin with the clock as it was.
 */
#include <math.h>

#include "sim/sim.h"

static struct run *run_one(double factor, void (*prepare)(struct run *run), const char *simulation)
{
	struct run *run = new_run(11, simulation);

	prepare(run);
	run->clock_factor = factor;
	run_simulation(run);
	return run;
}

static bool follows(double plain, double rescaled, double factor, double rounding)
{
	return fabs(rescaled - plain * factor) <= rounding;
}

/* A histogram of the run's clock: NULL in both, or moved by the factor. */
static bool histogram_follows(const struct histogram *plain, const struct histogram *rescaled,
			      double factor)
{
	if (plain == NULL || rescaled == NULL)
		return plain == rescaled;
	return plain->samples == rescaled->samples &&
	       follows(histogram_mean(plain), histogram_mean(rescaled), factor, 0.6) &&
	       follows((double)plain->min_ns, (double)rescaled->min_ns, factor, 1.1) &&
	       follows((double)plain->max_ns, (double)rescaled->max_ns, factor, 1.1);
}

static bool figures_follow(const struct result_target *plain, const struct result_target *rescaled,
			   double factor)
{
	double per_s = 1 / factor;

	return histogram_follows(plain->rtt_user, rescaled->rtt_user, factor) &&
	       histogram_follows(plain->rtt_ping, rescaled->rtt_ping, factor) &&
	       histogram_follows(plain->rtt_intended, rescaled->rtt_intended, factor) &&
	       histogram_follows(plain->lateness, rescaled->lateness, factor) &&
	       follows(plain->receive_queue_held_ns, rescaled->receive_queue_held_ns, factor, 2) &&
	       follows((double)plain->window_ns, (double)rescaled->window_ns, factor, 1.1) &&
	       follows(plain->ewma_rtt_ns.value, rescaled->ewma_rtt_ns.value, factor, 1e-3) &&
	       follows(plain->rfc3550_ns.value, rescaled->rfc3550_ns.value, factor, 1e-3) &&
	       follows(plain->ipdv_mean_ns.value, rescaled->ipdv_mean_ns.value, factor, 1e-2) &&
	       follows(plain->received_per_s.value, rescaled->received_per_s.value, per_s,
		       plain->received_per_s.value * 1e-7);
}

/* How many were in flight is no time: it stays, and Little's law with it. */
static double law_is_open_by(const struct result_target *plain,
			     const struct result_target *rescaled)
{
	double mean = rescaled->in_flight_mean.value;

	return fmax(fabs(mean / plain->in_flight_mean.value - 1),
		    fabs(rescaled->littles_law.value / mean - 1));
}

static void check(const char *name, void (*prepare)(struct run *run), const char *simulation)
{
	static const double factors[] = {1 + 1.2e-8, 1 - 1.2e-8, 1 + 9e-5, 1 - 9e-5};
	double worst = 0;
	int strangers = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(factors); i++) {
		struct run *plain = run_one(0, prepare, simulation);
		struct run *rescaled = run_one(factors[i], prepare, simulation);

		strangers += !figures_follow(&plain->result_target, &rescaled->result_target,
					     factors[i]) ||
			     !follows((double)plain->result.elapsed_ns,
				      (double)rescaled->result.elapsed_ns, factors[i], 1.1) ||
			     !follows((double)plain->result.warmup_ns,
				      (double)rescaled->result.warmup_ns, factors[i], 1.1) ||
			     !result_tally_balances(&rescaled->result_target.tally);
		worst = fmax(worst,
			     law_is_open_by(&plain->result_target, &rescaled->result_target));
		end_simulation(plain);
		end_simulation(rescaled);
	}
	/* Half a nanosecond of a mean RTT of some 50 us is what rounding may take. */
	judge(name, strangers == 0 && worst < 2e-5,
	      "%d of %zu runs have a figure that does not follow; Little's law is open by %g",
	      strangers, ARRAY_LENGTH(factors), worst);
}

static void prepare_depth(struct run *run)
{
	run->configuration.depth = 16;
	run->configuration.count = 5000;
	run->configuration.warmup_requests = 100;
}

static void prepare_interval(struct run *run)
{
	run->configuration.interval_ns = 100 * NANOSECONDS_PER_MICROSECOND;
	run->configuration.count = 5000;
}

/* The kernel's own stamps are not of this clock. */
static void test_parts(void)
{
	double factor = 1 + 9e-5;
	struct run *runs[2];
	const struct result_target *targets[2];

	for (size_t i = 0; i < ARRAY_LENGTH(runs); i++) {
		runs[i] = new_run(11, "delay=20ms,jitter=1ms");
		prepare_depth(runs[i]);
		runs[i]->configuration.timeout_ns = NANOSECONDS_PER_SECOND;
		runs[i]->configuration.stamps = STAMPS_SPLIT;
		runs[i]->clock_factor = i == 0 ? 0 : factor;
		run_simulation(runs[i]);
		targets[i] = &runs[i]->result_target;
	}
	judge("rescale/the-kernels-parts-stay",
	      targets[0]->rtt_kernel->samples > 0 &&
		      histogram_follows(targets[0]->rtt_kernel, targets[1]->rtt_kernel, 1) &&
		      histogram_follows(targets[0]->budget[BUDGET_QUEUE_TO_DRIVER],
					targets[1]->budget[BUDGET_QUEUE_TO_DRIVER], 1) &&
		      histogram_follows(targets[0]->budget[BUDGET_DRIVER_TO_SOCKET],
					targets[1]->budget[BUDGET_DRIVER_TO_SOCKET], factor) &&
		      follows(targets[0]->sampled_ping_mean_ns.value,
			      targets[1]->sampled_ping_mean_ns.value, factor, 1),
	      "a part that is not of this clock has moved, or one that is has not");
	for (size_t i = 0; i < ARRAY_LENGTH(runs); i++)
		end_simulation(runs[i]);
}

void test_rescale(void)
{
	check("rescale/depth", prepare_depth, "delay=50us,loss=0.02,jitter=30us");
	check("rescale/interval", prepare_interval, "delay=50us,loss=0.05,jitter=300us");
	test_parts();
}
