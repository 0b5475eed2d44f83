/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An estimate with the interval that contains the true value in 95 of 100 cases.
 */
#ifndef FPING_BENCH_CORE_ESTIMATE_H
#define FPING_BENCH_CORE_ESTIMATE_H

#include "base/base.h"

struct estimate {
	bool known; /* false: the others mean nothing */
	double value;
	double low;
	double high;
};

#endif
