/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The schedule against a plain search: after any sequence of changes the first of the heap is
 * the earliest target, and among equals the one with the lowest place.
 */
#include "core/schedule.h"

#include "base/random.h"
#include "unit/unit.h"

#define TARGETS 37

static void test_empty(void)
{
	struct schedule schedule;
	uint32_t target = 7;

	schedule_init(&schedule, NULL, NULL, 0);
	UNIT_SIGNED("no target is never due", schedule_first(&schedule, &target), TIME_NEVER_NS);
	UNIT_UNSIGNED("and none is named", target, 7);
}

static void test_against_search(void)
{
	struct schedule_slot heap[TARGETS];
	uint32_t place[TARGETS];
	int64_t due[TARGETS];
	struct schedule schedule;
	struct random_state random;

	random_seed(&random, 5);
	schedule_init(&schedule, heap, place, TARGETS);
	for (uint32_t i = 0; i < TARGETS; i++)
		due[i] = TIME_NEVER_NS;
	for (int step = 0; step < 20000; step++) {
		uint32_t target = (uint32_t)random_below(&random, TARGETS), first = 0, best = 0;
		int64_t when = random_below(&random, 10) == 0 ? TIME_NEVER_NS
							      : (int64_t)random_below(&random, 50);

		schedule_set(&schedule, target, when);
		due[target] = when;
		for (uint32_t i = 1; i < TARGETS; i++)
			if (due[i] < due[best])
				best = i;
		if (!UNIT_SIGNED("due", schedule_first(&schedule, &first), due[best]) ||
		    !UNIT_UNSIGNED("first", first, best) ||
		    !UNIT_SIGNED("own", schedule_due(&schedule, target), when))
			return;
	}
}

const struct unit_suite suite_schedule = {
	"schedule",
	(const struct unit_test[]){
		{"nothing to do", test_empty},
		{"agrees with a plain search", test_against_search},
		{NULL, NULL},
	},
};
