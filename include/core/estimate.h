/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A number that was estimated, together with how sure one can be of it. The two travel in one
 * struct so that nobody shows the first without having had the second in hand.
 */
#ifndef FPING_BENCH_CORE_ESTIMATE_H
#define FPING_BENCH_CORE_ESTIMATE_H

#include "base/base.h"

/* All zero is: unknown. Only where known is true do the numbers mean anything. */
struct estimate {
	bool known;
	double value;
	double low, high; /* the 95 % interval; low <= value <= high */
};

#endif
