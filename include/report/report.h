/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reports, one row each. A report reads the frozen result and writes characters to a
 * stream; it measures nothing and decides nothing.
 */
#ifndef FPING_BENCH_REPORT_REPORT_H
#define FPING_BENCH_REPORT_REPORT_H

#include <stdio.h>

#include "core/observer.h"
#include "core/result.h"

struct report_row {
	const char *name;    /* "text", "json" */
	const char *summary; /* one line */
	/* Writes the whole report. Returns 0 or a negative code (the stream's error included). */
	int (*write)(FILE *stream, const struct result *result, struct error *error) MUST_CHECK;
};

extern const struct report_row report_text;
extern const struct report_row report_json;

/* The table: all rows, ended by NULL. */
extern const struct report_row *const report_rows[];

/* The row of that name, or NULL. */
const struct report_row *report_find(const char *name);

/* Ping's first line for a target: "PING name (address) 56(84) bytes of data." */
int report_banner(FILE *stream, const struct result_target *target);

/*
 * Ping's line for one observation, with its final newline, into text; returns its length, 0
 * when there is nothing to say. wall_s >= 0: preceded by "[seconds.micros] " (-D).
 */
size_t report_observation(const struct observation *observation, double wall_s, char *text,
			  size_t size);

/*
 * The live line without newline, at most `columns` wide (its bar is of UTF-8 blocks if utf8, else
 * ASCII). Returns its length in bytes.
 */
size_t report_live_line(const struct progress *progress, unsigned columns, bool utf8, char *text,
			size_t size);

/* The line that SIGQUIT asks for, with its newline. Returns its length. */
size_t report_status_line(const struct progress *progress, char *text, size_t size);

#endif
