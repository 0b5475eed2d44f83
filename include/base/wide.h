/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between 128-bit sums and floating point. Written out because the compiler's own conversion is a
 * call into its run-time library, and the pure floors need nothing from there that a machine
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

/* The whole part of a value >= 0 below 2^128. */
static inline uint128 wide_from_double(double value)
{
	uint64_t high = (uint64_t)(value * 0x1p-64);

	return (uint128)high << 64 | (uint64_t)(value - (double)high * 0x1p64);
}

/* The value times a factor near 1: only the change is rounded to a significand. */
static inline int128 wide_rescale(int128 value, double factor)
{
	uint128 magnitude = value < 0 ? -(uint128)value : (uint128)value;
	double share = factor < 1.0 ? 1.0 - factor : factor - 1.0;
	uint128 change = wide_from_double(wide_to_double(magnitude) * share);

	magnitude = factor < 1.0 ? magnitude - change : magnitude + change;
	return value < 0 ? -(int128)magnitude : (int128)magnitude;
}

#endif
