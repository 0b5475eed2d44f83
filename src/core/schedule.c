/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heap behind schedule.h. Targets never leave it: one that is done is due never, and so
 * lies at the bottom; that keeps the place of every target known and the code free of cases.
 */
#include "core/schedule.h"

static bool is_before(const struct schedule_slot *a, const struct schedule_slot *b)
{
	if (a->due_ns != b->due_ns)
		return a->due_ns < b->due_ns;
	return a->target < b->target;
}

static void put(struct schedule *schedule, uint32_t place, struct schedule_slot slot)
{
	schedule->heap[place] = slot;
	schedule->place[slot.target] = place;
}

void schedule_init(struct schedule *schedule, struct schedule_slot *heap, uint32_t *place,
		   uint32_t count)
{
	*schedule = (struct schedule){.heap = heap, .place = place, .count = count};
	for (uint32_t i = 0; i < count; i++)
		put(schedule, i, (struct schedule_slot){.due_ns = TIME_NEVER_NS, .target = i});
}

static void rise(struct schedule *schedule, uint32_t place, struct schedule_slot slot)
{
	while (place > 0) {
		uint32_t parent = (place - 1) / 2;

		if (!is_before(&slot, &schedule->heap[parent]))
			break;
		put(schedule, place, schedule->heap[parent]);
		place = parent;
	}
	put(schedule, place, slot);
}

static void sink(struct schedule *schedule, uint32_t place, struct schedule_slot slot)
{
	for (;;) {
		uint32_t child = 2 * place + 1;

		if (child >= schedule->count)
			break;
		if (child + 1 < schedule->count &&
		    is_before(&schedule->heap[child + 1], &schedule->heap[child]))
			child++;
		if (!is_before(&schedule->heap[child], &slot))
			break;
		put(schedule, place, schedule->heap[child]);
		place = child;
	}
	put(schedule, place, slot);
}

void schedule_set(struct schedule *schedule, uint32_t target, int64_t due_ns)
{
	uint32_t place = schedule->place[target];
	struct schedule_slot slot = {.due_ns = due_ns, .target = target};

	if (is_before(&slot, &schedule->heap[place]))
		rise(schedule, place, slot);
	else
		sink(schedule, place, slot);
}
