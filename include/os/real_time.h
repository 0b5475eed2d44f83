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

/* Where real time comes from: the system, or a script. */
struct real_time_source {
	int64_t (*now)(void *context); /* ns since the start of 1970 */
	/* A descriptor that becomes readable whenever real time is set; -1 if there is none. */
	int (*watch)(void *context);
	/* Whether real time was set since the last call; the descriptor is not readable then. */
	bool (*was_set)(void *context, int descriptor);
	/* Gives the descriptor of watch back. */
	void (*unwatch)(void *context, int descriptor);
};

/* A careful pair of readings of both clocks. */
struct real_time_pair {
	bool is_known;
	int64_t offset_ns;   /* the run's clock minus real time */
	int64_t error_ns;    /* which is right to so much */
	int64_t measured_ns; /* when, on the run's clock */
};

struct real_time {
	const struct clock_source *clock;
	const struct real_time_source *source;
	void *context;           /* of the source */
	struct real_time_pair pair;
	int64_t close_ns;        /* two readings that are no further apart were not interrupted */
	int descriptor;          /* readable when real time was set; -1: this kernel cannot tell */
	uint32_t steps;          /* so often it was set */
	int64_t largest_step_ns; /* signed: forwards is positive; 0: not known */
	int64_t void_until_ns;   /* on the run's clock; INT64_MIN: no step yet */
	int64_t next_check_ns;   /* the descriptor is not looked at before */
};

/*
 * Starts to watch. Where the kernel offers no descriptor for it, steps are still found by the
 * offset at the next batch of stamps. In a simulation real time is the simulated time, which
 * nobody sets.
 */
void real_time_open(struct real_time *real_time, const struct clock_source *clock);

/* The same with a source of its own for real time, for tests. */
void real_time_open_with(struct real_time *real_time, const struct clock_source *clock,
			 const struct real_time_source *source, void *context);

/*
 * The run's clock minus real time, in ns, for stamps that arrived at now_ns, which was read just
 * before the call. False: real time was set less than REAL_TIME_VOID_NS ago, or between the
 * stamps and now; they must not be used.
 *
 * Real time is read at every call. Where it agrees with a pair that is younger than a millisecond
 * that pair's offset counts, so that the cost is one reading; otherwise (real time was set, the
 * process was interrupted, the pair is old) a new pair is made. Two pairs that differ by more than
 * 500 ppm of the time between them (the most that the kernel slews, adjtimex(2)), what their own
 * readings leave open and a microsecond have a step between them.
 */
bool real_time_offset(struct real_time *real_time, int64_t now_ns, int64_t *offset_ns);

/*
 * Takes note of a step that the descriptor tells, if there was one. For after a wait. It costs a
 * system call at most once a millisecond, nothing in between.
 */
void real_time_check(struct real_time *real_time, int64_t now_ns);

void real_time_close(struct real_time *real_time);

#endif
