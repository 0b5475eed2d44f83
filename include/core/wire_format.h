/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wire formats, one row each: ICMP (RFC 792) and ICMPv6 (RFC 4443). A row builds the echo
 * request that is sent and turns received bytes into an event. It works on bytes and lengths
 * and has never heard of a socket.
 */
#ifndef FPING_BENCH_CORE_WIRE_FORMAT_H
#define FPING_BENCH_CORE_WIRE_FORMAT_H

#include "core/event.h"

#define WIRE_ECHO_HEADER_BYTES 8u /* type, code, checksum, identifier, sequence */

/* What a parser must know of us to tell our packets from others'. */
struct wire_expectation {
	uint16_t identifier;   /* in host order */
	bool has_ip_header;    /* the received bytes start with an IP header (IPv4 raw sockets) */
	bool verify_checksum;  /* the kernel has not done it (IPv4 raw sockets) */
};

struct wire_format {
	const char *name;    /* "icmp4", "icmp6" */
	const char *summary; /* one line */
	uint8_t family;      /* 4 or 6 */
	uint8_t echo_request_type;
	uint8_t echo_reply_type;
	uint16_t ip_header_bytes; /* without options or extension headers: 20, 40 */
	uint32_t payload_max;     /* most echo data bytes: 65507, 65527 */

	/*
	 * Writes the eight header bytes of an echo request with sequence 0 and a checksum field of
	 * zero; the template of a run.
	 */
	void (*build)(uint8_t packet[static WIRE_ECHO_HEADER_BYTES], uint16_t identifier);

	/*
	 * Sets the sequence and the checksum for echo data whose ones'-complement sum (16-bit
	 * big-endian words, folded to 16 bits, odd last byte padded with zero) is payload_sum.
	 * For ICMPv6 the checksum field stays zero: the kernel fills it on raw sockets.
	 */
	void (*finish)(uint8_t packet[static WIRE_ECHO_HEADER_BYTES], uint16_t sequence,
		       uint16_t payload_sum);

	/*
	 * Turns one received packet into an event; every length is checked before it is used, IP
	 * options are skipped by length and never decoded, quoted headers likewise (RFC 792, RFC
	 * 1812 4.3.2.3, RFC 4443 3). full_length is the packet's length before the receive
	 * buffer cut it (>= length). Never fails.
	 */
	void (*parse)(const uint8_t *packet, size_t length, size_t full_length,
		      const struct wire_expectation *expected, struct event *event);

	/* Ping's words for an error, "Destination Host Unreachable"; never NULL. */
	const char *(*error_text)(uint8_t type, uint8_t code);
};

extern const struct wire_format wire_format_icmp4;
extern const struct wire_format wire_format_icmp6;

/* The table: all rows, ended by NULL. */
extern const struct wire_format *const wire_formats[];

/* The row for a family (4 or 6), NULL for any other number. */
const struct wire_format *wire_format_find(uint8_t family);

#endif
