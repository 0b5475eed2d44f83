/* SPDX-License-Identifier: BSD-2-Clause */
/* SipHash-2-4 against the paper's vector, others made with OpenSSL, and itself. */
#include "core/siphash.h"

#include "unit/unit.h"

#include <string.h>

struct vector {
	const char *label;
	size_t length;
	uint64_t tag;
};

/* Key 00 01 .. 0f, message 00 01 ..; 15 bytes is the example of the paper's appendix A. */
static const struct vector vectors[] = {
	{"empty", 0, UINT64_C(0x726fdb47dd0e0e31)},
	{"one byte", 1, UINT64_C(0x74f839c593dc67fd)},
	{"one word", 8, UINT64_C(0x93f5f5799a932462)},
	{"the paper's example", 15, UINT64_C(0xa129ca6149be45e5)},
};

static void counting_bytes(uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)i;
}

static void test_vectors(void)
{
	uint8_t key[SIPHASH_KEY_BYTES];
	uint8_t message[16];
	uint64_t words[2];

	counting_bytes(key, sizeof(key));
	counting_bytes(message, sizeof(message));
	siphash_key_words(key, words);
	UNIT_UNSIGNED("key", words[0], UINT64_C(0x0706050403020100));
	UNIT_UNSIGNED("key", words[1], UINT64_C(0x0f0e0d0c0b0a0908));
	for (size_t i = 0; i < ARRAY_LENGTH(vectors); i++)
		UNIT_UNSIGNED(vectors[i].label, siphash_bytes(words, message, vectors[i].length),
			      vectors[i].tag);
}

static void test_word(void)
{
	const uint64_t key[2] = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)};
	uint64_t word = 1;

	for (unsigned int round = 0; round < 1000; round++) {
		uint8_t bytes[8];

		for (unsigned int i = 0; i < 8; i++)
			bytes[i] = (uint8_t)(word >> 8 * i);
		UNIT_UNSIGNED("word and bytes", siphash_word(key, word),
			      siphash_bytes(key, bytes, 8));
		word = word * UINT64_C(6364136223846793005) + 1442695040888963407u;
	}
}

static void test_unaligned(void)
{
	const uint64_t key[2] = {1, 2};
	uint8_t space[80];
	uint64_t tag = 0;

	for (size_t shift = 0; shift < 8; shift++) {
		counting_bytes(space + shift, 64);
		if (shift == 0)
			tag = siphash_bytes(key, space, 64);
		UNIT_UNSIGNED("shifted", siphash_bytes(key, space + shift, 64), tag);
	}
}

/* Every bit of key and message changes about half of the tag. */
static void test_avalanche(void)
{
	const uint64_t key[2] = {UINT64_C(0x1122334455667788), UINT64_C(0x99aabbccddeeff00)};
	uint64_t tag = siphash_word(key, 5);

	for (unsigned int bit = 0; bit < 64; bit++) {
		const uint64_t other[2] = {key[0] ^ UINT64_C(1) << bit, key[1]};
		int message_bits =
			__builtin_popcountll(tag ^ siphash_word(key, 5 ^ UINT64_C(1) << bit));
		int key_bits = __builtin_popcountll(tag ^ siphash_word(other, 5));

		UNIT_CHECK(message_bits > 10 && message_bits < 54, "bit %u: %d", bit, message_bits);
		UNIT_CHECK(key_bits > 10 && key_bits < 54, "key bit %u: %d", bit, key_bits);
	}
}

const struct unit_suite suite_siphash = {
	"siphash",
	(const struct unit_test[]){
		{"vectors", test_vectors},
		{"one word is eight bytes", test_word},
		{"alignment does not matter", test_unaligned},
		{"every bit counts", test_avalanche},
		{NULL, NULL},
	},
};
