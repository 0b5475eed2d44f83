/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers and untrusted text for people, into the caller's buffer. The decimal point is '.'
 * whatever the locale, and there is never a nan or inf: what is no number reads "unknown".
 * All but format_escape return their buffer, so that they can stand in an argument list.
 */
#ifndef FPING_BENCH_BASE_FORMAT_H
#define FPING_BENCH_BASE_FORMAT_H

#include "base/base.h"

#define FORMAT_LENGTH 64 /* room for any result below, with its unit and final NUL */

/* Units for format_duration_in. */
enum format_unit { FORMAT_NS, FORMAT_US, FORMAT_MS, FORMAT_S };

/*
 * value with `digits` significant digits (1..17), final zeros after the point removed; digits
 * before the point are never dropped: (12.64, 3) "12.6", (18.02, 3) "18", (76710.3, 3) "76710".
 */
const char *format_significant(double value, unsigned int digits,
			       char text[static FORMAT_LENGTH]);

/* A duration in ns with 3 significant digits in its natural unit: "12.6 us", "18 us", "1.5 s". */
const char *format_duration(double ns, char text[static FORMAT_LENGTH]);

/* A duration in ns in a given unit with `digits` significant digits: (853e6, S, 2) "0.85 s". */
const char *format_duration_in(double ns, enum format_unit unit, unsigned int digits,
			       char text[static FORMAT_LENGTH]);

/* A duration without any rounding, in the largest unit that gives a whole number: "1500 ms". */
const char *format_duration_exact(int64_t ns, char text[static FORMAT_LENGTH]);

/* As in ping's rtt line: milliseconds, cut to microseconds, "0.007". No unit. */
const char *format_ping_time(int64_t ns, char text[static FORMAT_LENGTH]);

/*
 * As in ping's reply lines, where a time is cut to microseconds and then rounded to the more
 * decimals the shorter it is: "0.045", "1.23", "12.3", "123" milliseconds. No unit.
 */
const char *format_reply_time(int64_t ns, char text[static FORMAT_LENGTH]);

/* As in ping's loss figure: %g of a float, "0", "0.1", "33.3333", "1e-05". No unit. */
const char *format_ping_percent(double percent, char text[static FORMAT_LENGTH]);

/* A rate per second, whole from 1,000 on, else 4 digits: "76710/s", "55.68/s". */
const char *format_rate(double per_s, char text[static FORMAT_LENGTH]);

/* Bytes and bits per second with 4 digits and a decimal prefix: "157.1 MB/s", "10 Gbit/s". */
const char *format_bytes_per_s(double bytes_per_s, char text[static FORMAT_LENGTH]);
const char *format_bits_per_s(double bits_per_s, char text[static FORMAT_LENGTH]);

/* A ratio as a percentage, one decimal from 1 % on, below that 2 digits: "13.3 %", "0.052 %". */
const char *format_ratio(double ratio, char text[static FORMAT_LENGTH]);

/*
 * Text that somebody else made (a name, an option, a packet), safe for a terminal: printable
 * UTF-8 is kept; control characters, invalid bytes, invisible and direction-changing characters
 * and the backslash become \xNN, byte by byte. At most size bytes are written, the final NUL
 * included; what does not fit is cut between whole characters and replaced by "..." (left out
 * where size is below 4). Returns the length of the result. size 0 writes nothing.
 */
size_t format_escape(const char *bytes, size_t length, char *text, size_t size);

#endif
