/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012): a keyed
 * function of 64 bits. Who does not know the key cannot guess the tag of a sequence, so a reply
 * whose tag is right answers a request of this run.
 */
#ifndef FPING_BENCH_CORE_SIPHASH_H
#define FPING_BENCH_CORE_SIPHASH_H

#include "base/base.h"

#define SIPHASH_KEY_BYTES 16u

/* The two halves of a key as the paper reads them: little-endian. */
void siphash_key_words(const uint8_t key[static SIPHASH_KEY_BYTES], uint64_t words[static 2]);

/* SipHash-2-4 of length bytes. */
uint64_t siphash_bytes(const uint64_t key[static 2], const uint8_t *data, size_t length);

/*
 * SipHash-2-4 of the eight bytes of one word, least significant first: the same number as
 * siphash_bytes over them, without the loop.
 */
uint64_t siphash_word(const uint64_t key[static 2], uint64_t word);

#endif
