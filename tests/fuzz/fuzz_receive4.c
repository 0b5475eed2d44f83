/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IPv4 packets as a raw socket or a ping socket delivers them, through the ICMP parser, the
 * payload's judgement and the account. See receive.h.
 */
#include "fuzz/receive.h"

static struct receive_place locate4(const uint8_t *packet, size_t length, bool has_ip_header)
{
	struct receive_place place = {.end = length};
	size_t quote;

	if (has_ip_header) {
		size_t total;

		if (length < 20)
			return place;
		place.message = (size_t)(packet[0] & 15) * 4;
		total = bytes_get16(packet + 2);
		place.end = total < length ? total : length;
	}
	if (place.end < place.message + 8)
		return place;
	place.echo = place.message;
	place.found = true;
	if (packet[place.message] == 0 || packet[place.message] == 8)
		return place;
	quote = place.message + 8;
	if (place.end < quote + 20)
		return place;
	quote += (size_t)(packet[quote] & 15) * 4;
	if (place.end >= quote + 8)
		place.echo = quote;
	return place;
}

static uint16_t checksum4(const uint8_t *packet, const struct receive_place *place)
{
	return (uint16_t)~receive_plain_sum(packet + place->message, place->end - place->message,
					    0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct receive_family family = {
		.format = &wire_format_icmp4,
		.targets = {{.family = 4, .bytes = {10, 9, 0, 2}},
			    {.family = 4, .bytes = {224, 0, 0, 1}}},
		.stranger = {.family = 4, .bytes = {192, 0, 2, 66}},
		.locate = locate4,
		.checksum = checksum4,
	};

	receive_run(&family, data, size);
	return 0;
}
