/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generator has 256 bits of state, passes the usual batteries and costs about a nanosecond,
 * so a simulation may draw for every fragment. Its state must not be all zero and should not
 * start from nearly equal words, hence the mixing of the seed by another generator (splitmix64).
 */
#include "base/random.h"

static uint64_t rotate_left(uint64_t value, unsigned int bits)
{
	return value << bits | value >> (64u - bits);
}

void random_seed(struct random_state *state, uint64_t seed)
{
	for (size_t i = 0; i < ARRAY_LENGTH(state->words); i++) {
		uint64_t word;

		seed += UINT64_C(0x9e3779b97f4a7c15);
		word = seed;
		word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
		state->words[i] = word ^ word >> 31;
	}
}

uint64_t random_next(struct random_state *state)
{
	uint64_t *words = state->words;
	uint64_t result = rotate_left(words[1] * 5, 7) * 9;
	uint64_t shifted = words[1] << 17;

	words[2] ^= words[0];
	words[3] ^= words[1];
	words[1] ^= words[2];
	words[0] ^= words[3];
	words[2] ^= shifted;
	words[3] = rotate_left(words[3], 45);
	return result;
}

/*
 * The high half of a 128-bit product maps 2^64 numbers onto bound values. 2^64 mod bound of them
 * are too many for an even spread; products whose low half falls below that are drawn again.
 */
uint64_t random_below(struct random_state *state, uint64_t bound)
{
	uint64_t surplus;
	uint128 product;

	if (bound == 0)
		return 0;
	surplus = -bound % bound;
	do {
		product = (uint128)random_next(state) * bound;
	} while ((uint64_t)product < surplus);
	return (uint64_t)(product >> 64);
}

double random_unit(struct random_state *state)
{
	return (double)(random_next(state) >> 11) * 0x1p-53;
}
