/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The jitter of RFC 3550 remembers some sixteen packets, so it is the end of a run rather than the
 * whole of it; it is there because other programs print it.
 */
#include "core/delay_variation.h"

#include "base/wide.h"

#define JITTER_WEIGHT 16.0

void delay_variation_add(struct delay_variation *variation, int64_t rtt_ns)
{
	int64_t difference_ns = rtt_ns - variation->last_ns;

	variation->last_ns = rtt_ns;
	if (!variation->has_last) {
		variation->has_last = true;
		return;
	}
	if (difference_ns < 0)
		difference_ns = -difference_ns;
	variation->differences++;
	variation->sum_ns += (uint64_t)difference_ns;
	variation->jitter_ns +=
		((double)difference_ns - variation->jitter_ns) / JITTER_WEIGHT;
}

struct maybe delay_variation_jitter(const struct delay_variation *variation)
{
	return (struct maybe){.known = variation->differences > 0, .value = variation->jitter_ns};
}

struct maybe delay_variation_mean(const struct delay_variation *variation)
{
	struct maybe mean = {.known = variation->differences > 0};

	if (mean.known)
		mean.value = wide_to_double(variation->sum_ns) / (double)variation->differences;
	return mean;
}
