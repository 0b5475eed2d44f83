/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One of the system's clocks in ns, the one way in which everything here reads them.
 */
#ifndef FPING_BENCH_OS_SYSTEM_CLOCK_H
#define FPING_BENCH_OS_SYSTEM_CLOCK_H

#include <time.h>

#include "base/base.h"

/* It cannot fail for the clocks that are used: every kernel since 2.6.39 has them. */
static inline int64_t system_clock_ns(clockid_t id)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(id, &now);
	return (int64_t)now.tv_sec * NANOSECONDS_PER_SECOND + now.tv_nsec;
}

#endif
