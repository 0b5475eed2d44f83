/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The integral of the depth, against areas worked out by hand and against the sum of the times
 * that the requests were out (Little's law as an identity).
 */
#include "unit/unit.h"

#include <stdlib.h>

#include "base/random.h"
#include "core/depth.h"

static struct depth subject;

static void test_by_hand(void)
{
	depth_start(&subject, 100);
	UNIT_NEAR("no time yet", depth_mean(&subject), 0.0, 0.0);
	UNIT_CHECK(depth_change(&subject, 2, 110), "rises by 2");  /* 10 ns at 0 */
	UNIT_CHECK(depth_change(&subject, 1, 120), "rises by 1");  /* 10 ns at 2 */
	UNIT_CHECK(depth_change(&subject, -3, 150), "falls by 3"); /* 30 ns at 3 */
	depth_advance(&subject, 200);                              /* 50 ns at 0 */
	UNIT_NEAR("by hand", depth_mean(&subject), 110.0 / 100.0, 1e-12);
	UNIT_UNSIGNED("by hand", subject.max, 3);
	UNIT_UNSIGNED("by hand", subject.current, 0);
	UNIT_SIGNED("time at 0", subject.time_at[0], 60);
	UNIT_SIGNED("time at 1", subject.time_at[1], 0);
	UNIT_SIGNED("time at 2", subject.time_at[2], 10);
	UNIT_SIGNED("time at 3", subject.time_at[3], 30);
}

static void test_never_below_zero(void)
{
	depth_start(&subject, 0);
	UNIT_CHECK(!depth_change(&subject, -1, 10), "fell below zero");
	UNIT_UNSIGNED("after the refusal", subject.current, 0);
	UNIT_CHECK(depth_change(&subject, 5, 10), "rises by 5");
	UNIT_CHECK(!depth_change(&subject, -6, 20), "fell below zero");
	UNIT_CHECK(!depth_change(&subject, INT64_MIN, 20), "fell below zero");
	UNIT_UNSIGNED("after the refusal", subject.current, 5);
	UNIT_CHECK(depth_change(&subject, -5, 20), "falls to zero");
}

static void test_time_goes_back(void)
{
	depth_start(&subject, 1000);
	UNIT_CHECK(depth_change(&subject, 1, 2000), "rises");
	UNIT_CHECK(depth_change(&subject, 1, 1500), "rises at an earlier time");
	depth_advance(&subject, 1700);
	depth_advance(&subject, 3000);
	UNIT_NEAR("counted as the last time", depth_mean(&subject), 2000.0 / 2000.0, 1e-12);
}

static void test_deep(void)
{
	depth_start(&subject, 0);
	UNIT_CHECK(depth_change(&subject, 1023, 0), "rises");
	UNIT_CHECK(depth_change(&subject, 1, 10), "rises");
	UNIT_CHECK(depth_change(&subject, 64512, 30), "rises");
	depth_advance(&subject, 70);
	UNIT_SIGNED("share of 1,023", subject.time_at[1023], 10);
	UNIT_SIGNED("share of all deeper ones", subject.time_at[DEPTH_SHARES - 1], 60);
	UNIT_UNSIGNED("max", subject.max, 65536);
	UNIT_NEAR("mean", depth_mean(&subject), (1023 * 10 + 1024 * 20 + 65536 * 40.0) / 70.0,
		  1e-9);
}

static void test_far_from_zero(void)
{
	int64_t year = 366 * 86400 * NANOSECONDS_PER_SECOND;

	depth_start(&subject, INT64_MIN + 5);
	UNIT_CHECK(depth_change(&subject, INT64_C(1) << 40, INT64_MIN + 5), "rises");
	depth_advance(&subject, INT64_MIN + 5 + year);
	UNIT_NEAR("a year at 2^40", depth_mean(&subject), 0x1p40, 0.0);
	depth_start(&subject, INT64_MAX - 10);
	UNIT_CHECK(depth_change(&subject, 1, INT64_MAX - 5), "rises");
	depth_advance(&subject, INT64_MAX);
	UNIT_NEAR("the end of time", depth_mean(&subject), 0.5, 1e-12);
}

/* Whatever the requests do, the area is the sum of the times they were out, to the nanosecond. */
static void test_identity(void)
{
	static int64_t sent_at[4096];
	uint64_t out = 0, held = 0, refused = 0;
	struct random_state state;
	int64_t now = 1;

	random_seed(&state, 7);
	depth_start(&subject, now);
	for (int step = 0; step < 200000; step++) {
		now += (int64_t)random_below(&state, 1000);
		if (out < ARRAY_LENGTH(sent_at) && random_below(&state, 2) == 0) {
			sent_at[out++] = now;
			refused += !depth_change(&subject, 1, now);
		} else if (out > 0) {
			uint64_t which = random_below(&state, out);

			held += (uint64_t)(now - sent_at[which]);
			sent_at[which] = sent_at[--out];
			refused += !depth_change(&subject, -1, now);
		}
	}
	depth_advance(&subject, now);
	for (uint64_t i = 0; i < out; i++)
		held += (uint64_t)(now - sent_at[i]);
	UNIT_UNSIGNED("changes refused", refused, 0);
	UNIT_CHECK(subject.area == held, "the area is not the time out");
	UNIT_UNSIGNED("still out", subject.current, out);
}

/* Another rate of the clock: times grow, but how many were out at a time does not change. */
static void test_rescale(void)
{
	static const double factors[] = {1 + 1.2e-8, 1 - 1.2e-8, 1 + 1e-4, 1 - 1e-4};

	for (size_t i = 0; i < ARRAY_LENGTH(factors); i++) {
		int64_t start_ns = INT64_C(1000000000000), span_ns = 0;
		double mean;

		depth_start(&subject, start_ns);
		for (int64_t step = 1; step <= 1000; step++)
			(void)depth_change(&subject, step % 7 < 4 ? 1 : -1, start_ns + step * 9999);
		mean = depth_mean(&subject);
		depth_rescale(&subject, factors[i]);
		UNIT_NEAR("span", (double)(subject.last_ns - start_ns), 9999e3 * factors[i], 0.51);
		UNIT_NEAR("mean", depth_mean(&subject), mean, mean * 1e-6);
		for (size_t n = 0; n < DEPTH_SHARES; n++)
			span_ns += subject.time_at[n];
		UNIT_CHECK(llabs(span_ns - (subject.last_ns - start_ns)) <= DEPTH_SHARES,
			   "shares and span differ by %lld",
			   (long long)(span_ns - (subject.last_ns - start_ns)));

		/* A depth that never changes is its own mean, not a little more. */
		depth_start(&subject, start_ns);
		(void)depth_change(&subject, 16, start_ns);
		depth_advance(&subject, start_ns + 123456789);
		depth_rescale(&subject, factors[i]);
		UNIT_CHECK(depth_mean(&subject) <= 16.0, "%.17g of 16", depth_mean(&subject));
		UNIT_NEAR("constant", depth_mean(&subject), 16.0, 1e-6);
	}
}

const struct unit_suite suite_depth = {
	"depth",
	(const struct unit_test[]){
		{"by hand", test_by_hand},
		{"never below zero", test_never_below_zero},
		{"time that goes back", test_time_goes_back},
		{"deeper than the shares", test_deep},
		{"far from zero", test_far_from_zero},
		{"area is the time out", test_identity},
		{"another rate of the clock", test_rescale},
		{NULL, NULL},
	},
};
