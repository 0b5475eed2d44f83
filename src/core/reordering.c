/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first arrival with a larger number than one that is still to come was the largest of all when
 * it came, and left a gap behind the largest before it. Only such records are remembered: a path
 * that keeps the order makes none. They rise in both members, and halving finds one.
 */
#include "core/reordering.h"

#include <string.h>

void reordering_init(struct reordering *reordering, struct reordering_record *ring,
		     uint64_t entries)
{
	memset(reordering, 0, sizeof(*reordering));
	reordering->ring = ring;
	reordering->mask = entries - 1;
}

/* The oldest record in the ring that is above this number; there is one. */
static const struct reordering_record *first_above(const struct reordering *reordering,
						   uint64_t number)
{
	uint64_t high = reordering->records - 1; /* the newest, which is above */
	uint64_t low = high - min_u64(high, reordering->mask);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (reordering->ring[middle & reordering->mask].number > number)
			high = middle;
		else
			low = middle + 1;
	}
	return &reordering->ring[low & reordering->mask];
}

uint64_t reordering_arrival(struct reordering *reordering, uint64_t number)
{
	uint64_t arrival = reordering->arrivals++;
	uint64_t extent;

	if (number > reordering->highest) {
		bool leaves_gap = number > reordering->highest + 1;

		reordering->highest = number;
		if (!leaves_gap || reordering->ring == NULL)
			return 0;
		reordering->ring[reordering->records++ & reordering->mask] =
			(struct reordering_record){.number = number, .arrival = arrival};
		return 0;
	}
	if (reordering->ring == NULL || reordering->records == 0) {
		reordering->reordered++;
		return 1;
	}
	extent = arrival - first_above(reordering, number)->arrival;
	reordering->reordered++;
	reordering->extent_max = max_u64(reordering->extent_max, extent);
	reordering->extents[min_u64(histogram_bucket((int64_t)min_u64(extent, INT64_MAX)),
				    REORDERING_EXTENTS - 1)]++;
	return extent;
}

bool reordering_extent_p99(const struct reordering *reordering, uint64_t *extent)
{
	uint64_t wanted = reordering->reordered - reordering->reordered / 100;
	uint64_t seen = 0;

	if (!histogram_supports(reordering->reordered, 0.99))
		return false;
	for (uint32_t bucket = 0; bucket < REORDERING_EXTENTS; bucket++) {
		seen += reordering->extents[bucket];
		if (seen < wanted)
			continue;
		*extent = min_u64((uint64_t)histogram_bucket_high(bucket) - 1,
				  reordering->extent_max);
		return true;
	}
	return false;
}
