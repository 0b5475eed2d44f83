/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel judges the filters: each program is put on one end of a pair of datagram sockets, and
 * what is written into the other end either arrives or does not. A filter on such a pair sees the
 * bytes just as one on a raw socket sees a packet. No right and no network is needed.
 */
#include "os/socket_filter.h"

#include "base/bytes.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define OURS 0x1234
#define OTHERS 0x4321

struct packet {
	uint8_t bytes[256];
	size_t length;
};

static bool passes(const struct socket_filter *filter, const uint8_t *bytes, size_t length)
{
	struct sock_filter instructions[SOCKET_FILTER_MAX];
	struct sock_fprog program = {.len = filter->count, .filter = instructions};
	uint8_t received[256];
	ssize_t count = -1;
	int pair[2];

	memcpy(instructions, filter->instructions, sizeof(instructions));
	if (!UNIT_CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0, "a pair of sockets"))
		return false;
	if (UNIT_CHECK(setsockopt(pair[1], SOL_SOCKET, SO_ATTACH_FILTER, &program,
				  sizeof(program)) == 0,
		       "the kernel takes the program") &&
	    UNIT_CHECK(send(pair[0], bytes, length, 0) == (ssize_t)length, "send"))
		count = recv(pair[1], received, sizeof(received), MSG_DONTWAIT);
	(void)close(pair[0]);
	(void)close(pair[1]);
	UNIT_CHECK(count < 0 || (size_t)count == length, "the whole packet passes, not %zd of %zu",
		   count, length);
	return count >= 0;
}

static bool passes4(const struct packet *packet)
{
	struct socket_filter filter;

	socket_filter_build_icmp4(&filter, OURS);
	return passes(&filter, packet->bytes, packet->length);
}

static bool passes6(const struct packet *packet)
{
	struct socket_filter filter;

	socket_filter_build_icmp6(&filter, OURS);
	return passes(&filter, packet->bytes, packet->length);
}

static void put(struct packet *packet, const uint8_t *bytes, size_t length)
{
	memcpy(packet->bytes + packet->length, bytes, length);
	packet->length += length;
}

static void put_ip4(struct packet *packet, unsigned words, uint8_t protocol, uint16_t fragment)
{
	uint8_t header[60] = {0};

	header[0] = (uint8_t)(0x40 | words);
	header[8] = 64;
	header[9] = protocol;
	bytes_put16(header + 6, fragment);
	memset(header + 20, 1, sizeof(header) - 20); /* options: no operation */
	put(packet, header, words < 5 ? 20 : words * 4U);
}

static void put_ip6(struct packet *packet, uint8_t next_header)
{
	uint8_t header[40] = {0x60};

	header[6] = next_header;
	header[7] = 64;
	put(packet, header, sizeof(header));
}

static void put_echo(struct packet *packet, uint8_t type, uint16_t identifier)
{
	uint8_t echo[8] = {type};

	bytes_put16(echo + 4, identifier);
	put(packet, echo, sizeof(echo));
}

static struct packet reply4(unsigned words, uint8_t type, uint16_t identifier)
{
	struct packet packet = {.length = 0};

	put_ip4(&packet, words, 1, 0);
	put_echo(&packet, type, identifier);
	return packet;
}

static struct packet error4(unsigned words, uint8_t type, unsigned quoted_words, uint8_t protocol,
			    uint16_t fragment, uint8_t quoted_type, uint16_t identifier)
{
	struct packet packet = {.length = 0};

	put_ip4(&packet, words, 1, 0);
	put_echo(&packet, type, 0);
	put_ip4(&packet, quoted_words, protocol, fragment);
	put_echo(&packet, quoted_type, identifier);
	return packet;
}

static struct packet error6(uint8_t type, uint8_t next_header, uint8_t quoted_type,
			    uint16_t identifier)
{
	struct packet packet = {.length = 0};

	put_echo(&packet, type, 0);
	put_ip6(&packet, next_header);
	put_echo(&packet, quoted_type, identifier);
	return packet;
}

static void test_replies4(void)
{
	struct packet packet;

	for (unsigned words = 5; words <= 15; words++) {
		packet = reply4(words, 0, OURS);
		UNIT_CHECK(passes4(&packet), "ours with a header of %u words", words);
		packet = reply4(words, 0, OTHERS);
		UNIT_CHECK(!passes4(&packet), "another's with a header of %u words", words);
	}
	for (unsigned type = 1; type < 256; type++) {
		bool is_error = type == 3 || type == 4 || type == 5 || type == 11 || type == 12;

		packet = reply4(5, (uint8_t)type, OURS);
		UNIT_SIGNED("type", passes4(&packet), is_error); /* as errors they quote nothing */
	}
	packet = reply4(5, 0, OTHERS);
	packet.length = 25;
	UNIT_CHECK(passes4(&packet), "too short to hold an identifier");
	packet.length = 20;
	UNIT_CHECK(!passes4(&packet), "no type");
}

static void test_errors4(void)
{
	static const uint8_t types[] = {3, 4, 5, 11, 12};
	struct packet packet;

	for (size_t i = 0; i < ARRAY_LENGTH(types); i++) {
		for (unsigned words = 5; words <= 15; words += 5) {
			packet = error4(words, types[i], 5, 1, 0, 8, OURS);
			UNIT_CHECK(passes4(&packet), "type %u quotes ours", types[i]);
			packet = error4(5, types[i], words, 1, 0, 8, OURS);
			UNIT_CHECK(passes4(&packet), "type %u quotes ours with options", types[i]);
			packet = error4(words, types[i], words, 1, 0, 8, OTHERS);
			UNIT_CHECK(!passes4(&packet), "type %u quotes another's", types[i]);
		}
		packet = error4(5, types[i], 5, 17, 0, 8, OURS);
		UNIT_CHECK(!passes4(&packet), "type %u quotes UDP", types[i]);
		packet = error4(5, types[i], 5, 1, 0, 0, OURS);
		UNIT_CHECK(!passes4(&packet), "type %u quotes a reply", types[i]);
	}
}

/* What cannot be judged is let through: the parser counts it. */
static void test_unclear4(void)
{
	struct packet packet = error4(5, 3, 5, 1, 185, 8, OTHERS);
	struct packet whole = error4(5, 3, 5, 1, 0, 8, OTHERS);

	UNIT_CHECK(passes4(&packet), "a later fragment");
	packet = error4(5, 3, 5, 1, 0x2000, 8, OTHERS);
	UNIT_CHECK(!passes4(&packet), "another's first fragment");
	packet = error4(5, 3, 5, 1, 0x4000, 8, OURS);
	UNIT_CHECK(passes4(&packet), "ours, not to be fragmented");
	packet = error4(5, 3, 0, 1, 0, 8, OTHERS);
	UNIT_CHECK(passes4(&packet), "a quoted header of no words");
	packet = error4(5, 3, 15, 1, 0, 8, OURS);
	packet.length = 20 + 8 + 28;
	UNIT_CHECK(passes4(&packet), "a quoted header that is longer than the quote");
	for (size_t length = 21; length <= whole.length; length++) {
		packet = whole;
		packet.length = length;
		UNIT_SIGNED("another's cut short", passes4(&packet), length < 20 + 8 + 20 + 6);
	}
}

static void test_replies6(void)
{
	struct packet packet = {.length = 0};

	put_echo(&packet, 129, OURS);
	UNIT_CHECK(passes6(&packet), "ours");
	packet.length = 0;
	put_echo(&packet, 129, OTHERS);
	UNIT_CHECK(!passes6(&packet), "another's");
	for (size_t length = 1; length < 6; length++) {
		packet.length = length;
		UNIT_CHECK(passes6(&packet), "too short to hold an identifier: %zu", length);
	}
	for (unsigned type = 0; type < 256; type++) {
		packet.length = 0;
		put_echo(&packet, (uint8_t)type, OURS);
		UNIT_SIGNED("type", passes6(&packet), type == 129 || (type >= 1 && type <= 4));
	}
}

static void test_errors6(void)
{
	static const uint8_t extensions[] = {0, 43, 44, 51, 60, 135};
	struct packet packet, whole;

	for (uint8_t type = 1; type <= 4; type++) {
		packet = error6(type, 58, 128, OURS);
		UNIT_CHECK(passes6(&packet), "type %u quotes ours", type);
		packet = error6(type, 58, 128, OTHERS);
		UNIT_CHECK(!passes6(&packet), "type %u quotes another's", type);
		packet = error6(type, 17, 128, OURS);
		UNIT_CHECK(!passes6(&packet), "type %u quotes UDP", type);
		packet = error6(type, 58, 129, OURS);
		UNIT_CHECK(!passes6(&packet), "type %u quotes a reply", type);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(extensions); i++) {
		packet = error6(2, extensions[i], 128, OTHERS);
		UNIT_CHECK(passes6(&packet), "extension header %u", extensions[i]);
	}
	whole = error6(1, 58, 128, OTHERS);
	for (size_t length = 1; length <= whole.length; length++) {
		packet = whole;
		packet.length = length;
		UNIT_SIGNED("another's cut short", passes6(&packet), length < 8 + 40 + 6);
	}
}

/* Any bytes at all: the program always ends, and whatever passes is of a type that may be ours. */
static void test_noise(void)
{
	uint64_t state = 1;
	struct packet packet;

	for (unsigned round = 0; round < 2000; round++) {
		packet.length = 1 + round % 100;
		for (size_t i = 0; i < packet.length; i++) {
			state = state * UINT64_C(6364136223846793005) +
				UINT64_C(1442695040888963407);
			packet.bytes[i] = (uint8_t)(state >> 56);
		}
		(void)passes4(&packet);
		if (passes6(&packet))
			UNIT_CHECK(packet.bytes[0] == 129 ||
					   (packet.bytes[0] >= 1 && packet.bytes[0] <= 4),
				   "type %u", packet.bytes[0]);
	}
}

/* How many bytes of a packet the capture's filter delivers. */
static size_t kept_of(const struct packet *packet, uint32_t most)
{
	struct socket_filter filter;
	struct sock_fprog program;
	uint8_t received[256];
	ssize_t count = -1;
	int pair[2];

	socket_filter_build_fragments(&filter, most);
	program = (struct sock_fprog){.len = filter.count, .filter = filter.instructions};
	if (!UNIT_CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0, "a pair of sockets"))
		return 0;
	if (UNIT_CHECK(setsockopt(pair[1], SOL_SOCKET, SO_ATTACH_FILTER, &program,
				  sizeof(program)) == 0,
		       "the kernel takes the program") &&
	    UNIT_CHECK(send(pair[0], packet->bytes, packet->length, 0) == (ssize_t)packet->length,
		       "send"))
		count = recv(pair[1], received, sizeof(received), MSG_DONTWAIT);
	(void)close(pair[0]);
	(void)close(pair[1]);
	return count < 0 ? 0 : (size_t)count;
}

static void test_fragments(void)
{
	static const struct {
		uint8_t protocol;
		uint16_t fragment;
		bool passes;
	} rows4[] = {
		{1, 0x2000, true},  {1, 0x20b9, true},   {1, 0x00b9, true},  {1, 0x1fff, true},
		{1, 0, false},      {1, 0x4000, false},  {1, 0x6000, true},  {1, 0x8000, false},
		{17, 0x2000, false}, {6, 0x00b9, false}, {58, 0x2000, false},
	};
	static const uint8_t passing6[] = {0, 43, 44, 60};
	struct packet packet;

	for (size_t i = 0; i < ARRAY_LENGTH(rows4); i++) {
		packet.length = 0;
		put_ip4(&packet, 5, rows4[i].protocol, rows4[i].fragment);
		put_echo(&packet, 8, OTHERS);
		UNIT_CHECK(kept_of(&packet, 128) == (rows4[i].passes ? 28 : 0),
			   "protocol %u, fragment field 0x%04x", rows4[i].protocol,
			   rows4[i].fragment);
	}
	for (unsigned next = 0; next < 256; next++) {
		bool passes_here = memchr(passing6, (int)next, sizeof(passing6)) != NULL;

		packet.length = 0;
		put_ip6(&packet, (uint8_t)next);
		put_echo(&packet, 128, OTHERS);
		UNIT_CHECK(kept_of(&packet, 128) == (passes_here ? 48 : 0), "next header %u", next);
	}
	packet.bytes[0] = 0x50;
	UNIT_UNSIGNED("another version", kept_of(&packet, 128), 0);
	packet.length = 0;
	put_ip4(&packet, 5, 1, 0x2000);
	for (int i = 0; i < 20; i++)
		put_echo(&packet, 0, OURS);
	UNIT_UNSIGNED("cut off", kept_of(&packet, 128), 128);
}

const struct unit_suite suite_socket_filter = {
	"socket_filter",
	(const struct unit_test[]){{"IPv4 replies", test_replies4},
				   {"IPv4 errors", test_errors4},
				   {"IPv4 errors that cannot be judged", test_unclear4},
				   {"IPv6 replies", test_replies6},
				   {"IPv6 errors", test_errors6},
				   {"noise", test_noise},
				   {"fragments for a capture", test_fragments},
				   {NULL, NULL}},
};
