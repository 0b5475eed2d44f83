/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of /proc/net/snmp and snmp6: real text, text that does not fit together, and every
 * beginning of a text, since a short reading must not be taken for counters of zero.
 */
#include "core/kernel_counters.h"

#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

static const char snmp[] =
	"Ip: Forwarding DefaultTTL ReasmReqds ReasmOKs FragOKs FragCreates\n"
	"Ip: 1 64 20000 10000 9999 18446744073709551615\n"
	"Icmp: InMsgs InErrors\n"
	"Icmp: 7 3\n"
	"IcmpMsg: InType0 OutType8\n"
	"IcmpMsg: 5 6\n"
	"Tcp: RtoAlgorithm MaxConn\n"
	"Tcp: 1 -1\n";

static const char snmp6[] = "Ip6InReceives                   \t12\n"
			    "Ip6FragCreates\t4\n"
			    "Icmp6InErrors                   \t2\n"
			    "Icmp6InType129                  \t9\n"
			    "Udp6InErrors                    \t77\n";

/* Parses a copy of exactly `length` bytes without a NUL behind it. */
static void parse(struct kernel_counters *counters, const char *text, size_t length, bool is_snmp6)
{
	char *copy = malloc(length + (length == 0));

	counters->count = 0;
	if (!UNIT_CHECK(copy != NULL, "memory"))
		return;
	memcpy(copy, text, length);
	if (is_snmp6)
		kernel_counters_parse_snmp6(counters, copy, length);
	else
		kernel_counters_parse_snmp(counters, copy, length);
	free(copy);
}

static void check(const struct kernel_counters *counters, const char *name, bool known,
		  uint64_t expected)
{
	uint64_t value = 0;

	UNIT_SIGNED(name, kernel_counters_find(counters, name, &value), known);
	UNIT_UNSIGNED(name, value, expected);
}

static void test_snmp(void)
{
	static struct kernel_counters counters;

	parse(&counters, snmp, strlen(snmp), false);
	check(&counters, "Ip.ReasmReqds", true, 20000);
	check(&counters, "Ip.FragCreates", true, UINT64_MAX);
	check(&counters, "Icmp.InErrors", true, 3);
	check(&counters, "IcmpMsg.OutType8", true, 6);
	check(&counters, "Tcp.RtoAlgorithm", false, 0);
	check(&counters, "Ip.ReasmReqd", false, 0);
	check(&counters, "Ip.ReasmReqdsX", false, 0);
	check(&counters, "", false, 0);
	UNIT_UNSIGNED("all", counters.count, 10);
}

static void test_snmp6(void)
{
	static struct kernel_counters counters;

	parse(&counters, snmp6, strlen(snmp6), true);
	check(&counters, "Ip6.InReceives", true, 12);
	check(&counters, "Ip6.FragCreates", true, 4);
	check(&counters, "Icmp6.InErrors", true, 2);
	check(&counters, "Icmp6.InType129", true, 9);
	UNIT_UNSIGNED("all", counters.count, 4);
}

static void test_misfits(void)
{
	static const char misfits6[] = "Ip6\t1\nIcmp6 2\nIp6A\nIp6B x\nIp6C 3\n";
	static struct kernel_counters counters;
	static const struct {
		const char *label, *text;
		uint32_t count;
	} cases[] = {
		{"no values", "Ip: A B\n", 0},
		{"values of another", "Ip: A B\nIcmp: 1 2\n", 0},
		{"another between", "Ip: A\nIpExt: B\nIpExt: 2\nIcmp: C\nIcmp: 3\n", 1},
		{"fewer values", "Ip: A B C\nIp: 1 2\n", 2},
		{"more values", "Ip: A\nIp: 1 2 3\n", 1},
		{"not a number", "Ip: A B C D\nIp: 1x -1 0x10 4\n", 1},
		{"too large", "Ip: A B\nIp: 18446744073709551616 99999999999999999999\n", 0},
		{"empty lines", "\n\n\nIp: A\nIp: 1\n\n", 1},
		{"no newline at the end", "Ip: A\nIp: 1", 1},
		{"blanks", "  Ip:\tA  B \r\nIp: 1\t 2 \r\n", 2},
		{"name of 62 with its protocol",
		 "Ip: 01234567890123456789012345678901234567890123456789012345678\nIp: 1\n", 1},
		{"name too long",
		 "Ip: 0123456789012345678901234567890123456789012345678901234567890\nIp: 1\n", 0},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		parse(&counters, cases[i].text, strlen(cases[i].text), false);
		UNIT_UNSIGNED(cases[i].label, counters.count, cases[i].count);
	}
	parse(&counters, misfits6, sizeof(misfits6) - 1, true);
	UNIT_UNSIGNED("snmp6", counters.count, 1);
}

static void test_beginnings(void)
{
	static struct kernel_counters counters;
	uint32_t last = 0;

	for (size_t length = 0; length <= strlen(snmp); length++) {
		parse(&counters, snmp, length, false);
		UNIT_CHECK(counters.count >= last, "length %zu: %u counters after %u", length,
			   counters.count, last);
		last = counters.count;
		parse(&counters, snmp6, min_u64(length, strlen(snmp6)), true);
	}
}

/* More counters than there is room for: the first ones stay. */
static void test_overflow(void)
{
	static struct kernel_counters counters;
	static char text[KERNEL_COUNTERS_MAX * 16];
	size_t used = 0;

	for (unsigned i = 0; i < KERNEL_COUNTERS_MAX + 10; i++) {
		const char line[] = {'I',
				     'p',
				     '6',
				     (char)('a' + i / 100),
				     (char)('0' + i / 10 % 10),
				     (char)('0' + i % 10),
				     ' ',
				     '1',
				     '\n'};

		memcpy(text + used, line, sizeof(line));
		used += sizeof(line);
	}
	parse(&counters, text, used, true);
	UNIT_UNSIGNED("full", counters.count, KERNEL_COUNTERS_MAX);
	check(&counters, "Ip6.a00", true, 1);
}

const struct unit_suite suite_kernel_counters = {
	"kernel_counters",
	(const struct unit_test[]){{"snmp", test_snmp},
				   {"snmp6", test_snmp6},
				   {"text that does not fit together", test_misfits},
				   {"every beginning of a text", test_beginnings},
				   {"more than there is room for", test_overflow},
				   {NULL, NULL}},
};
