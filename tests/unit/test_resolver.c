/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numeric names only: what they mean, which are refused and by what words. No name service is
 * asked; the loopback interface, number 1 in every namespace, serves as zone.
 */
#include "os/resolver.h"

#include "unit/unit.h"

#include <string.h>

#define ANY 0
#define LOOPBACK_INDEX 1

static void check(const char *name, uint8_t family, uint32_t scope, const char *expected)
{
	struct address address;
	struct error error;
	char text[ADDRESS_TEXT_LENGTH];
	int result = resolver_resolve(name, family, scope, &address, &error);

	if (!UNIT_CHECK(result == 0, "%s -%d: %s", name, family, error.text))
		return;
	UNIT_TEXT(name, address_text(&address, text), expected);
}

static void refuse(const char *name, uint8_t family, int code, const char *words)
{
	struct address address;
	struct error error;
	int result;

	error_clear(&error);
	result = resolver_resolve(name, family, 0, &address, &error);
	UNIT_SIGNED(name, result, -code);
	UNIT_CHECK(strstr(error.text, words) != NULL, "%s -%d: \"%s\" does not say \"%s\"", name,
		   family, error.text, words);
}

static void test_numeric(void)
{
	check("127.0.0.1", ANY, 0, "127.0.0.1");
	check("10.7.0.2", 4, 0, "10.7.0.2");
	check("::1", ANY, 0, "::1");
	check("2001:db8:0:0:0:0:0:1", 6, 0, "2001:db8::1");
}

/* What inet_aton has always made of them, so that nobody is surprised who knows ping. */
static void test_traditions(void)
{
	check("1", ANY, 0, "0.0.0.1");
	check("127.1", ANY, 0, "127.0.0.1");
	check("010.0.0.1", ANY, 0, "8.0.0.1");
	check("0x7f000001", 4, 0, "127.0.0.1");
}

static void test_this_host(void)
{
	check("0", ANY, 0, "127.0.0.1");
	check("0.0.0.0", 4, 0, "127.0.0.1");
	check("::", 6, 0, "::1");
}

static void test_mapped(void)
{
	check("::ffff:127.0.0.1", ANY, 0, "127.0.0.1");
	check("::ffff:10.7.0.2", 4, 0, "10.7.0.2");
	refuse("::ffff:127.0.0.1", 6, ERROR_NOT_FOUND, "is an IPv4 address");
}

static void test_other_family(void)
{
	refuse("::1", 4, ERROR_NOT_FOUND, "is an IPv6 address, and -4");
	refuse("127.0.0.1", 6, ERROR_NOT_FOUND, "is an IPv4 address, and -6");
}

static void test_zones(void)
{
	check("fe80::1%lo", ANY, 0, "fe80::1%1");
	check("fe80::1%1", 6, 0, "fe80::1%1");
	check("fe80::1", ANY, LOOPBACK_INDEX, "fe80::1%1");
	check("ff02::1%lo", ANY, 7, "ff02::1%1");
	check("fd07::2%lo", ANY, 0, "fd07::2%1");
	check("fd07::2", ANY, LOOPBACK_INDEX, "fd07::2");
	refuse("fe80::1", ANY, ERROR_NOT_FOUND, "add %INTERFACE");
	refuse("ff02::1", 6, ERROR_NOT_FOUND, "add %INTERFACE");
	refuse("fe80::1%nosuch", ANY, ERROR_NOT_FOUND, "no interface 'nosuch'");
	refuse("fe80::1%", ANY, ERROR_NOT_FOUND, "no interface ''");
	refuse("fe80::1%4294967297", ANY, ERROR_NOT_FOUND, "no interface");
	refuse("fe80::1%99999999999999999999", ANY, ERROR_NOT_FOUND, "no interface");
	refuse("127.0.0.1%lo", ANY, ERROR_INVALID, "-I");
}

static void test_no_names(void)
{
	char longest[300];

	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	refuse("", ANY, ERROR_INVALID, "empty");
	refuse("%lo", ANY, ERROR_INVALID, "empty");
	refuse(longest, ANY, ERROR_INVALID, "at most 253");
	refuse("a b", ANY, ERROR_INVALID, "blanks");
	refuse("127.0.0.1\n", ANY, ERROR_INVALID, "control characters");
	refuse("\x1b[2J", ANY, ERROR_INVALID, "control characters");
}

const struct unit_suite suite_resolver = {
	"resolver",
	(const struct unit_test[]){{"numeric addresses", test_numeric},
				   {"traditional forms", test_traditions},
				   {"this host", test_this_host},
				   {"mapped IPv4", test_mapped},
				   {"the other family", test_other_family},
				   {"zones", test_zones},
				   {"what is no name", test_no_names},
				   {NULL, NULL}},
};
