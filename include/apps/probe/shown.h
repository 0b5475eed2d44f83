/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An argument or a name as it may be shown in a message: escaped, and cut if it is long.
 */
#ifndef FPING_BENCH_APPS_PROBE_SHOWN_H
#define FPING_BENCH_APPS_PROBE_SHOWN_H

#define SHOWN_LENGTH 80

/* Writes the text made safe for a terminal (format_escape) into buffer and returns buffer. */
const char *shown(const char *text, char buffer[static SHOWN_LENGTH]);

#endif
