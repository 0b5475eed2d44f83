/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of hosts from text: what counts as one, and what is refused with its line.
 */
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "apps/probe/hosts.h"

static struct hosts subject;
static struct error failure;

static int add(const char *text, size_t length)
{
	static const char *const first[] = {"first"};
	char *copy = malloc(length + 1);

	error_clear(&failure);
	if (copy == NULL || hosts_open(&subject, first, 1, &failure) < 0) {
		free(copy);
		return -ERROR_NO_MEMORY;
	}
	memcpy(copy, text, length);
	copy[length] = '\0';
	return hosts_add_text(&subject, copy, length, "list", &failure);
}

static void test_lines(void)
{
	static const struct {
		const char *label, *text;
		uint32_t count;
		const char *last;
	} rows[] = {
		{"nothing", "", 1, "first"},
		{"one", "a\n", 2, "a"},
		{"without a final newline", "a\nb", 3, "b"},
		{"white space and empty lines", "\n \t\r\n  a \t\r\n\n", 2, "a"},
		{"comments", "# all\na # with\n#b\n c#d\n", 3, "c#d"},
		{"an option is a host here", "-f\n", 2, "-f"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		int status = add(rows[i].text, strlen(rows[i].text));

		UNIT_SIGNED(rows[i].label, status, 0);
		UNIT_UNSIGNED(rows[i].label, subject.count, rows[i].count);
		UNIT_TEXT(rows[i].label, subject.names[subject.count - 1], rows[i].last);
		hosts_close(&subject);
	}
}

static void test_refused(void)
{
	char name[HOSTS_NAME_MAX + 3];
	char *many = malloc(2 * (size_t)HOSTS_MAX + 1);

	memset(name, 'n', sizeof(name));
	UNIT_SIGNED("two words", add("a\nb c\n", 6), -ERROR_INVALID);
	UNIT_CHECK(strstr(failure.text, "line 2") != NULL, "no line in: %s", failure.text);
	hosts_close(&subject);
	UNIT_SIGNED("NUL", add("a\0b\n", 4), -ERROR_INVALID);
	hosts_close(&subject);
	UNIT_SIGNED("longest name", add(name, HOSTS_NAME_MAX), 0);
	hosts_close(&subject);
	UNIT_SIGNED("too long", add(name, HOSTS_NAME_MAX + 1), -ERROR_INVALID);
	hosts_close(&subject);
	UNIT_SIGNED("control bytes", add("a\033[2J b\n", 8), -ERROR_INVALID);
	UNIT_CHECK(strchr(failure.text, '\033') == NULL, "control bytes in: %s", failure.text);
	hosts_close(&subject);
	if (many == NULL)
		return;
	for (size_t i = 0; i < HOSTS_MAX; i++)
		memcpy(many + 2 * i, "a\n", 2);
	UNIT_SIGNED("as many as can be", add(many, 2 * (size_t)HOSTS_MAX - 2), 0);
	UNIT_UNSIGNED("as many as can be", subject.count, HOSTS_MAX);
	hosts_close(&subject);
	UNIT_SIGNED("one too many", add(many, 2 * (size_t)HOSTS_MAX), -ERROR_INVALID);
	hosts_close(&subject);
	free(many);
}

const struct unit_suite suite_hosts = {
	"hosts",
	(const struct unit_test[]){
		{"lines", test_lines},
		{"refused", test_refused},
		{NULL, NULL},
	},
};
