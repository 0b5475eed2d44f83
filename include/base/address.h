/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An IPv4 or IPv6 address as plain bytes, with the scope that a link-local one needs. Sockets'
 * own structures stay in the os floor; everything above and below compares these.
 */
#ifndef FPING_BENCH_BASE_ADDRESS_H
#define FPING_BENCH_BASE_ADDRESS_H

#include "base/base.h"

#define ADDRESS_TEXT_LENGTH 64 /* longest text: IPv6, '%', a ten-digit scope, final NUL */

struct address {
	uint8_t family;    /* 4, 6, or 0 for none */
	uint8_t bytes[16]; /* network order; IPv4 uses the first four, the rest is zero */
	uint32_t scope_id; /* interface index for link-local IPv6, else 0 */
};

struct address address_from_ip4(const uint8_t bytes[static 4]);
struct address address_from_ip6(const uint8_t bytes[static 16], uint32_t scope_id);

/* Same family, bytes and scope; a scope of 0 on either side matches every scope. */
bool address_equal(const struct address *a, const struct address *b);

/* IPv4 224/4 or IPv6 ff00::/8. */
bool address_is_multicast(const struct address *address);

/* fe80::/10 or ff02::/16: such an address means nothing without a scope. */
bool address_needs_scope(const struct address *address);

/* 127/8, ::1, or either as an IPv4-mapped address. */
bool address_is_loopback(const struct address *address);

/*
 * Writes the numeric text (RFC 5952 for IPv6, "%N" with the scope's number when there is one)
 * into text and returns text. No name service is asked.
 */
const char *address_text(const struct address *address, char text[static ADDRESS_TEXT_LENGTH]);

/* A mixing hash for tables; not keyed, do not use it against hostile keys. */
uint32_t address_hash(const struct address *address);

#endif
