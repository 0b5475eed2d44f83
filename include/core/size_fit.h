/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a round trip costs per byte, per fragment, and for being fragmented at all:
 *
 *	rtt = base + per_byte * payload_bytes + per_fragment * (n - 1) + first * [n > 1]
 *
 * fitted to the medians of several sizes, each measured in several blocks (one block is all sizes
 * once, in some order). The unit of replication is the block and not the packet: packets of one
 * block share whatever state the hosts were in, so the intervals come from drawing whole blocks.
 *
 * The fit. What one block has in common (its median distance from the sizes' own medians) is taken
 * off first, so that a size which lacks a slow block does not look fast. Then each size is the
 * median of its blocks, and least absolute deviations are fitted to those. A size weighs
 * sqrt(blocks it was measured in) / (its spread + spread of all + resolution), the spreads being
 * median absolute deviations over the blocks. In simulations (14 sizes, 3 to 10 blocks) that is a
 * third more exact than equal weights where sizes differ in noise, and a tenth less where they do
 * not; by their own spread alone, which of three blocks is a throw of dice, errors double.
 *
 * The intervals: value +- t s. s comes from SIZE_FIT_REPLICATES fits, each to as many blocks as
 * there are, drawn with replacement; t is the quantile of Student's distribution for blocks - 1
 * degrees of freedom. What the medians' resolution adds (as many fits again, to medians moved at
 * random within it) is the same in every block and known, so it counts apart, without t. The
 * percentiles of the fits would be too narrow: three blocks cannot reach beyond the three. In the
 * simulations, with normal noise and with wild values, with and without shifts of whole blocks,
 * the intervals of a term hold the truth in 95 to 98 % of runs with three blocks, and in 93 to
 * 99.5 % with six and with ten: 97 % in the mean.
 */
#ifndef FPING_BENCH_CORE_SIZE_FIT_H
#define FPING_BENCH_CORE_SIZE_FIT_H

#include "base/random.h"
#include "core/estimate.h"
#include "core/least_deviations.h"

#define SIZE_FIT_BLOCKS_MIN 3u   /* fewer give no idea of how sure the answer is */
#define SIZE_FIT_BLOCKS_MAX 256u
#define SIZE_FIT_REPLICATES 400u

enum size_fit_kind {
	SIZE_FIT_SWEEP, /* sizes that the kernels on the way cut up: all four terms */
	/*
	 * One payload cut by hand into different numbers of pieces, which is the direction of the
	 * request only. The sizes are the same, so per_byte stays unknown, and base holds what the
	 * bytes cost.
	 */
	SIZE_FIT_PIECES
};

struct size_fit_cell {
	double median_ns;
	uint64_t samples; /* 0: nothing came back in this block; the median is not read */
};

struct size_fit_point {
	uint32_t payload_bytes;             /* <= 65535 */
	uint32_t fragments;                 /* n of one direction, >= 1 */
	double grain_ns;                    /* the clock's step or the histogram's bucket */
	const struct size_fit_cell *blocks; /* as many as the input says */
};

struct size_fit_input {
	enum size_fit_kind kind;
	const struct size_fit_point *points; /* in any order */
	uint32_t point_count;
	uint32_t block_count;
};

/* The caller's memory: one row and three numbers for each point of the input. */
struct size_fit_memory {
	struct least_deviations_row *rows;
	double *numbers;
};

struct size_fit {
	struct estimate base_ns;                /* below 0 perhaps, without small sizes */
	struct estimate per_byte_ns;
	struct estimate per_fragment_ns;        /* of each fragment but the first */
	struct estimate first_fragmentation_ns; /* beside that, once, if there are several */
	uint32_t points, blocks;                /* in which there were medians */
	const char *why_not; /* why a term that this kind of fit has is unknown; "" if none is */
};

/* How many numbers size_fit_memory must have room for. */
size_t size_fit_numbers(const struct size_fit_input *input);

/*
 * Fits. Terms that the sizes do not determine are unknown, and the others come all the same. The
 * same input, state and seed give the same answer.
 */
void size_fit(const struct size_fit_input *input, const struct size_fit_memory *memory,
	      struct random_state *random, struct size_fit *fit);

#endif
