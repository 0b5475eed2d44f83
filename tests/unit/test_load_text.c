/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's texts about load: real ones, ones that do not fit together, and every beginning of
 * one, since half a number must not be taken for a number.
 */
#include "core/load_text.h"

#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

struct row {
	const char *label;
	const char *text;
	bool known;
	uint64_t wanted;
};

static void check_rows(bool (*read)(const char *text, size_t length, uint64_t *number),
		       const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(rows[i].text);
		char *copy = malloc(length + (length == 0)); /* no NUL behind it */
		uint64_t number = 0;

		if (!UNIT_CHECK(copy != NULL, "memory"))
			return;
		memcpy(copy, rows[i].text, length);
		UNIT_SIGNED(rows[i].label, read(copy, length, &number), rows[i].known);
		if (rows[i].known)
			UNIT_UNSIGNED(rows[i].label, number, rows[i].wanted);
		free(copy);
	}
}

static void test_steal(void)
{
	static const struct row rows[] = {
		{"real", "cpu  896862 18852 576226 1741528 3243 0 30221 77 0 0\ncpu0 1 2\n", true,
		 77},
		{"not the first line", "intr 5\ncpu  1 2 3 4 5 6 7 8\n", true, 8},
		{"only single processors", "cpu0 1 2 3 4 5 6 7 8\n", false, 0},
		{"before 2.6.11", "cpu 1 2 3 4 5 6 7\ncpu0 1 2 3 4 5 6 7 8\n", false, 0},
		{"cut", "cpu  1 2 3 4 5 6 7", false, 0},
		{"no number", "cpu  1 2 3 4 5 6 7 8x\n", false, 0},
		{"too large", "cpu 1 2 3 4 5 6 7 18446744073709551616\n", false, 0},
		{"largest", "cpu 1 2 3 4 5 6 7 18446744073709551615\n", true, UINT64_MAX},
		{"negative", "cpu 1 2 3 4 5 6 7 -8\n", false, 0},
		{"nothing", "", false, 0},
	};

	check_rows(load_text_steal, rows, ARRAY_LENGTH(rows));
}

static void test_softnet(void)
{
	static const struct row rows[] = {
		{"two processors", "0ca63720 00000001 0000000e\n04842b16 0000000f 1\n", true, 16},
		{"one", "00000000 00000000\n", true, 0},
		{"two numbers and no end", "1 2", true, 2},
		{"a line of one number", "1 2\n3\n", false, 0},
		{"no hexadecimal", "1 2g\n", false, 0},
		{"capitals are not the kernel's", "1 A\n", false, 0},
		{"nothing", "", false, 0},
	};

	check_rows(load_text_softnet_drops, rows, ARRAY_LENGTH(rows));
}

static void test_run_delay(void)
{
	static const struct row rows[] = {
		{"real", "1511292 380901 2\n", true, 380901},
		{"never waited", "1511292 0 2\n", true, 0},
		{"cut", "1511292", false, 0},
		{"blank at the end", "1511292 ", false, 0},
		{"words", "on off\n", false, 0},
		{"nothing", "", false, 0},
	};

	check_rows(load_text_run_delay, rows, ARRAY_LENGTH(rows));
}

const struct unit_suite suite_load_text = {
	"load-text",
	(const struct unit_test[]){
		{"steal", test_steal},
		{"softnet drops", test_softnet},
		{"run delay", test_run_delay},
		{NULL, NULL},
	},
};
