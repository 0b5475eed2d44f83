/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What people see while a run goes on: reply lines on standard output, one live line and
 * diagnostics on standard error. The engine tells, this decides how much of it is shown: a
 * terminal is never written to more than about ten times a second, and a slow one never holds
 * a fast run up.
 */
#ifndef FPING_BENCH_APPS_PROBE_CONSOLE_H
#define FPING_BENCH_APPS_PROBE_CONSOLE_H

#include "core/configuration.h"
#include "core/observer.h"
#include "os/clock.h"

struct console {
	const struct clock_source *clock;
	const struct result_clock *facts; /* what the clock was measured to be */
	bool shows_replies;
	bool is_limited;         /* ten reply lines a second at most */
	bool shows_time;         /* -D */
	bool is_live;            /* the live line is wanted */
	bool is_utf8;
	bool live_line_stands;   /* and must be wiped before anything else is written */
	bool has_unflushed;
	bool has_failed;         /* standard output took no more */
	int64_t flushed_ns;
	int64_t window_ns;       /* start of the second in which lines are counted */
	unsigned window_lines;
	struct observer observer; /* for the engine */
};

/*
 * Prepares the console of a run by what was asked for and by what the streams are. The clock's
 * facts are looked at line by line: they may be filled in later.
 */
void console_open(struct console *console, const struct configuration *configuration,
		  const struct clock_source *clock, const struct result_clock *facts);

/* Wipes the live line and flushes. Returns false if standard output has taken less than all. */
bool console_close(struct console *console);

/* One line on standard error, "fping-bench: " before it. */
void console_say(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
