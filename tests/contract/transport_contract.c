/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every transport, both families, on loopback: what is sent is answered, and everything that the
 * header promises about a received packet is true. A row that this process may not open, or a
 * family that this host does not have, is skipped with the reason.
 */
#include "contract/transport_lab.h"

#include "contract/contract.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"

#define OVERFLOW 3000u /* small replies: more than the default receive buffer holds */

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

static void check_reply(struct transport_lab *lab, const struct transport_incoming *packet,
			uint16_t first, uint32_t count)
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
static void check_stamp(const struct transport_lab *lab, int64_t stamp_ns, int64_t start_ns,
			int64_t now_ns)
{
	const int64_t error_ns = NANOSECONDS_PER_MILLISECOND;

	if (stamp_ns == INT64_MIN)
		return;
	contract_check(lab->configuration.stamps == STAMPS_RX, "a stamp that was not asked for");
	contract_check(stamp_ns >= start_ns - error_ns && stamp_ns <= now_ns + error_ns,
		       "a stamp outside of the exchange");
}

/* Receives until all `count` requests from `first` on are answered, each once. */
static void receive_replies(struct transport_lab *lab, uint16_t first, uint32_t count,
			    int64_t start_ns)
{
	bool seen[TRANSPORT_BATCH] = {false};
	uint32_t answered = 0;
	int64_t now_ns;

	while (answered < count) {
		uint32_t received = lab_receive(lab, count, &now_ns);

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

static void check_exchange(struct transport_lab *lab, const char *what, uint16_t first,
			   uint32_t count)
{
	contract_begin("transport", lab->row->name, what);
	if (lab_open(lab)) {
		int64_t start_ns = clock_now(&lab->clock);

		if (lab_send(lab, first, count) == count)
			receive_replies(lab, first, count, start_ns);
		lab_close(lab);
	}
	contract_end();
}

/* Stamps come within a few packets after they were asked for. */
static void check_stamps(struct transport_lab *lab, const char *what)
{
	bool stamped = false;
	int64_t now_ns;

	contract_begin("transport", lab->row->name, what);
	if (lab_open(lab)) {
		for (uint16_t i = 1; i <= 200 && !stamped; i++) {
			if (lab_send(lab, i, 1) != 1 || lab_receive(lab, 1, &now_ns) != 1)
				break;
			stamped = lab->incoming[0].stamp_ns != INT64_MIN;
		}
		contract_check(stamped, "no stamp");
		lab_close(lab);
	}
	contract_end();
}

/* A buffer that is too small: what fits is there, and it is told that there was more. */
static void check_cut(struct transport_lab *lab, const char *what)
{
	int64_t now_ns;

	contract_begin("transport", lab->row->name, what);
	if (lab_open(lab)) {
		lab->incoming[0].capacity = 40;
		lab->replies[0][40] = 0xa5;
		if (lab_send(lab, 1, 1) == 1 &&
		    contract_check(lab_receive(lab, 1, &now_ns) == 1, "no answer")) {
			contract_check(lab->incoming[0].length == 40, "%u bytes",
				       lab->incoming[0].length);
			contract_check(lab->incoming[0].full_length > 40, "not told");
			contract_check(lab->replies[0][40] == 0xa5, "written past the end");
		}
		lab_close(lab);
	}
	contract_end();
}

/* Two at once: neither sees the other's replies. */
static void check_apart(struct transport_lab *lab, struct transport_lab *other, const char *what)
{
	int64_t now_ns;

	contract_begin("transport", lab->row->name, what);
	other->settings.identifier = IDENTIFIER + 1;
	if (lab_open(lab)) {
		if (lab_open(other)) {
			contract_check(lab->transport.identifier != other->transport.identifier,
				       "the same identifier");
			if (lab_send(lab, 1, TRANSPORT_BATCH) == TRANSPORT_BATCH)
				contract_check(lab_receive(lab, 1, &now_ns) > 0, "no answer");
			contract_check(other->row->receive(&other->transport, other->incoming,
							   TRANSPORT_BATCH, &now_ns) == 0,
				       "another's reply");
			contract_check(other->row->drops(&other->transport) == 0,
				       "another's replies count as drops");
			lab_close(other);
		}
		lab_close(lab);
	}
	contract_end();
}

/* More replies than the buffer holds: each is received or counted. */
static void check_overflow(struct transport_lab *lab, const char *what)
{
	uint32_t received = 0, sent = 0;
	uint64_t drops;
	int64_t now_ns;

	contract_begin("transport", lab->row->name, what);
	lab->settings.outstanding = 1;
	if (lab_open(lab)) {
		contract_check(lab->transport.receive_buffer_is_enough &&
				       lab->transport.receive_buffer_bytes > 0,
			       "one reply does not fit");
		while (sent < OVERFLOW) {
			uint32_t more = lab_send(lab, (uint16_t)sent, TRANSPORT_BATCH);

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
		lab_close(lab);
	}
	contract_end();
}

/* What cannot be sent or opened says so, and leaves a transport that works. */
static void check_failures(struct transport_lab *lab, const char *what)
{
	static uint8_t giant[70000];
	const struct transport_outgoing too_long = {.bytes = giant,
						    .length = lab->format->payload_max + 9};
	struct transport_error queued;
	struct error error;
	int64_t now_ns;

	contract_begin("transport", lab->row->name, what);
	if (lab_open(lab)) {
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
		contract_check(lab_send(lab, 1, 1) == 1 && lab_receive(lab, 1, &now_ns) == 1,
			       "does not work after that");
		lab_close(lab);

		lab->settings.source =
			lab->settings.family == 4
				? address_from_ip4((const uint8_t[4]){192, 0, 2, 77})
				: address_from_ip6(
					  (const uint8_t[16]){0x20, 1, 0xd, 0xb8, [15] = 7}, 0);
		contract_check(lab->row->open(&lab->transport, &lab->settings, lab_descriptor(lab),
					      &error) == -ERROR_NOT_FOUND &&
				       strstr(error.text, "not an address of this host") != NULL,
			       "a source that is not ours: %s", error.text);
		lab->settings.source.family = 0;
		memcpy(lab->settings.device, "nosuchdevice", sizeof("nosuchdevice"));
		contract_check(lab->row->open(&lab->transport, &lab->settings, lab_descriptor(lab),
					      &error) == -ERROR_NOT_FOUND &&
				       strstr(error.text, "nosuchdevice") != NULL,
			       "a device that does not exist: %s", error.text);
	}
	contract_end();
}

static void check_family(const struct transport_row *row, uint8_t family)
{
	static struct transport_lab lab, other;
	bool is_simulated = (row->flags(family) & TRANSPORT_SIMULATED) != 0;
	char what[64];

	lab_prepare(&lab, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d one request", family);
	check_exchange(&lab, what, 1, 1);
	lab_prepare(&lab, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d a full batch over the end of 16 bits", family);
	check_exchange(&lab, what, 65500, 36);
	lab_prepare(&lab, row, family);
	lab.configuration.stamps = STAMPS_USER;
	(void)snprintf(what, sizeof(what), "IPv%d without stamps", family);
	check_exchange(&lab, what, 7, TRANSPORT_BATCH);
	lab_prepare(&lab, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d with stamps", family);
	check_stamps(&lab, what);
	lab_prepare(&lab, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d a reply that is cut", family);
	check_cut(&lab, what);
	if (is_simulated)
		return;
	lab_prepare(&lab, row, family);
	lab_prepare(&other, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d two at once", family);
	check_apart(&lab, &other, what);
	lab_prepare(&lab, row, family);
	(void)snprintf(what, sizeof(what), "IPv%d an overflow", family);
	check_overflow(&lab, what);
	lab_prepare(&lab, row, family);
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
