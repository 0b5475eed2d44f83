/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Strict reading of the values that options and scripts carry. Every function takes the whole
 * word or none of it, and answers false for anything that it does not understand completely.
 */
#ifndef FPING_BENCH_PEER_TEXT_H
#define FPING_BENCH_PEER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RANGES_MAX = 64,
};

#define RANGE_OPEN INT64_MAX /* the upper end of "5-" */
#define RANGE_LAST (-1)	     /* the word "last" */

struct ranges {
	int count;
	struct {
		int64_t low;
		int64_t high;
	} range[RANGES_MAX];
};

/* Decimal, or hexadecimal after 0x. */
bool text_number(const char *text, int64_t low, int64_t high, int64_t *value);

/* A number, or one with + or - in front: *relative tells. */
bool text_relative(const char *text, int64_t high, int64_t *value, bool *relative);

/* 0, or a decimal number with ns, us, ms or s. */
bool text_time(const char *text, int64_t *ns);

/* "1s-2s", "3s-" (until RANGE_OPEN), or one time, which is then both ends. */
bool text_time_range(const char *text, int64_t *low_ns, int64_t *high_ns);

/* "5%" or "0.05", as a threshold below 2^32. */
bool text_probability(const char *text, int64_t *threshold);

/* "1,3,5-8,10-", or first, rest, last, all. */
bool text_ranges(const char *text, struct ranges *ranges);
bool ranges_contain(const struct ranges *ranges, int64_t value, int64_t last);

/* Hexadecimal bytes, "0a0b", or "01x40" for 40 times 01; the caller frees *bytes. */
bool text_hex(const char *text, uint8_t **bytes, size_t *length);

#endif
