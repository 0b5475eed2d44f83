/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Internet checksum (RFC 1071): the ones' complement of the ones'-complement sum of 16-bit
 * big-endian words. The functions speak of two things that are easily mixed up: a sum, folded to
 * 16 bits and not yet complemented, which can be added to others; and a checksum, the complement
 * that stands in a packet.
 *
 * Zero has two forms in ones' complement. The sum is 0x0000 only if every byte is zero, and 0xffff
 * for every other zero; all functions keep to that, so equal data gives equal bits whichever way
 * the sum was found.
 */
#ifndef FPING_BENCH_CORE_CHECKSUM_H
#define FPING_BENCH_CORE_CHECKSUM_H

#include "base/base.h"

/*
 * Sum of length bytes at any alignment, folded to 16 bits; an odd last byte counts as the high half
 * of a word (RFC 1071 section 1). Any length: carries are kept.
 */
uint16_t checksum_sum(const uint8_t *data, size_t length);

/* Folds a number of up to 64 bits to 16 bits, carries added back in (RFC 1071 section 2). */
static inline uint16_t checksum_fold(uint64_t sum)
{
	sum = (sum & UINT64_C(0xffffffff)) + (sum >> 32);
	sum = (sum & UINT64_C(0xffff)) + (sum >> 16 & UINT64_C(0xffff)) + (sum >> 32);
	return (uint16_t)((sum & UINT64_C(0xffff)) + (sum >> 16)); /* of at most 0x1fffe */
}

/*
 * The sum of two pieces of data that follow each other, from the sum of each. offset_is_odd: the
 * second piece starts at an odd byte, so its bytes change places within their words (RFC 1071
 * section 2, byte order independence).
 */
uint16_t checksum_combine(uint16_t sum, uint16_t sum_of_next_part, bool offset_is_odd);

/* From a sum to the checksum that goes into the packet. */
static inline uint16_t checksum_finish(uint16_t sum)
{
	return (uint16_t)~sum;
}

/*
 * The new checksum after one aligned 16-bit word, or one 64-bit word at an even offset, changed
 * from before to after: HC' = ~(~HC + ~m + m'), RFC 1624 section 3, equation 3. checksum is that of
 * the data with before in it. Equal to the checksum of the new data bit for bit, unless all of that
 * is zero: then this gives 0x0000 where the full sum gives 0xffff (an echo request never is).
 */
uint16_t checksum_update16(uint16_t checksum, uint16_t before, uint16_t after);
uint16_t checksum_update64(uint16_t checksum, uint64_t before, uint64_t after);

#endif
