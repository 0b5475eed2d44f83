/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of packets, see packet.h. Nothing here knows of scripts, devices or time.
 */
#include "packet.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

uint64_t checksum_add(uint64_t sum, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;
	uint32_t word;

	for (; length >= sizeof(word); at += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum += word;
	}
	if (length > 0) {
		word = 0; /* the missing bytes of an odd end count as zero */
		memcpy(&word, at, length);
		sum += word;
	}
	return sum;
}

uint16_t checksum_fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

void checksum_put(uint8_t *at, uint64_t sum)
{
	uint16_t value = (uint16_t)~checksum_fold(sum);

	memcpy(at, &value, sizeof(value));
}

uint64_t checksum_icmp(const struct address *source, const struct address *destination,
		       const uint8_t *icmp, size_t length)
{
	uint8_t tail[8];
	uint64_t sum = 0;

	if (source->family == 6) {
		sum = checksum_add(sum, source->bytes, 16);
		sum = checksum_add(sum, destination->bytes, 16);
		put32(tail, length);
		put32(tail + 4, PROTOCOL_ICMP6);
		sum = checksum_add(sum, tail, sizeof(tail));
	}
	return checksum_add(sum, icmp, length);
}

int packet_skip_extensions(const uint8_t *bytes, size_t length, uint8_t *protocol)
{
	size_t at = 0;

	while (*protocol == PROTOCOL_HOP_OPTIONS || *protocol == PROTOCOL_ROUTING ||
	       *protocol == PROTOCOL_DESTINATION_OPTIONS) {
		size_t size;

		if (at + 8 > length)
			return -1;
		size = ((size_t)bytes[at + 1] + 1) * 8;
		if (at + size > length)
			return -1;
		*protocol = bytes[at];
		at += size;
	}
	return (int)at;
}

static int parse4(const uint8_t *bytes, size_t length, struct packet_view *view)
{
	size_t header, total;

	if (length < 20)
		return -1;
	header = (size_t)(bytes[0] & 15) * 4;
	total = get16(bytes + 2);
	if (header < 20 || total < header || total > length)
		return -1;
	view->tos = bytes[1];
	view->fragment_id = get16(bytes + 4);
	view->dont_fragment = bytes[6] & 0x40;
	view->more = bytes[6] & 0x20;
	view->offset = (size_t)(get16(bytes + 6) & 0x1fff) * 8;
	view->fragmented = view->more || view->offset > 0;
	view->protocol = bytes[9];
	view->source.family = view->destination.family = 4;
	memcpy(view->source.bytes, bytes + 12, 4);
	memcpy(view->destination.bytes, bytes + 16, 4);
	view->payload = bytes + header;
	view->payload_length = total - header;
	return 0;
}

static int parse6(const uint8_t *bytes, size_t length, struct packet_view *view)
{
	size_t at = 40, total;
	int walked;

	if (length < 40)
		return -1;
	total = 40 + (size_t)get16(bytes + 4);
	if (total > length)
		return -1;
	view->tos = (uint8_t)(get16(bytes) >> 4);
	view->dont_fragment = true;
	view->protocol = bytes[6];
	view->source.family = view->destination.family = 6;
	memcpy(view->source.bytes, bytes + 8, 16);
	memcpy(view->destination.bytes, bytes + 24, 16);
	walked = packet_skip_extensions(bytes + at, total - at, &view->protocol);
	if (walked < 0)
		return -1;
	at += (size_t)walked;
	if (view->protocol == PROTOCOL_FRAGMENT) {
		if (at + 8 > total)
			return -1;
		view->protocol = bytes[at];
		view->offset = get16(bytes + at + 2) & 0xfff8;
		view->more = bytes[at + 3] & 1;
		view->fragmented = view->more || view->offset > 0;
		view->fragment_id = get32(bytes + at + 4);
		at += 8;
		if (!view->fragmented) {
			walked = packet_skip_extensions(bytes + at, total - at, &view->protocol);
			if (walked < 0)
				return -1;
			at += (size_t)walked;
		}
	}
	view->payload = bytes + at;
	view->payload_length = total - at;
	return 0;
}

int packet_parse(const uint8_t *bytes, size_t length, struct packet_view *view)
{
	memset(view, 0, sizeof(*view));
	if (length == 0)
		return -1;
	view->family = bytes[0] >> 4;
	if (view->family == 4)
		return parse4(bytes, length, view);
	if (view->family == 6)
		return parse6(bytes, length, view);
	return -1;
}

size_t address_length(const struct address *address)
{
	return address->family == 6 ? 16 : 4;
}

bool address_equal(const struct address *left, const struct address *right)
{
	return left->family == right->family && memcmp(left->bytes, right->bytes, 16) == 0;
}

bool address_within(const struct address *address, const struct address *net, unsigned int prefix)
{
	size_t whole = prefix / 8;
	unsigned int rest = prefix % 8;

	if (address->family != net->family || memcmp(address->bytes, net->bytes, whole) != 0)
		return false;
	return rest == 0 || (address->bytes[whole] ^ net->bytes[whole]) >> (8 - rest) == 0;
}

bool address_is_group(const struct address *address)
{
	if (address->family == 6)
		return address->bytes[0] == 0xff;
	return (address->bytes[0] & 0xf0) == 0xe0 || get32(address->bytes) == 0xffffffff;
}

const char *address_text(const struct address *address, char text[static ADDRESS_TEXT])
{
	int family = address->family == 6 ? AF_INET6 : AF_INET;

	if (!inet_ntop(family, address->bytes, text, ADDRESS_TEXT))
		strcpy(text, "-");
	return text;
}

bool address_parse(const char *text, struct address *address)
{
	memset(address, 0, sizeof(*address));
	if (inet_pton(AF_INET, text, address->bytes) == 1)
		address->family = 4;
	else if (inet_pton(AF_INET6, text, address->bytes) == 1)
		address->family = 6;
	return address->family != 0;
}

bool address_parse_prefix(const char *text, struct address *address, unsigned int *prefix)
{
	const char *slash = strchr(text, '/');
	char part[ADDRESS_TEXT];
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	char *end;
	unsigned long value;

	if (length >= sizeof(part))
		return false;
	memcpy(part, text, length);
	part[length] = '\0';
	if (!address_parse(part, address))
		return false;
	*prefix = (unsigned int)address_length(address) * 8;
	if (!slash)
		return true;
	if (slash[1] < '0' || slash[1] > '9')
		return false;
	value = strtoul(slash + 1, &end, 10);
	if (*end != '\0' || value > *prefix)
		return false;
	*prefix = (unsigned int)value;
	return true;
}
