/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the unit tests and prints one line per test, `ok unit/SUITE/TEST` or
 * `not ok unit/SUITE/TEST: FILE:LINE WHAT`, with further failures of the same test on lines that
 * start with '#'. CUnit's own exit conventions are not used: the run is good only if no failure was
 * recorded and as many tests ran as were registered, since a suite that does not start counts as
 * no failure there.
 *
 * usage: unit [SUITE...]
 */
#include "unit/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/TestDB.h>
#include <CUnit/TestRun.h>

#define UNIT_TEXT_BYTES 512

#define SUITE(name) extern const struct unit_suite suite_##name;
#include "unit/suites.h"
#undef SUITE

#define SUITE(name) &suite_##name,
static const struct unit_suite *const suites[] = {
#include "unit/suites.h"
	NULL};
#undef SUITE

bool unit_check(bool passed, const char *file, int line, const char *format, ...)
{
	char text[UNIT_TEXT_BYTES];
	va_list arguments;

	if (passed) {
		(void)CU_assertImplementation(CU_TRUE, (unsigned int)line, "", file, "", CU_FALSE);
		return true;
	}
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	(void)CU_assertImplementation(CU_FALSE, (unsigned int)line, text, file, "", CU_FALSE);
	return false;
}

bool unit_check_signed(const char *file, int line, const char *label, const char *expression,
		       intmax_t actual, intmax_t expected)
{
	return unit_check(actual == expected, file, line, "%s: %s is %jd, not %jd", label,
			  expression, actual, expected);
}

bool unit_check_unsigned(const char *file, int line, const char *label, const char *expression,
			 uintmax_t actual, uintmax_t expected)
{
	return unit_check(actual == expected, file, line, "%s: %s is %ju (0x%jx), not %ju (0x%jx)",
			  label, expression, actual, actual, expected, expected);
}

bool unit_check_text(const char *file, int line, const char *label, const char *expression,
		     const char *actual, const char *expected)
{
	bool same = actual != NULL && expected != NULL && strcmp(actual, expected) == 0;

	return unit_check(same || actual == expected, file, line, "%s: %s is \"%s\", not \"%s\"",
			  label, expression, actual == NULL ? "(none)" : actual,
			  expected == NULL ? "(none)" : expected);
}

bool unit_check_near(const char *file, int line, const char *label, const char *expression,
		     double actual, double expected, double tolerance)
{
	/* Written so that a nan on either side fails. */
	return unit_check(actual >= expected - tolerance && actual <= expected + tolerance, file,
			  line, "%s: %s is %.17g, not %.17g +- %g", label, expression, actual,
			  expected, tolerance);
}

static void print_result(const CU_pTest test, const CU_pSuite suite,
			 const CU_pFailureRecord failures)
{
	const char *prefix = "not ok";

	if (failures == NULL)
		printf("ok unit/%s/%s\n", suite->pName, test->pName);
	for (const CU_FailureRecord *failure = failures; failure != NULL;
	     failure = failure->pNext) {
		printf("%s unit/%s/%s: %s:%u %s\n", prefix, suite->pName, test->pName,
		       failure->strFileName, failure->uiLineNumber, failure->strCondition);
		prefix = "#";
	}
	(void)fflush(stdout);
}

/* Adds one suite to CUnit's registry; the number of its tests, or -1. */
static int register_suite(const struct unit_suite *suite)
{
	CU_pSuite registered = CU_add_suite(suite->name, NULL, NULL);
	int count = 0;

	if (registered == NULL)
		return -1;
	for (const struct unit_test *test = suite->tests; test->name != NULL; test++, count++) {
		if (CU_add_test(registered, test->name, test->function) == NULL)
			return -1;
	}
	return count;
}

static bool suite_wanted(const struct unit_suite *suite, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], suite->name) == 0)
			return true;
	}
	return argc < 2;
}

int main(int argc, char **argv)
{
	unsigned int registered = 0;
	bool good;

	if (CU_initialize_registry() != CUE_SUCCESS) {
		printf("not ok unit: %s\n", CU_get_error_msg());
		return EXIT_FAILURE;
	}
	for (size_t i = 0; suites[i] != NULL; i++) {
		int count;

		if (!suite_wanted(suites[i], argc, argv))
			continue;
		count = register_suite(suites[i]);
		if (count < 0) {
			printf("not ok unit/%s: %s\n", suites[i]->name, CU_get_error_msg());
			CU_cleanup_registry();
			return EXIT_FAILURE;
		}
		registered += (unsigned int)count;
	}

	CU_set_error_action(CUEA_IGNORE);
	CU_set_test_complete_handler(print_result);
	(void)CU_run_all_tests();
	good = registered > 0 && CU_get_number_of_failure_records() == 0 &&
	       CU_get_number_of_tests_run() == registered;
	if (CU_get_number_of_tests_run() != registered)
		printf("not ok unit: %u tests ran, %u are registered\n",
		       CU_get_number_of_tests_run(), registered);
	else if (registered == 0)
		printf("not ok unit: no such suite\n");
	CU_cleanup_registry();
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
