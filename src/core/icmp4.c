/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICMP (RFC 792). The order of the checks is the order of trust: lengths before what they cover,
 * the checksum before what it protects, and our identifier last. Nothing is copied but numbers;
 * what the event points to lies in the received bytes and was received. A raw socket hands over
 * whatever the kernel's IP layer lets through: wrong checksums, reply codes other than 0, other
 * processes' packets, our own requests on loopback, and errors that quote anything at all.
 */
#include "core/checksum.h"
#include "core/ip4.h"
#include "core/wire_format.h"

#include "base/bytes.h"

enum {
	ECHO_REPLY = 0,
	UNREACHABLE = 3,
	SOURCE_QUENCH = 4,
	REDIRECT = 5,
	ECHO_REQUEST = 8,
	TIME_EXCEEDED = 11,
	PARAMETER_PROBLEM = 12,
};

#define FRAGMENTATION_NEEDED 4u         /* code of UNREACHABLE */
#define EXTENDED_QUOTE_BYTES_MIN 128u   /* RFC 4884 section 3: least quote before an extension */

/* An ICMP message: what was received of it, and how long it was before the buffer cut it. */
struct message {
	const uint8_t *bytes;
	size_t length;
	size_t full_length;
};

static void icmp4_build(uint8_t packet[static WIRE_ECHO_HEADER_BYTES], uint16_t identifier)
{
	packet[0] = ECHO_REQUEST;
	packet[1] = 0;
	bytes_put16(packet + 2, 0);
	bytes_put16(packet + 4, identifier);
	bytes_put16(packet + 6, 0);
}

static void icmp4_finish(uint8_t packet[static WIRE_ECHO_HEADER_BYTES], uint16_t sequence,
			 uint16_t payload_sum)
{
	uint64_t sum = (uint64_t)bytes_get16(packet) + bytes_get16(packet + 4);

	sum += (uint64_t)sequence + payload_sum;
	bytes_put16(packet + 2, checksum_finish(checksum_fold(sum)));
	bytes_put16(packet + 6, sequence);
}

/*
 * Finds the ICMP message behind the IP header. EVENT_REPLY stands for "go on": any other kind is
 * the packet's. The total length may be less than what was received (link padding), never more.
 */
static enum event_kind unwrap(const uint8_t *packet, size_t length, size_t full_length,
			      struct message *message, struct event *event)
{
	struct ip4_view ip;
	size_t received;

	if (length < IP4_HEADER_BYTES + WIRE_ECHO_HEADER_BYTES)
		return EVENT_SHORT;
	if (ip4_view(packet, length, &ip) != IP_OK || ip.total_length < ip.header_bytes ||
	    ip.total_length > full_length)
		return EVENT_BAD_HEADER;
	event->ttl = ip.ttl;
	if (ip.protocol != IP4_PROTOCOL_ICMP || ip.fragment_offset != 0 || ip.more_fragments)
		return EVENT_FOREIGN;
	received = ip.total_length < length ? ip.total_length : length;
	message->bytes = packet + ip.header_bytes;
	message->length = received - ip.header_bytes;
	message->full_length = (size_t)(ip.total_length - ip.header_bytes);
	return EVENT_REPLY;
}

static enum event_kind read_reply(const struct message *message,
				  const struct wire_expectation *expected, struct event *event)
{
	if (event->code != 0)
		return EVENT_BAD_HEADER;
	event->identifier = bytes_get16(message->bytes + 4);
	event->sequence = bytes_get16(message->bytes + 6);
	if (event->identifier != expected->identifier)
		return EVENT_FOREIGN;
	event->payload = message->bytes + WIRE_ECHO_HEADER_BYTES;
	event->payload_length = (uint32_t)(message->length - WIRE_ECHO_HEADER_BYTES);
	event->claimed_length = (uint32_t)(message->full_length - WIRE_ECHO_HEADER_BYTES);
	return EVENT_REPLY;
}

/*
 * How much of the error is quote. RFC 4884 section 4: in three types byte 5 may give the quote's
 * length in 32-bit words, and extensions follow it. Values too small for that are leftovers of the
 * time when the byte was unused, and are not believed.
 */
static size_t quote_length(const struct message *message)
{
	size_t length = message->length - WIRE_ECHO_HEADER_BYTES;
	size_t said = (size_t)message->bytes[5] * 4;
	uint8_t type = message->bytes[0];

	if (type != UNREACHABLE && type != TIME_EXCEEDED && type != PARAMETER_PROBLEM)
		return length;
	return said >= EXTENDED_QUOTE_BYTES_MIN && said < length ? said : length;
}

/*
 * An error is ours if it quotes the start of one of our echo requests: IP header with its options,
 * then at least the eight bytes of the ICMP header (RFC 792, RFC 1812 section 4.3.2.3). A later
 * fragment of a request does not hold these bytes, and what stands in their place is data.
 */
static enum event_kind read_error(const struct message *message,
				  const struct wire_expectation *expected, struct event *event)
{
	const uint8_t *quote = message->bytes + WIRE_ECHO_HEADER_BYTES;
	size_t length = quote_length(message);
	struct ip4_view ip;
	size_t data_at;

	switch (ip4_view(quote, length, &ip)) {
	case IP_SHORT:
		return EVENT_SHORT;
	case IP_BAD:
		return EVENT_BAD_HEADER;
	case IP_OK:
		break;
	}
	if (ip.protocol != IP4_PROTOCOL_ICMP || ip.fragment_offset != 0)
		return EVENT_FOREIGN;
	data_at = (size_t)ip.header_bytes + WIRE_ECHO_HEADER_BYTES;
	if (length < data_at)
		return EVENT_SHORT;
	/* What follows the request's own end is padding, if the quoted length can be right. */
	if (ip.total_length >= data_at && ip.total_length < length)
		length = ip.total_length;
	quote += ip.header_bytes;
	event->identifier = bytes_get16(quote + 4);
	event->sequence = bytes_get16(quote + 6);
	if (quote[0] != ECHO_REQUEST || quote[1] != 0 || event->identifier != expected->identifier)
		return EVENT_FOREIGN;
	if (event->type == UNREACHABLE && event->code == FRAGMENTATION_NEEDED)
		event->mtu = bytes_get16(message->bytes + 6); /* RFC 1191 section 4 */
	event->destination = address_from_ip4(ip.destination);
	event->payload = quote + WIRE_ECHO_HEADER_BYTES;
	event->payload_length = (uint32_t)(length - data_at);
	event->claimed_length = event->payload_length;
	return EVENT_ERROR;
}

static enum event_kind read_message(const struct message *message,
				    const struct wire_expectation *expected, struct event *event)
{
	if (message->length < WIRE_ECHO_HEADER_BYTES)
		return EVENT_SHORT;
	event->type = message->bytes[0];
	event->code = message->bytes[1];
	/* The sum of a message that the buffer cut cannot be known; its length condemns it. */
	if (expected->verify_checksum && message->length == message->full_length &&
	    checksum_finish(checksum_sum(message->bytes, message->length)) != 0)
		return EVENT_BAD_CHECKSUM;
	switch (event->type) {
	case ECHO_REPLY:
		return read_reply(message, expected, event);
	case UNREACHABLE:
	case SOURCE_QUENCH:
	case REDIRECT:
	case TIME_EXCEEDED:
	case PARAMETER_PROBLEM:
		return read_error(message, expected, event);
	default:
		return EVENT_FOREIGN;
	}
}

static void icmp4_parse(const uint8_t *packet, size_t length, size_t full_length,
			const struct wire_expectation *expected, struct event *event)
{
	struct message message = {packet, length, full_length < length ? length : full_length};

	*event = (struct event){.kind = EVENT_REPLY, .ttl = -1};
	if (expected->has_ip_header)
		event->kind = unwrap(packet, length, message.full_length, &message, event);
	if (event->kind == EVENT_REPLY)
		event->kind = read_message(&message, expected, event);
}

static const char *unreachable_text(uint8_t code)
{
	static const char *const texts[] = {
		"Destination Net Unreachable",
		"Destination Host Unreachable",
		"Destination Protocol Unreachable",
		"Destination Port Unreachable",
		"Frag needed and DF set",
		"Source Route Failed",
		"Destination Net Unknown",
		"Destination Host Unknown",
		"Source Host Isolated",
		"Destination Net Prohibited",
		"Destination Host Prohibited",
		"Destination Net Unreachable for Type of Service",
		"Destination Host Unreachable for Type of Service",
		"Packet filtered",
		"Precedence Violation",
		"Precedence Cutoff",
	};

	return code < ARRAY_LENGTH(texts) ? texts[code] : "Dest Unreachable, Bad Code";
}

static const char *redirect_text(uint8_t code)
{
	static const char *const texts[] = {
		"Redirect Network",
		"Redirect Host",
		"Redirect Type of Service and Network",
		"Redirect Type of Service and Host",
	};

	return code < ARRAY_LENGTH(texts) ? texts[code] : "Redirect, Bad Code";
}

static const char *time_exceeded_text(uint8_t code)
{
	static const char *const texts[] = {
		"Time to live exceeded",
		"Frag reassembly time exceeded",
	};

	return code < ARRAY_LENGTH(texts) ? texts[code] : "Time exceeded, Bad Code";
}

static const char *icmp4_error_text(uint8_t type, uint8_t code)
{
	switch (type) {
	case UNREACHABLE:
		return unreachable_text(code);
	case SOURCE_QUENCH:
		return "Source Quench";
	case REDIRECT:
		return redirect_text(code);
	case TIME_EXCEEDED:
		return time_exceeded_text(code);
	case PARAMETER_PROBLEM:
		return "Parameter problem";
	default:
		return "Bad ICMP type";
	}
}

const struct wire_format wire_format_icmp4 = {
	.name = "icmp4",
	.summary = "ICMP echo over IPv4 (RFC 792)",
	.family = 4,
	.echo_request_type = ECHO_REQUEST,
	.echo_reply_type = ECHO_REPLY,
	.ip_header_bytes = IP4_HEADER_BYTES,
	.payload_max = UINT16_MAX - IP4_HEADER_BYTES - WIRE_ECHO_HEADER_BYTES,
	.build = icmp4_build,
	.finish = icmp4_finish,
	.parse = icmp4_parse,
	.error_text = icmp4_error_text,
};
