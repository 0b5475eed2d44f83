/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the table of trains (fragment_trains.c) and the account of a train that is over
 * (fragment_trains_account.c) share. Nobody else includes this.
 */
#ifndef FPING_BENCH_CORE_FRAGMENT_TRAINS_INTERNAL_H
#define FPING_BENCH_CORE_FRAGMENT_TRAINS_INTERNAL_H

#include "core/fragment_trains.h"

#define FRAGMENT_UNIT 8u /* bytes */

static inline bool fragment_bit(const uint64_t *words, uint32_t unit)
{
	return (words[unit / 64] >> unit % 64 & 1) != 0;
}

/* The first unit from `from` on, below `end`, at which a piece starts; `end` if none does. */
static inline uint32_t fragment_next_start(const struct fragment_train *train, uint32_t from,
					   uint32_t end)
{
	while (from < end) {
		uint64_t bits = train->starts[from / 64] >> from % 64;

		if (bits != 0)
			return (uint32_t)min_u64(end, from + (uint32_t)__builtin_ctzll(bits));
		from += 64 - from % 64;
	}
	return end;
}

static inline struct fragment_trains_way *fragment_way(struct fragment_trains *trains,
						       const struct fragment_train *train)
{
	return &trains->ways[train->outgoing];
}

/* What became of a train. */
enum fragment_train_end { TRAIN_COMPLETE, TRAIN_INCOMPLETE, TRAIN_UNDECIDED, TRAIN_EVICTED };

/* Books an open train, which is closed then. */
void fragment_train_close(struct fragment_trains *trains, struct fragment_train *train,
			  enum fragment_train_end end);

#endif
