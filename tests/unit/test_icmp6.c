/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ICMPv6 row: what it builds, and the event that each kind of received message becomes.
 * Messages come without an IPv6 header, as raw sockets deliver them, and with one; each is parsed
 * from a block of exactly its length.
 */
#include "core/checksum.h"
#include "core/wire_format.h"

#include "base/bytes.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define IDENTIFIER 0x1234
#define SPACE	   4096u

static const struct wire_expectation raw = {IDENTIFIER, false, false};
static const struct wire_expectation with_header = {IDENTIFIER, true, true};

struct packet {
	uint8_t bytes[SPACE];
	size_t length;
};

static void put_ip(uint8_t *at, uint8_t next, size_t payload)
{
	memset(at, 0, 40);
	at[0] = 0x60;
	bytes_put16(at + 4, (uint16_t)payload);
	at[6] = next;
	at[7] = 62;
	at[8] = 0xfd;
	at[9] = 0x07;
	at[23] = 2;
	at[24] = 0xfd;
	at[25] = 0x07;
	at[39] = 1;
}

static void put_echo(uint8_t *at, uint8_t type, uint16_t identifier, uint16_t sequence)
{
	memset(at, 0, 8);
	at[0] = type;
	bytes_put16(at + 4, identifier);
	bytes_put16(at + 6, sequence);
}

static void make_reply(struct packet *packet, size_t data)
{
	packet->length = 8 + data;
	put_echo(packet->bytes, 129, IDENTIFIER, 77);
	for (size_t i = 0; i < data; i++)
		packet->bytes[8 + i] = (uint8_t)(i * 7);
}

/*
 * An error that quotes our request behind `extensions` destination-option headers of 8 bytes and,
 * if fragment is set, a fragment header with that offset-and-flags field.
 */
static void make_error(struct packet *packet, uint8_t type, uint8_t code, unsigned int extensions,
		       const uint16_t *fragment, size_t quoted)
{
	uint8_t *quote = packet->bytes + 8;
	size_t at = 40;
	uint8_t *next = quote + 6;

	memset(packet->bytes, 0, 8);
	packet->bytes[0] = type;
	packet->bytes[1] = code;
	put_ip(quote, 58, 1452);
	for (unsigned int i = 0; i < extensions; i++) {
		*next = 60;
		next = quote + at;
		memset(next, 0, 8);
		at += 8;
	}
	if (fragment != NULL) {
		*next = 44;
		next = quote + at;
		memset(next, 0, 8);
		bytes_put16(next + 2, *fragment);
		at += 8;
	}
	*next = 58;
	put_echo(quote + at, 128, IDENTIFIER, 4711);
	memset(quote + at + 8, 0xa5, quoted);
	packet->length = 8 + at + 8 + quoted;
}

/* Puts an IPv6 header in front and makes the checksum right. */
static void wrap(struct packet *packet)
{
	uint8_t pseudo[40] = {0};
	uint8_t *icmp = packet->bytes + 40;

	memmove(icmp, packet->bytes, packet->length);
	put_ip(packet->bytes, 58, packet->length);
	memcpy(pseudo, packet->bytes + 8, 32);
	bytes_put32(pseudo + 32, (uint32_t)packet->length);
	pseudo[39] = 58;
	bytes_put16(icmp + 2, 0);
	bytes_put16(icmp + 2,
		    checksum_finish(checksum_combine(checksum_sum(pseudo, sizeof(pseudo)),
						     checksum_sum(icmp, packet->length), false)));
	packet->length += 40;
}

static struct event parse(const uint8_t *bytes, size_t length, size_t full_length,
			  const struct wire_expectation *expected)
{
	struct event event = {.kind = EVENT_BAD_HEADER};
	uint8_t *copy = malloc(length + (length == 0));

	if (!UNIT_CHECK(copy != NULL, "memory"))
		return event;
	memcpy(copy, bytes, length);
	wire_format_icmp6.parse(copy, length, full_length, expected, &event);
	if (event.payload != NULL) {
		UNIT_CHECK(event.payload >= copy &&
				   event.payload + event.payload_length <= copy + length,
			   "payload outside of the packet");
		event.payload = bytes + (event.payload - copy);
	}
	free(copy);
	return event;
}

static struct event parse_whole(const struct packet *packet)
{
	return parse(packet->bytes, packet->length, packet->length, &raw);
}

static void test_build(void)
{
	static const uint8_t header[8] = {128, 0, 0, 0, 0x12, 0x34, 0, 0};
	uint8_t packet[8];

	wire_format_icmp6.build(packet, IDENTIFIER);
	UNIT_CHECK(memcmp(packet, header, sizeof(header)) == 0, "template");
	wire_format_icmp6.finish(packet, 0xfffe, 0x1111);
	UNIT_UNSIGNED("sequence", bytes_get16(packet + 6), 0xfffe);
	UNIT_UNSIGNED("the kernel's to fill", bytes_get16(packet + 2), 0);
	UNIT_SIGNED("v6", wire_format_icmp6.echo_request_type, 128);
	UNIT_SIGNED("v6", wire_format_icmp6.echo_reply_type, 129);
	UNIT_UNSIGNED("v6", wire_format_icmp6.payload_max, 65527);
	UNIT_UNSIGNED("v6", wire_format_icmp6.ip_header_bytes, 40);
}

static void test_reply(void)
{
	struct packet packet;

	for (size_t data = 0; data < 60; data++) {
		struct event event;

		make_reply(&packet, data);
		event = parse_whole(&packet);
		UNIT_SIGNED("kind", event.kind, EVENT_REPLY);
		UNIT_UNSIGNED("identifier", event.identifier, IDENTIFIER);
		UNIT_UNSIGNED("sequence", event.sequence, 77);
		UNIT_SIGNED("ttl", event.ttl, -1);
		UNIT_UNSIGNED("length", event.payload_length, data);
		UNIT_UNSIGNED("claimed", event.claimed_length, data);
		event = parse(packet.bytes, packet.length, packet.length + 100, &raw);
		UNIT_UNSIGNED("cut", event.payload_length, data);
		UNIT_UNSIGNED("cut", event.claimed_length, data + 100);
		/* A full length below the length is a caller's mistake, and harmless. */
		event = parse(packet.bytes, packet.length, 0, &raw);
		UNIT_UNSIGNED("no full length", event.claimed_length, data);
	}
	/* Raw sockets deliver messages of 4 to 7 bytes. */
	for (size_t length = 0; length < 8; length++)
		UNIT_SIGNED("short", parse(packet.bytes, length, length, &raw).kind, EVENT_SHORT);
}

static void test_others(void)
{
	static const struct {
		const char *label;
		size_t at;
		uint8_t value;
		enum event_kind kind;
	} rows[] = {
		{"reply code 1", 1, 1, EVENT_BAD_HEADER},
		{"other identifier", 5, 0x35, EVENT_FOREIGN},
		{"our own request", 0, 128, EVENT_FOREIGN},
		{"listener query", 0, 130, EVENT_FOREIGN},
		{"router advertisement", 0, 134, EVENT_FOREIGN},
		{"neighbour advertisement", 0, 136, EVENT_FOREIGN},
		{"redirect", 0, 137, EVENT_FOREIGN},
		{"IPv4's echo reply", 0, 0, EVENT_FOREIGN},
		{"type 5", 0, 5, EVENT_FOREIGN},
		{"type 255", 0, 255, EVENT_FOREIGN},
	};
	struct packet packet;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		make_reply(&packet, 36);
		packet.bytes[rows[i].at] = rows[i].value;
		UNIT_SIGNED(rows[i].label, parse_whole(&packet).kind, rows[i].kind);
	}
}

/* With an IPv6 header in front: lengths, hop limit, extension headers, checksum. */
static void test_with_ip_header(void)
{
	struct packet packet;
	struct event event;

	for (size_t data = 0; data < 40; data++) {
		make_reply(&packet, data);
		wrap(&packet);
		event = parse(packet.bytes, packet.length, packet.length, &with_header);
		UNIT_SIGNED("kind", event.kind, EVENT_REPLY);
		UNIT_SIGNED("hop limit", event.ttl, 62);
		UNIT_UNSIGNED("length", event.payload_length, data);
		event = parse(packet.bytes, packet.length + 6, packet.length + 6, &with_header);
		UNIT_SIGNED("padding", event.kind, EVENT_REPLY);
		UNIT_UNSIGNED("padding", event.payload_length, data);
		for (size_t length = 0; length < packet.length; length++) {
			enum event_kind expected = length < 48 ? EVENT_SHORT : EVENT_BAD_HEADER;

			event = parse(packet.bytes, length, length, &with_header);
			UNIT_CHECK(event.kind == expected, "%zu of %zu", length, packet.length);
		}
		for (size_t at = 8; at < packet.length; at++) {
			packet.bytes[at] ^= 0x04;
			event = parse(packet.bytes, packet.length, packet.length, &with_header);
			UNIT_CHECK(event.kind == EVENT_BAD_CHECKSUM, "byte %zu", at);
			packet.bytes[at] ^= 0x04;
		}
	}
	event = parse(packet.bytes, 60, packet.length, &with_header);
	UNIT_SIGNED("cut", event.kind, EVENT_REPLY);
	UNIT_UNSIGNED("cut", event.payload_length, 12);
	UNIT_UNSIGNED("cut", event.claimed_length, 39);
}

static void test_with_bad_ip_header(void)
{
	static const struct {
		const char *label;
		size_t at;
		uint8_t value;
		enum event_kind kind;
	} rows[] = {
		{"version 4", 0, 0x40, EVENT_BAD_HEADER},
		{"payload length too large", 4, 1, EVENT_BAD_HEADER},
		{"payload length 7", 5, 7, EVENT_SHORT},
		{"payload length 0", 5, 0, EVENT_SHORT},
		{"UDP", 6, 17, EVENT_FOREIGN},
		{"no next header", 6, 59, EVENT_FOREIGN},
		{"extension beyond the end", 6, 60, EVENT_SHORT},
	};
	struct packet packet;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		make_reply(&packet, 36);
		wrap(&packet);
		packet.bytes[41] = 255; /* read as a length by the last row only */
		packet.bytes[rows[i].at] = rows[i].value;
		if (rows[i].kind != EVENT_SHORT || rows[i].at == 5)
			packet.bytes[41] = 0;
		UNIT_SIGNED(rows[i].label,
			    parse(packet.bytes, packet.length, packet.length, &with_header).kind,
			    rows[i].kind);
	}
	/* An extension header that was received, but lies behind the packet's own end. */
	make_reply(&packet, 36);
	wrap(&packet);
	packet.bytes[5] = 7;
	packet.bytes[6] = 60;
	packet.bytes[40] = 58;
	packet.bytes[41] = 0;
	UNIT_SIGNED("extension behind the end",
		    parse(packet.bytes, packet.length, packet.length, &with_header).kind,
		    EVENT_BAD_HEADER);
}

static void test_errors(void)
{
	static const uint16_t first = 0x0001;
	struct packet packet;

	for (uint8_t type = 1; type <= 4; type++) {
		for (unsigned int extensions = 0; extensions <= 9; extensions++) {
			const uint16_t *fragment = extensions % 2 == 1 ? &first : NULL;
			unsigned int headers = extensions + (fragment != NULL);
			struct event event;

			make_error(&packet, type, 6, extensions, fragment, 24);
			event = parse_whole(&packet);
			if (headers > 8) {
				UNIT_SIGNED("too many", event.kind, EVENT_BAD_HEADER);
				continue;
			}
			UNIT_SIGNED("kind", event.kind, EVENT_ERROR);
			UNIT_UNSIGNED("type", event.type, type);
			UNIT_UNSIGNED("code", event.code, 6);
			UNIT_UNSIGNED("identifier", event.identifier, IDENTIFIER);
			UNIT_UNSIGNED("sequence", event.sequence, 4711);
			UNIT_UNSIGNED("family", event.destination.family, 6);
			UNIT_UNSIGNED("destination", event.destination.bytes[15], 1);
			UNIT_UNSIGNED("data", event.payload_length, 24);
			UNIT_CHECK(event.payload == packet.bytes + packet.length - 24, "data");
		}
	}
}

static void test_error_lengths(void)
{
	static const uint16_t first = 0x0001;
	struct packet packet;

	for (unsigned int extensions = 0; extensions < 4; extensions++) {
		make_error(&packet, 3, 0, extensions, &first, 20);
		for (size_t length = 0; length <= packet.length; length++) {
			bool whole = length >= packet.length - 20;

			UNIT_CHECK(parse(packet.bytes, length, length, &raw).kind ==
					   (whole ? EVENT_ERROR : EVENT_SHORT),
				   "%u extensions, %zu bytes", extensions, length);
		}
	}
}

static void test_error_quotes(void)
{
	static const struct {
		const char *label;
		size_t at; /* from the quote's start */
		uint8_t value;
		enum event_kind kind;
	} rows[] = {
		{"unchanged", 7, 1, EVENT_ERROR},
		{"version 4", 0, 0x45, EVENT_BAD_HEADER},
		{"UDP", 6, 17, EVENT_FOREIGN},
		{"ICMP of IPv4", 6, 1, EVENT_FOREIGN},
		{"no next header", 6, 59, EVENT_FOREIGN},
		{"encrypted", 6, 50, EVENT_FOREIGN},
		{"a reply", 40, 129, EVENT_FOREIGN},
		{"neighbour solicitation", 40, 135, EVENT_FOREIGN},
		{"request code 1", 41, 1, EVENT_FOREIGN},
		{"other identifier", 44, 0x13, EVENT_FOREIGN},
		{"payload length 0", 4, 0, EVENT_ERROR},
	};
	static const uint16_t later = 0x05a9;
	struct packet packet;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		make_error(&packet, 1, 3, 0, NULL, 16);
		packet.bytes[8 + rows[i].at] = rows[i].value;
		UNIT_SIGNED(rows[i].label, parse_whole(&packet).kind, rows[i].kind);
	}
	make_error(&packet, 1, 3, 0, &later, 16);
	UNIT_SIGNED("later fragment", parse_whole(&packet).kind, EVENT_FOREIGN);
}

static void test_mtu(void)
{
	static const uint32_t values[] = {0, 1, 1279, 1280, 1500, 100000, UINT32_MAX};
	struct packet packet;

	for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
		make_error(&packet, 2, 0, 0, NULL, 16);
		bytes_put32(packet.bytes + 4, values[i]);
		UNIT_UNSIGNED("as received", parse_whole(&packet).mtu, values[i]);
		packet.bytes[0] = 4;
		UNIT_UNSIGNED("a pointer", parse_whole(&packet).mtu, 0);
	}
}

static void test_quote_ends(void)
{
	static const struct {
		const char *label;
		uint8_t type;
		uint8_t words;
		uint16_t quoted_payload;
		uint32_t data;
	} rows[] = {
		{"no length", 1, 0, 1452, 152},
		{"length", 1, 16, 1452, 80},
		{"length of time exceeded", 3, 17, 1452, 88},
		{"parameter problem has none", 4, 16, 1452, 152},
		{"too small to believe", 1, 15, 1452, 152},
		{"beyond the end", 1, 255, 1452, 152},
		{"quoted packet ends", 1, 0, 8 + 56, 56},
		{"quoted packet without data", 1, 0, 8, 0},
		{"quoted length without header", 1, 0, 7, 152},
	};
	struct packet packet;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct event event;

		make_error(&packet, rows[i].type, 0, 0, NULL, 152);
		packet.bytes[4] = rows[i].words;
		bytes_put16(packet.bytes + 8 + 4, rows[i].quoted_payload);
		event = parse_whole(&packet);
		UNIT_SIGNED(rows[i].label, event.kind, EVENT_ERROR);
		UNIT_UNSIGNED(rows[i].label, event.payload_length, rows[i].data);
	}
}

static void test_texts(void)
{
	static const struct {
		uint8_t type;
		uint8_t code;
		const char *text;
	} rows[] = {
		{1, 0, "Destination unreachable: No route"},
		{1, 1, "Destination unreachable: Administratively prohibited"},
		{1, 2, "Destination unreachable: Beyond scope of source address"},
		{1, 3, "Destination unreachable: Address unreachable"},
		{1, 4, "Destination unreachable: Port unreachable"},
		{1, 5, "Destination unreachable: Source address failed ingress/egress policy"},
		{1, 6, "Destination unreachable: Reject route to destination"},
		{1, 7, "Destination unreachable: Unknown code"},
		{2, 0, "Packet too big"},
		{3, 0, "Time exceeded: Hop limit"},
		{3, 1, "Time exceeded: Defragmentation failure"},
		{3, 2, "Time exceeded: Unknown code"},
		{4, 0, "Parameter problem: Wrong header field"},
		{4, 1, "Parameter problem: Unknown header"},
		{4, 2, "Parameter problem: Unknown option"},
		{4, 3, "Parameter problem: Unknown code"},
		{99, 0, "Unknown ICMPv6 type"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_TEXT(rows[i].text, wire_format_icmp6.error_text(rows[i].type, rows[i].code),
			  rows[i].text);
	for (unsigned int pair = 0; pair < 65536; pair++) {
		const char *text =
			wire_format_icmp6.error_text((uint8_t)(pair >> 8), (uint8_t)pair);

		if (text == NULL || text[0] == '\0')
			UNIT_CHECK(false, "type %u code %u has no text", pair >> 8, pair & 255);
	}
}

static void test_mutations(void)
{
	static const uint16_t first = 0x0001;
	struct packet packet;
	uint64_t state = 777;

	for (unsigned int round = 0; round < 100000; round++) {
		const struct wire_expectation *expected = round % 2 == 0 ? &raw : &with_header;

		if (round % 3 == 0)
			make_reply(&packet, round % 64);
		else
			make_error(&packet, (uint8_t)(1 + round % 4), 0, round % 5,
				   round % 7 == 0 ? &first : NULL, round % 64);
		if (expected->has_ip_header)
			wrap(&packet);
		for (unsigned int i = 0; i < 1 + round % 4; i++) {
			state = state * UINT64_C(6364136223846793005) + 1;
			packet.bytes[(state >> 33) % packet.length] = (uint8_t)(state >> 56);
		}
		(void)parse(packet.bytes, (state >> 20) % (packet.length + 1), packet.length,
			    expected);
		(void)parse(packet.bytes, packet.length, packet.length, expected);
	}
}

const struct unit_suite suite_icmp6 = {
	"icmp6",
	(const struct unit_test[]){
		{"build and finish", test_build},
		{"replies", test_reply},
		{"others' messages", test_others},
		{"with an IPv6 header", test_with_ip_header},
		{"with a bad IPv6 header", test_with_bad_ip_header},
		{"errors that quote us", test_errors},
		{"quotes of every length", test_error_lengths},
		{"hostile quotes", test_error_quotes},
		{"MTU as received", test_mtu},
		{"where the quote ends", test_quote_ends},
		{"texts", test_texts},
		{"mutations", test_mutations},
		{NULL, NULL},
	},
};
