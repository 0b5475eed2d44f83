/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICMPv6 (RFC 4443). Beside ICMP three things differ: the checksum covers a pseudo-header with
 * addresses that only the kernel knows, so a raw socket fills it when sending and checks it when
 * receiving; raw sockets strip the IPv6 header and everything before the ICMPv6 message; and the
 * request that an error quotes may have extension headers in front. Messages of 4 to 7 bytes are
 * delivered. Where an IPv6 header is there, it is read, and the checksum can be verified.
 */
#include "core/checksum.h"
#include "core/ip6.h"
#include "core/wire_format.h"

#include "base/bytes.h"

enum {
	UNREACHABLE = 1,
	PACKET_TOO_BIG = 2,
	TIME_EXCEEDED = 3,
	PARAMETER_PROBLEM = 4,
	ECHO_REQUEST = 128,
	ECHO_REPLY = 129,
};

#define EXTENDED_QUOTE_BYTES_MIN 128u /* RFC 4884 section 3: least quote before an extension */

/* An ICMPv6 message: what was received of it, how long it was, and what its checksum includes. */
struct message {
	const uint8_t *bytes;
	size_t length;
	size_t full_length;
	uint16_t pseudo_header_sum; /* 0 when there was no IPv6 header */
};

static void icmp6_build(uint8_t packet[static WIRE_ECHO_HEADER_BYTES], uint16_t identifier)
{
	packet[0] = ECHO_REQUEST;
	packet[1] = 0;
	bytes_put16(packet + 2, 0);
	bytes_put16(packet + 4, identifier);
	bytes_put16(packet + 6, 0);
}

/* The payload's sum is of no use without the pseudo-header: the kernel computes it all. */
static void icmp6_finish(uint8_t packet[static WIRE_ECHO_HEADER_BYTES], uint16_t sequence,
			 uint16_t payload_sum)
{
	(void)payload_sum;
	bytes_put16(packet + 6, sequence);
}

/* RFC 8200 section 8.1: both addresses, the length of the message, and its protocol number. */
static uint16_t pseudo_header_sum(const struct ip6_view *ip, size_t message_length)
{
	uint64_t sum = (uint64_t)checksum_sum(ip->source, sizeof(ip->source)) +
		       checksum_sum(ip->destination, sizeof(ip->destination)) + message_length +
		       IP6_PROTOCOL_ICMP;

	return checksum_fold(sum);
}

/*
 * Finds the ICMPv6 message behind an IPv6 header. EVENT_REPLY stands for "go on": any other kind is
 * the packet's.
 */
static enum event_kind unwrap(const uint8_t *packet, size_t length, size_t full_length,
			      struct message *message, struct event *event)
{
	struct ip6_view ip;
	size_t total;
	size_t received;

	if (length < IP6_HEADER_BYTES + WIRE_ECHO_HEADER_BYTES)
		return EVENT_SHORT;
	switch (ip6_view(packet, length, &ip)) {
	case IP_SHORT:
		return EVENT_SHORT;
	case IP_BAD:
		return EVENT_BAD_HEADER;
	case IP_OK:
		break;
	}
	total = (size_t)IP6_HEADER_BYTES + ip.payload_length;
	if (total < ip.upper_offset || total > full_length)
		return EVENT_BAD_HEADER;
	event->ttl = ip.hop_limit;
	if (ip.protocol != IP6_PROTOCOL_ICMP || ip.fragment_offset != 0 || ip.more_fragments)
		return EVENT_FOREIGN;
	received = total < length ? total : length;
	message->bytes = packet + ip.upper_offset;
	message->length = received - ip.upper_offset;
	message->full_length = total - ip.upper_offset;
	message->pseudo_header_sum = pseudo_header_sum(&ip, message->full_length);
	return EVENT_REPLY;
}

/* Without the addresses, or the end of the message, the sum cannot be known. */
static bool checksum_is_wrong(const struct message *message,
			      const struct wire_expectation *expected)
{
	uint16_t sum;

	if (!expected->verify_checksum || !expected->has_ip_header ||
	    message->length != message->full_length)
		return false;
	sum = checksum_sum(message->bytes, message->length);
	return checksum_finish(checksum_combine(message->pseudo_header_sum, sum, false)) != 0;
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
 * How much of the error is quote: in two types byte 4 may give its length in 64-bit words (RFC 4884
 * section 4.1), with extensions behind it. Smaller values than allowed there are not believed.
 */
static size_t quote_length(const struct message *message)
{
	size_t length = message->length - WIRE_ECHO_HEADER_BYTES;
	size_t said = (size_t)message->bytes[4] * 8;
	uint8_t type = message->bytes[0];

	if (type != UNREACHABLE && type != TIME_EXCEEDED)
		return length;
	return said >= EXTENDED_QUOTE_BYTES_MIN && said < length ? said : length;
}

/*
 * An error is ours if it quotes the start of one of our echo requests (RFC 4443 section 2.4 (c): as
 * much of it as fits). A later fragment of a request does not hold the ICMPv6 header.
 */
static enum event_kind read_error(const struct message *message,
				  const struct wire_expectation *expected, struct event *event)
{
	const uint8_t *quote = message->bytes + WIRE_ECHO_HEADER_BYTES;
	size_t length = quote_length(message);
	struct ip6_view ip;
	size_t data_at;
	size_t total;

	switch (ip6_view(quote, length, &ip)) {
	case IP_SHORT:
		return EVENT_SHORT;
	case IP_BAD:
		return EVENT_BAD_HEADER;
	case IP_OK:
		break;
	}
	if (ip.protocol != IP6_PROTOCOL_ICMP || ip.fragment_offset != 0)
		return EVENT_FOREIGN;
	data_at = (size_t)ip.upper_offset + WIRE_ECHO_HEADER_BYTES;
	if (length < data_at)
		return EVENT_SHORT;
	/* What follows the request's own end is padding, if the quoted length can be right. */
	total = (size_t)IP6_HEADER_BYTES + ip.payload_length;
	if (total >= data_at && total < length)
		length = total;
	quote += ip.upper_offset;
	event->identifier = bytes_get16(quote + 4);
	event->sequence = bytes_get16(quote + 6);
	if (quote[0] != ECHO_REQUEST || quote[1] != 0 || event->identifier != expected->identifier)
		return EVENT_FOREIGN;
	if (event->type == PACKET_TOO_BIG)
		event->mtu = bytes_get32(message->bytes + 4); /* RFC 4443 section 3.2 */
	event->destination = address_from_ip6(ip.destination, 0);
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
	if (checksum_is_wrong(message, expected))
		return EVENT_BAD_CHECKSUM;
	switch (event->type) {
	case ECHO_REPLY:
		return read_reply(message, expected, event);
	case UNREACHABLE:
	case PACKET_TOO_BIG:
	case TIME_EXCEEDED:
	case PARAMETER_PROBLEM:
		return read_error(message, expected, event);
	default:
		return EVENT_FOREIGN;
	}
}

static void icmp6_parse(const uint8_t *packet, size_t length, size_t full_length,
			const struct wire_expectation *expected, struct event *event)
{
	struct message message = {packet, length, full_length < length ? length : full_length, 0};

	*event = (struct event){.kind = EVENT_REPLY, .ttl = -1};
	if (expected->has_ip_header)
		event->kind = unwrap(packet, length, message.full_length, &message, event);
	if (event->kind == EVENT_REPLY)
		event->kind = read_message(&message, expected, event);
}

static const char *unreachable_text(uint8_t code)
{
	static const char *const texts[] = {
		"Destination unreachable: No route",
		"Destination unreachable: Administratively prohibited",
		"Destination unreachable: Beyond scope of source address",
		"Destination unreachable: Address unreachable",
		"Destination unreachable: Port unreachable",
		"Destination unreachable: Source address failed ingress/egress policy",
		"Destination unreachable: Reject route to destination",
	};

	return code < ARRAY_LENGTH(texts) ? texts[code] : "Destination unreachable: Unknown code";
}

static const char *time_exceeded_text(uint8_t code)
{
	static const char *const texts[] = {
		"Time exceeded: Hop limit",
		"Time exceeded: Defragmentation failure",
	};

	return code < ARRAY_LENGTH(texts) ? texts[code] : "Time exceeded: Unknown code";
}

static const char *parameter_problem_text(uint8_t code)
{
	static const char *const texts[] = {
		"Parameter problem: Wrong header field",
		"Parameter problem: Unknown header",
		"Parameter problem: Unknown option",
	};

	return code < ARRAY_LENGTH(texts) ? texts[code] : "Parameter problem: Unknown code";
}

static const char *icmp6_error_text(uint8_t type, uint8_t code)
{
	switch (type) {
	case UNREACHABLE:
		return unreachable_text(code);
	case PACKET_TOO_BIG:
		return "Packet too big";
	case TIME_EXCEEDED:
		return time_exceeded_text(code);
	case PARAMETER_PROBLEM:
		return parameter_problem_text(code);
	default:
		return "Unknown ICMPv6 type";
	}
}

const struct wire_format wire_format_icmp6 = {
	.name = "icmp6",
	.summary = "ICMPv6 echo over IPv6 (RFC 4443)",
	.family = 6,
	.echo_request_type = ECHO_REQUEST,
	.echo_reply_type = ECHO_REPLY,
	.ip_header_bytes = IP6_HEADER_BYTES,
	.payload_max = UINT16_MAX - WIRE_ECHO_HEADER_BYTES,
	.build = icmp6_build,
	.finish = icmp6_finish,
	.parse = icmp6_parse,
	.error_text = icmp6_error_text,
};
