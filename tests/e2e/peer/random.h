/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The only source of chance in the peer: a seeded 64-bit generator (a counter passed through two
 * rounds of multiply and shift, the splitmix64 construction), so that a run with the same seed
 * and the same requests makes the same choices.
 */
#ifndef FPING_BENCH_PEER_RANDOM_H
#define FPING_BENCH_PEER_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t value = random->state += 0x9e3779b97f4a7c15;

	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

/* 0 .. bound - 1; the bias of the plain remainder is below 2^-32 for the bounds used here. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	return bound ? random_next(random) % bound : 0;
}

#endif
