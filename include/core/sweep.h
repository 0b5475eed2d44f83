/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sweep: every point of a series gets the same number of requests, in blocks. Within a block each
 * point has one turn, in an order drawn anew for each block, so that what drifts while the sweep
 * goes on (a clock frequency, other traffic) meets all points alike, and the differences between
 * blocks tell how certain a difference between points is.
 */
#ifndef FPING_BENCH_CORE_SWEEP_H
#define FPING_BENCH_CORE_SWEEP_H

#include "base/random.h"
#include "core/series.h"
#include "core/size_fit.h"

#define SWEEP_BLOCKS_MIN 3u
#define SWEEP_BLOCKS_MAX 20u
#define SWEEP_PATIENCE_MIN_NS (10 * NANOSECONDS_PER_MILLISECOND)

struct sweep {
	struct conductor conductor;    /* hand this to the engine */
	uint32_t points;
	uint32_t blocks;
	uint64_t requests;             /* to each point in all */
	int64_t timeout_ns;
	struct random_state random;
	/* kept here */
	uint32_t block, place;         /* of the next turn */
	uint32_t order[SERIES_POINTS_MAX];
	bool has_turn;
	uint32_t row;                  /* of the last turn */
	/* for what is made of it afterwards */
	struct size_fit_point fit_points[SERIES_POINTS_MAX];
	struct least_deviations_row fit_rows[SERIES_POINTS_MAX];
	struct loss_model_point loss_points[SERIES_POINTS_MAX];
	double fit_numbers[3 * SERIES_POINTS_MAX];
	struct size_fit_cell cells[SERIES_POINTS_MAX][SWEEP_BLOCKS_MAX]; /* of its turns */
};

extern const struct conductor_row conductor_sweep_size;

/* Blocks that so many requests to each point are divided into: 3 to 20, ten requests in each. */
uint32_t sweep_blocks(uint64_t requests);

/*
 * Prepares a sweep over `points` points; requests (>= SWEEP_BLOCKS_MIN) go to each. timeout_ns: no
 * turn waits longer for its last reply.
 */
void sweep_init(struct sweep *sweep, uint32_t points, uint64_t requests, int64_t timeout_ns,
		uint64_t seed);

#endif
