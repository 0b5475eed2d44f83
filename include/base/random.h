/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repeatable pseudo-random numbers for simulations and tests: the same seed gives the same run
 * on every machine. Not for secrets: the state can be computed from the output.
 */
#ifndef FPING_BENCH_BASE_RANDOM_H
#define FPING_BENCH_BASE_RANDOM_H

#include "base/base.h"

struct random_state {
	uint64_t words[4];
};

/* Starts the sequence of this seed; every seed, 0 too, is a good one. */
void random_seed(struct random_state *state, uint64_t seed);

/* The next 64 bits (xoshiro256**, D. Blackman and S. Vigna, 2018). */
uint64_t random_next(struct random_state *state);

/* Uniform in 0..bound-1, every value equally likely; 0 if bound is 0. */
uint64_t random_below(struct random_state *state, uint64_t bound);

/* Uniform in [0, 1), a multiple of 2^-53. */
double random_unit(struct random_state *state);

#endif
