/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a unit test file has to know. Each file defines one suite,
 *
 *	const struct unit_suite suite_checksum = {
 *		"checksum",
 *		(const struct unit_test[]){{"odd lengths", test_odd_lengths}, {NULL, NULL}},
 *	};
 *
 * and has its line in suites.h. CUnit does the counting; the macros below exist because a failure
 * in a table of cases must say which row it was, which CUnit's own assertions cannot.
 */
#ifndef FPING_BENCH_TESTS_UNIT_UNIT_H
#define FPING_BENCH_TESTS_UNIT_UNIT_H

#include "base/base.h"

#include <CUnit/CUnit.h>

struct unit_test {
	const char *name;
	void (*function)(void);
};

struct unit_suite {
	const char *name;
	const struct unit_test *tests; /* ended by a row of NULLs */
};

/*
 * Records one assertion: a success, or a failure with the given text. Returns passed, so that a
 * test can stop where going on makes no sense.
 */
bool unit_check(bool passed, const char *file, int line, const char *format, ...)
	PRINTF_LIKE(4, 5);

/* The same for two numbers or two texts; label names the case. */
bool unit_check_signed(const char *file, int line, const char *label, const char *expression,
		       intmax_t actual, intmax_t expected);
bool unit_check_unsigned(const char *file, int line, const char *label, const char *expression,
			 uintmax_t actual, uintmax_t expected);
bool unit_check_text(const char *file, int line, const char *label, const char *expression,
		     const char *actual, const char *expected);
bool unit_check_near(const char *file, int line, const char *label, const char *expression,
		     double actual, double expected, double tolerance);

/* UNIT_CHECK(x > 3, "row %zu: x is %d", row, x) */
#define UNIT_CHECK(condition, ...) unit_check((condition), __FILE__, __LINE__, __VA_ARGS__)

/* UNIT_SIGNED("row name", function(3), -1) and its relatives: label, actual, expected. */
#define UNIT_SIGNED(label, actual, expected) \
	unit_check_signed(__FILE__, __LINE__, label, #actual, (actual), (expected))
#define UNIT_UNSIGNED(label, actual, expected) \
	unit_check_unsigned(__FILE__, __LINE__, label, #actual, (actual), (expected))
#define UNIT_TEXT(label, actual, expected) \
	unit_check_text(__FILE__, __LINE__, label, #actual, (actual), (expected))
#define UNIT_NEAR(label, actual, expected, tolerance) \
	unit_check_near(__FILE__, __LINE__, label, #actual, (actual), (expected), (tolerance))

#endif
