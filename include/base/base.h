/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attributes and the few helpers that every floor needs. Kept to what the compiler alone can
 * give, so that including it costs no dependency.
 */
#ifndef FPING_BENCH_BASE_BASE_H
#define FPING_BENCH_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef MUST_CHECK /* an analyser that does not know the attribute's place defines it as nothing */
#define MUST_CHECK __attribute__((warn_unused_result))
#endif
#define PRINTF_LIKE(format_index, first_argument) \
	__attribute__((format(printf, format_index, first_argument)))
#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define NANOSECONDS_PER_SECOND INT64_C(1000000000)
#define NANOSECONDS_PER_MILLISECOND INT64_C(1000000)
#define NANOSECONDS_PER_MICROSECOND INT64_C(1000)

/* No time: later than every deadline. */
#define TIME_NEVER_NS INT64_MAX

/* 128-bit integers are a compiler extension; they hold sums of squares of nanoseconds exactly. */
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline int64_t min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

#endif
