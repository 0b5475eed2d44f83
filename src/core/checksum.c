/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Internet checksum, 64 bits at a time. Two facts from RFC 1071 section 2 make that right:
 * words of any multiple of 16 bits may be added with end-around carry and folded at the end, and
 * adding words in the machine's own byte order gives the machine's form of the right sum. So the
 * loop loads words as they lie, and the folded result is read back as two bytes in network order,
 * which is right on every machine without asking which it is.
 */
#include "core/checksum.h"

#include "base/bytes.h"

#include <string.h>

static inline uint64_t load_native64(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Sum with end-around carry. */
static inline uint64_t add_carry(uint64_t sum, uint64_t word)
{
	sum += word;
	return sum + (sum < word);
}

uint16_t checksum_sum(const uint8_t *data, size_t length)
{
	uint64_t a = 0; /* four sums, so that one carry does not wait for another */
	uint64_t b = 0;
	uint64_t c = 0;
	uint64_t d = 0;
	uint64_t sum;
	uint16_t folded;
	uint8_t raw[8];

	for (; length >= 32; data += 32, length -= 32) {
		a = add_carry(a, load_native64(data));
		b = add_carry(b, load_native64(data + 8));
		c = add_carry(c, load_native64(data + 16));
		d = add_carry(d, load_native64(data + 24));
	}
	sum = add_carry(add_carry(a, b), add_carry(c, d));
	for (; length >= 8; data += 8, length -= 8)
		sum = add_carry(sum, load_native64(data));
	if (length > 0) {
		memset(raw, 0, sizeof(raw));
		memcpy(raw, data, length);
		sum = add_carry(sum, load_native64(raw));
	}
	folded = checksum_fold(sum);
	memcpy(raw, &folded, sizeof(folded));
	return bytes_get16(raw);
}

uint16_t checksum_combine(uint16_t sum, uint16_t sum_of_next_part, bool offset_is_odd)
{
	uint32_t next = sum_of_next_part;

	if (offset_is_odd)
		next = (next >> 8 | next << 8) & 0xffff;
	return checksum_fold((uint64_t)sum + next);
}

uint16_t checksum_update16(uint16_t checksum, uint16_t before, uint16_t after)
{
	uint32_t sum = (uint32_t)(uint16_t)~checksum + (uint16_t)~before + after;

	return (uint16_t)~checksum_fold(sum);
}

uint16_t checksum_update64(uint16_t checksum, uint64_t before, uint64_t after)
{
	uint64_t sum = (uint64_t)(uint16_t)~checksum;

	sum += (uint64_t)checksum_fold(~before) + checksum_fold(after);
	return (uint16_t)~checksum_fold(sum);
}
