/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses as plain bytes: comparing, classifying and printing them. The C library's inet_ntop
 * writes the text; it asks no name service and reads no file.
 */
#include "base/address.h"

#include "base/bytes.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* ::ffff:0:0/96, RFC 4291 section 2.5.5.2. */
static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct address address_from_ip4(const uint8_t bytes[static 4])
{
	struct address address = {.family = 4};

	memcpy(address.bytes, bytes, 4);
	return address;
}

struct address address_from_ip6(const uint8_t bytes[static 16], uint32_t scope_id)
{
	struct address address = {.family = 6, .scope_id = scope_id};

	memcpy(address.bytes, bytes, 16);
	return address;
}

bool address_equal(const struct address *a, const struct address *b)
{
	if (a->family != b->family || memcmp(a->bytes, b->bytes, sizeof(a->bytes)) != 0)
		return false;
	return a->scope_id == b->scope_id || a->scope_id == 0 || b->scope_id == 0;
}

bool address_is_multicast(const struct address *address)
{
	switch (address->family) {
	case 4:
		return (address->bytes[0] & 0xf0) == 0xe0;
	case 6:
		return address->bytes[0] == 0xff;
	default:
		return false;
	}
}

bool address_needs_scope(const struct address *address)
{
	if (address->family != 6)
		return false;
	if (address->bytes[0] == 0xfe)
		return (address->bytes[1] & 0xc0) == 0x80;
	/* The low half of the second byte is the multicast scope; 2 is the link: ff02, ff12. */
	return address->bytes[0] == 0xff && (address->bytes[1] & 0x0f) == 0x02;
}

bool address_is_loopback(const struct address *address)
{
	static const uint8_t loopback6[16] = {[15] = 1};

	switch (address->family) {
	case 4:
		return address->bytes[0] == 127;
	case 6:
		if (memcmp(address->bytes, mapped_prefix, sizeof(mapped_prefix)) == 0)
			return address->bytes[12] == 127;
		return memcmp(address->bytes, loopback6, sizeof(loopback6)) == 0;
	default:
		return false;
	}
}

const char *address_text(const struct address *address, char text[static ADDRESS_TEXT_LENGTH])
{
	int family = address->family == 4 ? AF_INET : AF_INET6;
	size_t used;

	text[0] = '\0';
	if (address->family != 4 && address->family != 6)
		return text;
	if (inet_ntop(family, address->bytes, text, ADDRESS_TEXT_LENGTH) == NULL)
		return text;
	if (address->family == 6 && address->scope_id != 0) {
		used = strlen(text);
		(void)snprintf(text + used, ADDRESS_TEXT_LENGTH - used, "%%%lu",
			       (unsigned long)address->scope_id);
	}
	return text;
}

/*
 * The scope stays out of it: an address without one equals the same address with any, and what is
 * equal must hash alike.
 */
uint32_t address_hash(const struct address *address)
{
	uint64_t mixed = bytes_get64(address->bytes) ^ address->family;

	/* The multiplier, 2^64 divided by the golden ratio, spreads nearby addresses. */
	mixed *= UINT64_C(0x9e3779b97f4a7c15);
	mixed ^= mixed >> 32;
	mixed += bytes_get64(address->bytes + 8);
	mixed *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(mixed >> 32);
}
