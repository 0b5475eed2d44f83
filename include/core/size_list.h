/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sizes of --sweep-size and the points of a series that they become. What depends on the path
 * (where its fragment boundaries are) is filled in when the path is known.
 */
#ifndef FPING_BENCH_CORE_SIZE_LIST_H
#define FPING_BENCH_CORE_SIZE_LIST_H

#include "base/error.h"
#include "core/series.h"

#define SIZE_LIST_MAX	     SERIES_POINTS_MAX
#define SIZE_LIST_BYTES_MAX  65527u /* data of an IPv6 request */
#define SIZE_LIST_FACTOR_UNIT 1000u
#define SIZE_LIST_BOUNDARIES 5u     /* so many, where -s sets no limit */
#define SIZE_LIST_PIECES     16u    /* hand-made pieces at most, where the list says no number */

struct size_list {
	uint32_t sizes[SIZE_LIST_MAX]; /* data bytes, ascending, none twice */
	uint32_t count;
	bool has_boundaries;           /* and both sides of each fragment boundary */
	uint32_t pieces;               /* one size in 1 to so many hand-made pieces; 0: none */
};

/* from, and then each step or factor further, as far as they meet `to`. */
struct size_range {
	uint32_t from, to;
	uint32_t step;   /* > 0, or ... */
	uint32_t factor; /* in units of 1 / SIZE_LIST_FACTOR_UNIT, above 1; 0: none */
};

/* Adds to a list; -ERROR_INVALID with a sentence that starts with what if it gets too long. */
int size_list_add(struct size_list *list, const char *what, uint32_t size,
		  struct error *error) MUST_CHECK;
int size_list_add_range(struct size_list *list, const char *what, const struct size_range *range,
			struct error *error) MUST_CHECK;

/* The largest size that can come of the list; limit: of the boundaries, 0 for none. */
uint32_t size_list_largest(const struct size_list *list, uint8_t family, uint32_t limit);

/*
 * Makes the points for a path: the sizes, or the boundaries up to `limit` data bytes (0: the first
 * SIZE_LIST_BOUNDARIES of them), or payload_bytes cut into 1, 2 ... pieces as far as there are
 * different ways. points has room for SERIES_POINTS_MAX. Returns how many points, or
 * -ERROR_INVALID: more than fit, a size that the family cannot carry, no MTU known.
 */
int size_list_points(const struct size_list *list, uint8_t family, uint32_t mtu, uint32_t limit,
		     uint32_t payload_bytes, struct series_point *points,
		     struct error *error) MUST_CHECK;

#endif
