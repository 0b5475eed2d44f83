/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ratios, intervals and shares. The coverage of the mapped interval is shown by simulation: what
 * calls itself 95 % must hold the truth in 93 to 97 of 100 runs.
 */
#include "unit/unit.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "core/statistics.h"

static void test_ratio(void)
{
	double ratio = -1.0;

	UNIT_CHECK(!statistics_ratio(0, 0, &ratio) && !statistics_ratio(5, 0, &ratio),
		   "a ratio of nothing");
	UNIT_NEAR("untouched", ratio, -1.0, 0.0);
	UNIT_CHECK(statistics_ratio(0, 5, &ratio), "no ratio");
	UNIT_NEAR("0/5", ratio, 0.0, 0.0);
	UNIT_CHECK(statistics_ratio(2500, 10000, &ratio), "no ratio");
	UNIT_NEAR("exactly a quarter", ratio, 0.25, 0.0);
	UNIT_CHECK(statistics_ratio(UINT64_C(1) << 40, UINT64_C(1) << 42, &ratio), "no ratio");
	UNIT_NEAR("B45: beyond 32 bits", ratio, 0.25, 0.0);
}

static void test_wilson(void)
{
	static const struct {
		uint64_t k, n;
		double low, high;
	} rows[] = {
		{0, 10, 0.0, 0.277533},
		{1, 10, 0.017876, 0.404150},
		{5, 10, 0.236593, 0.763407},
		{10, 10, 0.722467, 1.0},
		{10, 100, 0.055229, 0.174366},
		{50, 100, 0.403832, 0.596168},
		{1, 1, 0.206549, 1.0},
		{2500, 10000, 0.241610, 0.258582},
		{1000, 1000000000, 9.39911e-07, 1.063930e-06},
	};
	struct statistics_interval interval = {-1.0, -1.0};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		UNIT_CHECK(statistics_wilson(rows[i].k, rows[i].n, STATISTICS_Z95, &interval),
			   "none");
		UNIT_NEAR("low", interval.low, rows[i].low,
			  1e-6 * (rows[i].high < 1e-3 ? 1e-4 : 1.0));
		UNIT_NEAR("high", interval.high, rows[i].high,
			  1e-6 * (rows[i].high < 1e-3 ? 1e-4 : 1.0));
	}
	UNIT_CHECK(!statistics_wilson(0, 0, 1.96, &interval), "an interval of nothing");
	UNIT_CHECK(!statistics_wilson(2, 1, 1.96, &interval), "more than all");
	UNIT_CHECK(statistics_wilson(UINT64_MAX, UINT64_MAX, 1.96, &interval) &&
			   interval.low > 0.999 && interval.high >= 1.0 && interval.high <= 1.0,
		   "the largest sample");
}

static void test_none_lost(void)
{
	static const struct {
		uint64_t n;
		double upper;
	} rows[] = {{0, 1.0},         {1, 0.95},           {10, 0.258866},
		    {299, 0.0099692}, {3000, 0.000998079}, {1000000000, 2.9957323e-9}};
	struct statistics_interval interval;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_NEAR("none lost", statistics_none_upper(rows[i].n), rows[i].upper,
			  rows[i].upper * 1e-5);
	UNIT_CHECK(statistics_loss_interval(0, 3000, &interval), "none");
	UNIT_NEAR("none lost", interval.low, 0.0, 0.0);
	UNIT_NEAR("none lost", interval.high, statistics_none_upper(3000), 0.0);
	UNIT_CHECK(statistics_loss_interval(10, 100, &interval), "none");
	UNIT_NEAR("some lost: Wilson", interval.high, 0.174366, 1e-6);
	UNIT_CHECK(statistics_loss_interval(7, 7, &interval), "none");
	UNIT_NEAR("all lost", interval.high, 1.0, 0.0);
	UNIT_CHECK(!statistics_loss_interval(0, 0, &interval), "an interval of nothing");
}

/* One run: datagrams of so many fragments, each lost with probability p; how many datagrams. */
static uint64_t lose(struct random_state *state, uint64_t datagrams, uint32_t fragments, double p)
{
	uint64_t lost = 0;

	for (uint64_t i = 0; i < datagrams; i++) {
		bool whole = true;

		for (uint32_t k = 0; k < fragments; k++)
			whole = random_unit(state) >= p && whole;
		lost += !whole;
	}
	return lost;
}

static void test_coverage(void)
{
	static const struct {
		const char *label;
		uint64_t datagrams;
		uint32_t fragments;
		double p;
	} rows[] = {
		{"2 fragments, 5 %", 1000, 2, 0.05},
		{"6 fragments, 1 %", 1000, 6, 0.01},
		{"45 fragments, 1 %", 400, 45, 0.01},
		{"4 fragments, 20 %", 300, 4, 0.2},
	};
	struct random_state state;

	random_seed(&state, 20);
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		unsigned int covered = 0;

		for (int run = 0; run < 1000; run++) {
			struct statistics_interval interval;
			uint64_t lost =
				lose(&state, rows[i].datagrams, rows[i].fragments, rows[i].p);

			if (!statistics_loss_interval(lost, rows[i].datagrams, &interval))
				continue;
			interval = statistics_per_fragment(interval, rows[i].fragments);
			covered += interval.low <= rows[i].p && rows[i].p <= interval.high;
		}
		UNIT_CHECK(covered >= 930 && covered <= 970, "%s: %u of 1,000 intervals hold it",
			   rows[i].label, covered);
	}
}

static void test_share(void)
{
	static const struct {
		const char *label;
		uint64_t total;
		uint64_t weights[4];
		uint64_t shares[4];
	} rows[] = {
		{"even", 8, {5, 5, 5, 5}, {2, 2, 2, 2}},
		{"nothing", 0, {1, 2, 3, 4}, {0, 0, 0, 0}},
		{"all of it", 10, {1, 2, 3, 4}, {1, 2, 3, 4}},
		{"largest remainders", 10, {47, 16, 158, 120}, {1, 0, 5, 4}},
		{"equal remainders go by index", 2, {1, 1, 1, 1}, {1, 1, 0, 0}},
		{"one takes all", 7, {0, 0, 9, 0}, {0, 0, 7, 0}},
		{"a weight of 0 gets nothing", 5, {1, 0, 1, 0}, {3, 0, 2, 0}},
		{"64 bits",
		 UINT64_MAX,
		 {UINT64_MAX, UINT64_MAX, 0, 0},
		 {UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1, 0, 0}},
	};
	uint64_t shares[4];

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		UNIT_CHECK(statistics_share(rows[i].total, rows[i].weights, 4, shares),
			   "%s: refused", rows[i].label);
		for (size_t k = 0; k < 4; k++)
			UNIT_UNSIGNED(rows[i].label, shares[k], rows[i].shares[k]);
	}
	UNIT_CHECK(!statistics_share(3, (const uint64_t[]){0, 0}, 2, shares) && shares[0] == 0 &&
			   shares[1] == 0,
		   "something over nothing");
	UNIT_CHECK(statistics_share(0, (const uint64_t[]){0, 0}, 2, shares),
		   "nothing over nothing");
	UNIT_CHECK(!statistics_share(1, NULL, 0, NULL), "something over nobody");
}

/* The sum is exact, no share is a whole one away from its due, none exceeds its weight. */
static void test_share_at_random(void)
{
	static uint64_t weights[300], shares[300];
	struct random_state state;

	random_seed(&state, 3);
	for (int run = 0; run < 300; run++) {
		size_t n = 1 + (size_t)random_below(&state, ARRAY_LENGTH(weights));
		uint64_t sum = 0, total, given = 0;
		bool fair = true;

		for (size_t i = 0; i < n; i++) {
			weights[i] = random_below(&state, UINT64_C(1) << random_below(&state, 40));
			sum += weights[i];
		}
		total = random_below(&state, sum + 1);
		if (!statistics_share(total, weights, n, shares)) {
			UNIT_CHECK(sum == 0 && total > 0, "run %d: refused", run);
			continue;
		}
		for (size_t i = 0; i < n; i++) {
			double due =
				(double)total * (double)weights[i] / (double)(sum > 0 ? sum : 1);

			given += shares[i];
			fair = fair && shares[i] <= weights[i] &&
			       (double)shares[i] < due * (1 + 1e-12) + 1.0 &&
			       (double)shares[i] > due * (1 - 1e-12) - 1.0;
		}
		UNIT_CHECK(given == total && fair, "run %d: %llu of %llu given, fair: %d", run,
			   (unsigned long long)given, (unsigned long long)total, fair);
	}
}

static void test_student(void)
{
	static const struct {
		uint32_t degrees;
		double quantile;
	} rows[] = {{1, 12.7062},  {2, 4.3027},   {5, 2.5706},	 {9, 2.2622},	 {10, 2.2281},
		    {11, 2.20099}, {12, 2.17881}, {30, 2.04227}, {120, 1.97993}, {100000, 1.95999}};

	UNIT_CHECK(isinf(statistics_student(0)), "an error of one value");
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_NEAR("quantile", statistics_student(rows[i].degrees), rows[i].quantile, 1e-3);
}

const struct unit_suite suite_statistics = {
	"statistics",
	(const struct unit_test[]){
		{"ratio", test_ratio},
		{"Wilson", test_wilson},
		{"none lost", test_none_lost},
		{"Student's quantiles", test_student},
		{"coverage of the loss per fragment", test_coverage},
		{"shares", test_share},
		{"shares at random", test_share_at_random},
		{NULL, NULL},
	},
};
