/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of our block: a label in the first twelve columns, then pieces of text that are kept
 * whole, at most 80 columns, further lines under the first piece. Wrapping is by piece, so that a
 * number never loses its unit to the next line.
 */
#ifndef FPING_BENCH_REPORT_LINES_H
#define FPING_BENCH_REPORT_LINES_H

#include <stdio.h>

#include "base/base.h"

struct lines {
	FILE *stream;
	unsigned column; /* where the next character goes */
	bool is_fresh;	 /* nothing stands behind the indent yet */
};

/* Starts a line with this label, of at most 11 columns. */
void lines_open(struct lines *lines, FILE *stream, const char *label);

/*
 * Adds a piece behind the separator (", " or three blanks, say). If it does not fit, a new line is
 * begun, on which the separator's blanks are dropped. A piece longer than a line is cut between
 * words, its further lines set in by two columns.
 */
void lines_add(struct lines *lines, const char *separator, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* The same for text that may be cut between any two words, but never next to a figure. */
void lines_prose(struct lines *lines, const char *separator, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* The next piece stands on a new line. */
void lines_break(struct lines *lines);

/* Ends the line. */
void lines_close(struct lines *lines);

#endif
