/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IPv4 header reading. Every field is at a fixed place in the first 20 bytes, so one length check
 * covers all of them and a second one the options.
 */
#include "core/ip4.h"

#include "base/bytes.h"

#include <string.h>

#define IP4_DONT_FRAGMENT 0x4000u
#define IP4_MORE_FRAGMENTS 0x2000u
#define IP4_OFFSET_MASK 0x1fffu

enum ip_status ip4_view(const uint8_t *bytes, size_t length, struct ip4_view *view)
{
	uint16_t fragment;

	if (length < IP4_HEADER_BYTES)
		return IP_SHORT;
	view->header_bytes = (uint16_t)((bytes[0] & 0x0f) * 4);
	if (bytes[0] >> 4 != 4 || view->header_bytes < IP4_HEADER_BYTES)
		return IP_BAD;
	if (view->header_bytes > length)
		return IP_SHORT;
	fragment = bytes_get16(bytes + 6);
	view->total_length = bytes_get16(bytes + 2);
	view->id = bytes_get16(bytes + 4);
	view->fragment_offset = (uint16_t)((fragment & IP4_OFFSET_MASK) * 8);
	view->more_fragments = (fragment & IP4_MORE_FRAGMENTS) != 0;
	view->dont_fragment = (fragment & IP4_DONT_FRAGMENT) != 0;
	view->ttl = bytes[8];
	view->protocol = bytes[9];
	memcpy(view->source, bytes + 12, sizeof(view->source));
	memcpy(view->destination, bytes + 16, sizeof(view->destination));
	return IP_OK;
}
