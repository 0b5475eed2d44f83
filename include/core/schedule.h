/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which target's pacer is to be asked next, and when: a binary heap over the targets, ordered
 * by due time and, where times are equal, by the target's place, so that targets take turns. One
 * target costs nothing, ten thousand cost a dozen comparisons.
 */
#ifndef FPING_BENCH_CORE_SCHEDULE_H
#define FPING_BENCH_CORE_SCHEDULE_H

#include "base/base.h"

struct schedule_slot {
	int64_t due_ns;
	uint32_t target;
};

struct schedule {
	struct schedule_slot *heap; /* heap[0] is the earliest */
	uint32_t *place;            /* of each target in the heap */
	uint32_t count;
};

/*
 * Prepares a schedule of `count` targets over the caller's arrays of that many elements; all are
 * due at TIME_NEVER_NS.
 */
void schedule_init(struct schedule *schedule, struct schedule_slot *heap, uint32_t *place,
		   uint32_t count);

/* The target becomes due at due_ns, earlier or later than before. */
void schedule_set(struct schedule *schedule, uint32_t target, int64_t due_ns);

/* When a target is due. */
static inline int64_t schedule_due(const struct schedule *schedule, uint32_t target)
{
	return schedule->heap[schedule->place[target]].due_ns;
}

/* The earliest due time, TIME_NEVER_NS if no target will ever be due; its target in *target. */
static inline int64_t schedule_first(const struct schedule *schedule, uint32_t *target)
{
	if (schedule->count == 0)
		return TIME_NEVER_NS;
	*target = schedule->heap[0].target;
	return schedule->heap[0].due_ns;
}

#endif
