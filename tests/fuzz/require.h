/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the fuzz targets share: a demand that stops the run, in any build, and a reader that
 * takes the input apart. A reader at its end gives zeros, so every input is a whole one.
 */
#ifndef FPING_BENCH_TESTS_FUZZ_REQUIRE_H
#define FPING_BENCH_TESTS_FUZZ_REQUIRE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition, ...)                                                                    \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                            \
			fprintf(stderr, __VA_ARGS__);                                              \
			fputc('\n', stderr);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

struct input {
	const uint8_t *at;
	size_t left;
};

/* The next `bytes` (1..8) of the input as a number, most significant first. */
static inline uint64_t input_take(struct input *input, unsigned int bytes)
{
	uint64_t value = 0;

	for (; bytes > 0; bytes--) {
		value <<= 8;
		if (input->left > 0) {
			value |= *input->at++;
			input->left--;
		}
	}
	return value;
}

#endif
