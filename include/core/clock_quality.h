/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a clock is good for, found by reading it: clock_getres says 1 ns whatever stands behind a
 * clock. Successive readings are fed in, in a loop as tight as the caller can make it; out come the
 * step, the cost of a reading, and the longest time for which the loop was held up, which is what
 * this host can add to any single round trip.
 */
#ifndef FPING_BENCH_CORE_CLOCK_QUALITY_H
#define FPING_BENCH_CORE_CLOCK_QUALITY_H

#include "core/result.h"

#define CLOCK_QUALITY_EXACT 1024u /* steps below so many ns are counted one by one */
#define CLOCK_COARSE_STEP_NS NANOSECONDS_PER_MICROSECOND
/* A step up to this needs no look at the round trips: over a socket none takes less than 1 us. */
#define CLOCK_FINE_STEP_NS INT64_C(100)

struct clock_quality {
	uint64_t readings;
	uint64_t zeros;       /* readings that equal the one before */
	uint64_t negatives;   /* readings below the one before */
	int64_t last_ns;
	int64_t step_ns;      /* smallest positive step, 0: none was seen */
	int64_t largest_ns;   /* largest step */
	uint64_t steps;
	uint32_t exact[CLOCK_QUALITY_EXACT];
};

/* All members zero: no reading yet. */
void clock_quality_init(struct clock_quality *quality);

/* One more reading. */
void clock_quality_read(struct clock_quality *quality, int64_t now_ns);

/*
 * Fills facts->is_measured, step_ns, read_ns, zero_share, is_coarse and hiccup_ns; span_ns is the
 * time that all readings took, by a clock that can tell. Without any step the step is taken to be
 * above span_ns. A clock is coarse if it steps by more than 1 us. That it stands still in many
 * readings says that it is cheap to read, too.
 */
void clock_quality_result(const struct clock_quality *quality, int64_t span_ns,
			  struct result_clock *facts);

/*
 * Whether times can be told with a clock of this step: it is not coarse, and a tenth of the median
 * round trip of a trial is at least one step. trial_rtt_ns <= 0: there was no trial.
 */
bool clock_is_fine_enough(const struct result_clock *facts, int64_t trial_rtt_ns);

/* Whether that needs a trial: the step is between CLOCK_FINE_STEP_NS and CLOCK_COARSE_STEP_NS. */
bool clock_needs_trial(const struct result_clock *facts);

/*
 * Bound of the clock's part in the error of one RTT, in ns: both stamps are cut to its step, a
 * reading takes a while, and the rate is wrong by rate_error over the RTT. Unknown where the clock
 * was not measured.
 */
struct maybe clock_error(const struct result_clock *facts, int64_t rtt_ns);

#endif
