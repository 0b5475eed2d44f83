/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors as values: codes, texts, and texts that do not fit. */
#include "base/error.h"

#include "unit/unit.h"

#include <errno.h>
#include <string.h>

static void test_set_and_clear(void)
{
	struct error error;

	error_clear(&error);
	UNIT_SIGNED("clear", error.code, 0);
	UNIT_SIGNED("clear", error.system_errno, 0);
	UNIT_TEXT("clear", error.text, "");

	UNIT_SIGNED("set", error_set(&error, ERROR_INVALID, "-c %s: not a number", "3x"),
		    -ERROR_INVALID);
	UNIT_SIGNED("set", error.code, ERROR_INVALID);
	UNIT_SIGNED("set", error.system_errno, 0);
	UNIT_TEXT("set", error.text, "-c 3x: not a number");
	error_clear(&error);
	UNIT_SIGNED("clear again", error.code, 0);
	UNIT_TEXT("clear again", error.text, "");
}

static void test_system(void)
{
	static const struct {
		int system_errno;
		enum error_code code;
		const char *text;
	} rows[] = {
		{EPERM, ERROR_PERMISSION, "socket: Operation not permitted"},
		{EACCES, ERROR_PERMISSION, "socket: Permission denied"},
		{ENOMEM, ERROR_NO_MEMORY, "socket: Cannot allocate memory"},
		{ENOBUFS, ERROR_SYSTEM, "socket: No buffer space available"},
		{EINVAL, ERROR_SYSTEM, "socket: Invalid argument"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct error error;

		UNIT_SIGNED(rows[i].text,
			    error_set_system(&error, rows[i].system_errno, "%s", "socket"),
			    -(int)rows[i].code);
		UNIT_SIGNED(rows[i].text, error.code, (int)rows[i].code);
		UNIT_SIGNED(rows[i].text, error.system_errno, rows[i].system_errno);
		UNIT_TEXT(rows[i].text, error.text, rows[i].text);
	}
}

static void test_no_place_for_it(void)
{
	UNIT_SIGNED("no struct", error_set(NULL, ERROR_REFUSED, "text"), -ERROR_REFUSED);
	UNIT_SIGNED("no struct", error_set_system(NULL, EPERM, "text"), -ERROR_PERMISSION);
	UNIT_SIGNED("no struct", error_set_system(NULL, EIO, "text"), -ERROR_SYSTEM);
}

/* A text that is too long is cut and ended, around the exact size too. */
static void test_truncation(void)
{
	struct error error;
	char text[sizeof(error.text) + 100];

	for (size_t length = sizeof(error.text) - 40; length < sizeof(text); length++) {
		size_t kept = length < sizeof(error.text) ? length : sizeof(error.text) - 1;

		memset(text, 'a', length);
		text[length] = '\0';
		UNIT_SIGNED("long", error_set(&error, ERROR_NOT_FOUND, "%s", text),
			    -ERROR_NOT_FOUND);
		UNIT_UNSIGNED("long", strlen(error.text), kept);
		UNIT_SIGNED("long", error_set_system(&error, EIO, "%s", text), -ERROR_SYSTEM);
		UNIT_CHECK(strlen(error.text) >= kept && strlen(error.text) < sizeof(error.text),
			   "%zu bytes of text give %zu", length, strlen(error.text));
	}
}

const struct unit_suite suite_error = {
	"error",
	(const struct unit_test[]){
		{"set and clear", test_set_and_clear},
		{"system calls", test_system},
		{"no struct given", test_no_place_for_it},
		{"long texts", test_truncation},
		{NULL, NULL},
	},
};
