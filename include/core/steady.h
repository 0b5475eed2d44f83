/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether what was measured is one thing from beginning to end. A run that starts slowly, or whose
 * path changes in the middle, has a mean and percentiles like any other, of nothing that exists.
 *
 * The question is that of MSER-5 (K. P. White, "An effective truncation heuristic for bias
 * reduction in simulation output", 1997): how much of the beginning must go so that the rest is
 * steady. But its statistic follows single outliers, and round-trip times have tails that no
 * simulation has. So of each five successive replies the median counts; batches of those are
 * averaged, and the averages clipped at six standard deviations (by the median absolute deviation).
 * The series is divided where a step fits best by least squares; the part before it goes if the
 * step matters: the medians of both sides differ by more than 18 %, and their means by more than
 * six standard errors, with the correlation of neighbours taken into account. The rest is asked in
 * the same way (6 %, so that a trend does not end in the middle). A cut of less than half of the
 * run is a slow start, which could be left out; half or more is a run without a steady state.
 * Below 320 replies there is no verdict, and below half a second none that a run is not steady:
 * within that the speed of a processor alone goes up and down.
 */
#ifndef FPING_BENCH_CORE_STEADY_H
#define FPING_BENCH_CORE_STEADY_H

#include "core/result.h"

#define STEADY_BATCH 5u     /* replies of which the median counts */
#define STEADY_MEANS 256u   /* averages at most; a longer run has longer batches */
#define STEADY_SPAN_NS (500 * NANOSECONDS_PER_MILLISECOND)
#define STEADY_MEANS_MIN 64u /* fewer tell nothing */

/* All zero at the start. */
struct steady {
	int64_t batch[STEADY_BATCH];
	uint32_t batch_count;
	uint64_t medians_per_mean; /* 0: 1 */
	uint64_t medians;          /* in the sum */
	double sum_ns;
	double means[STEADY_MEANS];
	uint32_t count;
};

/* One more round trip, in order of arrival. */
void steady_add(struct steady *steady, int64_t rtt_ns);

/* The verdict on a run of this length. */
void steady_judge(const struct steady *steady, int64_t span_ns, struct result_steady *result);

#endif
