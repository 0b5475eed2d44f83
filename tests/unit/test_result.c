/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How finely a time may be shown: whole steps of a coarse clock, everything of any other.
 */
#include "unit/unit.h"

#include "core/result.h"

#define MS NANOSECONDS_PER_MILLISECOND

static void test_fine(void)
{
	static const int64_t times_ns[] = {0, 1, -1, 999, 1234567, INT64_MAX, INT64_MIN + 1};
	static struct result result;

	result.clock.step_ns = 10;
	for (size_t i = 0; i < ARRAY_LENGTH(times_ns); i++) {
		UNIT_SIGNED("as it is", result_shown_ns(&result, times_ns[i]), times_ns[i]);
		UNIT_SIGNED("no step", result_whole_steps_ns(0, times_ns[i]), times_ns[i]);
	}
	UNIT_SIGNED("no step to keep to", result_shown_step_ns(&result.clock), 0);
}

static void test_coarse(void)
{
	static const struct {
		int64_t time_ns, shown_ns;
	} rows[] = {
		{0, 0}, {1, 0}, {1999996, 0}, {1999997, 4 * MS}, {3999994, 4 * MS},
		{4005888, 4 * MS}, {5999990, 4 * MS}, {7999988, 8 * MS}, {39999940, 40 * MS},
		{-1, 0}, {-3999994, -4 * MS}, {-9999980, -8 * MS},
	};
	static struct result result;

	result.clock.is_coarse = true;
	result.clock.step_ns = 3999994;
	UNIT_SIGNED("the step to keep to", result_shown_step_ns(&result.clock), 3999994);
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		UNIT_SIGNED("whole steps", result_shown_ns(&result, rows[i].time_ns),
			    rows[i].shown_ns);
		UNIT_SIGNED("whole steps", result_whole_steps_ns(3999994, rows[i].time_ns),
			    rows[i].shown_ns);
	}
	UNIT_SIGNED("a step of 10 ms", result_whole_steps_ns(10 * MS, 24 * MS), 20 * MS);
	UNIT_SIGNED("a step of 2 us", result_whole_steps_ns(2000, 13579), 14000);
}

const struct unit_suite suite_result = {
	"result",
	(const struct unit_test[]){
		{"fine clock", test_fine},
		{"coarse clock", test_coarse},
		{NULL, NULL},
	},
};
