/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clocks, one row each. Everything that is measured or scheduled reads one of these; wall
 * clock time exists only as the kernel's receive stamps, which are brought over at once by a
 * paired reading.
 */
#ifndef FPING_BENCH_OS_CLOCK_H
#define FPING_BENCH_OS_CLOCK_H

#include "base/error.h"

#define CLOCK_REASON 240

struct clock_source {
	const struct clock_row *row;
	void *context; /* of the row: the simulated time */
};

struct clock_row {
	const char *name;    /* "monotonic", "raw", "sim" */
	const char *summary; /* one line */
	bool is_simulated;
	int64_t (*now)(void *context);
	/* Reads this clock and CLOCK_REALTIME as one pair: this clock minus real time, in ns. */
	int64_t (*offset_from_real)(void *context);
};

extern const struct clock_row clock_monotonic;
extern const struct clock_row clock_raw;
extern const struct clock_row clock_simulated; /* context: int64_t * that holds the time */

/* The table: all rows, ended by NULL. */
extern const struct clock_row *const clock_rows[];

/*
 * Opens the clock of that name; "auto" is monotonic. reason receives one sentence
 * that says why this one. -ERROR_INVALID for an unknown name.
 */
int clock_open(struct clock_source *clock, const char *name, char reason[static CLOCK_REASON],
	       struct error *error) MUST_CHECK;

/* Nanoseconds on this clock; its zero means nothing. */
static inline int64_t clock_now(const struct clock_source *clock)
{
	return clock->row->now(clock->context);
}

/* RFC 3339 text of the wall clock in UTC, "2026-01-31T12:00:00Z". */
void clock_wall_text(char text[static 40]);

#endif
