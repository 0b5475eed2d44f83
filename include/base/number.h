/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Strict numbers from the command line and from files. The whole argument is a number of the
 * stated form and range, or it is an error; never a prefix of it, never a wrapped or rounded
 * value, and never anything that depends on the locale. Each function returns 0, or
 * -ERROR_INVALID with a sentence that names `what` (the option, in the caller's words), repeats
 * the argument made safe for a terminal, and says the form and range that would be accepted.
 * The output is set only on success.
 */
#ifndef FPING_BENCH_BASE_NUMBER_H
#define FPING_BENCH_BASE_NUMBER_H

#include "base/error.h"

#define NUMBER_PATTERN_MAX 16u                /* bytes of a -p pattern */
#define NUMBER_RATE_MAX UINT64_C(1000000000)  /* packets/s: one a nanosecond */

/* Decimal digits only: no sign, space, hexadecimal, fraction or exponent. min..max inclusive. */
int number_parse_unsigned(const char *what, const char *text, uint64_t min, uint64_t max,
			  uint64_t *value, struct error *error) MUST_CHECK;

/*
 * Decimal or, after 0x, hexadecimal; for marks, traffic classes and flow labels. A decimal number
 * with a leading zero is refused: other tools read it as octal.
 */
int number_parse_unsigned_any(const char *what, const char *text, uint64_t min, uint64_t max,
			      uint64_t *value, struct error *error) MUST_CHECK;

/*
 * A duration: decimal digits, perhaps with a point and more digits (0.5, .5), then nothing or s
 * for seconds, or ms, us, ns. Stored in ns and exact: digits finer than 1 ns are refused unless
 * they are zeros. min_ns..max_ns inclusive, 0 <= min_ns.
 */
int number_parse_duration(const char *what, const char *text, int64_t min_ns, int64_t max_ns,
			  int64_t *value_ns, struct error *error) MUST_CHECK;

/* A rate, kept as the fraction that was typed: packets / seconds per second, in lowest terms. */
struct number_rate {
	uint64_t packets;
	uint64_t seconds; /* 1, or a power of ten's divisor for a rate with decimals */
};

/*
 * Packets per second: decimal digits, perhaps with a point and up to 9 more; above 0 and at most
 * NUMBER_RATE_MAX.
 */
int number_parse_rate(const char *what, const char *text, struct number_rate *rate,
		      struct error *error) MUST_CHECK;

/* The rate as a floating-point number, in packets/s. */
double number_rate_per_s(const struct number_rate *rate);

/*
 * The interval between two requests to the same one of `targets` targets (>= 1) that share the
 * rate: targets / rate, rounded to the nearest ns (halves up), at least 1 ns, at most INT64_MAX.
 * The rounding changes the rate by at most 0.5 ns / interval.
 */
int64_t number_rate_interval_ns(const struct number_rate *rate, uint64_t targets);

/* A ratio 0..1, or a percentage with %: 0.05 or 5%. Up to 9 decimals (7 before %). */
int number_parse_ratio(const char *what, const char *text, double *ratio,
		       struct error *error) MUST_CHECK;

/*
 * A pattern of bytes as ping's -p: 1 to 32 hexadecimal digits, taken in pairs from the left, so
 * that an odd last digit is a byte of its own ("abc" is ab 0c). More than 16 bytes are refused,
 * where ping would drop them.
 */
int number_parse_hex_pattern(const char *what, const char *text,
			     uint8_t pattern[static NUMBER_PATTERN_MAX], uint32_t *length,
			     struct error *error) MUST_CHECK;

#endif
