/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derived figures: from the raw tallies, histograms and integrals of a frozen result to loss,
 * rates, depths, fragment arithmetic and the verdict on the run. Pure, so that each figure is
 * tested against the others that it can be derived from.
 */
#ifndef FPING_BENCH_CORE_SUMMARY_H
#define FPING_BENCH_CORE_SUMMARY_H

#include "core/kernel_counters.h"
#include "core/result.h"

/*
 * Fills every derived member of every target and the reasons. before and after: the kernel's
 * counters around the run, NULL if not read. result->targets hold facts and raw measurements.
 */
void summary_complete(struct result *result, const struct kernel_counters *before,
		      const struct kernel_counters *after);

#endif
