/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Number formatting. The C library rounds correctly, so it makes the digits; but its decimal
 * point follows LC_NUMERIC, which a library that we link against might set. So whatever stands
 * between the digits of its output is replaced by a point here.
 */
#include "base/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RAW_LENGTH 128
#define PLAIN_LARGEST 1e30 /* above, and below the next, exponents are shorter than zeros */
#define PLAIN_SMALLEST 1e-20
#define DIGITS_MAX 17u

static const char *const duration_units[] = {"ns", "us", "ms", "s"};
static const double duration_scales[] = {1.0, 1e3, 1e6, 1e9};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Copies a number, taking each run of bytes that cannot be part of one as the decimal point. */
static void copy_number(const char *raw, char text[static FORMAT_LENGTH])
{
	size_t length = 0;
	bool in_point = false;

	for (; *raw != '\0' && length + 1 < FORMAT_LENGTH; raw++) {
		bool part = is_digit(*raw) || *raw == '-' || *raw == '+' || *raw == 'e';

		if (part)
			text[length++] = *raw;
		else if (!in_point)
			text[length++] = '.';
		in_point = !part;
	}
	text[length] = '\0';
}

/* Removes zeros at the end of a fraction, and the sign of a zero. */
static void trim(char text[static FORMAT_LENGTH])
{
	size_t length = strlen(text);

	if (strchr(text, '.') != NULL && strchr(text, 'e') == NULL) {
		while (length > 0 && text[length - 1] == '0')
			text[--length] = '\0';
		if (length > 0 && text[length - 1] == '.')
			text[--length] = '\0';
	}
	if (strcmp(text, "-0") == 0)
		memcpy(text, "0", 2);
}

/* Appends a suffix; every caller leaves room. */
static const char *append(char text[static FORMAT_LENGTH], const char *suffix)
{
	size_t length = strlen(text);

	(void)snprintf(text + length, FORMAT_LENGTH - length, "%s", suffix);
	return text;
}

/* Whether value is a number; if not, text says so. */
static bool is_number(double value, char text[static FORMAT_LENGTH])
{
	if (!isnan(value) && !isinf(value))
		return true;
	(void)snprintf(text, FORMAT_LENGTH, "unknown");
	return false;
}

/* The decimal exponent that value has after rounding to so many significant digits. */
static int exponent_of(double value, unsigned int digits)
{
	char raw[RAW_LENGTH];
	const char *at;
	int exponent = 0;

	(void)snprintf(raw, sizeof(raw), "%.*e", (int)digits - 1, value);
	at = strchr(raw, 'e');
	if (at == NULL)
		return 0;
	for (const char *digit = at + 2; is_digit(*digit); digit++)
		exponent = exponent * 10 + (*digit - '0');
	return at[1] == '-' ? -exponent : exponent;
}

static void fixed(double value, int decimals, char text[static FORMAT_LENGTH])
{
	char raw[RAW_LENGTH];

	(void)snprintf(raw, sizeof(raw), "%.*f", decimals, value);
	copy_number(raw, text);
	trim(text);
}

static void significant(double value, unsigned int digits, char text[static FORMAT_LENGTH])
{
	char raw[RAW_LENGTH];
	double size = fabs(value);
	int decimals;

	digits = digits < 1 ? 1 : digits > DIGITS_MAX ? DIGITS_MAX : digits;
	if (size >= PLAIN_LARGEST || (size > 0.0 && size < PLAIN_SMALLEST)) {
		(void)snprintf(raw, sizeof(raw), "%.*e", (int)digits - 1, value);
		copy_number(raw, text);
		return;
	}
	decimals = (int)digits - 1 - exponent_of(value, digits);
	fixed(value, decimals < 0 ? 0 : decimals, text);
}

const char *format_significant(double value, unsigned int digits, char text[static FORMAT_LENGTH])
{
	if (is_number(value, text))
		significant(value, digits, text);
	return text;
}

const char *format_duration_in(double ns, enum format_unit unit, unsigned int digits,
			       char text[static FORMAT_LENGTH])
{
	if (!is_number(ns, text))
		return text;
	significant(ns / duration_scales[unit], digits, text);
	(void)append(text, " ");
	return append(text, duration_units[unit]);
}

const char *format_duration(double ns, char text[static FORMAT_LENGTH])
{
	enum format_unit unit = FORMAT_NS;

	/* Judged after rounding, so that 999.7 us is 1 ms and not 1000 us. */
	while (unit < FORMAT_S && exponent_of(ns / duration_scales[unit], 3) >= 3)
		unit++;
	return format_duration_in(ns, unit, 3, text);
}

const char *format_duration_exact(int64_t ns, char text[static FORMAT_LENGTH])
{
	static const int64_t scales[] = {1, NANOSECONDS_PER_MICROSECOND,
					 NANOSECONDS_PER_MILLISECOND, NANOSECONDS_PER_SECOND};
	size_t unit = FORMAT_S;

	while (unit > FORMAT_NS && ns % scales[unit] != 0)
		unit--;
	(void)snprintf(text, FORMAT_LENGTH, "%lld %s", (long long)(ns / scales[unit]),
		       duration_units[unit]);
	return text;
}

/* Microseconds as milliseconds with so many decimals (0..3), cut, not rounded. */
static const char *milliseconds(int64_t us, int decimals, char text[static FORMAT_LENGTH])
{
	static const int64_t cuts[] = {1000, 100, 10, 1};
	const char *sign = us < 0 ? "-" : "";
	uint64_t size = us < 0 ? -(uint64_t)us : (uint64_t)us;

	if (decimals == 0)
		(void)snprintf(text, FORMAT_LENGTH, "%s%llu", sign,
			       (unsigned long long)(size / 1000));
	else
		(void)snprintf(text, FORMAT_LENGTH, "%s%llu.%0*llu", sign,
			       (unsigned long long)(size / 1000), decimals,
			       (unsigned long long)(size % 1000 / (uint64_t)cuts[decimals]));
	return text;
}

const char *format_ping_time(int64_t ns, char text[static FORMAT_LENGTH])
{
	return milliseconds(ns / NANOSECONDS_PER_MICROSECOND, 3, text);
}

/* The limits are iputils' (ping_common.c): each is where rounding would need one more digit. */
const char *format_reply_time(int64_t ns, char text[static FORMAT_LENGTH])
{
	int64_t us = ns / NANOSECONDS_PER_MICROSECOND;

	if (us >= 100000 - 50)
		return milliseconds(us + 500, 0, text);
	if (us >= 10000 - 5)
		return milliseconds(us + 50, 1, text);
	if (us >= 1000)
		return milliseconds(us + 5, 2, text);
	return milliseconds(us, 3, text);
}

const char *format_ping_percent(double percent, char text[static FORMAT_LENGTH])
{
	char raw[RAW_LENGTH];

	if (!is_number(percent, text))
		return text;
	(void)snprintf(raw, sizeof(raw), "%g", (double)(float)percent);
	copy_number(raw, text);
	trim(text);
	return text;
}

const char *format_rate(double per_s, char text[static FORMAT_LENGTH])
{
	if (!is_number(per_s, text))
		return text;
	significant(per_s, 4, text);
	return append(text, "/s");
}

/* value with 4 digits and the decimal prefix that leaves 1 to 3 of them before the point. */
static const char *prefixed(double value, const char *unit, char text[static FORMAT_LENGTH])
{
	static const char *const prefixes[] = {" ", " k", " M", " G", " T"};
	size_t prefix = 0;

	if (!is_number(value, text))
		return text;
	while (prefix + 1 < ARRAY_LENGTH(prefixes) && exponent_of(value, 4) >= 3) {
		value /= 1000.0;
		prefix++;
	}
	significant(value, 4, text);
	(void)append(text, prefixes[prefix]);
	return append(text, unit);
}

const char *format_bytes_per_s(double bytes_per_s, char text[static FORMAT_LENGTH])
{
	return prefixed(bytes_per_s, "B/s", text);
}

const char *format_bits_per_s(double bits_per_s, char text[static FORMAT_LENGTH])
{
	return prefixed(bits_per_s, "bit/s", text);
}

const char *format_ratio(double ratio, char text[static FORMAT_LENGTH])
{
	double percent = ratio * 100.0;

	if (!is_number(percent, text))
		return text;
	if (fabs(percent) >= 1.0 && fabs(percent) < PLAIN_LARGEST)
		fixed(percent, 1, text);
	else
		significant(percent, 2, text);
	return append(text, " %");
}
