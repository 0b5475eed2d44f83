/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The echo data, and its judgement when it comes back.
 *
 * Distinct pattern. A base is made from the sequence by an invertible mixing function under a
 * secret of the run. The words of the data, numbered from its first byte, come in pairs:
 *
 *	word 2p = base + p * PAIR_STEP        word 2p + 1 = ~(word 2p)        (all modulo 2^64)
 *
 * - Two requests have different bases, hence differ in every word at the same offset.
 * - Within a request no two words are equal: p * PAIR_STEP differs for every p below 2^63, as
 *   PAIR_STEP is twice an odd number; and no word 2p equals a word 2q + 1, which would need
 *   2 * base + (p + q) * PAIR_STEP = -1, an even number and an odd one.
 * - Undoing the steps gives the sequence back from one word and its number.
 * - A word and its complement add up to zero in ones' complement, so a request's checksum needs
 *   only the sequence, the tag and what has no partner at the end. For the same reason a fragment
 *   that holds whole pairs can stand in for that of another request without a checksum noticing:
 *   such a datagram is answered, and is recognised here, where it would just be missing otherwise.
 *
 * Random pattern. Word i = mixed(base + i * RANDOM_STEP): invertible as well, but without order
 * that a compressing link could use; costs about four times as much.
 *
 * Everything is written in network order, so results do not depend on the machine.
 */
#include "core/payload.h"

#include "core/checksum.h"
#include "core/siphash.h"

#include "base/bytes.h"

#include <string.h>

#define WORD_BYTES 8u
#define PAIR_BYTES 16u
#define BLOCK_BYTES 64u

/* 2^64 / golden ratio, odd, and twice that: multiples of either are far apart. */
#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)
#define PAIR_STEP UINT64_C(0x3c6ef372fe94f82a)

/* Odd multipliers (those of David Stafford's mixer 13) and their inverses modulo 2^64. */
#define MIX_FIRST UINT64_C(0xbf58476d1ce4e5b9)
#define MIX_SECOND UINT64_C(0x94d049bb133111eb)
#define UNMIX_FIRST UINT64_C(0x319642b2d24d8ec3)
#define UNMIX_SECOND UINT64_C(0x96de1b173f119089)
_Static_assert(MIX_FIRST * UNMIX_SECOND == 1, "multipliers are inverse to each other");
_Static_assert(MIX_SECOND * UNMIX_FIRST == 1, "multipliers are inverse to each other");
_Static_assert(PAIR_STEP % 4 == 2, "the step is twice an odd number");

/*
 * Two multiplications between three folds of the upper half into the lower. A fold undoes itself,
 * and so does the whole under the inverse multipliers in reverse order.
 */
static inline uint64_t mix(uint64_t value, uint64_t first, uint64_t second)
{
	value = (value ^ value >> 32) * first;
	value = (value ^ value >> 32) * second;
	return value ^ value >> 32;
}

static inline uint64_t base_of(const struct payload_plan *plan, uint64_t sequence)
{
	return mix(sequence ^ plan->pattern_key, MIX_FIRST, MIX_SECOND);
}

static inline uint64_t pair_word(uint64_t base, uint64_t pair)
{
	return base + pair * PAIR_STEP;
}

static inline uint64_t random_word(uint64_t base, uint64_t index)
{
	return mix(base + index * RANDOM_STEP, MIX_FIRST, MIX_SECOND);
}

static uint64_t pattern_word(const struct payload_plan *plan, uint64_t base, uint64_t index)
{
	uint64_t word;

	if (plan->pattern == PAYLOAD_RANDOM)
		return random_word(base, index);
	word = pair_word(base, index / 2);
	return index % 2 == 0 ? word : ~word;
}

/* The sequence for which pattern_word would give this word at this index. */
static uint64_t sequence_of_word(const struct payload_plan *plan, uint64_t word, uint64_t index)
{
	uint64_t base;

	if (plan->pattern == PAYLOAD_RANDOM)
		base = mix(word, UNMIX_FIRST, UNMIX_SECOND) - index * RANDOM_STEP;
	else
		base = (index % 2 == 0 ? word : ~word) - index / 2 * PAIR_STEP;
	return mix(base, UNMIX_FIRST, UNMIX_SECOND) ^ plan->pattern_key;
}

/* Where the pattern starts. */
static inline uint32_t pattern_start(const struct payload_plan *plan)
{
	return payload_is_tagged(plan) ? PAYLOAD_TAGGED_BYTES : 0;
}

/* The sum of the fixed pattern over the bytes from start on. Both are even, so byte 0 is high. */
static uint16_t fixed_sum(const struct payload_plan *plan)
{
	uint64_t sum = 0;

	for (uint32_t i = pattern_start(plan); i < plan->bytes; i++) {
		uint64_t byte = plan->fixed[i % plan->fixed_length];

		sum += i % 2 == 0 ? byte << 8 : byte;
	}
	return checksum_fold(sum);
}

void payload_plan_init(struct payload_plan *plan)
{
	static const uint8_t label[7] = {'p', 'a', 't', 't', 'e', 'r', 'n'};

	siphash_key_words(plan->key, plan->key_words);
	/* A message of seven bytes, where tags are of eight: no tag tells anything about this. */
	plan->pattern_key = siphash_bytes(plan->key_words, label, sizeof(label));
	plan->fixed_sum = plan->pattern == PAYLOAD_FIXED ? fixed_sum(plan) : 0;
}

/* The first bytes (1 to 7) of a word, the rest of it zero. */
static inline uint64_t leading_bytes(uint64_t word, uint32_t bytes)
{
	return word & ~(UINT64_MAX >> 8 * bytes);
}

/* Writes the first bytes (0 to 7) of a word and returns their sum, not folded. */
static uint64_t write_tail(uint8_t *data, uint32_t bytes, uint64_t word)
{
	uint8_t whole[WORD_BYTES];

	if (bytes == 0)
		return 0;
	word = leading_bytes(word, bytes);
	bytes_put64(whole, word);
	memcpy(data, whole, bytes);
	return checksum_fold(word);
}

/* Returns the sum of what it wrote, not folded. */
static uint64_t write_distinct(const struct payload_plan *plan, uint64_t base, uint8_t *data)
{
	uint32_t at = pattern_start(plan);
	uint64_t word = pair_word(base, at / PAIR_BYTES);
	uint64_t sum = 0;

	if (plan->bytes - at >= PAIR_BYTES)
		sum = 0xffff; /* what any number of pairs adds up to: zero, in its second form */
	for (; plan->bytes - at >= PAIR_BYTES; at += PAIR_BYTES, word += PAIR_STEP) {
		bytes_put64(data + at, word);
		bytes_put64(data + at + WORD_BYTES, ~word);
	}
	if (plan->bytes - at >= WORD_BYTES) {
		bytes_put64(data + at, word);
		sum += checksum_fold(word);
		at += WORD_BYTES;
		word = ~word;
	}
	return sum + write_tail(data + at, plan->bytes - at, word);
}

static uint64_t write_random(const struct payload_plan *plan, uint64_t base, uint8_t *data)
{
	uint32_t at = pattern_start(plan);
	uint64_t sum = 0; /* of 32-bit halves: 8,191 words stay far below 64 bits */

	for (; plan->bytes - at >= WORD_BYTES; at += WORD_BYTES) {
		uint64_t word = random_word(base, at / WORD_BYTES);

		bytes_put64(data + at, word);
		sum += (word & UINT32_MAX) + (word >> 32);
	}
	return sum + write_tail(data + at, plan->bytes - at, random_word(base, at / WORD_BYTES));
}

/* The pattern once, then copies of all there is until it is long enough. */
static uint64_t write_fixed(const struct payload_plan *plan, uint8_t *data)
{
	uint32_t have = plan->fixed_length < plan->bytes ? plan->fixed_length : plan->bytes;

	memcpy(data, plan->fixed, have);
	while (have < plan->bytes) {
		uint32_t more = have < plan->bytes - have ? have : plan->bytes - have;

		memcpy(data + have, data, more);
		have += more;
	}
	return plan->fixed_sum;
}

uint16_t payload_write(const struct payload_plan *plan, uint64_t sequence, uint8_t *data)
{
	uint64_t sum = 0;

	switch (plan->pattern) {
	case PAYLOAD_DISTINCT:
		sum = write_distinct(plan, base_of(plan, sequence), data);
		break;
	case PAYLOAD_FIXED:
		sum = write_fixed(plan, data);
		break;
	case PAYLOAD_RANDOM:
		sum = write_random(plan, base_of(plan, sequence), data);
		break;
	}
	if (payload_is_tagged(plan)) {
		uint64_t tag = siphash_word(plan->key_words, sequence);

		bytes_put64(data, sequence);
		bytes_put64(data + WORD_BYTES, tag);
		sum += (uint64_t)checksum_fold(sequence) + checksum_fold(tag);
	}
	return checksum_fold(sum);
}

bool payload_read_tag(const struct payload_plan *plan, const uint8_t *data, size_t length,
		      uint64_t *sequence)
{
	uint64_t found;

	if (!payload_is_tagged(plan) || length < PAYLOAD_TAGGED_BYTES)
		return false;
	found = bytes_get64(data);
	/* One comparison of whole words: its time says nothing about how many bytes were right. */
	if (bytes_get64(data + WORD_BYTES) != siphash_word(plan->key_words, found))
		return false;
	*sequence = found;
	return true;
}

/* The last bytes (1 to 7) of the data as the upper part of a word, the rest of it zero. */
static uint64_t load_tail(const uint8_t *data, uint32_t length, uint32_t bytes)
{
	uint64_t word = 0;

	if (length >= WORD_BYTES)
		return bytes_get64(data + length - WORD_BYTES) << 8 * (WORD_BYTES - bytes);
	for (uint32_t i = 0; i < bytes; i++)
		word |= (uint64_t)data[length - bytes + i] << 8 * (WORD_BYTES - 1 - i);
	return word;
}

/* 0 if the two words at data are word and its complement. */
static inline uint64_t pair_difference(const uint8_t *data, uint64_t word)
{
	return (bytes_get64(data) ^ word) | (bytes_get64(data + WORD_BYTES) ^ ~word);
}

/*
 * How far the bytes from at on are surely the distinct pattern: to the end (the return value is
 * length) or to somewhere before the first difference.
 */
static uint32_t skip_distinct(const uint8_t *data, uint32_t at, uint32_t length, uint64_t base)
{
	uint64_t word = pair_word(base, at / PAIR_BYTES);
	uint64_t difference = 0;
	uint32_t start;

	for (; length - at >= BLOCK_BYTES; at += BLOCK_BYTES, word += 4 * PAIR_STEP) {
		difference = pair_difference(data + at, word);
		difference |= pair_difference(data + at + 16, word + PAIR_STEP);
		difference |= pair_difference(data + at + 32, word + 2 * PAIR_STEP);
		difference |= pair_difference(data + at + 48, word + 3 * PAIR_STEP);
		if (difference != 0)
			return at;
	}
	start = at;
	for (; length - at >= PAIR_BYTES; at += PAIR_BYTES, word += PAIR_STEP)
		difference |= pair_difference(data + at, word);
	if (length - at >= WORD_BYTES) {
		difference |= bytes_get64(data + at) ^ word;
		at += WORD_BYTES;
		word = ~word;
	}
	if (at < length) {
		uint64_t tail = load_tail(data, length, length - at);

		difference |= tail ^ leading_bytes(word, length - at);
	}
	return difference == 0 ? length : start;
}

static uint32_t skip_random(const uint8_t *data, uint32_t at, uint32_t length, uint64_t base)
{
	for (; length - at >= WORD_BYTES; at += WORD_BYTES) {
		if (bytes_get64(data + at) != random_word(base, at / WORD_BYTES))
			break;
	}
	return at;
}

/*
 * The first byte from at to length that is not the pattern's; length when there is none. Only
 * damaged data gets here.
 */
static uint32_t first_difference(const struct payload_plan *plan, const uint8_t *data, uint32_t at,
				 uint32_t length, uint64_t base)
{
	while (at < length) {
		uint32_t count = length - at < WORD_BYTES ? length - at : WORD_BYTES;
		uint64_t word = pattern_word(plan, base, at / WORD_BYTES);
		uint8_t expected[WORD_BYTES];

		if (count == WORD_BYTES && bytes_get64(data + at) == word) {
			at += WORD_BYTES;
			continue;
		}
		bytes_put64(expected, word);
		for (uint32_t i = 0; i < count; i++) {
			if (data[at + i] != expected[i])
				return at + i;
		}
		at += count;
	}
	return length;
}

/*
 * The same for the fixed pattern: after its first period is right, the rest is right if every byte
 * equals the one a period before it, which is one memcmp of the data with itself.
 */
static uint32_t fixed_difference(const struct payload_plan *plan, const uint8_t *data, uint32_t at,
				 uint32_t length)
{
	uint32_t period = plan->fixed_length;
	uint32_t shift = at % period;
	uint32_t until_wrap = period - shift;

	if (length - at > period && memcmp(data + at, plan->fixed + shift, until_wrap) == 0 &&
	    memcmp(data + at + until_wrap, plan->fixed, shift) == 0 &&
	    memcmp(data + at, data + at + period, length - at - period) == 0)
		return length;
	while (at < length && data[at] == plan->fixed[at % period])
		at++;
	return at;
}

/* Where the data stops being what was sent; length when it does not. */
static uint32_t find_difference(const struct payload_plan *plan, const uint8_t *data,
				uint32_t length, uint64_t sequence)
{
	uint32_t at = pattern_start(plan);
	uint64_t base;

	if (plan->pattern == PAYLOAD_FIXED)
		return fixed_difference(plan, data, at, length);
	base = base_of(plan, sequence);
	if (plan->pattern == PAYLOAD_DISTINCT)
		at = skip_distinct(data, at, length, base);
	else
		at = skip_random(data, at, length, base);
	return at == length ? at : first_difference(plan, data, at, length, base);
}

/*
 * Whose word stands where the data first differs? Fragments start at multiples of eight bytes of
 * both, so a strange fragment's first word is whole, unless the data ends inside it.
 */
static void judge_difference(const struct payload_plan *plan, const uint8_t *data, uint32_t length,
			     uint64_t sequence, uint64_t last_sequence,
			     struct payload_finding *finding)
{
	uint32_t index = finding->difference_at / WORD_BYTES;
	uint64_t other;

	finding->verdict = PAYLOAD_CORRUPT;
	if (plan->pattern == PAYLOAD_FIXED || length - index * WORD_BYTES < WORD_BYTES)
		return;
	other = sequence_of_word(plan, bytes_get64(data + (size_t)index * WORD_BYTES), index);
	if (other == 0 || other > last_sequence || other == sequence)
		return;
	finding->verdict = PAYLOAD_MIXED;
	finding->other_sequence = other;
}

void payload_check(const struct payload_plan *plan, const uint8_t *data, uint32_t length,
		   uint32_t full_length, uint64_t fallback_sequence, uint64_t last_sequence,
		   struct payload_finding *finding)
{
	uint32_t judged = length < plan->bytes ? length : plan->bytes;
	uint64_t sequence = fallback_sequence;

	*finding = (struct payload_finding){.verdict = PAYLOAD_UNTAGGED};
	if (payload_is_tagged(plan)) {
		if (length < PAYLOAD_TAGGED_BYTES) {
			finding->verdict = PAYLOAD_TRUNCATED;
			return;
		}
		if (!payload_read_tag(plan, data, length, &sequence))
			return;
		finding->tagged = true;
		finding->sequence = sequence;
	} else if (fallback_sequence == 0) {
		return;
	}

	finding->difference_at = find_difference(plan, data, judged, sequence);
	if (finding->difference_at < judged) {
		judge_difference(plan, data, judged, sequence, last_sequence, finding);
	} else if (judged < plan->bytes) {
		finding->verdict = PAYLOAD_TRUNCATED;
		finding->difference_at = 0;
	} else if (full_length > plan->bytes || length > plan->bytes) {
		finding->verdict = PAYLOAD_CORRUPT; /* difference_at is where the excess begins */
	} else {
		finding->verdict = PAYLOAD_RIGHT;
		finding->difference_at = 0;
	}
}
