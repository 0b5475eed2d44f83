/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SipHash-2-4, written from the paper (sections 2.1 to 2.4). It is short and fast for one word,
 * which is all that a tag needs, and it is a real pseudo-random function where a plain hash with a
 * secret start value is none.
 */
#include "core/siphash.h"

struct siphash_state {
	uint64_t v0;
	uint64_t v1;
	uint64_t v2;
	uint64_t v3;
};

static inline uint64_t rotate_left(uint64_t value, unsigned int by)
{
	return value << by | value >> (64 - by);
}

/* Eight bytes, least significant first, as the paper has all its words. */
static inline uint64_t load_little64(const uint8_t *at)
{
	uint64_t word = 0;

	for (unsigned int i = 0; i < 8; i++)
		word |= (uint64_t)at[i] << 8 * i;
	return word;
}

/* SipRound, figure 2.1 of the paper. */
static inline void siphash_round(struct siphash_state *state)
{
	state->v0 += state->v1;
	state->v2 += state->v3;
	state->v1 = rotate_left(state->v1, 13) ^ state->v0;
	state->v3 = rotate_left(state->v3, 16) ^ state->v2;
	state->v0 = rotate_left(state->v0, 32);
	state->v2 += state->v1;
	state->v0 += state->v3;
	state->v1 = rotate_left(state->v1, 17) ^ state->v2;
	state->v3 = rotate_left(state->v3, 21) ^ state->v0;
	state->v2 = rotate_left(state->v2, 32);
}

/* The constants are the paper's, "somepseudorandomlygeneratedbytes" in ASCII. */
static inline struct siphash_state siphash_start(const uint64_t key[static 2])
{
	return (struct siphash_state){
		.v0 = key[0] ^ UINT64_C(0x736f6d6570736575),
		.v1 = key[1] ^ UINT64_C(0x646f72616e646f6d),
		.v2 = key[0] ^ UINT64_C(0x6c7967656e657261),
		.v3 = key[1] ^ UINT64_C(0x7465646279746573),
	};
}

/* Takes one word in: the two compression rounds. */
static inline void siphash_take(struct siphash_state *state, uint64_t word)
{
	state->v3 ^= word;
	siphash_round(state);
	siphash_round(state);
	state->v0 ^= word;
}

/* The four finalisation rounds. */
static inline uint64_t siphash_end(struct siphash_state *state)
{
	state->v2 ^= 0xff;
	siphash_round(state);
	siphash_round(state);
	siphash_round(state);
	siphash_round(state);
	return state->v0 ^ state->v1 ^ state->v2 ^ state->v3;
}

void siphash_key_words(const uint8_t key[static SIPHASH_KEY_BYTES], uint64_t words[static 2])
{
	words[0] = load_little64(key);
	words[1] = load_little64(key + 8);
}

uint64_t siphash_bytes(const uint64_t key[static 2], const uint8_t *data, size_t length)
{
	struct siphash_state state = siphash_start(key);
	uint64_t last = (uint64_t)(length & 0xff) << 56; /* the length ends every message */

	for (; length >= 8; data += 8, length -= 8)
		siphash_take(&state, load_little64(data));
	for (size_t i = 0; i < length; i++)
		last |= (uint64_t)data[i] << 8 * i;
	siphash_take(&state, last);
	return siphash_end(&state);
}

uint64_t siphash_word(const uint64_t key[static 2], uint64_t word)
{
	struct siphash_state state = siphash_start(key);

	siphash_take(&state, word);
	siphash_take(&state, UINT64_C(8) << 56);
	return siphash_end(&state);
}
