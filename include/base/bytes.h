/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores of network-order integers at any alignment. Every byte that comes from or
 * goes to a wire passes through here, so no structure is ever laid over a packet.
 */
#ifndef FPING_BENCH_BASE_BYTES_H
#define FPING_BENCH_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t bytes_get16(const uint8_t *at)
{
	return (uint16_t)((unsigned)at[0] << 8 | at[1]);
}

static inline uint32_t bytes_get32(const uint8_t *at)
{
	return (uint32_t)bytes_get16(at) << 16 | bytes_get16(at + 2);
}

/*
 * The two for 64 bits carry whole payloads, so they are one load or store and one swap; compilers
 * do not reliably make that out of shifts.
 */
static inline uint64_t bytes_swap64(uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return __builtin_bswap64(value);
#else
	return value;
#endif
}

static inline uint64_t bytes_get64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return bytes_swap64(value);
}

static inline void bytes_put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void bytes_put32(uint8_t *at, uint32_t value)
{
	bytes_put16(at, (uint16_t)(value >> 16));
	bytes_put16(at + 2, (uint16_t)value);
}

static inline void bytes_put64(uint8_t *at, uint64_t value)
{
	value = bytes_swap64(value);
	memcpy(at, &value, sizeof(value));
}

#endif
