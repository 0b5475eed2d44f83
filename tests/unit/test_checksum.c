/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Internet checksum against a reference that adds one 16-bit word at a time, over lengths,
 * alignments and the contents where other implementations have been wrong: odd lengths, bytes from
 * 0x80 up, and sums whose last carry matters.
 */
#include "core/checksum.h"

#include "base/bytes.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define SPACE 65536u

/* RFC 1071 section 4.1 in its plainest form, with as many folds as there are carries. */
static uint16_t reference_sum(const uint8_t *data, size_t length)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < length; i++) {
		sum += i % 2 == 0 ? (uint32_t)data[i] << 8 : data[i];
		while (sum >> 16 != 0)
			sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)sum;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void fill_random(uint8_t *data, size_t length, uint64_t *state)
{
	for (size_t i = 0; i < length; i++)
		data[i] = (uint8_t)(next_random(state) >> 24);
}

static void test_known(void)
{
	/* The example of RFC 1071 section 3. */
	static const uint8_t example[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
	/* Carries that a single fold leaves over. */
	static const uint8_t carries[] = {0xff, 0xff, 0xff, 0xff, 0x00, 0x01};
	static const uint8_t high[] = {0x00, 0x00, 0x80};
	static const uint8_t zeros[40] = {0};
	static const uint8_t ones[40] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

	UNIT_UNSIGNED("RFC 1071", checksum_sum(example, sizeof(example)), 0xddf2);
	UNIT_UNSIGNED("RFC 1071", checksum_finish(checksum_sum(example, sizeof(example))), 0x220d);
	UNIT_UNSIGNED("carries", checksum_sum(carries, sizeof(carries)), 0x0001);
	UNIT_UNSIGNED("odd byte over 0x7f", checksum_sum(high, sizeof(high)), 0x8000);
	for (size_t length = 0; length <= sizeof(zeros); length++)
		UNIT_UNSIGNED("zeros", checksum_sum(zeros, length), 0);
	for (size_t length = 2; length <= sizeof(ones); length += 2)
		UNIT_UNSIGNED("ones", checksum_sum(ones, length), 0xffff);
}

static void test_lengths_and_alignments(void)
{
	static const size_t long_lengths[] = {1472, 1473, 1479, 1480, 8972, 65506, 65507};
	uint8_t *space = malloc(SPACE + 16);
	uint64_t state = 88172645463325252u;

	if (!UNIT_CHECK(space != NULL, "memory"))
		return;
	fill_random(space, SPACE + 16, &state);
	for (size_t shift = 0; shift < 8; shift++) {
		for (size_t length = 0; length < 200; length++)
			UNIT_CHECK(checksum_sum(space + shift, length) ==
					   reference_sum(space + shift, length),
				   "length %zu at +%zu", length, shift);
		for (size_t i = 0; i < ARRAY_LENGTH(long_lengths); i++)
			UNIT_CHECK(checksum_sum(space + shift, long_lengths[i]) ==
					   reference_sum(space + shift, long_lengths[i]),
				   "length %zu at +%zu", long_lengths[i], shift);
	}
	memset(space, 0xff, SPACE);
	UNIT_UNSIGNED("64 KiB of ones", checksum_sum(space, SPACE), 0xffff);
	free(space);
}

static void test_combine(void)
{
	uint8_t data[160];
	uint64_t state = 7;

	fill_random(data, sizeof(data), &state);
	for (size_t length = 0; length <= sizeof(data); length++) {
		for (size_t cut = 0; cut <= length; cut++) {
			uint16_t first = checksum_sum(data, cut);
			uint16_t second = checksum_sum(data + cut, length - cut);

			UNIT_CHECK(checksum_combine(first, second, cut % 2 == 1) ==
					   reference_sum(data, length),
				   "%zu cut at %zu", length, cut);
		}
	}
	UNIT_UNSIGNED("two forms of zero", checksum_combine(0xffff, 0xffff, false), 0xffff);
	UNIT_UNSIGNED("two forms of zero", checksum_combine(0, 0, true), 0);
	UNIT_UNSIGNED("two forms of zero", checksum_combine(0, 0xffff, true), 0xffff);
	UNIT_UNSIGNED("carry", checksum_combine(0xffff, 0x0001, false), 0x0001);
}

static void test_fold(void)
{
	UNIT_UNSIGNED("zero", checksum_fold(0), 0);
	UNIT_UNSIGNED("largest", checksum_fold(UINT64_MAX), 0xffff);
	UNIT_UNSIGNED("one carry", checksum_fold(0x10000), 1);
	UNIT_UNSIGNED("two carries", checksum_fold(0x1ffff), 1);
	UNIT_UNSIGNED("carry of a carry", checksum_fold(UINT64_C(0xffffffff00010000)), 1);
	UNIT_UNSIGNED("four words", checksum_fold(UINT64_C(0x0001000200030004)), 10);
}

/* Words that change in data whose checksum the full sum gives, before and after. */
static void check_update(uint8_t *data, size_t length, size_t at, uint64_t after)
{
	uint16_t checksum = checksum_finish(reference_sum(data, length));
	uint64_t before = bytes_get64(data + at);
	uint16_t updated = checksum_update64(checksum, before, after);
	uint16_t step = checksum;

	for (unsigned int i = 0; i < 4; i++) {
		unsigned int shift = 48 - 16 * i;

		step = checksum_update16(step, (uint16_t)(before >> shift),
					 (uint16_t)(after >> shift));
	}
	bytes_put64(data + at, after);
	UNIT_UNSIGNED("64 bits", updated, checksum_finish(reference_sum(data, length)));
	UNIT_UNSIGNED("four times 16 bits", step, updated);
}

static void test_update(void)
{
	static const uint64_t words[] = {0,
					 1,
					 0xffff,
					 0x10000,
					 0xfffe,
					 0x8000,
					 UINT64_MAX,
					 UINT64_MAX - 1,
					 UINT64_C(0xffff000000000000),
					 UINT64_C(0xffff0000ffff0000),
					 UINT64_C(0x00010000fffeffff)};
	uint8_t data[65];
	uint64_t state = 99;

	for (unsigned int round = 0; round < 20000; round++) {
		size_t length = 10 + next_random(&state) % 55;
		size_t at = 2 + 2 * (next_random(&state) % ((length - 10) / 2 + 1));
		bool corner = round % 2 == 0;

		fill_random(data, length, &state);
		if (corner)
			memset(data + 2, round % 4 == 0 ? 0 : 0xff, length - 2);
		data[0] = 8; /* an echo request's type: the data is never all zero */
		for (size_t i = 0; corner && i < ARRAY_LENGTH(words); i++)
			check_update(data, length, at, words[i]);
		check_update(data, length, at, next_random(&state));
	}
}

/* Data whose sum is 0xffff has the checksum 0x0000, and the update lands on it, not on 0xffff. */
static void test_update_zero(void)
{
	uint8_t data[] = {0x08, 0x00, 0x12, 0x34};
	uint16_t checksum = checksum_finish(reference_sum(data, sizeof(data)));

	checksum = checksum_update16(checksum, 0x1234, 0xf7ff);
	bytes_put16(data + 2, 0xf7ff);
	UNIT_UNSIGNED("full", checksum_finish(reference_sum(data, sizeof(data))), 0x0000);
	UNIT_UNSIGNED("updated", checksum, 0x0000);
	checksum = checksum_update16(checksum, 0xf7ff, 0x0000);
	UNIT_UNSIGNED("and back", checksum, 0xf7ff);
	/* RFC 1624 section 3, the example of all ones: the documented exception. */
	UNIT_UNSIGNED("all zero", checksum_update16(0xfffe, 0x0001, 0x0000), 0x0000);
	/* Section 4 of the same: equation 2 fails here, equation 3 does not. */
	UNIT_UNSIGNED("RFC 1624 example", checksum_update16(0xdd2f, 0x5555, 0x3285), 0x0000);
}

const struct unit_suite suite_checksum = {
	"checksum",
	(const struct unit_test[]){
		{"known sums", test_known},
		{"every length, every alignment", test_lengths_and_alignments},
		{"two parts", test_combine},
		{"fold", test_fold},
		{"update equals the full sum", test_update},
		{"update to zero", test_update_zero},
		{NULL, NULL},
	},
};
