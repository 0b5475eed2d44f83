/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between 128-bit sums and floating point. Written out because the compiler's own conversions are
 * calls into its run-time library, and the pure floors need nothing from there that a machine
 * instruction can do.
 */
#ifndef FPING_BENCH_BASE_WIDE_H
#define FPING_BENCH_BASE_WIDE_H

#include "base/base.h"

/* The value to within two roundings of the 53-bit significand. */
static inline double wide_to_double(uint128 value)
{
	return (double)(uint64_t)(value >> 64) * 0x1p64 + (double)(uint64_t)value;
}

/* The whole number that is nearest to value, which is below 2^127 in size; halves go outwards. */
static inline int128 wide_from_double(double value)
{
	double size = value < 0 ? -value : value;
	/* Above 2^53 there is no fraction left to round, and adding to it would change it. */
	double rounded = size < 0x1p52 ? size + 0.5 : size;
	uint64_t high = (uint64_t)(rounded * 0x1p-64);
	/* Both have the same leading bits: what is left is exact. */
	uint64_t low = (uint64_t)(rounded - (double)high * 0x1p64);
	int128 whole = (int128)((uint128)high << 64 | low);

	return value < 0 ? -whole : whole;
}

#endif
