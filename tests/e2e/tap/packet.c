/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which packets count, and which reply belongs to which request: by the ICMP identifier and
 * sequence and the first bytes of the data, whatever these mean to the program under test.
 * Fragments other than the first tell nothing, and a first one is taken for its packet.
 */
#include "tap.h"

#include <string.h>

#define KEY_DATA_BYTES 16u

static uint16_t number_at(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

/* FNV-1a: runs are of some hundred thousand packets, so that 64 bits do not meet by chance. */
static uint64_t hash_bytes(const uint8_t *bytes, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash;
}

static enum packet_kind look_at_echo(const uint8_t *message, size_t length, uint8_t request,
				     uint8_t reply, uint64_t *key)
{
	size_t data;

	if (length < 8 || message[1] != 0 || (message[0] != request && message[0] != reply))
		return PACKET_OTHER;
	data = length - 8 < KEY_DATA_BYTES ? length - 8 : KEY_DATA_BYTES;
	*key = hash_bytes(message + 4, 4 + data);
	return message[0] == request ? PACKET_REQUEST : PACKET_REPLY;
}

static enum packet_kind look_at_udp(const struct filter *filter, const uint8_t *message,
				    size_t length, uint64_t *key)
{
	if (length < 8 || number_at(message + 2) != filter->udp_port ||
	    (filter->udp_bytes != 0 && number_at(message + 4) != 8 + filter->udp_bytes))
		return PACKET_OTHER;
	*key = hash_bytes(message + 8, length - 8);
	return PACKET_REQUEST;
}

enum packet_kind packet_look(const struct filter *filter, const uint8_t *bytes, size_t length,
			     size_t full_length, uint64_t *key)
{
	bool is_ip6 = length >= 1 && bytes[0] >> 4 == 6;
	size_t header = is_ip6 ? 40 : 20;
	uint8_t protocol;

	if (length < header || full_length < header || (!is_ip6 && bytes[0] >> 4 != 4))
		return PACKET_OTHER;
	if (is_ip6) {
		protocol = bytes[6];
		if (protocol == 44 && length >= header + 8) { /* a fragment header */
			if ((number_at(bytes + header + 2) & 0xfff8u) != 0)
				return PACKET_OTHER;
			protocol = bytes[header];
			header += 8;
		}
	} else {
		protocol = bytes[9];
		header = (size_t)(bytes[0] & 15) * 4;
		if (header < 20 || length < header || (number_at(bytes + 6) & 0x1fffu) != 0)
			return PACKET_OTHER;
	}
	bytes += header;
	length -= header;
	if (filter->udp_port != 0)
		return protocol == 17 ? look_at_udp(filter, bytes, length, key) : PACKET_OTHER;
	if (protocol == 1 && !is_ip6)
		return look_at_echo(bytes, length, 8, 0, key);
	if (protocol == 58 && is_ip6)
		return look_at_echo(bytes, length, 128, 129, key);
	return PACKET_OTHER;
}
