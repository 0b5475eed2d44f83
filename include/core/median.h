/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Medians of short lists that lie in memory: block medians, batch means. Round trips themselves
 * are too many for that and go into a histogram.
 */
#ifndef FPING_BENCH_CORE_MEDIAN_H
#define FPING_BENCH_CORE_MEDIAN_H

#include "base/base.h"

/* Sorts the values, smallest first. None may be a NaN. */
void median_sort(double *values, size_t count);

/*
 * The median of the values, the mean of the two in the middle if their number is even; 0 if there
 * are none. The values come back sorted.
 */
double median_sorting(double *values, size_t count);

#endif
