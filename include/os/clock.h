/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clocks, one row each. Everything that is measured or scheduled reads one of these; wall
 * clock time exists only as the kernel's stamps, which real_time.c brings over. A clock is
 * measured before it is trusted: what its name promises is no evidence.
 */
#ifndef FPING_BENCH_OS_CLOCK_H
#define FPING_BENCH_OS_CLOCK_H

#include "base/error.h"
#include "core/result.h"

struct clock_source {
	const struct clock_row *row;
	void *context; /* of the row: the simulated time, the line of a counter */
};

struct clock_row {
	const char *name;    /* "monotonic", "raw", "tsc", "coarse", "sim" */
	const char *summary; /* one line */
	bool is_simulated;
	double rate_error;   /* bound of the relative error of its rate */
	int64_t (*now)(void *context);
	/*
	 * Makes the clock ready: gives its context. The sentence of an error says why this machine
	 * does not have it, and goes on after "the clock NAME cannot be used: ". NULL: always
	 * ready.
	 */
	MUST_CHECK int (*open)(void **context, struct error *error);
	/* Adds what only this row knows of itself; NULL: nothing. */
	void (*describe)(void *context, struct result_clock *facts);
	/*
	 * The run is over: fills facts (drift, calibration_bound, fault) and returns the factor by
	 * which durations of the run are to be corrected. NULL: 1.
	 */
	double (*finish)(void *context, struct result_clock *facts);
	void (*close)(void *context); /* NULL: nothing to give back */
};

extern const struct clock_row clock_monotonic;
extern const struct clock_row clock_raw;
extern const struct clock_row clock_tsc;
extern const struct clock_row clock_coarse;
extern const struct clock_row clock_simulated; /* context: int64_t * that holds the time */

/* The table: all rows, ended by NULL. */
extern const struct clock_row *const clock_rows[];

/*
 * Opens a clock of this table and measures it, in at most 20 ms (a counter is calibrated before
 * that, for half a second). "auto" is the table's "monotonic", or its "tsc" where that turns out to
 * be coarse and the other one can be used. facts receives what is known, with one sentence why it
 * is this clock. -ERROR_INVALID for an unknown name, or with the row's reason.
 */
int clock_open(struct clock_source *clock, const struct clock_row *const *rows, const char *name,
	       struct result_clock *facts, struct error *error) MUST_CHECK;

/*
 * After a trial, for which clock_needs_trial(facts) asks: an "auto" clock whose step is above a
 * tenth of this median RTT gives way to "tsc", if that can be used. facts->reason says so either
 * way, after a trial of so many requests.
 */
void clock_reconsider(struct clock_source *clock, const struct clock_row *const *rows,
		      int64_t trial_rtt_ns, uint32_t trial_requests, struct result_clock *facts);

/* The run is over: the verdict on the clock, and the factor for all its durations. */
double clock_finish(struct clock_source *clock, struct result_clock *facts);

void clock_close(struct clock_source *clock);

/* Nanoseconds on this clock; its zero means nothing. */
static inline int64_t clock_now(const struct clock_source *clock)
{
	return clock->row->now(clock->context);
}

/* The time of day now, in ns since 1970; in a simulation the simulated time. */
int64_t clock_wall_ns(const struct clock_source *clock);

/* RFC 3339 text of the wall clock in UTC, "2026-01-31T12:00:00Z". */
void clock_wall_text(char text[static 40]);

#endif
