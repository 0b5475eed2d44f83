/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formatting in tables: what people and scripts read, to the letter.
 */
#include "unit/unit.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/random.h"

static char text[FORMAT_LENGTH];

static void test_significant(void)
{
	static const struct {
		double value;
		unsigned int digits;
		const char *text;
	} rows[] = {
		{12.64, 3, "12.6"},
		{18.02, 3, "18"},
		{18.0, 3, "18"},
		{0.0, 3, "0"},
		{-0.0, 3, "0"},
		{0.97, 3, "0.97"},
		{2.049, 3, "2.05"},
		{76710.3, 3, "76710"},
		{76710.3, 7, "76710.3"},
		{999.7, 3, "1000"},
		{99.97, 3, "100"},
		{9.996, 3, "10"},
		{0.03, 2, "0.03"},
		{0.000012345, 2, "0.000012"},
		{100.0, 1, "100"},
		{1.0, 17, "1"},
		{0.1, 17, "0.10000000000000001"},
		{-3.14159, 3, "-3.14"},
		{1e15, 3, "1000000000000000"},
		{9e18, 1, "9000000000000000000"},
		{1e300, 3, "1.00e+300"},
		{1e-300, 3, "1.00e-300"},
		{5.0, 0, "5"},
		{5.0, 99, "5"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_TEXT("significant", format_significant(rows[i].value, rows[i].digits, text),
			  rows[i].text);
	UNIT_TEXT("nan", format_significant((double)NAN, 3, text), "unknown");
	UNIT_TEXT("inf", format_significant((double)INFINITY, 3, text), "unknown");
}

static void test_duration(void)
{
	static const struct {
		double ns;
		const char *text;
	} rows[] = {
		{0.0, "0 ns"},          {1.0, "1 ns"},
		{999.0, "999 ns"},      {999.4, "999 ns"},
		{999.7, "1 us"},        {12600.0, "12.6 us"},
		{12640.0, "12.6 us"},   {13100.0, "13.1 us"},
		{18000.0, "18 us"},     {18020.0, "18 us"},
		{81000.0, "81 us"},     {253000.0, "253 us"},
		{999400.0, "999 us"},   {999600.0, "1 ms"},
		{1500000.0, "1.5 ms"},  {999.6e6, "1 s"},
		{1e9, "1 s"},           {30e9, "30 s"},
		{3600e9, "3600 s"},     {9.3e18, "9300000000 s"},
		{-12600.0, "-12.6 us"}, {0.25, "0.25 ns"},
	};
	static const struct {
		double ns;
		enum format_unit unit;
		unsigned int digits;
		const char *text;
	} in[] = {
		{854.3e6, FORMAT_S, 2, "0.85 s"}, {30.0, FORMAT_US, 2, "0.03 us"},
		{1e9, FORMAT_MS, 3, "1000 ms"},   {8100.0, FORMAT_US, 3, "8.1 us"},
		{5.0, FORMAT_NS, 3, "5 ns"},      {0.0, FORMAT_S, 2, "0 s"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_TEXT("duration", format_duration(rows[i].ns, text), rows[i].text);
	for (size_t i = 0; i < ARRAY_LENGTH(in); i++)
		UNIT_TEXT("duration in a unit",
			  format_duration_in(in[i].ns, in[i].unit, in[i].digits, text), in[i].text);
	UNIT_TEXT("nan", format_duration((double)NAN, text), "unknown");
	UNIT_TEXT("inf", format_duration_in((double)INFINITY, FORMAT_S, 3, text), "unknown");
}

static void test_duration_exact(void)
{
	static const struct {
		int64_t ns;
		const char *text;
	} rows[] = {
		{0, "0 s"},
		{1, "1 ns"},
		{999, "999 ns"},
		{100000, "100 us"},
		{1500000, "1500 us"},
		{2000000, "2 ms"},
		{INT64_C(1500000000), "1500 ms"},
		{INT64_C(3600000000000), "3600 s"},
		{INT64_MAX, "9223372036854775807 ns"},
		{INT64_MIN, "-9223372036854775808 ns"},
		{-1000, "-1 us"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_TEXT("exact duration", format_duration_exact(rows[i].ns, text), rows[i].text);
}

static void test_ping_times(void)
{
	static const struct {
		int64_t ns;
		const char *summary, *reply;
	} rows[] = {
		{0, "0.000", "0.000"},
		{999, "0.000", "0.000"},
		{7000, "0.007", "0.007"},
		{7999, "0.007", "0.007"},
		{45000, "0.045", "0.045"},
		{999999, "0.999", "0.999"},
		{1000000, "1.000", "1.00"},
		{1004999, "1.004", "1.00"},
		{1005000, "1.005", "1.01"},
		{1234000, "1.234", "1.23"},
		{9994999, "9.994", "9.99"},
		{9995000, "9.995", "10.0"},
		{12345000, "12.345", "12.3"},
		{99949999, "99.949", "99.9"},
		{99950000, "99.950", "100"},
		{123456000, "123.456", "123"},
		{123500000, "123.500", "124"},
		{INT64_C(4000123456), "4000.123", "4000"},
		{INT64_MAX, "9223372036854.775", "9223372036855"},
		{-7000, "-0.007", "-0.007"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		UNIT_TEXT("rtt line", format_ping_time(rows[i].ns, text), rows[i].summary);
		UNIT_TEXT("reply line", format_reply_time(rows[i].ns, text), rows[i].reply);
	}
}

static void test_ping_percent(void)
{
	static const struct {
		double percent;
		const char *text;
	} rows[] = {
		{0.0, "0"},
		{-0.0, "0"},
		{100.0, "100"},
		{50.0, "50"},
		{100.0 / 3.0, "33.3333"},
		{200.0 / 3.0, "66.6667"},
		{0.1, "0.1"},
		{25.0, "25"},
		{0.01, "0.01"},
		{0.0001, "0.0001"},
		{0.00001, "1e-05"},
		{100.0 / 7.0, "14.2857"},
		{99.9999, "99.9999"},
		{99.99999999, "100"},
		{1e-07, "1e-07"},
		/* where a float's last digit is another than a double's */
		{2300.0 / 31.0, "74.1936"},
		{3900.0 / 41.0, "95.1219"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_TEXT("ping's percentage", format_ping_percent(rows[i].percent, text),
			  rows[i].text);
	UNIT_TEXT("nan", format_ping_percent((double)NAN, text), "unknown");
}

static void test_rates(void)
{
	static const struct {
		double value;
		const char *rate, *bytes, *bits;
	} rows[] = {
		{0.0, "0/s", "0 B/s", "0 bit/s"},
		{0.5, "0.5/s", "0.5 B/s", "0.5 bit/s"},
		{55.679, "55.68/s", "55.68 B/s", "55.68 bit/s"},
		{264.17, "264.2/s", "264.2 B/s", "264.2 bit/s"},
		{999.96, "1000/s", "1 kB/s", "1 kbit/s"},
		{76710.4, "76710/s", "76.71 kB/s", "76.71 kbit/s"},
		{157.1e6, "157100000/s", "157.1 MB/s", "157.1 Mbit/s"},
		{1e10, "10000000000/s", "10 GB/s", "10 Gbit/s"},
		{2.5e9, "2500000000/s", "2.5 GB/s", "2.5 Gbit/s"},
		{1e15, "1000000000000000/s", "1000 TB/s", "1000 Tbit/s"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		UNIT_TEXT("rate", format_rate(rows[i].value, text), rows[i].rate);
		UNIT_TEXT("bytes", format_bytes_per_s(rows[i].value, text), rows[i].bytes);
		UNIT_TEXT("bits", format_bits_per_s(rows[i].value, text), rows[i].bits);
	}
	UNIT_TEXT("nan", format_rate((double)NAN, text), "unknown");
	UNIT_TEXT("inf", format_bytes_per_s((double)INFINITY, text), "unknown");
}

static void test_ratio(void)
{
	static const struct {
		double ratio;
		const char *text;
	} rows[] = {
		{0.0, "0 %"},          {1.0, "100 %"}, {0.13329, "13.3 %"}, {0.060547, "6.1 %"},
		{0.25, "25 %"},        {0.01, "1 %"},  {0.00997, "1 %"},    {0.0052, "0.52 %"},
		{0.000521, "0.052 %"}, {1.5, "150 %"}, {-0.382, "-38.2 %"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_TEXT("ratio", format_ratio(rows[i].ratio, text), rows[i].text);
	UNIT_TEXT("nan", format_ratio((double)NAN, text), "unknown");
}

/* No value of 64 bits overruns a buffer or loses its terminator (cases B41, B45). */
static void test_any_value(void)
{
	struct random_state state;
	size_t longest = 0;

	random_seed(&state, 9);
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = random_next(&state);
		double value;
		int64_t ns;

		memcpy(&value, &bits, sizeof(value));
		memcpy(&ns, &bits, sizeof(ns));
		(void)format_significant(value, (unsigned int)(bits % 20), text);
		longest = strlen(text) > longest ? strlen(text) : longest;
		(void)format_duration(value, text);
		(void)format_bytes_per_s(value, text);
		(void)format_bits_per_s(-value, text);
		(void)format_rate(value, text);
		(void)format_ratio(value, text);
		(void)format_ping_percent(value, text);
		(void)format_ping_time(ns, text);
		(void)format_reply_time(ns, text);
		(void)format_duration_exact(ns, text);
	}
	UNIT_CHECK(longest < FORMAT_LENGTH - 16, "%zu characters leave no room", longest);
}

/* A locale with a decimal comma changes nothing (case B32); tried where one is installed. */
static void test_locale(void)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de", "fr_FR.UTF-8",
					    "ps_AF.UTF-8"};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		if (setlocale(LC_ALL, names[i]) == NULL)
			continue;
		UNIT_TEXT(names[i], format_significant(0.5, 3, text), "0.5");
		UNIT_TEXT(names[i], format_duration(12600.0, text), "12.6 us");
		UNIT_TEXT(names[i], format_ping_percent(100.0 / 3.0, text), "33.3333");
		UNIT_TEXT(names[i], format_significant(1e300, 3, text), "1.00e+300");
		UNIT_TEXT(names[i], format_bytes_per_s(157.1e6, text), "157.1 MB/s");
	}
	(void)setlocale(LC_ALL, "C");
}

static void test_escape(void)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"", ""},
		{"host-1.example", "host-1.example"},
		{"a b", "a b"},
		{"a\tb", "a\\x09b"},
		{"\x1b[31mred", "\\x1b[31mred"},
		{"a\\x41", "a\\x5cx41"},
		{"\x7f", "\\x7f"},
		{"\r\n", "\\x0d\\x0a"},
		{"h\xc3\xbcr", "h\xc3\xbcr"},
		{"\xe2\x82\xac", "\xe2\x82\xac"},
		{"\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7"},
		/* not UTF-8: stray, cut off, overlong, surrogate, beyond the end, Latin-1 */
		{"\x80", "\\x80"},
		{"\xc3", "\\xc3"},
		{"\xe2\x82", "\\xe2\\x82"},
		{"\xc0\xaf", "\\xc0\\xaf"},
		{"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
		{"\xff\xfe", "\\xff\\xfe"},
		{"\xfcx", "\\xfcx"},
		/* UTF-8, but not to be seen: C1, override, zero width, mark, tag, noncharacter */
		{"\xc2\x9b[J", "\\xc2\\x9b[J"},
		{"a\xe2\x80\xaex", "a\\xe2\\x80\\xaex"},
		{"\xe2\x80\x8b", "\\xe2\\x80\\x8b"},
		{"\xef\xbb\xbf", "\\xef\\xbb\\xbf"},
		{"\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81"},
		{"\xef\xbf\xbf", "\\xef\\xbf\\xbf"},
	};
	char out[64];

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		size_t length = format_escape(rows[i].in, strlen(rows[i].in), out, sizeof(out));

		UNIT_TEXT("escaped", out, rows[i].out);
		UNIT_UNSIGNED(rows[i].out, length, strlen(out));
	}
	UNIT_UNSIGNED("a NUL inside", format_escape("a\0b", 3, out, sizeof(out)), 6);
	UNIT_TEXT("a NUL inside", out, "a\\x00b");
}

static void test_escape_bounded(void)
{
	static const struct {
		size_t size;
		const char *out;
	} rows[] = {
		{1, ""},
		{2, ""},
		{3, ""},
		{4, "..."},
		{5, "a..."},
		{6, "ab..."},
		{7, "ab..."},
		{8, "ab..."},
		{9, "ab..."},
		{10, "ab\\x1b..."},
		{11, "ab\\x1b..."},
		{12, "ab\\x1b\xc3\xbc..."},
		{13, "ab\\x1b\xc3\xbcwxyz"},
		{14, "ab\\x1b\xc3\xbcwxyz"},
	};
	static const char in[] = "ab\x1b\xc3\xbcwxyz";
	char out[16];

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		memset(out, '#', sizeof(out));
		UNIT_UNSIGNED(rows[i].out, format_escape(in, strlen(in), out, rows[i].size),
			      strlen(rows[i].out));
		UNIT_TEXT("bounded", out, rows[i].out);
		UNIT_CHECK(out[rows[i].size] == '#', "size %zu was exceeded", rows[i].size);
	}
	memset(out, '#', sizeof(out));
	UNIT_UNSIGNED("no room at all", format_escape(in, strlen(in), out, 0), 0);
	UNIT_CHECK(out[0] == '#', "size 0 was exceeded");
}

const struct unit_suite suite_format = {
	"format",
	(const struct unit_test[]){
		{"significant digits", test_significant},
		{"durations", test_duration},
		{"exact durations", test_duration_exact},
		{"ping's times", test_ping_times},
		{"ping's percentage", test_ping_percent},
		{"rates", test_rates},
		{"ratios", test_ratio},
		{"B41 B45 any value fits", test_any_value},
		{"B32 locale", test_locale},
		{"escaped text", test_escape},
		{"escaped text is bounded", test_escape_bounded},
		{NULL, NULL},
	},
};
