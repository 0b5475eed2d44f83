/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Strict reading of values, see text.h. Times are added up in integers: "0.3ms" must be 300000 ns
 * and not what a floating-point product makes of it.
 */
#include "text.h"

#include <stdlib.h>
#include <string.h>

bool text_number(const char *text, int64_t low, int64_t high, int64_t *value)
{
	bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *at = hexadecimal ? text + 2 : text;
	int base = hexadecimal ? 16 : 10;
	int64_t sum = 0;

	if (*at == '\0')
		return false;
	for (; *at; at++) {
		int digit;

		if (*at >= '0' && *at <= '9')
			digit = *at - '0';
		else if (hexadecimal && *at >= 'a' && *at <= 'f')
			digit = *at - 'a' + 10;
		else if (hexadecimal && *at >= 'A' && *at <= 'F')
			digit = *at - 'A' + 10;
		else
			return false;
		if (sum > (INT64_MAX - digit) / base)
			return false;
		sum = sum * base + digit;
	}
	*value = sum;
	return sum >= low && sum <= high;
}

bool text_relative(const char *text, int64_t high, int64_t *value, bool *relative)
{
	*relative = *text == '+' || *text == '-';
	if (!text_number(text + *relative, 0, high, value))
		return false;
	if (*text == '-')
		*value = -*value;
	return true;
}

bool text_time(const char *text, int64_t *ns)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	const char *at = text;
	int64_t whole = 0, part = 0, part_scale = 1;

	if (strcmp(text, "0") == 0) {
		*ns = 0;
		return true;
	}
	if (*at < '0' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		if (whole > 1000000000)
			return false;
		whole = whole * 10 + *at - '0';
	}
	if (*at == '.') {
		for (at++; *at >= '0' && *at <= '9'; at++) {
			if (part_scale >= 1000000000)
				return false;
			part = part * 10 + *at - '0';
			part_scale *= 10;
		}
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(at, units[i].name) != 0)
			continue;
		if (whole > INT64_MAX / 4 / units[i].ns)
			return false;
		*ns = whole * units[i].ns + part * units[i].ns / part_scale;
		return true;
	}
	return false;
}

bool text_time_range(const char *text, int64_t *low_ns, int64_t *high_ns)
{
	const char *dash = strchr(text, '-');
	char part[32];

	if (!dash) {
		bool right = text_time(text, low_ns);

		*high_ns = *low_ns;
		return right;
	}
	if ((size_t)(dash - text) >= sizeof(part))
		return false;
	memcpy(part, text, (size_t)(dash - text));
	part[dash - text] = '\0';
	if (!text_time(part, low_ns))
		return false;
	*high_ns = RANGE_OPEN;
	return dash[1] == '\0' || (text_time(dash + 1, high_ns) && *high_ns >= *low_ns);
}

bool text_probability(const char *text, int64_t *threshold)
{
	char *end;
	double value;

	if (text[strspn(text, "0123456789.%")] != '\0' || *text == '\0' || *text == '%')
		return false; /* strtod would also take nan, inf and hexadecimal */
	value = strtod(text, &end);
	if (end[0] == '%' && end[1] == '\0')
		value /= 100;
	else if (*end != '\0')
		return false;
	*threshold = (int64_t)(value * 4294967296.0 + 0.5);
	return value >= 0 && value <= 1;
}

static bool parse_range(const char *text, int64_t *low, int64_t *high)
{
	static const struct {
		const char *name;
		int64_t low, high;
	} words[] = {{"first", 1, 1},
		     {"rest", 2, RANGE_OPEN},
		     {"last", RANGE_LAST, RANGE_LAST},
		     {"all", 1, RANGE_OPEN}};
	char part[32];
	const char *dash = strchr(text, '-');

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i].name) == 0) {
			*low = words[i].low;
			*high = words[i].high;
			return true;
		}
	}
	if (!dash) {
		bool right = text_number(text, 0, RANGE_OPEN, low);

		*high = *low;
		return right;
	}
	if ((size_t)(dash - text) >= sizeof(part))
		return false;
	memcpy(part, text, (size_t)(dash - text));
	part[dash - text] = '\0';
	if (!text_number(part, 0, RANGE_OPEN, low))
		return false;
	*high = RANGE_OPEN;
	return dash[1] == '\0' || text_number(dash + 1, *low, RANGE_OPEN, high);
}

bool text_ranges(const char *text, struct ranges *ranges)
{
	char part[64];

	ranges->count = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		int at = ranges->count;

		if (length >= sizeof(part) || at >= RANGES_MAX)
			return false;
		memcpy(part, text, length);
		part[length] = '\0';
		if (!parse_range(part, &ranges->range[at].low, &ranges->range[at].high))
			return false;
		ranges->count++;
		if (text[length] == '\0')
			return true;
		text += length + 1;
	}
}

bool ranges_contain(const struct ranges *ranges, int64_t value, int64_t last)
{
	for (int i = 0; i < ranges->count; i++) {
		int64_t low = ranges->range[i].low, high = ranges->range[i].high;

		if (low == RANGE_LAST ? value == last : value >= low && value <= high)
			return true;
	}
	return false;
}

bool text_hex(const char *text, uint8_t **bytes, size_t *length)
{
	size_t digits = strcspn(text, "x"), unit = digits / 2;
	int64_t times = 1, byte;

	if (digits == 0 || digits % 2 != 0)
		return false;
	if (text[digits] == 'x' && !text_number(text + digits + 1, 1, 65535, &times))
		return false;
	if (unit * (size_t)times > 65535)
		return false;
	*length = unit * (size_t)times;
	*bytes = malloc(*length);
	if (!*bytes)
		return false;
	for (size_t i = 0; i < *length; i++) {
		char pair[5] = {'0', 'x', text[i % unit * 2], text[i % unit * 2 + 1], '\0'};

		if (!text_number(pair, 0, 255, &byte)) {
			free(*bytes);
			return false;
		}
		(*bytes)[i] = (uint8_t)byte;
	}
	return true;
}
