/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of a sweep and the medians of its blocks, which are exact: a histogram's buckets are
 * wider than what a fragment costs on a long path.
 */
#include "core/sweep.h"

#include <string.h>

#include "core/median.h"

#define REQUESTS_PER_BLOCK 10u
#define PATIENCE_FACTOR	   4 /* times the slowest round trip so far */

uint32_t sweep_blocks(uint64_t requests)
{
	return (uint32_t)min_u64(max_u64(requests / REQUESTS_PER_BLOCK, SWEEP_BLOCKS_MIN),
				 SWEEP_BLOCKS_MAX);
}

/* A random permutation (R. A. Fisher and F. Yates; R. Durstenfeld, 1964). */
static void shuffle(struct sweep *sweep)
{
	for (uint32_t i = 0; i < sweep->points; i++)
		sweep->order[i] = i;
	for (uint32_t i = sweep->points; i > 1; i--) {
		uint32_t other = (uint32_t)random_below(&sweep->random, i);
		uint32_t kept = sweep->order[i - 1];

		sweep->order[i - 1] = sweep->order[other];
		sweep->order[other] = kept;
	}
}

void sweep_init(struct sweep *sweep, uint32_t points, uint64_t requests, int64_t timeout_ns,
		uint64_t seed)
{
	memset(sweep, 0, sizeof(*sweep));
	sweep->conductor = (struct conductor){&conductor_sweep_size, sweep};
	sweep->points = points;
	sweep->requests = requests;
	sweep->blocks = sweep_blocks(requests);
	sweep->timeout_ns = timeout_ns;
	random_seed(&sweep->random, seed);
	shuffle(sweep);
}

/* Notes what the last turn has brought. */
static void end_turn(struct sweep *sweep, const struct account_target *rows)
{
	struct size_fit_cell *cell = &sweep->cells[sweep->row][sweep->block];
	struct account_log *log = sweep->has_turn ? rows[sweep->row].log : NULL;

	if (!sweep->has_turn)
		return;
	if (log != NULL && log->count > 0) {
		cell->samples = log->count;
		cell->median_ns = median_sorting(log->rtts_ns, log->count);
	}
	if (++sweep->place < sweep->points)
		return;
	sweep->place = 0;
	sweep->block++;
	shuffle(sweep);
}

/* Replies that take longer than anything so far are not worth stopping everything else for. */
static int64_t patience(const struct sweep *sweep, const struct account_target *rows)
{
	int64_t slowest_ns = 0;

	for (uint32_t i = 0; i < sweep->points; i++)
		if (rows[i].rtt_user->samples > 0)
			slowest_ns = max_i64(slowest_ns, rows[i].rtt_user->max_ns);
	if (slowest_ns == 0)
		return sweep->timeout_ns;
	return min_i64(max_i64(PATIENCE_FACTOR * slowest_ns, SWEEP_PATIENCE_MIN_NS),
		       sweep->timeout_ns);
}

static bool next(struct conductor *conductor, const struct account_target *rows,
		 struct series_point *points, int64_t now_ns, struct series_turn *turn)
{
	struct sweep *sweep = conductor->state;

	(void)points;
	(void)now_ns;
	end_turn(sweep, rows);
	if (sweep->block == sweep->blocks)
		return false;
	sweep->row = sweep->order[sweep->place];
	sweep->has_turn = true;
	turn->row = sweep->row;
	/* The remainder of a division that does not come out even is spread over the blocks. */
	turn->requests = (uint64_t)((uint128)sweep->requests * (sweep->block + 1) / sweep->blocks -
				    (uint128)sweep->requests * sweep->block / sweep->blocks);
	turn->patience_ns = patience(sweep, rows);
	return true;
}

const struct conductor_row conductor_sweep_size = {
	.name = "sweep-size",
	.waits_out_harm = false,
	.next = next,
};
