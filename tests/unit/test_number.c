/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The number parsers in tables: what is accepted, to which value, and above all what is not. The
 * arguments of the cases B28, B29, B30, B32, B36 and B39 stand here as they were reported.
 */
#include "unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define HOUR_NS (3600 * NANOSECONDS_PER_SECOND)
#define DAY_NS (24 * HOUR_NS)

static struct error failure;

/* A refusal says which option, shows the argument, and names what would do. */
static void check_refusal(int status, const char *what, const char *text, const char *remedy)
{
	UNIT_SIGNED(text, status, -ERROR_INVALID);
	UNIT_SIGNED(text, failure.code, ERROR_INVALID);
	UNIT_CHECK(strncmp(failure.text, what, strlen(what)) == 0, "'%s': no option in \"%s\"",
		   text, failure.text);
	UNIT_CHECK(strstr(failure.text, ": give ") != NULL && strstr(failure.text, remedy) != NULL,
		   "'%s': no remedy (%s) in \"%s\"", text, remedy, failure.text);
}

static void test_unsigned(void)
{
	static const struct {
		const char *text;
		uint64_t min, max, value;
	} rows[] = {
		{"0", 0, 10, 0},
		{"10", 0, 10, 10},
		{"1", 1, 1, 1},
		{"007", 0, 10, 7},
		{"65507", 0, 65507, 65507},
		{"4294967299", 1, UINT64_MAX, 4294967299},
		{"18446744073709551615", 0, UINT64_MAX, UINT64_MAX},
		{"00000000000000000000000000000000000000001", 0, 10, 1},
	};
	static const struct {
		const char *text;
		uint64_t min, max;
		const char *limit;
	} refused[] = {
		/* B28 */
		{"-1", 1, 1000, "1 to 1000"},
		{"", 1, 1000, "1 to 1000"},
		{" 1", 1, 1000, "1 to 1000"},
		{"-0", 0, 1000, "0 to 1000"},
		{"nan", 0, 1000, "0 to 1000"},
		{"inf", 0, 1000, "0 to 1000"},
		{"-inf", 0, 1000, "0 to 1000"},
		{"-0.5", 0, 1000, "0 to 1000"},
		{"0x1p-3", 0, 1000, "0 to 1000"},
		/* B29 */
		{"3x", 1, 1000, "1 to 1000"},
		{"1e3", 1, 1000, "1 to 1000"},
		{"0x10", 1, 1000, "1 to 1000"},
		{"+3", 1, 1000, "1 to 1000"},
		{" 3", 1, 1000, "1 to 1000"},
		{"3.0", 1, 1000, "1 to 1000"},
		{"56k", 0, 65507, "0 to 65507"},
		{"8,000", 1, 65536, "1 to 65536"},
		/* B30 */
		{"2147483647", 0, 65507, "0 to 65507"},
		{"4294967352", 0, 65507, "0 to 65507"},
		{"18446744073709551617", 1, UINT64_MAX, "1 to 18446744073709551615"},
		{"18446744073709551616", 1, UINT64_MAX, "1 to 18446744073709551615"},
		{"4294967299", 1, 1000, "1 to 1000"},
		{"65508", 0, 65507, "0 to 65507"},
		{"65537", 1, 65536, "1 to 65536"},
		{"99999999999999999999999999", 0, 9, "0 to 9"},
		/* and more */
		{"0", 1, 9, "1 to 9"},
		{"1 ", 0, 9, "0 to 9"},
		{"1\n", 0, 9, "0 to 9"},
		{".", 0, 9, "0 to 9"},
		{"1.", 0, 9, "0 to 9"},
		{".5", 0, 9, "0 to 9"},
		{"1_0", 0, 99, "0 to 99"},
		{"\xd9\xa1", 0, 9, "0 to 9"},
		{"99999999999999999999999999x", 0, 9, "0 to 9"},
	};
	uint64_t value;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		value = 77;
		UNIT_SIGNED(rows[i].text,
			    number_parse_unsigned("-c", rows[i].text, rows[i].min, rows[i].max,
						  &value, &failure),
			    0);
		UNIT_UNSIGNED(rows[i].text, value, rows[i].value);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++) {
		value = 77;
		check_refusal(number_parse_unsigned("-c", refused[i].text, refused[i].min,
						    refused[i].max, &value, &failure),
			      "-c: ", refused[i].text, refused[i].limit);
		UNIT_UNSIGNED("untouched", value, 77);
	}
}

static void test_unsigned_any(void)
{
	static const struct {
		const char *text;
		uint64_t value;
	} rows[] = {
		{"0", 0},
		{"255", 255},
		{"0x0", 0},
		{"0xff", 255},
		{"0XFf", 255},
		{"0x00000000000ff", 255},
		{"0xffffffff", UINT32_MAX},
		{"4294967295", UINT32_MAX},
	};
	static const char *const refused[] = {
		"",      "0x",          "x1",         "0x1g",
		"0x 1",  "0x1 ",        "010",        "00",
		"-1",    "+1",          "0x-1",       "1.0",
		"0x1.8", "0x100000000", "4294967296", "0x10000000000000000",
		"1e3",   "ff",          "0b1"};
	uint64_t value;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		value = 77;
		UNIT_SIGNED(rows[i].text,
			    number_parse_unsigned_any("-m", rows[i].text, 0, UINT32_MAX, &value,
						      &failure),
			    0);
		UNIT_UNSIGNED(rows[i].text, value, rows[i].value);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
		check_refusal(number_parse_unsigned_any("-m", refused[i], 0, UINT32_MAX, &value,
							&failure),
			      "-m: ", refused[i], "from 0 to 4294967295");
}

static void test_duration(void)
{
	static const struct {
		const char *text;
		int64_t ns;
	} rows[] = {
		{"0", 0},
		{"1", 1000000000},
		{"1s", 1000000000},
		{"0.5", 500000000},
		{".5", 500000000},
		{"0.05", 50000000},
		{"0.0005", 500000},
		{"0.0001", 100000},
		{"0.00999", 9990000},
		{"0.4", 400000000},
		{"0.0004", 400000},
		{"250us", 250000},
		{"10ms", 10000000},
		{"1.5ms", 1500000},
		{"0.001us", 1},
		{"1ns", 1},
		{"0.000000001", 1},
		{"2148", 2148000000000},
		{"0.5000000000000", 500000000},
		{"007s", 7000000000},
		{"00.10ms", 100000},
		{"9223372036.854775807", INT64_MAX},
		{"9223372036854775807ns", INT64_MAX},
	};
	int64_t value;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		value = -77;
		UNIT_SIGNED(
			rows[i].text,
			number_parse_duration("-i", rows[i].text, 0, INT64_MAX, &value, &failure),
			0);
		UNIT_SIGNED(rows[i].text, value, rows[i].ns);
	}
	UNIT_SIGNED("without a place for the error",
		    number_parse_duration("-i", "x", 0, 1, &value, NULL), -ERROR_INVALID);
}

static void test_duration_refused(void)
{
	static const char *const refused[] = {
		/* B28 */
		"-0.5",
		"-1",
		"nan",
		"inf",
		"-inf",
		"1e308",
		"1e-12",
		"",
		" 1",
		"-0",
		"0x1p-3",
		/* B29, B32 */
		"2h",
		"3x",
		"1e3",
		"0x10",
		"+3",
		" 3",
		"56k",
		"8,000",
		"0,5",
		"1s ",
		"1m",
		"1 s",
		"1S",
		"1MS",
		"1msec",
		"1sec",
		"1d",
		"1min",
		/* B30: none of these wraps to a small number */
		"9223372036854775807",
		"1e10",
		"9223372036.854775808",
		"18446744073.709551616",
		"18446744073709551617",
		"10000000000",
		"4294968",
		"9223372036854775808ns",
		/* B39, B36: finer than a nanosecond is refused, not rounded */
		"1e-9",
		"0.0000000001",
		"0.5000000000001",
		"0.0001us",
		"0.5ns",
		"0.00000001ms",
		/* and more */
		".",
		"s",
		"ms",
		"us",
		"ns",
		"1.",
		"1.s",
		".s",
		"1..5",
		"1.2.3",
		"1.5.",
		"+",
		"-",
		"0.5s5",
		"1ss",
		"1nss",
		"1usms",
		"\t1",
		"1\n",
		"infinity",
		"NaN",
		"1_000",
		"\xc2\xa0.5",
		"1\xc2\xb5s",
	};
	int64_t value = -77;

	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
		check_refusal(
			number_parse_duration("-W", refused[i], 100000, HOUR_NS, &value, &failure),
			"-W: ", refused[i], "from 100 us to 3600 s");
	UNIT_SIGNED("untouched", value, -77);
	check_refusal(number_parse_duration("-W", "0", 100000, HOUR_NS, &value, &failure),
		      "-W: ", "0", "from 100 us");
	check_refusal(number_parse_duration("-W", "99999ns", 100000, HOUR_NS, &value, &failure),
		      "-W: ", "99999ns", "from 100 us");
	check_refusal(
		number_parse_duration("-W", "3600.000000001", 100000, HOUR_NS, &value, &failure),
		"-W: ", "3600.000000001", "to 3600 s");
	check_refusal(number_parse_duration("-w", "86401", 1, DAY_NS, &value, &failure),
		      "-w: ", "86401", "from 1 ns to 86400 s");
	UNIT_SIGNED("the limits themselves",
		    number_parse_duration("-W", "100us", 100000, HOUR_NS, &value, &failure), 0);
	UNIT_SIGNED("the limits themselves",
		    number_parse_duration("-W", "3600", 100000, HOUR_NS, &value, &failure), 0);
}

static void test_rate(void)
{
	static const struct {
		const char *text;
		uint64_t packets, seconds, targets;
		int64_t interval_ns;
	} rows[] = {
		{"1", 1, 1, 1, 1000000000},
		{"1000", 1000, 1, 1, 1000000},
		{"1001", 1001, 1, 1, 999001},
		{"2.5", 5, 2, 1, 400000000},
		{"0.1", 1, 10, 1, 10000000000},
		{".5", 1, 2, 1, 2000000000},
		{"1000000000", 1000000000, 1, 1, 1},
		{"700000", 700000, 1, 1, 1429},
		{"3", 3, 1, 1, 333333333},
		{"3", 3, 1, 3, 1000000000},
		{"600000000", 600000000, 1, 1, 2},
		{"600000000", 600000000, 1, 3, 5},
		{"0.000000001", 1, 1000000000, 1, 1000000000000000000},
		{"0.000000001", 1, 1000000000, 10, INT64_MAX},
		{"1", 1, 1, UINT64_MAX, INT64_MAX},
		{"0.33", 33, 100, 1, 3030303030},
		{"10.00", 10, 1, 10, 1000000000},
	};
	static const char *const refused[] = {"0",
					      "0.0",
					      "",
					      "-1",
					      "+1",
					      "1e3",
					      "1000000001",
					      "nan",
					      "1/s",
					      "1 ",
					      "1,5",
					      "1000000000.000000001",
					      "0.0000000001",
					      "1k",
					      "18446744073709551617",
					      "0x10",
					      ".",
					      "1."};
	struct number_rate rate;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		UNIT_SIGNED(rows[i].text,
			    number_parse_rate("--rate", rows[i].text, &rate, &failure), 0);
		UNIT_UNSIGNED(rows[i].text, rate.packets, rows[i].packets);
		UNIT_UNSIGNED(rows[i].text, rate.seconds, rows[i].seconds);
		UNIT_SIGNED(rows[i].text, number_rate_interval_ns(&rate, rows[i].targets),
			    rows[i].interval_ns);
		UNIT_NEAR(rows[i].text, number_rate_per_s(&rate),
			  (double)rows[i].packets / (double)rows[i].seconds, 0.0);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
		check_refusal(number_parse_rate("--rate", refused[i], &rate, &failure),
			      "--rate: ", refused[i], "above 0 and up to 1000000000");
}

static void test_ratio(void)
{
	static const struct {
		const char *text;
		double ratio;
	} rows[] = {{"0", 0.0},
		    {"1", 1.0},
		    {"0.05", 0.05},
		    {".25", 0.25},
		    {"5%", 0.05},
		    {"0.1%", 0.001},
		    {"100%", 1.0},
		    {"0%", 0.0},
		    {"0.000000001", 1e-9},
		    {"1.000000000000", 1.0}};
	static const char *const refused[] = {
		"",    "%",   "-0.1", "1.1",          "101%",        "1e-3", "nan",
		"5 %", "5%%", "0,5",  "0.0000000001", "0.00000001%", "1."};
	double ratio;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		ratio = -1.0;
		UNIT_SIGNED(rows[i].text,
			    number_parse_ratio("loss", rows[i].text, &ratio, &failure), 0);
		UNIT_NEAR(rows[i].text, ratio, rows[i].ratio, 1e-16);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
		check_refusal(number_parse_ratio("loss", refused[i], &ratio, &failure),
			      "loss: ", refused[i], "from 0 to 1");
}

static void test_pattern(void)
{
	static const struct {
		const char *text;
		uint32_t length;
		uint8_t bytes[16];
	} rows[] = {
		{"0", 1, {0}},
		{"f", 1, {0x0f}},
		{"ff", 1, {0xff}},
		{"abc", 2, {0xab, 0x0c}},
		{"DeadBeef", 4, {0xde, 0xad, 0xbe, 0xef}},
		{"00112233445566778899aabbccddeeff",
		 16,
		 {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc,
		  0xdd, 0xee, 0xff}},
		{"00112233445566778899aabbccddeef",
		 16,
		 {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc,
		  0xdd, 0xee, 0x0f}},
	};
	static const char *const refused[] = {
		"",    "g",  "0x", "0xff", "ff ",
		" ff", "f-", "zz", "ff,",  "00112233445566778899aabbccddeeff0"};
	uint8_t bytes[NUMBER_PATTERN_MAX];
	uint32_t length;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		UNIT_SIGNED(rows[i].text,
			    number_parse_hex_pattern("-p", rows[i].text, bytes, &length, &failure),
			    0);
		UNIT_UNSIGNED(rows[i].text, length, rows[i].length);
		UNIT_CHECK(memcmp(bytes, rows[i].bytes, length) == 0, "%s: other bytes",
			   rows[i].text);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
		check_refusal(number_parse_hex_pattern("-p", refused[i], bytes, &length, &failure),
			      "-p: ", refused[i], "1 to 32 hexadecimal digits");
}

/* An argument is shown in the message, so it must not reach the terminal as it is, or fill it. */
static void test_messages(void)
{
	char endless[2001];
	uint64_t value;
	int64_t ns;

	UNIT_SIGNED("escape", number_parse_unsigned("-c", "1\x1b[2J", 1, 9, &value, &failure),
		    -ERROR_INVALID);
	UNIT_TEXT("escape", failure.text,
		  "-c: '1\\x1b[2J' is not a whole number: give a decimal number from 1 to 9");
	UNIT_SIGNED("too large", number_parse_unsigned("-s", "65508", 0, 65507, &value, &failure),
		    -ERROR_INVALID);
	UNIT_TEXT("too large", failure.text,
		  "-s: '65508' is out of range: give a decimal number from 0 to 65507");
	UNIT_SIGNED("comma", number_parse_duration("-i", "0,5", 1000000, HOUR_NS, &ns, &failure),
		    -ERROR_INVALID);
	UNIT_TEXT("comma", failure.text,
		  "-i: '0,5' is not a time: give seconds (0.5) or a number with ns, us, ms or s "
		  "(250us), from 1 ms to 3600 s");
	memset(endless, '7', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	check_refusal(number_parse_unsigned("-c", endless, 1, 9, &value, &failure), "-c: ", "7...7",
		      "from 1 to 9");
	check_refusal(number_parse_duration("-i", endless, 1, 9, &ns, &failure), "-i: ", "7...7",
		      "from 1 ns to 9 ns");
}

const struct unit_suite suite_number = {
	"number",
	(const struct unit_test[]){
		{"B28 B29 B30 whole numbers", test_unsigned},
		{"hexadecimal too", test_unsigned_any},
		{"B36 B39 durations", test_duration},
		{"B28 B29 B30 B32 B39 durations that are refused", test_duration_refused},
		{"rates", test_rate},
		{"ratios", test_ratio},
		{"patterns", test_pattern},
		{"messages", test_messages},
		{NULL, NULL},
	},
};
