/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much successive round trips differ. Both figures are of round trips, in the order in which
 * the replies came, not of one-way delays as their RFCs have them.
 */
#ifndef FPING_BENCH_CORE_DELAY_VARIATION_H
#define FPING_BENCH_CORE_DELAY_VARIATION_H

#include "core/result.h"

/* All zero at the start. */
struct delay_variation {
	uint64_t differences;
	int64_t last_ns;
	bool has_last;
	double jitter_ns;    /* RFC 3550, A.8: J += (|D| - J) / 16 */
	uint128 sum_ns;      /* of |D|: RFC 3393 */
};

/* One more round trip. */
void delay_variation_add(struct delay_variation *variation, int64_t rtt_ns);

/* The interarrival jitter of RFC 3550 as it stands; unknown before the second round trip. */
struct maybe delay_variation_jitter(const struct delay_variation *variation);

/* The mean of the absolute differences. */
struct maybe delay_variation_mean(const struct delay_variation *variation);

#endif
