/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IPv6 header reading. All extension headers start alike (next header, length), except that the
 * authentication header counts its length in another unit and the fragment header has none, so one
 * loop with one size function walks them.
 */
#include "core/ip6.h"

#include "base/bytes.h"

#include <string.h>

/* Next header values (IANA protocol numbers). */
enum {
	HOP_BY_HOP = 0,
	ROUTING = 43,
	FRAGMENT = 44,
	AUTHENTICATION = 51,
	DESTINATION_OPTIONS = 60,
	MOBILITY = 135,
	HOST_IDENTITY = 139,
	SHIM6 = 140,
};

#define EXTENSION_BYTES_MIN 8u

/* The size of an extension header whose first two bytes are at, at least 8; 0 for any other. */
static size_t extension_bytes(uint8_t protocol, const uint8_t *at)
{
	switch (protocol) {
	case HOP_BY_HOP:
	case ROUTING:
	case DESTINATION_OPTIONS:
	case MOBILITY:
	case HOST_IDENTITY:
	case SHIM6:
		return ((size_t)at[1] + 1) * 8; /* RFC 8200 section 4: 8-byte units minus 1 */
	case FRAGMENT:
		return EXTENSION_BYTES_MIN; /* RFC 8200 section 4.5: fixed, the byte is reserved */
	case AUTHENTICATION:
		return ((size_t)at[1] + 2) * 4; /* RFC 4302 section 2.2: 4-byte units minus 2 */
	default:
		return 0;
	}
}

static bool is_extension(uint8_t protocol)
{
	static const uint8_t any[2] = {0, 0};

	return extension_bytes(protocol, any) > 0;
}

static void read_fragment(const uint8_t *at, size_t offset, struct ip6_view *view)
{
	uint16_t field = bytes_get16(at + 2);

	view->has_fragment = true;
	view->fragment_offset = field & 0xfff8;
	view->more_fragments = (field & 1) != 0;
	view->fragment_id = bytes_get32(at + 4);
	view->fragment_data = (uint16_t)(offset + EXTENSION_BYTES_MIN);
}

enum ip_status ip6_view(const uint8_t *bytes, size_t length, struct ip6_view *view)
{
	unsigned int walked = 0;
	size_t offset = IP6_HEADER_BYTES;

	memset(view, 0, sizeof(*view));
	if (length < IP6_HEADER_BYTES)
		return IP_SHORT;
	if (bytes[0] >> 4 != 6)
		return IP_BAD;
	view->payload_length = bytes_get16(bytes + 4);
	view->protocol = bytes[6];
	view->hop_limit = bytes[7];
	memcpy(view->source, bytes + 8, sizeof(view->source));
	memcpy(view->destination, bytes + 24, sizeof(view->destination));

	while (is_extension(view->protocol) && view->fragment_offset == 0) {
		const uint8_t *header = bytes + offset;
		size_t size;

		if (walked++ == IP6_EXTENSIONS_MAX)
			return IP_BAD;
		if (length - offset < EXTENSION_BYTES_MIN)
			return IP_SHORT;
		size = extension_bytes(view->protocol, header);
		if (length - offset < size)
			return IP_SHORT;
		if (view->protocol == FRAGMENT)
			read_fragment(header, offset, view);
		view->protocol = header[0];
		offset += size;
	}
	view->upper_offset = (uint32_t)offset;
	return IP_OK;
}
