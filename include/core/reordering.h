/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reordering of replies by RFC 4737. A reply is reordered if one to a later request was there
 * before it (section 3.3); its extent is how many arrivals lie between it and the first such one,
 * itself included (section 4.2.1). Which direction reordered, a round trip cannot tell.
 */
#ifndef FPING_BENCH_CORE_REORDERING_H
#define FPING_BENCH_CORE_REORDERING_H

#include "core/histogram.h"

#define REORDERING_RING_MIN 128u
#define REORDERING_RING_MAX 4096u
#define REORDERING_EXTENTS 1280u /* buckets of core/histogram.h, for extents below 65,536 */

/* An arrival that was later in order than all before it. */
struct reordering_record {
	uint64_t number;  /* of its request */
	uint64_t arrival; /* its place among the arrivals */
};

struct reordering {
	struct reordering_record *ring; /* caller's memory, of mask + 1 entries; NULL: no extents */
	uint64_t mask;
	uint64_t records;  /* made so far; the last mask + 1 are in the ring */
	uint64_t arrivals;
	uint64_t highest;  /* number of the newest record, 0: none */
	uint64_t reordered;
	uint64_t extent_max;
	uint32_t extents[REORDERING_EXTENTS];
};

/*
 * Prepares over the caller's memory: ring of `entries`, a power of two. All zero is one without
 * memory, which counts and knows no extents. Every reply that overtakes others takes an entry;
 * where more of them than entries lie between a reply and the first that overtook it, its extent is
 * told from the oldest remembered one: too short.
 */
void reordering_init(struct reordering *reordering, struct reordering_record *ring,
		     uint64_t entries);

/* The first right reply to this request came, in time. Returns its extent; 0: in order. */
uint64_t reordering_arrival(struct reordering *reordering, uint64_t number);

/* 99 % of the reordered replies have at most this extent. False: too few to say. */
bool reordering_extent_p99(const struct reordering *reordering, uint64_t *extent) MUST_CHECK;

#endif
