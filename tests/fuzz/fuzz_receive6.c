/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICMPv6 messages, with an IPv6 header in front or without one as raw sockets deliver them, through
 * the parser, the payload's judgement and the account. See receive.h.
 */
#include "fuzz/receive.h"

/* The echo header of a quote that has one destination-options or fragment header, or none. */
static size_t locate_quoted_echo(const uint8_t *packet, size_t quote, size_t end)
{
	size_t echo = quote + 40;

	if (end < echo + 8)
		return 0;
	if (packet[quote + 6] == 60)
		echo += ((size_t)packet[echo + 1] + 1) * 8;
	else if (packet[quote + 6] == 44)
		echo += 8;
	return end < echo + 8 ? 0 : echo;
}

static struct receive_place locate6(const uint8_t *packet, size_t length, bool has_ip_header)
{
	struct receive_place place = {.end = length};
	size_t echo;

	if (has_ip_header) {
		size_t total;

		if (length < 40)
			return place;
		place.message = 40;
		total = 40 + (size_t)bytes_get16(packet + 4);
		place.end = total < length ? total : length;
	}
	if (place.end < place.message + 8)
		return place;
	place.echo = place.message;
	place.found = true;
	if (packet[place.message] >= 128)
		return place;
	echo = locate_quoted_echo(packet, place.message + 8, place.end);
	if (echo != 0)
		place.echo = echo;
	return place;
}

static uint16_t checksum6(const uint8_t *packet, const struct receive_place *place)
{
	size_t length = place->end - place->message;
	uint32_t sum = (uint32_t)length + 58;

	if (place->message == 40)
		sum = receive_plain_sum(packet + 8, 32, sum);
	return (uint16_t)~receive_plain_sum(packet + place->message, length, sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct receive_family family = {
		.format = &wire_format_icmp6,
		.targets = {{.family = 6, .bytes = {0xfd, 7, [15] = 1}},
			    {.family = 6, .bytes = {0xff, 2, [15] = 1}, .scope_id = 2}},
		.stranger = {.family = 6, .bytes = {0x20, 1, 0x0d, 0xb8, [15] = 6}},
		.locate = locate6,
		.checksum = checksum6,
	};

	receive_run(&family, data, size);
	return 0;
}
