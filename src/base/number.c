/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The strict number parsers. strtoul and strtod skip spaces, take signs, stop where they like,
 * wrap negative numbers and follow the locale; each of these has been somebody's bug report. So
 * digits are read here one by one, and every fraction is kept as an integer of a fixed number
 * of decimals: no argument passes through floating point.
 */
#include "base/number.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"

#define SHOWN_LENGTH 80u /* an argument in a message: long ones are cut */
#define NANO_DECIMALS 9u

enum outcome {
	OUTCOME_RIGHT,
	OUTCOME_SYNTAX,
	OUTCOME_TOO_FINE,  /* digits other than 0 beyond the decimals that are kept */
	OUTCOME_TOO_LARGE, /* does not fit in 64 bits */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The argument as it may be shown. */
static const char *shown(const char *text, char buffer[static SHOWN_LENGTH])
{
	(void)format_escape(text, strlen(text), buffer, SHOWN_LENGTH);
	return buffer;
}

static bool append_digit(uint64_t *value, unsigned int base, unsigned int digit)
{
	return !__builtin_mul_overflow(*value, (uint64_t)base, value) &&
	       !__builtin_add_overflow(*value, (uint64_t)digit, value);
}

/*
 * Reads length bytes as digits with at most one point, each side of which may be empty but not
 * the right one if there is a point, into value x 10^decimals. Syntax is judged first, so that
 * an endless row of digits with a letter behind it is called what it is.
 */
static enum outcome parse_decimal(const char *text, size_t length, unsigned int decimals,
				  uint64_t *scaled)
{
	const char *point = memchr(text, '.', length);
	size_t whole = point == NULL ? length : (size_t)(point - text);
	size_t kept = 0;
	enum outcome outcome = OUTCOME_RIGHT;

	if (length == 0 || (point != NULL && whole + 1 == length))
		return OUTCOME_SYNTAX;
	for (size_t i = 0; i < length; i++) {
		if (i != whole && !is_digit(text[i]))
			return OUTCOME_SYNTAX;
	}
	*scaled = 0;
	for (size_t i = 0; i < length; i++) {
		if (i == whole)
			continue;
		if (i > whole && kept == decimals) {
			if (text[i] != '0' && outcome == OUTCOME_RIGHT)
				outcome = OUTCOME_TOO_FINE;
			continue;
		}
		kept += i > whole;
		if (!append_digit(scaled, 10, (unsigned int)(text[i] - '0')))
			return OUTCOME_TOO_LARGE;
	}
	for (; kept < decimals; kept++) {
		if (!append_digit(scaled, 10, 0))
			return OUTCOME_TOO_LARGE;
	}
	return outcome;
}

static enum outcome parse_hexadecimal(const char *text, uint64_t *value)
{
	enum outcome outcome = OUTCOME_RIGHT;

	if (*text == '\0')
		return OUTCOME_SYNTAX;
	*value = 0;
	for (; *text != '\0'; text++) {
		int digit = hex_value(*text);

		if (digit < 0)
			return OUTCOME_SYNTAX;
		if (outcome == OUTCOME_RIGHT && !append_digit(value, 16, (unsigned int)digit))
			outcome = OUTCOME_TOO_LARGE;
	}
	return outcome;
}

/* Whole numbers: the sentence for each way to be wrong. */
static int judge_whole(const char *what, const char *text, const char *form, enum outcome outcome,
		       uint64_t number, uint64_t min, uint64_t max, struct error *error)
{
	char buffer[SHOWN_LENGTH];

	if (outcome == OUTCOME_RIGHT && number >= min && number <= max)
		return 0;
	return error_set(error, ERROR_INVALID, "%s: '%s' is %s: give a %s from %llu to %llu", what,
			 shown(text, buffer),
			 outcome == OUTCOME_SYNTAX ? "not a whole number" : "out of range", form,
			 (unsigned long long)min, (unsigned long long)max);
}

int number_parse_unsigned(const char *what, const char *text, uint64_t min, uint64_t max,
			  uint64_t *value, struct error *error)
{
	uint64_t number = 0;
	enum outcome outcome = OUTCOME_SYNTAX;
	int status;

	if (strchr(text, '.') == NULL)
		outcome = parse_decimal(text, strlen(text), 0, &number);
	status = judge_whole(what, text, "decimal number", outcome, number, min, max, error);
	if (status == 0)
		*value = number;
	return status;
}

int number_parse_unsigned_any(const char *what, const char *text, uint64_t min, uint64_t max,
			      uint64_t *value, struct error *error)
{
	uint64_t number = 0;
	enum outcome outcome = OUTCOME_SYNTAX;
	int status;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		outcome = parse_hexadecimal(text + 2, &number);
	else if (strchr(text, '.') == NULL && (text[0] != '0' || text[1] == '\0'))
		outcome = parse_decimal(text, strlen(text), 0, &number);
	status = judge_whole(what, text,
			     "decimal number without leading zero, or 0x and hexadecimal,", outcome,
			     number, min, max, error);
	if (status == 0)
		*value = number;
	return status;
}

/* The unit at the end of a duration: how many decimals one of it has in ns, and its length. */
static unsigned int unit_decimals(const char *text, size_t length, size_t *unit_length)
{
	static const struct {
		const char *suffix;
		unsigned int decimals;
	} units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", NANO_DECIMALS}};

	for (size_t i = 0; i < ARRAY_LENGTH(units); i++) {
		*unit_length = strlen(units[i].suffix);
		if (length >= *unit_length &&
		    memcmp(text + length - *unit_length, units[i].suffix, *unit_length) == 0)
			return units[i].decimals;
	}
	*unit_length = 0;
	return NANO_DECIMALS;
}

int number_parse_duration(const char *what, const char *text, int64_t min_ns, int64_t max_ns,
			  int64_t *value_ns, struct error *error)
{
	size_t length = strlen(text), unit_length;
	unsigned int decimals = unit_decimals(text, length, &unit_length);
	uint64_t scaled = 0;
	enum outcome outcome = parse_decimal(text, length - unit_length, decimals, &scaled);
	const char *wrong = "out of range";
	char buffer[SHOWN_LENGTH], low[FORMAT_LENGTH], high[FORMAT_LENGTH];

	if (outcome == OUTCOME_RIGHT && scaled <= INT64_MAX && (int64_t)scaled >= min_ns &&
	    (int64_t)scaled <= max_ns) {
		*value_ns = (int64_t)scaled;
		return 0;
	}
	if (outcome == OUTCOME_SYNTAX)
		wrong = "not a time";
	else if (outcome == OUTCOME_TOO_FINE)
		wrong = "finer than 1 ns";
	return error_set(
		error, ERROR_INVALID,
		"%s: '%s' is %s: give seconds (0.5) or a number with ns, us, ms or s (250us), "
		"from %s to %s",
		what, shown(text, buffer), wrong, format_duration_exact(min_ns, low),
		format_duration_exact(max_ns, high));
}

int number_parse_rate(const char *what, const char *text, struct number_rate *rate,
		      struct error *error)
{
	uint64_t packets = 0, seconds = 1;
	enum outcome outcome = parse_decimal(text, strlen(text), NANO_DECIMALS, &packets);
	const char *wrong = "out of range";
	char buffer[SHOWN_LENGTH];

	for (unsigned int i = 0; i < NANO_DECIMALS; i++)
		seconds *= 10;
	if (outcome == OUTCOME_RIGHT && packets > 0 && packets <= NUMBER_RATE_MAX * seconds) {
		/* Both shrink by the same factors, and seconds has no others. */
		while (seconds % 2 == 0 && packets % 2 == 0) {
			seconds /= 2;
			packets /= 2;
		}
		while (seconds % 5 == 0 && packets % 5 == 0) {
			seconds /= 5;
			packets /= 5;
		}
		rate->packets = packets;
		rate->seconds = seconds;
		return 0;
	}
	if (outcome == OUTCOME_SYNTAX)
		wrong = "not a rate";
	else if (outcome == OUTCOME_TOO_FINE)
		wrong = "too fine";
	return error_set(
		error, ERROR_INVALID,
		"%s: '%s' is %s: give packets per second above 0 and up to %llu, with at most "
		"%u decimals",
		what, shown(text, buffer), wrong, (unsigned long long)NUMBER_RATE_MAX,
		NANO_DECIMALS);
}

double number_rate_per_s(const struct number_rate *rate)
{
	return (double)rate->packets / (double)rate->seconds;
}

int64_t number_rate_interval_ns(const struct number_rate *rate, uint64_t targets)
{
	uint128 span = (uint128)rate->seconds * (uint64_t)NANOSECONDS_PER_SECOND;
	uint128 interval;

	if (targets > (uint64_t)INT64_MAX) /* keeps the product below 2^128 */
		return INT64_MAX;
	interval = (span * targets + rate->packets / 2) / rate->packets;
	if (interval > (uint128)INT64_MAX)
		return INT64_MAX;
	return interval == 0 ? 1 : (int64_t)interval;
}

int number_parse_ratio(const char *what, const char *text, double *ratio, struct error *error)
{
	static const uint64_t one = UINT64_C(1000000000);
	size_t length = strlen(text);
	bool percent = length > 0 && text[length - 1] == '%';
	uint64_t scaled = 0;
	enum outcome outcome = parse_decimal(text, percent ? length - 1 : length,
					     percent ? NANO_DECIMALS - 2 : NANO_DECIMALS, &scaled);
	const char *wrong = "out of range";
	char buffer[SHOWN_LENGTH];

	if (outcome == OUTCOME_RIGHT && scaled <= one) {
		*ratio = (double)scaled / (double)one;
		return 0;
	}
	if (outcome == OUTCOME_SYNTAX)
		wrong = "not a ratio";
	else if (outcome == OUTCOME_TOO_FINE)
		wrong = "too fine";
	return error_set(
		error, ERROR_INVALID,
		"%s: '%s' is %s: give a number from 0 to 1 (0.05) or 0%% to 100%% (5%%), with at "
		"most 9 decimals (7 before %%)",
		what, shown(text, buffer), wrong);
}

int number_parse_hex_pattern(const char *what, const char *text,
			     uint8_t pattern[static NUMBER_PATTERN_MAX], uint32_t *length,
			     struct error *error)
{
	size_t digits = strlen(text);
	uint8_t bytes[NUMBER_PATTERN_MAX] = {0};
	char buffer[SHOWN_LENGTH];
	bool good = digits >= 1 && digits <= 2 * sizeof(bytes);

	for (size_t i = 0; good && i < digits; i++) {
		int digit = hex_value(text[i]);

		good = digit >= 0;
		/* A digit that is alone in its pair is the low half. */
		bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | (digit & 0xf));
	}
	if (!good)
		return error_set(error, ERROR_INVALID,
				 "%s: '%s' is not a pattern: give 1 to %u hexadecimal digits", what,
				 shown(text, buffer), 2 * NUMBER_PATTERN_MAX);
	memcpy(pattern, bytes, (digits + 1) / 2);
	*length = (uint32_t)((digits + 1) / 2);
	return 0;
}
