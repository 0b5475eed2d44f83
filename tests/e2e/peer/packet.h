/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of packets: addresses, network order, the Internet checksum and a view of an arriving IP
 * packet. The peer has its own copies of these few functions on purpose: it judges the probe, so
 * it must not share a mistake with it.
 */
#ifndef FPING_BENCH_PEER_PACKET_H
#define FPING_BENCH_PEER_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PACKET_MAX = 65535 + 40, /* the longest IPv6 packet without a jumbo option */
	PROTOCOL_ICMP4 = 1,
	PROTOCOL_ICMP6 = 58,
	PROTOCOL_HOP_OPTIONS = 0,
	PROTOCOL_ROUTING = 43,
	PROTOCOL_FRAGMENT = 44,
	PROTOCOL_DESTINATION_OPTIONS = 60,
	ADDRESS_TEXT = 48,
};

/* family is 4 or 6; 0 means "no address". IPv4 uses the first 4 bytes, the others are zero. */
struct address {
	uint8_t family;
	uint8_t bytes[16];
};

/*
 * What an arriving IP packet says; payload points into the packet and starts behind all headers
 * walked.
 */
struct packet_view {
	int family;
	struct address source;
	struct address destination;
	uint8_t protocol;
	uint8_t tos;
	bool dont_fragment;
	bool fragmented; /* offset > 0 or more follow; an atomic IPv6 fragment is not */
	bool more;
	uint32_t fragment_id;
	size_t offset; /* bytes */
	const uint8_t *payload;
	size_t payload_length;
};

static inline uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

static inline void put16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void put32(uint8_t *at, size_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value);
}

/* RFC 1071: add bytes to a running sum; every part but the last must have an even length. */
uint64_t checksum_add(uint64_t sum, const void *bytes, size_t length);

/*
 * The sum folded to 16 bits, in the order of memory; 0xffff over a message with its checksum:
 * right.
 */
uint16_t checksum_fold(uint64_t sum);

/* Store the complement of the folded sum. */
void checksum_put(uint8_t *at, uint64_t sum);

/* The sum of an ICMP message, with the pseudo header of RFC 8200 section 8.1 for ICMPv6. */
uint64_t checksum_icmp(const struct address *source, const struct address *destination,
		       const uint8_t *icmp, size_t length);

/* Read the headers. 0, or -1 when the packet is malformed or of no known version. */
int packet_parse(const uint8_t *bytes, size_t length, struct packet_view *view);

/*
 * Walk IPv6 extension headers from *protocol on; returns the bytes walked, or -1 if they do not
 * fit.
 */
int packet_skip_extensions(const uint8_t *bytes, size_t length, uint8_t *protocol);

size_t address_length(const struct address *address);
bool address_equal(const struct address *left, const struct address *right);
bool address_within(const struct address *address, const struct address *net, unsigned int prefix);
bool address_is_group(const struct address *address);
const char *address_text(const struct address *address, char text[static ADDRESS_TEXT]);

/* "10.0.0.1" or "fd00::1"; false when it is neither. */
bool address_parse(const char *text, struct address *address);

/* The same with an optional /LENGTH, which defaults to all bits. */
bool address_parse_prefix(const char *text, struct address *address, unsigned int *prefix);

#endif
