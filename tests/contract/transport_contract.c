/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every transport, both families, on loopback: what is sent is answered, and everything that the
 * header promises about a received packet is true. A row that this process may not open, or a
 * family that this host does not have, is skipped with the reason.
 */
#include "os/transport.h"

#include "contract/contract.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "core/payload.h"
#include "core/wire_format.h"
#include "os/waiter.h"

#define PAYLOAD_BYTES 56u
#define PACKET_BYTES (WIRE_ECHO_HEADER_BYTES + PAYLOAD_BYTES)
#define CAPACITY 256u
#define IDENTIFIER 0x4711
#define PATIENCE_NS (2 * NANOSECONDS_PER_SECOND)
#define OVERFLOW 3000u /* small replies: more than the default receive buffer holds */

struct lab {
	const struct transport_row *row;
	const struct wire_format *format;
	struct configuration configuration;
	int64_t simulated_ns;
	struct clock_source clock;
	struct waiter waiter;
	struct transport_settings settings;
	struct transport transport;
	struct address host;
	struct payload_plan plan;
	uint8_t requests[TRANSPORT_BATCH][PACKET_BYTES];
	struct transport_outgoing outgoing[TRANSPORT_BATCH];
	uint8_t replies[TRANSPORT_BATCH][CAPACITY];
	struct transport_incoming incoming[TRANSPORT_BATCH];
};

/* ---- a lab ---- */

static void prepare(struct lab *lab, const struct transport_row *row, uint8_t family)
{
	memset(lab, 0, sizeof(*lab));
	lab->row = row;
	lab->format = wire_format_find(family);
	lab->host = family == 4 ? address_from_ip4((const uint8_t[4]){127, 0, 0, 1})
				: address_from_ip6((const uint8_t[16]){[15] = 1}, 0);
	configuration_defaults(&lab->configuration);
	lab->configuration.stamps = STAMPS_RX;
	lab->simulated_ns = NANOSECONDS_PER_SECOND;
	lab->clock.row = &clock_monotonic;
	if ((row->flags(family) & TRANSPORT_SIMULATED) != 0)
		lab->clock = (struct clock_source){&clock_simulated, &lab->simulated_ns};
	lab->waiter = waiter_system(&lab->clock);
	lab->transport.row = row;
	lab->settings = (struct transport_settings){
		.family = family,
		.identifier = IDENTIFIER,
		.configuration = &lab->configuration,
		.packet_bytes = PACKET_BYTES,
		.outstanding = TRANSPORT_BATCH,
		.clock = &lab->clock,
		.waiter = &lab->waiter,
	};
	lab->plan = (struct payload_plan){.bytes = PAYLOAD_BYTES, .key = "0123456789abcde"};
	payload_plan_init(&lab->plan);
	for (uint32_t i = 0; i < TRANSPORT_BATCH; i++) {
		lab->incoming[i].bytes = lab->replies[i];
		lab->incoming[i].capacity = CAPACITY;
	}
}

/* Whether this host has the family's loopback address at all. */
static bool has_family(const struct lab *lab)
{
	bool is_ip4 = lab->settings.family == 4;
	struct sockaddr_in ip4 = {.sin_family = AF_INET, .sin_port = htons(9)};
	struct sockaddr_in6 ip6 = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
	int probe = socket(is_ip4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result = -1;

	ip4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ip6.sin6_addr = in6addr_loopback;
	if (probe >= 0) {
		result = is_ip4 ? connect(probe, (const struct sockaddr *)&ip4, sizeof(ip4))
				: connect(probe, (const struct sockaddr *)&ip6, sizeof(ip6));
		(void)close(probe);
	}
	return result == 0;
}

/* The socket that a row wants to be given, -1 if none. */
static int descriptor_for(const struct lab *lab)
{
	if ((lab->row->flags(lab->settings.family) & TRANSPORT_NEEDS_PRIVILEGE) == 0)
		return -1;
	return lab->settings.family == 4
		       ? socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP)
		       : socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6);
}

/* Opens the row with the settings; false, with the test skipped or failed, if it cannot be. */
static bool open_row(struct lab *lab)
{
	unsigned flags = lab->row->flags(lab->settings.family);
	int descriptor = descriptor_for(lab);
	struct error error;
	int result;

	error_clear(&error);
	if ((flags & TRANSPORT_SIMULATED) == 0 && !has_family(lab)) {
		contract_skip("no loopback for IPv%d", lab->settings.family);
		if (descriptor >= 0)
			(void)close(descriptor);
		return false;
	}
	if ((flags & TRANSPORT_NEEDS_PRIVILEGE) != 0 && descriptor < 0) {
		contract_skip("no right to open a raw socket");
		return false;
	}
	result = lab->row->open(&lab->transport, &lab->settings, descriptor, &error);
	if (result == -ERROR_PERMISSION) {
		contract_check(strstr(error.text, "CAP_NET_RAW") != NULL &&
				       strstr(error.text, "ping_group_range") != NULL,
			       "the remedies are not named: %s", error.text);
		contract_skip("no right to open a ping socket");
		return false;
	}
	return contract_check(result == 0, "%s", error.text);
}

static bool open_lab(struct lab *lab)
{
	struct error error;

	if (!open_row(lab))
		return false;
	if (contract_check(lab->row->add_destination(&lab->transport, &lab->host, &error) == 0,
			   "the first destination is not number 0"))
		return true;
	lab->row->close(&lab->transport);
	return false;
}

/* Writes `count` requests with the sequences from `first` on. */
static void write_requests(struct lab *lab, uint16_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *packet = lab->requests[i];
		uint16_t sequence = (uint16_t)(first + i);

		lab->format->build(packet, lab->transport.identifier);
		lab->format->finish(packet, sequence,
				    payload_write(&lab->plan, sequence,
						  packet + WIRE_ECHO_HEADER_BYTES));
		lab->outgoing[i] = (struct transport_outgoing){.bytes = packet, .length = PACKET_BYTES};
	}
}

/* Sends them all; how many the transport took. */
static uint32_t send_requests(struct lab *lab, uint16_t first, uint32_t count)
{
	uint32_t sent = 0;

	write_requests(lab, first, count);
	while (sent < count) {
		int accepted = lab->row->send(&lab->transport, lab->outgoing + sent, count - sent);

		if (!contract_check(accepted > 0 && (uint32_t)accepted <= count - sent, "send: %s",
				    accepted < 0 ? strerror(-accepted) : "an impossible count"))
			break;
		sent += (uint32_t)accepted;
	}
	return sent;
}

/* Waits for up to `count` packets; the time of the last receive call. */
static uint32_t receive_some(struct lab *lab, uint32_t count, int64_t *now_ns)
{
	int64_t limit_ns = clock_now(&lab->clock) + PATIENCE_NS;
	int descriptor = lab->row->descriptor(&lab->transport);

	for (;;) {
		int received = lab->row->receive(&lab->transport, lab->incoming, count, now_ns);

		if (!contract_check(received >= 0 && (uint32_t)received <= count, "receive: %d",
				    received))
			return 0;
		if (received > 0 || *now_ns >= limit_ns)
			return (uint32_t)received;
		lab->waiter.wait(lab->waiter.context, &descriptor, 1, limit_ns, false);
	}
}

/* ---- the contracts ---- */

static void check_row(const struct transport_row *row)
{
	contract_begin("transport", row->name, "row");
	contract_check_texts(row->name, row->summary);
	contract_check(row->flags != NULL && row->open != NULL && row->add_destination != NULL &&
			       row->send != NULL && row->receive != NULL &&
			       row->descriptor != NULL && row->drops != NULL && row->close != NULL,
		       "a hook is missing");
	contract_check(transport_find(row->name) == row, "not found by its name");
	for (uint8_t family = 4; family <= 6; family = (uint8_t)(family + 2)) {
		unsigned flags = row->flags(family);

		contract_check((flags & TRANSPORT_QUEUES_ERRORS) == 0 || row->receive_error != NULL,
			       "queues errors and cannot take them off");
		contract_check((flags & TRANSPORT_SIMULATED) == 0 ||
				       (flags & TRANSPORT_NEEDS_PRIVILEGE) == 0,
			       "simulated and privileged");
		contract_check(family == 4 || (flags & TRANSPORT_HAS_IP_HEADER) == 0,
			       "an IPv6 header");
	}
	contract_end();
}

static void check_reply(struct lab *lab, const struct transport_incoming *packet, uint16_t first,
			uint32_t count)
{
	unsigned flags = lab->row->flags(lab->settings.family);
	const struct wire_expectation expected = {
		.identifier = lab->transport.identifier,
		.has_ip_header = (flags & TRANSPORT_HAS_IP_HEADER) != 0,
		.verify_checksum = (flags & TRANSPORT_VERIFIES_CHECKSUM) == 0,
	};
	struct payload_finding finding;
	struct event event;

	contract_check(packet->length == packet->full_length, "%u bytes of %u", packet->length,
		       packet->full_length);
	contract_check(address_equal(&packet->source, &lab->host), "another source");
	contract_check(packet->largest_fragment == 0, "a fragment");
	contract_check(packet->ttl >= -1 && packet->ttl <= 255, "ttl %d", packet->ttl);
	lab->format->parse(packet->bytes, packet->length, packet->full_length, &expected, &event);
	if (!contract_check(event.kind == EVENT_REPLY, "no reply but event %d", (int)event.kind))
		return;
	contract_check(packet->ttl >= 0 || event.ttl >= 0 || (flags & TRANSPORT_SIMULATED) != 0,
		       "no time to live");
	contract_check((uint16_t)(event.sequence - first) < count, "sequence %u", event.sequence);
	payload_check(&lab->plan, event.payload, event.payload_length, event.claimed_length, 0,
		      UINT16_MAX, &finding);
	contract_check(finding.verdict == PAYLOAD_RIGHT && finding.sequence == event.sequence,
		       "not the data of request %u", event.sequence);
}

/* The kernel switches stamps on a little after it was asked to, so the first may lack one. */
static void check_stamp(const struct lab *lab, int64_t stamp_ns, int64_t start_ns, int64_t now_ns)
{
	const int64_t error_ns = NANOSECONDS_PER_MILLISECOND;

	if (stamp_ns == INT64_MIN)
		return;
	contract_check(lab->configuration.stamps == STAMPS_RX, "a stamp that was not asked for");
	contract_check(stamp_ns >= start_ns - error_ns && stamp_ns <= now_ns + error_ns,
		       "a stamp outside of the exchange");
}

/* Receives until all `count` requests from `first` on are answered, each once. */
static void receive_replies(struct lab *lab, uint16_t first, uint32_t count, int64_t start_ns)
{
	bool seen[TRANSPORT_BATCH] = {false};
	uint32_t answered = 0;
	int64_t now_ns;

	while (answered < count) {
		uint32_t received = receive_some(lab, count, &now_ns);

		if (!contract_check(received > 0, "%u of %u answered", answered, count))
			return;
		for (uint32_t i = 0; i < received; i++) {
			const struct transport_incoming *packet = &lab->incoming[i];
			const uint8_t *echo;
			uint32_t at;

			if (!contract_check(packet->length >= PACKET_BYTES, "%u bytes",
					    packet->length))
				return;
			echo = packet->bytes + packet->length - PACKET_BYTES;
			check_reply(lab, packet, first, count);
			check_stamp(lab, packet->stamp_ns, start_ns, now_ns);
			at = (uint16_t)(bytes_get16(echo + 6) - first);
			if (contract_check(at < count && !seen[at], "answered twice"))
				seen[at] = true;
		}
		answered += received;
	}
	contract_check(lab->row->receive(&lab->transport, lab->incoming, 1, &now_ns) == 0,
		       "one more than was sent");
	contract_check(lab->row->drops(&lab->transport) == 0, "drops");
}

static void check_exchange(struct lab *lab, const char *what, uint16_t first, uint32_t count)
{
	contract_begin("transport", lab->row->name, what);
	if (open_lab(lab)) {
		int64_t start_ns = clock_now(&lab->clock);

		if (send_requests(lab, first, count) == count)
			receive_replies(lab, first, count, start_ns);
		lab->row->close(&lab->transport);
	}
	contract_end();
}

/* Stamps come within a few packets after they were asked for. */
static void check_stamps(struct lab *lab, const char *what)
{
	bool stamped = false;
	int64_t now_ns;

	contract_begin("transport", lab->row->name, what);
	if (open_lab(lab)) {
		for (uint16_t i = 1; i <= 200 && !stamped; i++) {
			if (send_requests(lab, i, 1) != 1 || receive_some(lab, 1, &now_ns) != 1)
				break;
			stamped = lab->incoming[0].stamp_ns != INT64_MIN;
		}
		contract_check(stamped, "no stamp");
		lab->row->close(&lab->transport);
	}
	contract_end();
}

/* A buffer that is too small: what fits is there, and it is told that there was more. */
static void check_cut(struct lab *lab, const char *what)
{
	int64_t now_ns;

	contract_begin("transport", lab->row->name, what);
	if (open_lab(lab)) {
		lab->incoming[0].capacity = 40;
		lab->replies[0][40] = 0xa5;
		if (send_requests(lab, 1, 1) == 1 &&
		    contract_check(receive_some(lab, 1, &now_ns) == 1, "no answer")) {
			contract_check(lab->incoming[0].length == 40, "%u bytes",
				       lab->incoming[0].length);
			contract_check(lab->incoming[0].full_length > 40, "not told");
			contract_check(lab->replies[0][40] == 0xa5, "written past the end");
		}
		lab->row->close(&lab->transport);
	}
	contract_end();
}

/* Two at once: neither sees the other's replies. */
static void check_apart(struct lab *lab, struct lab *other, const char *what)
{
	int64_t now_ns;

	contract_begin("transport", lab->row->name, what);
	other->settings.identifier = IDENTIFIER + 1;
	if (open_lab(lab)) {
		if (open_lab(other)) {
			contract_check(lab->transport.identifier != other->transport.identifier,
				       "the same identifier");
			if (send_requests(lab, 1, TRANSPORT_BATCH) == TRANSPORT_BATCH)
				contract_check(receive_some(lab, 1, &now_ns) > 0, "no answer");
			contract_check(other->row->receive(&other->transport, other->incoming,
							   TRANSPORT_BATCH, &now_ns) == 0,
				       "another's reply");
			contract_check(other->row->drops(&other->transport) == 0,
				       "another's replies count as drops");
			other->row->close(&other->transport);
		}
		lab->row->close(&lab->transport);
	}
	contract_end();
}

/* More replies than the buffer holds: each is received or counted. */
static void check_overflow(struct lab *lab, const char *what)
{
	uint32_t received = 0, sent = 0;
	uint64_t drops;
	int64_t now_ns;

	contract_begin("transport", lab->row->name, what);
	lab->settings.outstanding = 1;
	if (open_lab(lab)) {
		contract_check(lab->transport.receive_buffer_is_enough &&
				       lab->transport.receive_buffer_bytes > 0,
			       "one reply does not fit");
		while (sent < OVERFLOW) {
			uint32_t more = send_requests(lab, (uint16_t)sent, TRANSPORT_BATCH);

			if (more == 0)
				break;
			sent += more;
		}
		for (;;) {
			int more = lab->row->receive(&lab->transport, lab->incoming,
						     TRANSPORT_BATCH, &now_ns);

			if (more <= 0)
				break;
			received += (uint32_t)more;
		}
		drops = lab->row->drops(&lab->transport);
		contract_check(drops > 0, "%u of %u received, none dropped", received, sent);
		contract_check(received + drops >= sent, "%u received and %llu dropped of %u",
			       received, (unsigned long long)drops, sent);
		contract_check(lab->row->drops(&lab->transport) == drops, "counts twice");
		lab->row->close(&lab->transport);
	}
	contract_end();
}

/* What cannot be sent or opened says so, and leaves a transport that works. */
static void check_failures(struct lab *lab, const char *what)
{
	static uint8_t giant[70000];
	const struct transport_outgoing too_long = {.bytes = giant,
						   .length = lab->format->payload_max + 9};
	struct transport_error queued;
	struct error error;
	int64_t now_ns;

	contract_begin("transport", lab->row->name, what);
	if (open_lab(lab)) {
		const struct address other =
			lab->settings.family == 4
				? address_from_ip6((const uint8_t[16]){[15] = 1}, 0)
				: address_from_ip4((const uint8_t[4]){127, 0, 0, 1});

		giant[0] = lab->format->echo_request_type;
		contract_check(lab->row->send(&lab->transport, &too_long, 1) == -EMSGSIZE,
			       "a packet that is too long is sent");
		contract_check(lab->row->add_destination(&lab->transport, &other, &error) < 0,
			       "a destination of the other family");
		while (lab->row->receive_error(&lab->transport, &queued) > 0)
			contract_check(queued.is_local, "an error of the network");
		contract_check(send_requests(lab, 1, 1) == 1 && receive_some(lab, 1, &now_ns) == 1,
			       "does not work after that");
		lab->row->close(&lab->transport);

		lab->settings.source =
			lab->settings.family == 4
				? address_from_ip4((const uint8_t[4]){192, 0, 2, 77})
				: address_from_ip6(
					  (const uint8_t[16]){0x20, 1, 0xd, 0xb8, [15] = 7}, 0);
		contract_check(lab->row->open(&lab->transport, &lab->settings, descriptor_for(lab),
					      &error) == -ERROR_NOT_FOUND &&
				       strstr(error.text, "not an address of this host") != NULL,
			       "a source that is not ours: %s", error.text);
		lab->settings.source.family = 0;
		memcpy(lab->settings.device, "nosuchdevice", sizeof("nosuchdevice"));
		contract_check(lab->row->open(&lab->transport, &lab->settings, descriptor_for(lab),
					      &error) == -ERROR_NOT_FOUND &&
				       strstr(error.text, "nosuchdevice") != NULL,
			       "a device that does not exist: %s", error.text);
	}
	contract_end();
}

static void check_family(const struct transport_row *row, uint8_t family)
{
	static struct lab lab, other;
	bool is_simulated = (row->flags(family) & TRANSPORT_SIMULATED) != 0;
	char what[64];

	prepare(&lab, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d one request", family);
	check_exchange(&lab, what, 1, 1);
	prepare(&lab, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d a full batch over the end of 16 bits", family);
	check_exchange(&lab, what, 65500, 36);
	prepare(&lab, row, family);
	lab.configuration.stamps = STAMPS_USER;
	(void)snprintf(what, sizeof(what), "IPv%d without stamps", family);
	check_exchange(&lab, what, 7, TRANSPORT_BATCH);
	prepare(&lab, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d with stamps", family);
	check_stamps(&lab, what);
	prepare(&lab, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d a reply that is cut", family);
	check_cut(&lab, what);
	if (is_simulated)
		return;
	prepare(&lab, row, family);
	prepare(&other, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d two at once", family);
	check_apart(&lab, &other, what);
	prepare(&lab, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d an overflow", family);
	check_overflow(&lab, what);
	prepare(&lab, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d failures", family);
	check_failures(&lab, what);
}

void contract_transports(void)
{
	for (size_t i = 0; transport_rows[i] != NULL; i++) {
		check_row(transport_rows[i]);
		check_family(transport_rows[i], 4);
		check_family(transport_rows[i], 6);
	}
	contract_begin("transport", "table", "unknown names");
	contract_check(transport_find("pigeon") == NULL && transport_find("") == NULL, "found");
	contract_end();
}
