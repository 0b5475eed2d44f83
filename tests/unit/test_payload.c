/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The echo data: what is written, that its sum is right without a second look, that no two words
 * are alike, and the verdict on every kind of damage. Data is judged in a block of exactly its
 * length.
 */
#include "core/payload.h"

#include "base/bytes.h"
#include "core/checksum.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define SPACE 65536u
#define LAST  1000u /* highest sequence sent in these tests */

#define EACH_PATTERN(name)                                                                         \
	for (enum payload_pattern name = PAYLOAD_DISTINCT; name <= PAYLOAD_RANDOM; name++)

/* clang-format off */
static const uint32_t sizes[] = {
	0, 1, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 39, 40, 56, 57, 63, 64, 65, 79, 80, 95, 96,
	143, 144, 145, 1472, 1473, 8972, 65507, 65527,
};
/* clang-format on */

static struct payload_plan make_plan(enum payload_pattern pattern, uint32_t bytes)
{
	struct payload_plan plan = {.bytes = bytes, .pattern = pattern, .fixed_length = 3};

	for (unsigned int i = 0; i < PAYLOAD_KEY_BYTES; i++) {
		plan.key[i] = (uint8_t)(17 * i + 3);
		plan.fixed[i] = (uint8_t)(0xa1 + i);
	}
	payload_plan_init(&plan);
	return plan;
}

static uint8_t *make_data(const struct payload_plan *plan, uint64_t sequence)
{
	uint8_t *data = malloc(plan->bytes + 1);

	if (data == NULL)
		abort();
	(void)payload_write(plan, sequence, data);
	return data;
}

/* Judges a copy of exactly length bytes. */
static struct payload_finding check(const struct payload_plan *plan, const uint8_t *data,
				    uint32_t length, uint32_t full_length, uint64_t fallback)
{
	struct payload_finding finding;
	uint8_t *copy = malloc(length + (length == 0));

	if (copy == NULL)
		abort();
	memcpy(copy, data, length);
	memset(&finding, 0xff, sizeof(finding));
	payload_check(plan, copy, length, full_length, fallback, LAST, &finding);
	free(copy);
	return finding;
}

static void test_write(void)
{
	uint8_t *space = malloc(SPACE + 16);

	if (!UNIT_CHECK(space != NULL, "memory"))
		return;
	EACH_PATTERN(pattern)
	{
		for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
			struct payload_plan plan = make_plan(pattern, sizes[i]);

			for (uint64_t sequence = 0; sequence < 8; sequence++) {
				uint8_t *data = space + sequence; /* every alignment */
				uint16_t sum;

				memset(space, 0xee, SPACE + 16);
				sum = payload_write(&plan, sequence, data);
				UNIT_CHECK(sum == checksum_sum(data, sizes[i]),
					   "pattern %d, %u bytes, sequence %u: sum", (int)pattern,
					   sizes[i], (unsigned int)sequence);
				UNIT_CHECK(data[sizes[i]] == 0xee &&
						   (sequence == 0 || data[-1] == 0xee),
					   "%u bytes: written outside", sizes[i]);
			}
		}
	}
	free(space);
}

static void test_layout(void)
{
	struct payload_plan plan = make_plan(PAYLOAD_DISTINCT, 56);
	struct payload_plan other = plan;
	uint8_t a[56];
	uint8_t b[56];
	uint64_t sequence = 0;

	(void)payload_write(&plan, UINT64_C(0x0102030405060708), a);
	UNIT_UNSIGNED("sequence", bytes_get64(a), UINT64_C(0x0102030405060708));
	UNIT_CHECK(payload_read_tag(&plan, a, 16, &sequence), "tag");
	UNIT_UNSIGNED("sequence", sequence, UINT64_C(0x0102030405060708));
	/* Fixed numbers: a change of the format would make stored inputs worthless. */
	UNIT_UNSIGNED("tag", bytes_get64(a + 8), UINT64_C(0x98320c8ada479823));
	UNIT_UNSIGNED("word 2", bytes_get64(a + 16), UINT64_C(0x9cfb9d73fe23d31e));
	UNIT_UNSIGNED("a pair", bytes_get64(a + 16) + bytes_get64(a + 24), UINT64_MAX);

	other.key[15] ^= 0x80;
	payload_plan_init(&other);
	(void)payload_write(&other, UINT64_C(0x0102030405060708), b);
	for (size_t at = 8; at < 56; at += 8)
		UNIT_CHECK(bytes_get64(a + at) != bytes_get64(b + at),
			   "key does not reach byte %zu", at);
	UNIT_CHECK(!payload_read_tag(&other, a, 16, &sequence), "another run's tag");
}

static int compare_words(const void *a, const void *b)
{
	uint64_t left;
	uint64_t right;

	memcpy(&left, a, sizeof(left));
	memcpy(&right, b, sizeof(right));
	return left < right ? -1 : left > right;
}

static void check_all_differ(uint64_t *words, size_t count, const char *label)
{
	size_t equal = 0;

	qsort(words, count, sizeof(*words), compare_words);
	for (size_t i = 1; i < count; i++)
		equal += words[i] == words[i - 1];
	UNIT_UNSIGNED(label, equal, 0);
}

static void test_words_differ(void)
{
	static uint64_t words[LAST > SPACE / 8 ? LAST : SPACE / 8];
	static const size_t offsets[] = {16, 24, 1472, 1480, 65496};

	for (int i = 0; i < 2; i++) {
		enum payload_pattern pattern = i == 0 ? PAYLOAD_DISTINCT : PAYLOAD_RANDOM;
		struct payload_plan plan = make_plan(pattern, 65507);
		uint8_t *data = malloc(plan.bytes);

		if (!UNIT_CHECK(data != NULL, "memory"))
			return;
		for (uint64_t sequence = 1; sequence <= 20; sequence++) {
			size_t count = 0;

			(void)payload_write(&plan, sequence, data);
			for (size_t at = 16; at + 8 <= plan.bytes; at += 8)
				words[count++] = bytes_get64(data + at);
			check_all_differ(words, count, "in one request");
		}
		for (size_t k = 0; k < ARRAY_LENGTH(offsets); k++) {
			for (uint64_t sequence = 1; sequence <= LAST; sequence++) {
				plan.bytes = (uint32_t)offsets[k] + 8;
				(void)payload_write(&plan, sequence, data);
				words[sequence - 1] = bytes_get64(data + offsets[k]);
			}
			check_all_differ(words, LAST, "at one offset");
			plan.bytes = 65507;
		}
		free(data);
	}
}

static void test_right(void)
{
	EACH_PATTERN(pattern)
	{
		for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
			struct payload_plan plan = make_plan(pattern, sizes[i]);
			uint8_t *data = make_data(&plan, 5);
			struct payload_finding finding = check(&plan, data, sizes[i], sizes[i], 5);

			UNIT_CHECK(finding.verdict == PAYLOAD_RIGHT, "pattern %d, %u bytes: %d",
				   (int)pattern, sizes[i], (int)finding.verdict);
			UNIT_SIGNED("tagged", finding.tagged, sizes[i] >= 16);
			UNIT_UNSIGNED("sequence", finding.sequence, sizes[i] >= 16 ? 5u : 0u);
			UNIT_UNSIGNED("other", finding.other_sequence, 0);
			UNIT_UNSIGNED("difference", finding.difference_at, 0);
			free(data);
		}
	}
}

/* Every byte of a reply is damaged in turn. */
static void test_corrupt(void)
{
	static const uint32_t lengths[] = {16, 17, 23, 24, 40, 56, 64, 65, 79, 80, 81, 150, 1472};

	EACH_PATTERN(pattern)
	{
		for (size_t i = 0; i < ARRAY_LENGTH(lengths); i++) {
			struct payload_plan plan = make_plan(pattern, lengths[i]);
			uint8_t *data = make_data(&plan, 9);

			for (uint32_t at = 0; at < lengths[i]; at++) {
				struct payload_finding finding;

				data[at] ^= (uint8_t)(1u << at % 8);
				finding = check(&plan, data, lengths[i], lengths[i], 9);
				data[at] ^= (uint8_t)(1u << at % 8);
				if (at < 16) {
					UNIT_SIGNED("tag", finding.verdict, PAYLOAD_UNTAGGED);
					UNIT_UNSIGNED("not believed", finding.sequence, 0);
					continue;
				}
				UNIT_CHECK(finding.verdict == PAYLOAD_CORRUPT &&
						   finding.difference_at == at &&
						   finding.sequence == 9,
					   "pattern %d, byte %u of %u: %d at %u", (int)pattern, at,
					   lengths[i], (int)finding.verdict, finding.difference_at);
			}
			free(data);
		}
	}
}

/* Reassembly took a later part, or a part in the middle, from another request. */
static void test_mixed(void)
{
	for (int i = 0; i < 2; i++) {
		struct payload_plan plan =
			make_plan(i == 0 ? PAYLOAD_DISTINCT : PAYLOAD_RANDOM, 203);
		uint8_t *one = make_data(&plan, 10);
		uint8_t *two = make_data(&plan, 999);
		uint8_t *unsent = make_data(&plan, LAST + 1);
		uint8_t mixed[203];

		for (uint32_t from = 16; from < 200; from += 8) {
			for (uint32_t to = from + 8; to <= 200; to += 8) {
				struct payload_finding finding;

				memcpy(mixed, one, sizeof(mixed));
				memcpy(mixed + from, two + from, to - from);
				finding = check(&plan, mixed, 203, 203, 0);
				UNIT_CHECK(finding.verdict == PAYLOAD_MIXED &&
						   finding.sequence == 10 &&
						   finding.other_sequence == 999 &&
						   finding.tagged &&
						   finding.difference_at >= from &&
						   finding.difference_at < from + 8,
					   "%u to %u: %d, %u at %u", from, to, (int)finding.verdict,
					   (unsigned int)finding.other_sequence,
					   finding.difference_at);
			}
			memcpy(mixed + from, unsent + from, 203 - from);
			UNIT_SIGNED("never sent", check(&plan, mixed, 203, 203, 0).verdict,
				    PAYLOAD_CORRUPT);
		}
		/* Too little of the other one to say whose it is. */
		memcpy(mixed, one, sizeof(mixed));
		memcpy(mixed + 200, two + 200, 3);
		UNIT_SIGNED("three bytes", check(&plan, mixed, 203, 203, 0).verdict,
			    PAYLOAD_CORRUPT);
		/* What was cut off does not matter: the word that is there tells. */
		memcpy(mixed + 104, two + 104, 99);
		UNIT_SIGNED("mixed and cut", check(&plan, mixed, 120, 120, 0).verdict,
			    PAYLOAD_MIXED);
		UNIT_SIGNED("mixed and longer", check(&plan, mixed, 203, 300, 0).verdict,
			    PAYLOAD_MIXED);
		free(one);
		free(two);
		free(unsent);
	}
}

/* Whole pairs of another request do not change the checksum: only the judgement notices. */
static void test_mixed_passes_checksum(void)
{
	struct payload_plan plan = make_plan(PAYLOAD_DISTINCT, 2048);
	uint8_t *one = make_data(&plan, 1);
	uint8_t *two = make_data(&plan, 2);
	uint16_t sum = checksum_sum(one, 2048);

	memcpy(one + 1472, two + 1472, 2048 - 1472);
	UNIT_UNSIGNED("sum", checksum_sum(one, 2048), sum);
	UNIT_SIGNED("verdict", check(&plan, one, 2048, 2048, 0).verdict, PAYLOAD_MIXED);
	free(one);
	free(two);
}

static void test_truncated(void)
{
	EACH_PATTERN(pattern)
	{
		struct payload_plan plan = make_plan(pattern, 150);
		uint8_t *data = make_data(&plan, 3);
		struct payload_finding finding;

		for (uint32_t length = 0; length < 150; length++) {
			finding = check(&plan, data, length, length, 0);
			UNIT_CHECK(finding.verdict == PAYLOAD_TRUNCATED, "%u: %d", length,
				   (int)finding.verdict);
			UNIT_SIGNED("tagged", finding.tagged, length >= 16);
			UNIT_UNSIGNED("sequence", finding.sequence, length >= 16 ? 3u : 0u);
			UNIT_UNSIGNED("difference", finding.difference_at, 0);
			/* The same when all was there and our buffer was too small. */
			UNIT_SIGNED("cut by us", check(&plan, data, length, 150, 0).verdict,
				    PAYLOAD_TRUNCATED);
		}
		data[8] ^= 1;
		UNIT_SIGNED("forged and short", check(&plan, data, 100, 100, 0).verdict,
			    PAYLOAD_UNTAGGED);
		data[8] ^= 1;
		data[90] ^= 1;
		finding = check(&plan, data, 100, 100, 0);
		UNIT_SIGNED("damaged and short", finding.verdict, PAYLOAD_CORRUPT);
		UNIT_UNSIGNED("damaged and short", finding.difference_at, 90);
		free(data);
	}
}

static void test_longer(void)
{
	struct payload_plan plan = make_plan(PAYLOAD_DISTINCT, 56);
	uint8_t data[80] = {0};
	struct payload_finding finding;

	(void)payload_write(&plan, 3, data);
	for (uint32_t length = 57; length <= sizeof(data); length++) {
		finding = check(&plan, data, length, length, 0);
		UNIT_SIGNED("longer", finding.verdict, PAYLOAD_CORRUPT);
		UNIT_UNSIGNED("longer", finding.difference_at, 56);
		finding = check(&plan, data, 56, length, 0);
		UNIT_SIGNED("longer, cut by us", finding.verdict, PAYLOAD_CORRUPT);
	}
	/* A full length below the length is a caller's mistake: the bytes that are there count. */
	UNIT_SIGNED("no full length", check(&plan, data, 60, 0, 0).verdict, PAYLOAD_CORRUPT);
	UNIT_SIGNED("no full length", check(&plan, data, 56, 0, 0).verdict, PAYLOAD_RIGHT);
}

/* Below 16 bytes source, identifier and 16-bit sequence have decided, and the data is compared. */
static void test_untagged(void)
{
	EACH_PATTERN(pattern)
	{
		for (uint32_t bytes = 0; bytes < 16; bytes++) {
			struct payload_plan plan = make_plan(pattern, bytes);
			uint8_t *data = make_data(&plan, 70000);
			uint8_t longer[17] = {0};
			uint64_t sequence = 1;
			struct payload_finding finding;

			UNIT_CHECK(!payload_is_tagged(&plan), "%u bytes", bytes);
			UNIT_CHECK(!payload_read_tag(&plan, longer, sizeof(longer), &sequence),
				   "tag");
			UNIT_SIGNED("right", check(&plan, data, bytes, bytes, 70000).verdict,
				    PAYLOAD_RIGHT);
			UNIT_SIGNED("no request", check(&plan, data, bytes, bytes, 0).verdict,
				    PAYLOAD_UNTAGGED);
			for (uint32_t at = 0; at < bytes; at++) {
				data[at] ^= 0x80;
				finding = check(&plan, data, bytes, bytes, 70000);
				UNIT_SIGNED("corrupt", finding.verdict, PAYLOAD_CORRUPT);
				UNIT_UNSIGNED("corrupt", finding.difference_at, at);
				UNIT_CHECK(!finding.tagged && finding.sequence == 0, "not tagged");
				data[at] ^= 0x80;
				UNIT_SIGNED("truncated", check(&plan, data, at, at, 70000).verdict,
					    PAYLOAD_TRUNCATED);
			}
			memcpy(longer, data, bytes);
			UNIT_SIGNED("longer", check(&plan, longer, 17, 17, 70000).verdict,
				    PAYLOAD_CORRUPT);
			free(data);
		}
	}
}

/* ping's -p: the bytes repeated from the first byte of the data on, under sequence and tag. */
static void test_fixed_layout(void)
{
	uint8_t data[100];

	for (uint32_t period = 1; period <= PAYLOAD_FIXED_MAX; period++) {
		for (uint32_t bytes = 0; bytes <= sizeof(data); bytes++) {
			struct payload_plan plan = make_plan(PAYLOAD_FIXED, bytes);
			uint16_t sum;

			plan.fixed_length = period;
			payload_plan_init(&plan);
			sum = payload_write(&plan, 8, data);
			UNIT_CHECK(sum == checksum_sum(data, bytes), "sum of %u", bytes);
			for (uint32_t at = bytes < 16 ? 0 : 16; at < bytes; at++)
				UNIT_CHECK(data[at] == 0xa1 + at % period,
					   "byte %u of %u, period %u", at, bytes, period);
			UNIT_SIGNED("right", check(&plan, data, bytes, bytes, 8).verdict,
				    PAYLOAD_RIGHT);
		}
	}
}

static void test_zeros(void)
{
	static const uint8_t zeros[1000] = {0};
	struct payload_plan plan = {.bytes = 1016, .pattern = PAYLOAD_FIXED, .fixed_length = 1};
	uint8_t *data;

	payload_plan_init(&plan);
	data = make_data(&plan, 1);
	UNIT_CHECK(memcmp(data + 16, zeros, sizeof(zeros)) == 0, "-p 0");
	UNIT_SIGNED("right", check(&plan, data, 1016, 1016, 0).verdict, PAYLOAD_RIGHT);
	data[1015] = 1;
	UNIT_UNSIGNED("last byte", check(&plan, data, 1016, 1016, 0).difference_at, 1015);
	data[16] = 1;
	UNIT_UNSIGNED("first byte", check(&plan, data, 1016, 1016, 0).difference_at, 16);
	free(data);
}

/* Quotes in ICMP errors hold the tag, or not. */
static void test_read_tag(void)
{
	struct payload_plan plan = make_plan(PAYLOAD_DISTINCT, 2048);
	uint8_t *data = make_data(&plan, UINT64_C(5000000000));
	uint64_t sequence = 42;

	for (size_t length = 0; length < 16; length++)
		UNIT_CHECK(!payload_read_tag(&plan, data, length, &sequence), "%zu bytes", length);
	for (unsigned int bit = 0; bit < 128; bit++) {
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		UNIT_CHECK(!payload_read_tag(&plan, data, 16, &sequence), "bit %u", bit);
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	UNIT_UNSIGNED("left alone", sequence, 42);
	UNIT_CHECK(payload_read_tag(&plan, data, 16, &sequence), "16 bytes");
	UNIT_UNSIGNED("sequence", sequence, UINT64_C(5000000000));
	free(data);
}

/* Random data must not shrink: each bit of a byte is set about half of the time, everywhere. */
static void test_random_is_even(void)
{
	struct payload_plan plan = make_plan(PAYLOAD_RANDOM, 65507);
	uint8_t *data = make_data(&plan, 1);
	unsigned int counts[256] = {0};

	for (uint32_t i = 16; i < plan.bytes; i++)
		counts[data[i]]++;
	for (unsigned int value = 0; value < 256; value++)
		UNIT_CHECK(counts[value] > 170 && counts[value] < 350, "byte %u: %u times of 256",
			   value, counts[value]);
	free(data);
}

const struct unit_suite suite_payload = {
	"payload",
	(const struct unit_test[]){
		{"written length and sum", test_write},
		{"layout", test_layout},
		{"no two words alike", test_words_differ},
		{"right data", test_right},
		{"every damaged byte", test_corrupt},
		{"parts of two requests", test_mixed},
		{"parts that a checksum cannot tell", test_mixed_passes_checksum},
		{"truncated", test_truncated},
		{"longer than sent", test_longer},
		{"below 16 bytes", test_untagged},
		{"fixed pattern", test_fixed_layout},
		{"zeros", test_zeros},
		{"tags", test_read_tag},
		{"random data", test_random_is_even},
		{NULL, NULL},
	},
};
