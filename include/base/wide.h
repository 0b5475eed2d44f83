/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From 128-bit sums to floating point. Written out because the compiler's own conversion is a
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

#endif
