/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any text through every number parser. Whatever is accepted must survive being written out and
 * read again, must be refused with one more character behind it, and must lie in its range; what
 * is refused must say so in a text that a terminal can be given.
 */
#include <string.h>

#include "base/format.h"
#include "base/number.h"
#include "fuzz/require.h"

#define TEXT_LENGTH 512

static struct error error;
static char longer[TEXT_LENGTH + 2];

static bool accepted(int status)
{
	REQUIRE(status == 0 || status == -ERROR_INVALID, "status %d", status);
	if (status == 0)
		return true;
	REQUIRE(error.code == ERROR_INVALID && strstr(error.text, ": give ") != NULL,
		"no remedy: %s", error.text);
	for (const char *c = error.text; *c != '\0'; c++)
		REQUIRE((unsigned char)*c >= 0x20 && *c != 0x7f,
			"control character in the message");
	return false;
}

static void try_whole(const char *text, uint64_t min, uint64_t max)
{
	uint64_t value, again;
	char written[32];

	if (accepted(number_parse_unsigned("-c", text, min, max, &value, &error))) {
		const char *significant = text + strspn(text, "0");

		REQUIRE(value >= min && value <= max, "out of range");
		(void)snprintf(written, sizeof(written), "%llu", (unsigned long long)value);
		REQUIRE(strcmp(value == 0 ? "" : written, significant) == 0, "%s became %s", text,
			written);
		REQUIRE(!accepted(number_parse_unsigned("-c", longer, min, max, &again, &error)),
			"%s", longer);
	}
	if (accepted(number_parse_unsigned_any("-m", text, min, max, &value, &error))) {
		REQUIRE(value >= min && value <= max, "out of range");
		(void)snprintf(written, sizeof(written), "0x%llx", (unsigned long long)value);
		REQUIRE(accepted(number_parse_unsigned_any("-m", written, min, max, &again,
							   &error)) &&
				again == value,
			"%s became %s", text, written);
		(void)snprintf(written, sizeof(written), "%llu", (unsigned long long)value);
		REQUIRE(accepted(number_parse_unsigned_any("-m", written, min, max, &again,
							   &error)) &&
				again == value,
			"%s became %s", text, written);
		REQUIRE(!accepted(
				number_parse_unsigned_any("-m", longer, min, max, &again, &error)),
			"%s", longer);
	}
}

static void try_duration(const char *text, int64_t min_ns, int64_t max_ns)
{
	char written[FORMAT_LENGTH], *space;
	int64_t value, again;

	if (!accepted(number_parse_duration("-i", text, min_ns, max_ns, &value, &error)))
		return;
	REQUIRE(value >= min_ns && value <= max_ns, "out of range");
	(void)snprintf(written, sizeof(written), "%lldns", (long long)value);
	REQUIRE(accepted(number_parse_duration("-i", written, min_ns, max_ns, &again, &error)) &&
			again == value,
		"%s became %s", text, written);
	(void)format_duration_exact(value, written);
	space = strchr(written, ' ');
	REQUIRE(space != NULL, "no unit in %s", written);
	memmove(space, space + 1, strlen(space));
	REQUIRE(accepted(number_parse_duration("-i", written, min_ns, max_ns, &again, &error)) &&
			again == value,
		"%s became %s", text, written);
	(void)snprintf(written, sizeof(written), "%lld.%09lld", (long long)(value / 1000000000),
		       (long long)(value % 1000000000));
	REQUIRE(accepted(number_parse_duration("-i", written, min_ns, max_ns, &again, &error)) &&
			again == value,
		"%s became %s", text, written);
	REQUIRE(!accepted(number_parse_duration("-i", longer, min_ns, max_ns, &again, &error)),
		"%s", longer);
}

static void try_rate(const char *text)
{
	struct number_rate rate, again;
	uint64_t scale, scaled;
	char written[64];

	if (!accepted(number_parse_rate("--rate", text, &rate, &error)))
		return;
	REQUIRE(rate.packets > 0 && rate.seconds > 0 && 1000000000 % rate.seconds == 0 &&
			rate.packets / rate.seconds <= NUMBER_RATE_MAX,
		"%llu/%llu", (unsigned long long)rate.packets, (unsigned long long)rate.seconds);
	scale = 1000000000 / rate.seconds;
	scaled = rate.packets * scale;
	(void)snprintf(written, sizeof(written), "%llu.%09llu",
		       (unsigned long long)(scaled / 1000000000),
		       (unsigned long long)(scaled % 1000000000));
	REQUIRE(accepted(number_parse_rate("--rate", written, &again, &error)) &&
			again.packets == rate.packets && again.seconds == rate.seconds,
		"%s became %s", text, written);
	REQUIRE(number_rate_interval_ns(&rate, 1) >= 1, "no interval");
	REQUIRE(number_rate_interval_ns(&rate, 1000) >= number_rate_interval_ns(&rate, 1),
		"shorter");
	REQUIRE(!accepted(number_parse_rate("--rate", longer, &again, &error)), "%s", longer);
}

static void try_ratio(const char *text)
{
	double ratio, again;
	char written[64];

	if (!accepted(number_parse_ratio("loss", text, &ratio, &error)))
		return;
	REQUIRE(ratio >= 0.0 && ratio <= 1.0, "%s is %g", text, ratio);
	(void)snprintf(written, sizeof(written), "%.9f", ratio);
	REQUIRE(accepted(number_parse_ratio("loss", written, &again, &error)) && !(again < ratio) &&
			!(again > ratio),
		"%s became %s", text, written);
	REQUIRE(!accepted(number_parse_ratio("loss", longer, &again, &error)), "%s", longer);
}

static void try_pattern(const char *text)
{
	uint8_t pattern[NUMBER_PATTERN_MAX], again[NUMBER_PATTERN_MAX];
	uint32_t length, again_length;
	char written[2 * NUMBER_PATTERN_MAX + 1];

	if (!accepted(number_parse_hex_pattern("-p", text, pattern, &length, &error)))
		return;
	REQUIRE(length >= 1 && length <= NUMBER_PATTERN_MAX && length == (strlen(text) + 1) / 2,
		"%s has %u bytes", text, length);
	for (uint32_t i = 0; i < length; i++)
		(void)snprintf(written + (size_t)2 * i, 3, "%02x", pattern[i]);
	REQUIRE(accepted(number_parse_hex_pattern("-p", written, again, &again_length, &error)) &&
			again_length == length && memcmp(pattern, again, length) == 0,
		"%s became %s", text, written);
	REQUIRE(!accepted(number_parse_hex_pattern("-p", longer, again, &again_length, &error)),
		"%s", longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char behind[] = "! x\n.-:";
	char text[TEXT_LENGTH + 1];
	size_t length = size < TEXT_LENGTH ? size : TEXT_LENGTH;

	if (size == 0)
		return 0;
	/* The first byte chooses what is put behind accepted text; no parser takes any of these. */
	length--;
	memcpy(text, data + 1, length);
	text[length] = '\0';
	(void)snprintf(longer, sizeof(longer), "%s%c", text,
		       behind[data[0] % (sizeof(behind) - 1)]);
	try_whole(text, 0, UINT64_MAX);
	try_whole(text, 1, 65507);
	try_duration(text, 0, INT64_MAX);
	try_duration(text, 100000, INT64_C(3600000000000));
	try_rate(text);
	try_ratio(text);
	try_pattern(text);
	return 0;
}
