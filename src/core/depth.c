/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The integral of the number in flight: at every change the time since the last one is charged
 * to the depth that held during it. The area is an integer of 128 bits, so a day at any depth
 * is exact and the mean is rounded once, when it is asked for.
 */
#include "core/depth.h"

#include <string.h>

#include "base/wide.h"

void depth_start(struct depth *depth, int64_t now_ns)
{
	memset(depth, 0, sizeof(*depth));
	depth->start_ns = now_ns;
	depth->last_ns = now_ns;
}

void depth_advance(struct depth *depth, int64_t now_ns)
{
	uint64_t share = min_u64(depth->current, DEPTH_SHARES - 1);
	uint64_t passed;

	if (now_ns <= depth->last_ns)
		return;
	passed = (uint64_t)now_ns - (uint64_t)depth->last_ns;
	depth->area += (uint128)depth->current * passed;
	depth->time_at[share] = (int64_t)((uint64_t)depth->time_at[share] + passed);
	depth->last_ns = now_ns;
}

bool depth_change(struct depth *depth, int64_t change, int64_t now_ns)
{
	uint64_t fall = change < 0 ? -(uint64_t)change : 0;

	depth_advance(depth, now_ns);
	if (fall > depth->current)
		return false;
	depth->current = change < 0 ? depth->current - fall : depth->current + (uint64_t)change;
	depth->max = max_u64(depth->max, depth->current);
	return true;
}

void depth_resume(struct depth *depth, int64_t now_ns)
{
	if (now_ns <= depth->last_ns)
		return;
	depth->start_ns += now_ns - depth->last_ns;
	depth->last_ns = now_ns;
}

void depth_rescale(struct depth *depth, double factor)
{
	double change = factor - 1.0;
	uint64_t span_ns = (uint64_t)depth->last_ns - (uint64_t)depth->start_ns;

	span_ns += (uint64_t)wide_from_double((double)span_ns * change);
	depth->last_ns = (int64_t)((uint64_t)depth->start_ns + span_ns);
	depth->area += (uint128)wide_from_double(wide_to_double(depth->area) * change);
	/* No rounding takes the mean above the largest depth. */
	if (depth->area > (uint128)depth->max * span_ns)
		depth->area = (uint128)depth->max * span_ns;
	for (uint32_t i = 0; i < DEPTH_SHARES; i++)
		depth->time_at[i] += (int64_t)wide_from_double((double)depth->time_at[i] * change);
}

double depth_mean(const struct depth *depth)
{
	uint64_t span = (uint64_t)depth->last_ns - (uint64_t)depth->start_ns;

	return span == 0 ? 0.0 : wide_to_double(depth->area) / (double)span;
}
