/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ICMP row: what it builds, and the event that each kind of received packet becomes. A packet
 * is built by small steps that each test bends; it is parsed from a block of exactly its length.
 */
#include "core/checksum.h"
#include "core/wire_format.h"

#include "base/bytes.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define IDENTIFIER 0x1234
#define SPACE	   2048u

static const struct wire_expectation raw = {IDENTIFIER, true, true};

struct packet {
	uint8_t bytes[SPACE];
	size_t length;
	size_t header; /* of the outer IP header */
};

/* An IP header of the given length, options filled with a record-route start. */
static void put_ip(uint8_t *at, size_t header, size_t total, uint8_t protocol)
{
	memset(at, 0x07, header);
	memset(at, 0, 20);
	at[0] = (uint8_t)(0x40 | header / 4);
	bytes_put16(at + 2, (uint16_t)total);
	at[8] = 61;
	at[9] = protocol;
	bytes_put32(at + 12, 0x0a090002);
	bytes_put32(at + 16, 0x0a090001);
}

static void put_echo(uint8_t *at, uint8_t type, uint16_t identifier, uint16_t sequence)
{
	memset(at, 0, 8);
	at[0] = type;
	bytes_put16(at + 4, identifier);
	bytes_put16(at + 6, sequence);
}

/* Sets total length and checksum to what is right for the bytes as they are. */
static void seal(struct packet *packet)
{
	uint8_t *icmp = packet->bytes + packet->header;

	bytes_put16(packet->bytes + 2, (uint16_t)packet->length);
	bytes_put16(icmp + 2, 0);
	bytes_put16(icmp + 2, checksum_finish(checksum_sum(icmp, packet->length - packet->header)));
}

static void make_reply(struct packet *packet, size_t header, size_t data)
{
	packet->header = header;
	packet->length = header + 8 + data;
	put_ip(packet->bytes, header, packet->length, 1);
	put_echo(packet->bytes + header, 0, IDENTIFIER, 77);
	for (size_t i = 0; i < data; i++)
		packet->bytes[header + 8 + i] = (uint8_t)(i * 7);
	seal(packet);
}

/* An error quoting our request: `quoted` bytes of its data after a header of quoted_header. */
static void make_error(struct packet *packet, uint8_t type, uint8_t code, size_t quoted_header,
		       size_t quoted)
{
	uint8_t *icmp = packet->bytes + 20;
	uint8_t *quote = icmp + 8;

	packet->header = 20;
	packet->length = 20 + 8 + quoted_header + 8 + quoted;
	put_ip(packet->bytes, 20, packet->length, 1);
	memset(icmp, 0, 8);
	icmp[0] = type;
	icmp[1] = code;
	put_ip(quote, quoted_header, quoted_header + 8 + 1472, 1);
	bytes_put32(quote + 16, 0xc0000209);
	put_echo(quote + quoted_header, 8, IDENTIFIER, 4711);
	for (size_t i = 0; i < quoted; i++)
		quote[quoted_header + 8 + i] = (uint8_t)(200 + i);
	seal(packet);
}

/* Parses a copy of exactly length bytes and points the event back into bytes. */
static struct event parse(const uint8_t *bytes, size_t length, size_t full_length,
			  const struct wire_expectation *expected)
{
	struct event event = {.kind = EVENT_BAD_HEADER};
	uint8_t *copy = malloc(length + (length == 0));

	if (!UNIT_CHECK(copy != NULL, "memory"))
		return event;
	memcpy(copy, bytes, length);
	wire_format_icmp4.parse(copy, length, full_length, expected, &event);
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
	static const uint8_t header[8] = {8, 0, 0, 0, 0x12, 0x34, 0, 0};
	uint8_t packet[8 + 65];

	for (size_t data = 0; data <= 65; data++) {
		wire_format_icmp4.build(packet, IDENTIFIER);
		UNIT_CHECK(memcmp(packet, header, sizeof(header)) == 0, "template");
		memset(packet + 8, (int)(250 - data), data);
		for (uint32_t sequence = 0; sequence < 65536; sequence += 257) {
			wire_format_icmp4.finish(packet, (uint16_t)sequence,
						 checksum_sum(packet + 8, data));
			UNIT_UNSIGNED("sequence", bytes_get16(packet + 6), sequence);
			UNIT_UNSIGNED("sum", checksum_sum(packet, 8 + data), 0xffff);
		}
	}
	UNIT_SIGNED("v4", wire_format_icmp4.echo_request_type, 8);
	UNIT_SIGNED("v4", wire_format_icmp4.echo_reply_type, 0);
	UNIT_UNSIGNED("v4", wire_format_icmp4.payload_max, 65507);
	UNIT_UNSIGNED("v4", wire_format_icmp4.ip_header_bytes, 20);
}

static void test_table(void)
{
	UNIT_CHECK(wire_format_find(4) == &wire_format_icmp4, "4");
	UNIT_CHECK(wire_format_find(6) == &wire_format_icmp6, "6");
	UNIT_CHECK(wire_format_find(0) == NULL && wire_format_find(5) == NULL, "others");
	for (size_t i = 0; wire_formats[i] != NULL; i++) {
		UNIT_CHECK(wire_formats[i]->name[0] != '\0', "row %zu has no name", i);
		UNIT_CHECK(wire_formats[i]->summary[0] != '\0', "row %zu has no summary", i);
	}
}

/* Header lengths from 20 to 60: options are skipped, whatever stands in them. */
static void test_reply(void)
{
	struct packet packet;

	for (size_t header = 20; header <= 60; header += 4) {
		for (size_t data = 0; data < 60; data++) {
			struct event event;

			make_reply(&packet, header, data);
			event = parse_whole(&packet);
			UNIT_SIGNED("kind", event.kind, EVENT_REPLY);
			UNIT_UNSIGNED("identifier", event.identifier, IDENTIFIER);
			UNIT_UNSIGNED("sequence", event.sequence, 77);
			UNIT_SIGNED("ttl", event.ttl, 61);
			UNIT_UNSIGNED("length", event.payload_length, data);
			UNIT_UNSIGNED("claimed", event.claimed_length, data);
			UNIT_CHECK(event.payload == packet.bytes + header + 8, "payload");
		}
	}
}

/* A ping socket hands over the ICMP message alone, verified by the kernel. */
static void test_no_ip_header(void)
{
	static const struct wire_expectation ping_socket = {IDENTIFIER, false, false};
	struct packet packet;
	struct event event;

	make_reply(&packet, 20, 56);
	event = parse(packet.bytes + 20, 64, 64, &ping_socket);
	UNIT_SIGNED("kind", event.kind, EVENT_REPLY);
	UNIT_SIGNED("ttl", event.ttl, -1);
	UNIT_UNSIGNED("length", event.payload_length, 56);
	event = parse(packet.bytes + 20, 40, 64, &ping_socket);
	UNIT_SIGNED("cut", event.kind, EVENT_REPLY);
	UNIT_UNSIGNED("cut", event.payload_length, 32);
	UNIT_UNSIGNED("cut", event.claimed_length, 56);
	for (size_t length = 0; length < 8; length++)
		UNIT_SIGNED("short", parse(packet.bytes + 20, length, length, &ping_socket).kind,
			    EVENT_SHORT);
}

static void test_lengths(void)
{
	struct packet packet;
	struct event event;

	make_reply(&packet, 20, 56);
	for (size_t length = 0; length < packet.length; length++) {
		event = parse(packet.bytes, length, length, &raw);
		UNIT_CHECK(event.kind == (length < 28 ? EVENT_SHORT : EVENT_BAD_HEADER),
			   "%zu bytes become %d", length, event.kind);
	}
	/* The same bytes with an honest total length. */
	for (size_t length = 28; length < packet.length; length++) {
		packet.length = length;
		seal(&packet);
		UNIT_SIGNED("honest", parse_whole(&packet).kind, EVENT_REPLY);
		make_reply(&packet, 20, 56);
	}
	/* Bytes behind the packet's end belong to the link. */
	make_reply(&packet, 20, 4);
	event = parse(packet.bytes, 46, 46, &raw);
	UNIT_SIGNED("padding", event.kind, EVENT_REPLY);
	UNIT_UNSIGNED("padding", event.payload_length, 4);
	UNIT_UNSIGNED("padding", event.claimed_length, 4);
	/* The buffer was too small: the checksum cannot be known, the length is told. */
	make_reply(&packet, 20, 1000);
	event = parse(packet.bytes, 100, packet.length, &raw);
	UNIT_SIGNED("cut", event.kind, EVENT_REPLY);
	UNIT_UNSIGNED("cut", event.payload_length, 72);
	UNIT_UNSIGNED("cut", event.claimed_length, 1000);
	/* A full length below the length is a caller's mistake, and harmless. */
	event = parse(packet.bytes, packet.length, 0, &raw);
	UNIT_SIGNED("no full length", event.kind, EVENT_REPLY);
}

/* One byte of a good reply is changed, and the ICMP checksum made right again. */
static void test_bad_headers(void)
{
	static const struct {
		const char *label;
		size_t at;
		uint8_t value;
		enum event_kind kind;
	} rows[] = {
		{"version 6", 0, 0x65, EVENT_BAD_HEADER},
		{"version 0", 0, 0x05, EVENT_BAD_HEADER},
		{"header length 0", 0, 0x40, EVENT_BAD_HEADER},
		{"header length 16", 0, 0x44, EVENT_BAD_HEADER},
		{"header length 60 takes it all", 0, 0x4f, EVENT_SHORT},
		{"total length too large", 3, 65, EVENT_BAD_HEADER},
		{"total length far too large", 2, 0xff, EVENT_BAD_HEADER},
		{"total length below the header", 3, 19, EVENT_BAD_HEADER},
		{"total length 0", 3, 0, EVENT_BAD_HEADER},
		{"total length leaves 7 bytes", 3, 27, EVENT_SHORT},
		{"total length leaves none", 3, 20, EVENT_SHORT},
		{"UDP", 9, 17, EVENT_FOREIGN},
		{"ICMPv6", 9, 58, EVENT_FOREIGN},
		{"later fragment", 7, 1, EVENT_FOREIGN},
		{"first fragment", 6, 0x20, EVENT_FOREIGN},
		{"don't fragment", 6, 0x40, EVENT_REPLY},
		{"reply code 1", 21, 1, EVENT_BAD_HEADER},
		{"reply code 255", 21, 255, EVENT_BAD_HEADER},
		{"other identifier", 25, 0x35, EVENT_FOREIGN},
		{"our own request", 20, 8, EVENT_FOREIGN},
		{"timestamp reply", 20, 14, EVENT_FOREIGN},
		{"router advertisement", 20, 9, EVENT_FOREIGN},
		{"type 255", 20, 255, EVENT_FOREIGN},
		{"type 1", 20, 1, EVENT_FOREIGN},
	};
	struct packet packet;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		make_reply(&packet, 20, 36);
		packet.bytes[rows[i].at] = rows[i].value;
		if (rows[i].at >= 20)
			seal(&packet);
		UNIT_SIGNED(rows[i].label, parse_whole(&packet).kind, rows[i].kind);
	}
}

static void test_checksum(void)
{
	static const struct wire_expectation trusting = {IDENTIFIER, true, false};
	struct packet packet;

	for (size_t data = 0; data < 20; data++) {
		make_reply(&packet, 20, data);
		for (size_t at = 20; at < packet.length; at++) {
			packet.bytes[at] ^= 0x40;
			UNIT_CHECK(parse_whole(&packet).kind == EVENT_BAD_CHECKSUM, "byte %zu", at);
			packet.bytes[at] ^= 0x40;
		}
	}
	make_reply(&packet, 20, 56);
	packet.bytes[22] ^= 1;
	UNIT_SIGNED("kernel verified",
		    parse(packet.bytes, packet.length, packet.length, &trusting).kind, EVENT_REPLY);
}

/* Every type that quotes, with every length of quoted header. */
static void test_errors(void)
{
	static const uint8_t types[] = {3, 4, 5, 11, 12};
	struct packet packet;

	for (size_t i = 0; i < sizeof(types); i++) {
		for (size_t header = 20; header <= 60; header += 4) {
			struct event event;

			make_error(&packet, types[i], 3, header, 16);
			event = parse_whole(&packet);
			UNIT_SIGNED("kind", event.kind, EVENT_ERROR);
			UNIT_UNSIGNED("type", event.type, types[i]);
			UNIT_UNSIGNED("code", event.code, 3);
			UNIT_UNSIGNED("identifier", event.identifier, IDENTIFIER);
			UNIT_UNSIGNED("sequence", event.sequence, 4711);
			UNIT_UNSIGNED("destination", bytes_get32(event.destination.bytes),
				      0xc0000209);
			UNIT_UNSIGNED("family", event.destination.family, 4);
			UNIT_UNSIGNED("data", event.payload_length, 16);
			UNIT_UNSIGNED("data", event.claimed_length, 16);
			UNIT_CHECK(event.payload == packet.bytes + 28 + header + 8, "data");
			UNIT_UNSIGNED("mtu", event.mtu, 0);
		}
	}
}

/* Quotes cut to every length: short until the quoted ICMP header is there. */
static void test_error_lengths(void)
{
	struct packet packet;

	for (size_t header = 20; header <= 60; header += 20) {
		for (size_t quote = 0; quote <= header + 8 + 30; quote++) {
			enum event_kind expected = quote < header + 8 ? EVENT_SHORT : EVENT_ERROR;

			make_error(&packet, 11, 0, header, 30);
			packet.length = 28 + quote;
			seal(&packet);
			UNIT_CHECK(parse_whole(&packet).kind == expected, "header %zu, quote %zu",
				   header, quote);
		}
	}
}

/* One byte of the quote is changed. */
static void test_error_quotes(void)
{
	static const struct {
		const char *label;
		size_t at; /* from the quote's start */
		uint8_t value;
		enum event_kind kind;
	} rows[] = {
		{"unchanged", 8, 1, EVENT_ERROR},
		{"version 6", 0, 0x65, EVENT_BAD_HEADER},
		{"header length 0", 0, 0x40, EVENT_BAD_HEADER},
		{"header length 16", 0, 0x44, EVENT_BAD_HEADER},
		{"header length 60 in 44 bytes", 0, 0x4f, EVENT_SHORT},
		{"header length 40 leaves 4", 0, 0x4a, EVENT_SHORT},
		{"header length 36 reads data", 0, 0x49, EVENT_FOREIGN},
		{"UDP", 9, 17, EVENT_FOREIGN},
		{"TCP", 9, 6, EVENT_FOREIGN},
		{"later fragment", 7, 0xb9, EVENT_FOREIGN},
		{"first fragment", 6, 0x20, EVENT_ERROR},
		{"don't fragment", 6, 0x40, EVENT_ERROR},
		{"a reply", 20, 0, EVENT_FOREIGN},
		{"a timestamp request", 20, 13, EVENT_FOREIGN},
		{"request code 1", 21, 1, EVENT_FOREIGN},
		{"other identifier", 24, 0x13, EVENT_FOREIGN},
		{"checksum changed", 22, 0xff, EVENT_ERROR},
		{"total length of nonsense", 2, 0, EVENT_ERROR},
	};
	struct packet packet;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		make_error(&packet, 3, 1, 20, 16);
		packet.bytes[28 + rows[i].at] = rows[i].value;
		seal(&packet);
		UNIT_SIGNED(rows[i].label, parse_whole(&packet).kind, rows[i].kind);
	}
}

static void test_mtu(void)
{
	static const uint16_t values[] = {0, 1, 67, 68, 576, 1400, 65535};
	struct packet packet;

	for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
		make_error(&packet, 3, 4, 20, 16);
		bytes_put16(packet.bytes + 20 + 6, values[i]);
		seal(&packet);
		UNIT_UNSIGNED("as received", parse_whole(&packet).mtu, values[i]);
		packet.bytes[21] = 1;
		seal(&packet);
		UNIT_UNSIGNED("of another code", parse_whole(&packet).mtu, 0);
	}
}

/* RFC 4884: a length in byte 5 ends the quote, and the quoted packet's own length ends its data. */
static void test_quote_ends(void)
{
	static const struct {
		const char *label;
		uint8_t type;
		uint8_t words;
		uint16_t quoted_total;
		uint32_t data;
	} rows[] = {
		{"no length", 11, 0, 1500, 172},
		{"length", 11, 32, 1500, 100},
		{"length of unreachable", 3, 40, 1500, 132},
		{"length of parameter problem", 12, 32, 1500, 100},
		{"redirect has none", 5, 32, 1500, 172},
		{"too small to believe", 11, 31, 1500, 172},
		{"beyond the end", 11, 255, 1500, 172},
		{"quoted packet ends", 11, 0, 28 + 56, 56},
		{"quoted packet without data", 11, 0, 28, 0},
		{"quoted length without header", 11, 0, 27, 172},
	};
	struct packet packet;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct event event;

		make_error(&packet, rows[i].type, 0, 20, 172);
		packet.bytes[20 + 5] = rows[i].words;
		bytes_put16(packet.bytes + 28 + 2, rows[i].quoted_total);
		seal(&packet);
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
		{3, 0, "Destination Net Unreachable"},
		{3, 1, "Destination Host Unreachable"},
		{3, 2, "Destination Protocol Unreachable"},
		{3, 3, "Destination Port Unreachable"},
		{3, 4, "Frag needed and DF set"},
		{3, 5, "Source Route Failed"},
		{3, 13, "Packet filtered"},
		{3, 15, "Precedence Cutoff"},
		{3, 16, "Dest Unreachable, Bad Code"},
		{4, 0, "Source Quench"},
		{5, 1, "Redirect Host"},
		{5, 4, "Redirect, Bad Code"},
		{11, 0, "Time to live exceeded"},
		{11, 1, "Frag reassembly time exceeded"},
		{11, 2, "Time exceeded, Bad Code"},
		{12, 0, "Parameter problem"},
		{99, 0, "Bad ICMP type"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_TEXT(rows[i].text, wire_format_icmp4.error_text(rows[i].type, rows[i].code),
			  rows[i].text);
	for (unsigned int pair = 0; pair < 65536; pair++) {
		const char *text =
			wire_format_icmp4.error_text((uint8_t)(pair >> 8), (uint8_t)pair);

		if (text == NULL || text[0] == '\0')
			UNIT_CHECK(false, "type %u code %u has no text", pair >> 8, pair & 255);
	}
}

/* Random bytes, and good packets with a few random bytes: one event each, nothing read outside. */
static void test_mutations(void)
{
	struct packet packet;
	uint64_t state = 4242;

	for (unsigned int round = 0; round < 100000; round++) {
		unsigned int kind = round % 3;

		if (kind == 0)
			make_reply(&packet, 20 + 4 * (round % 11), round % 64);
		else
			make_error(&packet, kind == 1 ? 3 : 11, 1, 20 + 4 * (round % 11),
				   round % 64);
		for (unsigned int i = 0; i < 1 + round % 4; i++) {
			state = state * UINT64_C(6364136223846793005) + 1;
			packet.bytes[(state >> 33) % packet.length] = (uint8_t)(state >> 56);
		}
		if (round % 2 == 0 && packet.bytes[0] >> 4 == 4)
			seal(&packet);
		(void)parse(packet.bytes, (state >> 20) % (packet.length + 1), packet.length, &raw);
		(void)parse_whole(&packet);
	}
}

const struct unit_suite suite_icmp4 = {
	"icmp4",
	(const struct unit_test[]){
		{"build and finish", test_build},
		{"table of formats", test_table},
		{"replies with IP options", test_reply},
		{"without an IP header", test_no_ip_header},
		{"lengths", test_lengths},
		{"bad and foreign headers", test_bad_headers},
		{"checksum", test_checksum},
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
