/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How replies follow each other: order, variation, losses in a row, and whether a run is one thing
 * from beginning to end. Orders are checked against the definitions, taken literally.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "core/delay_variation.h"
#include "core/loss_runs.h"
#include "core/reordering.h"
#include "core/steady.h"
#include "unit/unit.h"

/* ---- reordering ---- */

/* RFC 4737, 4.2.1, word for word: distance to the first arrival with a larger number. */
static uint64_t extent_of(const uint64_t *numbers, uint64_t at)
{
	for (uint64_t earlier = 0; earlier < at; earlier++)
		if (numbers[earlier] > numbers[at])
			return at - earlier;
	return 0;
}

static void test_order(void)
{
	static struct reordering reordering;
	struct reordering_record ring[256];
	uint64_t numbers[1000], reordered = 0, longest = 0, extent = 0;
	struct random_state random;

	random_seed(&random, 11);
	for (uint64_t i = 0; i < ARRAY_LENGTH(numbers); i++)
		numbers[i] = i + 1;
	/* Each reply changes places with one up to 40 places later. */
	for (uint64_t i = 0; i + 40 < ARRAY_LENGTH(numbers); i++) {
		uint64_t other = i + random_below(&random, 40), kept = numbers[i];

		numbers[i] = numbers[other];
		numbers[other] = kept;
	}
	reordering_init(&reordering, ring, ARRAY_LENGTH(ring));
	for (uint64_t i = 0; i < ARRAY_LENGTH(numbers); i++) {
		uint64_t wanted = extent_of(numbers, i);

		UNIT_UNSIGNED("extent", reordering_arrival(&reordering, numbers[i]), wanted);
		reordered += wanted > 0;
		longest = max_u64(longest, wanted);
	}
	UNIT_UNSIGNED("reordered", reordering.reordered, reordered);
	UNIT_UNSIGNED("longest", reordering.extent_max, longest);
	UNIT_CHECK(reordering_extent_p99(&reordering, &extent) && extent <= longest &&
			   extent > longest / 4,
		   "p99 %llu of at most %llu", (unsigned long long)extent,
		   (unsigned long long)longest);
}

static void test_order_small(void)
{
	static struct reordering reordering;
	struct reordering_record ring[4];
	static const uint64_t numbers[] = {1, 2, 5, 3, 4, 6, 8, 7};
	static const uint64_t wanted[] = {0, 0, 0, 1, 2, 0, 0, 1};
	uint64_t extent;

	reordering_init(&reordering, ring, ARRAY_LENGTH(ring));
	for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++)
		UNIT_UNSIGNED("extent", reordering_arrival(&reordering, numbers[i]), wanted[i]);
	UNIT_CHECK(!reordering_extent_p99(&reordering, &extent), "three tell no p99");
	/* Older than the ring: at least what it spans. */
	for (uint64_t number = 10; number < 30; number++)
		(void)reordering_arrival(&reordering, number);
	UNIT_UNSIGNED("one gap needs one entry", reordering_arrival(&reordering, 9), 20);
	for (uint64_t number = 31; number < 71; number += 2)
		(void)reordering_arrival(&reordering, number);
	UNIT_UNSIGNED("at least", reordering_arrival(&reordering, 30), 4);
	memset(&reordering, 0, sizeof(reordering));
	(void)reordering_arrival(&reordering, 2);
	UNIT_CHECK(reordering_arrival(&reordering, 1) > 0 && reordering.reordered == 1 &&
			   reordering.extent_max == 0,
		   "without memory it counts and knows no extent");
}

/* ---- variation ---- */

static void test_variation(void)
{
	struct delay_variation variation = {0};

	delay_variation_add(&variation, 1000);
	UNIT_CHECK(!delay_variation_jitter(&variation).known &&
			   !delay_variation_mean(&variation).known,
		   "one has no difference");
	delay_variation_add(&variation, 1160);
	UNIT_NEAR("jitter", delay_variation_jitter(&variation).value, 10, 1e-12);
	delay_variation_add(&variation, 1000);
	UNIT_NEAR("jitter", delay_variation_jitter(&variation).value, 10 + 150.0 / 16, 1e-12);
	UNIT_NEAR("mean", delay_variation_mean(&variation).value, 160, 1e-12);
	for (int i = 0; i < 1000; i++)
		delay_variation_add(&variation, 1000);
	UNIT_NEAR("it forgets", delay_variation_jitter(&variation).value, 0, 1e-12);
	UNIT_NEAR("mean", delay_variation_mean(&variation).value, 320.0 / 1002, 1e-12);
}

/* ---- losses in a row ---- */

static void test_losses(void)
{
	static struct loss_runs runs;
	uint64_t number = 1;

	memset(&runs, 0, sizeof(runs));
	loss_runs_end(&runs);
	UNIT_UNSIGNED("none", runs.count, 0);
	/* Runs of 70 different lengths, longest first. */
	for (uint64_t length = 70; length > 0; length--) {
		for (uint64_t i = 0; i < length; i++)
			loss_runs_lost(&runs, number++);
		number += length % 3 + 1;
	}
	loss_runs_end(&runs);
	UNIT_UNSIGNED("as many as fit", runs.count, RESULT_LOSS_RUNS_MAX);
	UNIT_UNSIGNED("the rest is counted", runs.left_out, 70 - RESULT_LOSS_RUNS_MAX);
	for (uint32_t i = 1; i < runs.count; i++)
		UNIT_CHECK(runs.runs[i - 1].length < runs.runs[i].length, "in order at %u", i);
	loss_runs_lost(&runs, 100000);
	loss_runs_end(&runs);
	loss_runs_lost(&runs, 200000);
	loss_runs_lost(&runs, 200001);
	loss_runs_end(&runs);
	UNIT_UNSIGNED("known lengths still count", runs.left_out, 70 - RESULT_LOSS_RUNS_MAX + 2);
}

/* ---- steadiness ---- */

static struct random_state random_of_steady;

static double normal(void)
{
	double sum = 0.0;

	for (int i = 0; i < 12; i++)
		sum += random_unit(&random_of_steady);
	return sum - 6.0;
}

enum shape {
	PLAIN,
	SPIKES,
	CORRELATED,
	BURSTS,
	ALTERNATING,
	TREND,
	SHIFT,
	SLOW_START
};

/* A run of `replies` round trips of about 10 us, judged. */
static struct result_steady run_for(int64_t span_ns, enum shape shape, int replies, int seed)
{
	static struct steady steady;
	struct result_steady result;
	double wander = 0.0;

	memset(&steady, 0, sizeof(steady));
	random_seed(&random_of_steady, (uint64_t)seed);
	for (int i = 0; i < replies; i++) {
		double at = (double)i / replies, rtt = 10000.0 * exp(0.15 * normal());

		wander = 0.98 * wander + 0.01 * normal();
		if (shape == SPIKES && random_below(&random_of_steady, 200) == 0)
			rtt += 3e6 * random_unit(&random_of_steady);
		if (shape == CORRELATED)
			rtt *= 1.0 + wander;
		if (shape == BURSTS && (i / 64) % 97 == 5)
			rtt += 4e6 - 6e4 * (i % 64);
		if (shape == ALTERNATING)
			rtt *= 1.0 + i % 16 / 16.0;
		if (shape == TREND)
			rtt *= 1.0 + 0.5 * at;
		if (shape == SHIFT && at >= 0.6)
			rtt *= 1.3;
		if (shape == SLOW_START && at < 0.1)
			rtt *= 2.0;
		steady_add(&steady, (int64_t)rtt);
	}
	steady_judge(&steady, span_ns, &result);
	return result;
}

static struct result_steady run(enum shape shape, int replies, int seed)
{
	return run_for(STEADY_SPAN_NS, shape, replies, seed);
}

static void test_steady(void)
{
	static const struct {
		const char *label;
		enum shape shape;
	} rows[] = {
		{"plain", PLAIN},   {"spikes", SPIKES},		  {"correlated", CORRELATED},
		{"bursts", BURSTS}, {"alternating", ALTERNATING},
	};
	static const int sizes[] = {320, 1000, 10000};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		int unsteady = 0, cut = 0;

		for (int seed = 0; seed < 300; seed++) {
			struct result_steady result =
				run(rows[i].shape, sizes[seed % (int)ARRAY_LENGTH(sizes)], seed);

			unsteady += !result.known || !result.is_steady;
			cut += result.cut_replies > 0;
		}
		UNIT_CHECK(unsteady <= (rows[i].shape == CORRELATED), "%s: not steady in %d of 300",
			   rows[i].label, unsteady);
		UNIT_CHECK(cut <= 6, "%s: a beginning to cut off in %d of 300", rows[i].label, cut);
	}
}

static void test_unsteady(void)
{
	for (int seed = 0; seed < 100; seed++) {
		struct result_steady trend = run(TREND, 5000, seed);
		struct result_steady shift = run(SHIFT, 5000, seed);
		struct result_steady start = run(SLOW_START, 5000, seed);

		UNIT_CHECK(trend.known && !trend.is_steady, "a trend, seed %d", seed);
		UNIT_CHECK(shift.known && !shift.is_steady, "a shift, seed %d", seed);
		UNIT_NEAR("where it shifted", shift.cut_share, 0.6, 0.03);
		UNIT_CHECK(start.known && start.is_steady, "a slow start, seed %d", seed);
		UNIT_NEAR("what to leave out", (double)start.cut_replies, 500, 60);
		UNIT_CHECK(start.cut_mean_ns > 1.7 * start.rest_mean_ns, "%g and %g",
			   start.cut_mean_ns, start.rest_mean_ns);
	}
	UNIT_CHECK(!run(PLAIN, 319, 1).known, "too short to judge");
	UNIT_CHECK(run(PLAIN, 320, 1).known, "long enough");
	UNIT_CHECK(!run_for(STEADY_SPAN_NS - 1, SHIFT, 5000, 1).known, "too short to be unsteady");
	UNIT_CHECK(run_for(STEADY_SPAN_NS - 1, SLOW_START, 5000, 1).cut_replies > 0,
		   "but a slow start is told");
	UNIT_NEAR("nothing is cut: the mean of all", run(PLAIN, 5000, 1).rest_mean_ns, 10000, 300);
}

const struct unit_suite suite_course = {
	"course",
	(const struct unit_test[]){
		{"reordering", test_order},
		{"reordering by hand", test_order_small},
		{"variation", test_variation},
		{"losses in a row", test_losses},
		{"steady", test_steady},
		{"not steady", test_unsteady},
		{NULL, NULL},
	},
};
