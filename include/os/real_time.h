/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The real-time clock beside the clock of the run. Kernel stamps are CLOCK_REALTIME, which follows
 * a time service and may be set at any moment; they are brought over by an offset that is checked
 * at every batch, and renewed at least every second. Where real time was set, the stamps around
 * that moment mean nothing: they are void, the run is not.
 */
#ifndef FPING_BENCH_OS_REAL_TIME_H
#define FPING_BENCH_OS_REAL_TIME_H

#include "os/clock.h"

#define REAL_TIME_VOID_NS NANOSECONDS_PER_SECOND /* stamps are not used for so long after a step */

struct real_time {
	const struct clock_source *clock;
	struct clock_pair pair;
	int descriptor;          /* readable when real time was set; -1: this kernel cannot tell */
	uint32_t steps;          /* so often it was set */
	int64_t largest_step_ns; /* signed: forwards is positive; 0: not known */
	int64_t void_until_ns;   /* on the run's clock; INT64_MIN: no step yet */
};

/*
 * Starts to watch. Where the kernel offers no descriptor for it, steps are still found by the
 * offset at the next batch of stamps.
 */
void real_time_open(struct real_time *real_time, const struct clock_source *clock);

/*
 * The run's clock minus real time, in ns, for stamps that arrived at now_ns, which was read just
 * before the call. False: real time was set less than REAL_TIME_VOID_NS ago, or between the
 * stamps and now; they must not be used.
 */
bool real_time_offset(struct real_time *real_time, int64_t now_ns, int64_t *offset_ns);

/* Takes note of a step that the descriptor tells, if there was one. For after a wait. */
void real_time_check(struct real_time *real_time, int64_t now_ns);

void real_time_close(struct real_time *real_time);

#endif
