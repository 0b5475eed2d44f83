/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The receiving side as one fuzz target per address family: a wire format's parser, the judgement
 * of the payload, and the account, with requests in flight that the input can match. Random bytes
 * would never get past a checksum and a keyed tag, so each packet of the input begins with switches
 * by which the harness repairs what only a real peer could get right.
 *
 * Input: one byte that chooses the plan, then packets:
 *
 *	switches   1 byte, below
 *	request    1 byte, which request in flight the repairs are made for
 *	length     2 bytes
 *	packet     that many bytes, as far as there are any
 */
#ifndef FPING_BENCH_TESTS_FUZZ_RECEIVE_H
#define FPING_BENCH_TESTS_FUZZ_RECEIVE_H

#include <string.h>

#include "base/bytes.h"
#include "core/account.h"
#include "core/wire_format.h"
#include "fuzz/require.h"

enum {
	REPAIR_CHECKSUM = 1,
	REPAIR_IDENTIFIER = 2, /* and the 16-bit sequence */
	REPAIR_TAG = 4,
	REPAIR_DATA = 8, /* all data of the request, its tag too */
	CUT = 16,	 /* the packet was longer than the buffer */
	STRANGE_SOURCE = 32,
	LET_TIME_PASS = 64,
	SEND_ANOTHER = 128,
};

enum {
	PLAN_PATTERN = 3, /* 0 distinct, 1 fixed, 2 random, 3 distinct */
	PLAN_SIZE = 7 << 2,
	PLAN_NO_IP_HEADER = 32,
	PLAN_NO_VERIFY = 64,
	PLAN_LATER = 128, /* sequences that have left 16 bits behind */
};

#define RECEIVE_IDENTIFIER 0x4321u
#define RECEIVE_RING	   256u
#define RECEIVE_REQUESTS   40u
#define RECEIVE_TARGETS	   2u
#define RECEIVE_DATA_MAX   1472u
#define RECEIVE_TIMEOUT_NS INT64_C(1000000)

/* Where the harness finds things in a packet, without the parser that it tries out. */
struct receive_place {
	size_t message; /* of the ICMP header */
	size_t echo;	/* of the echo header: the same, or the quoted one of an error */
	size_t end;	/* of the message, as the IP header has it */
	bool found;
};

struct receive_family {
	const struct wire_format *format;
	struct address targets[RECEIVE_TARGETS]; /* the second is a multicast group */
	struct address stranger;
	struct receive_place (*locate)(const uint8_t *packet, size_t length, bool has_ip_header);
	/* The checksum over the message as it is, by plain addition; the field is zero. */
	uint16_t (*checksum)(const uint8_t *packet, const struct receive_place *place);
};

struct receive {
	const struct receive_family *family;
	struct wire_expectation expected;
	struct payload_plan plan;
	struct account account;
	struct account_target targets[RECEIVE_TARGETS];
	struct account_responder responders[ACCOUNT_RESPONDERS_MAX];
	struct histogram histograms[RECEIVE_TARGETS];
	struct flight_entry ring[RECEIVE_RING];
	struct flight_entry stragglers[RECEIVE_RING];
	int64_t now_ns;
};

/* One word at a time, every carry at once: nothing in common with the function under test. */
static inline uint16_t receive_plain_sum(const uint8_t *data, size_t length, uint32_t sum)
{
	for (size_t i = 0; i < length; i++) {
		sum += i % 2 == 0 ? (uint32_t)data[i] << 8 : data[i];
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

static inline void receive_nobody(void *context, uint32_t target)
{
	(void)context;
	(void)target;
}

static inline void receive_send(struct receive *receive)
{
	uint32_t target = receive->account.flight.last_sequence % 4 == 1 ? 1 : 0;

	if (flight_room(&receive->account.flight) == 0)
		return;
	receive->now_ns += 1000;
	account_sent(&receive->account, target, receive->now_ns, receive->now_ns - 10, true);
}

static inline void receive_start(struct receive *receive, const struct receive_family *family,
				 uint8_t choice)
{
	static const uint32_t sizes[] = {56, 0, 8, 15, 16, 17, 200, RECEIVE_DATA_MAX};
	static const enum payload_pattern patterns[] = {PAYLOAD_DISTINCT, PAYLOAD_FIXED,
							PAYLOAD_RANDOM, PAYLOAD_DISTINCT};

	memset(receive, 0, sizeof(*receive));
	receive->family = family;
	receive->expected = (struct wire_expectation){
		.identifier = RECEIVE_IDENTIFIER,
		.has_ip_header = (choice & PLAN_NO_IP_HEADER) == 0,
		.verify_checksum = (choice & PLAN_NO_VERIFY) == 0,
	};
	receive->plan = (struct payload_plan){
		.bytes = sizes[(choice & PLAN_SIZE) >> 2],
		.pattern = patterns[choice & PLAN_PATTERN],
		.fixed = {0xde, 0xad, 0xbe, 0xef, 0x01},
		.fixed_length = 5,
		.key = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
	};
	payload_plan_init(&receive->plan);
	flight_init(&receive->account.flight, receive->ring, RECEIVE_RING, receive->stragglers,
		    RECEIVE_RING);
	if ((choice & PLAN_LATER) != 0) {
		receive->account.flight.last_sequence = 3 * 65536 - 10;
		receive->account.flight.ring_expire = 3 * 65536 - 9;
	}
	receive->account.targets = receive->targets;
	receive->account.target_count = RECEIVE_TARGETS;
	receive->account.plan = &receive->plan;
	receive->account.timeout_ns = RECEIVE_TIMEOUT_NS;
	for (uint32_t i = 0; i < RECEIVE_TARGETS; i++) {
		receive->targets[i].address = family->targets[i];
		receive->targets[i].is_multicast = i == 1;
		receive->targets[i].rtt_user = &receive->histograms[i];
		receive->targets[i].responders = i == 1 ? receive->responders : NULL;
		account_target_init(&receive->targets[i]);
	}
	receive->now_ns = INT64_C(1000000000);
	for (uint32_t i = 0; i < RECEIVE_REQUESTS; i++)
		receive_send(receive);
}

/* The rule of accounting, after everything that happens. */
static inline void receive_balance(const struct receive *receive)
{
	uint64_t out = 0;

	for (uint32_t i = 0; i < RECEIVE_TARGETS; i++) {
		const struct tally *tally = &receive->targets[i].tally;

		REQUIRE(tally->sent >= tally->received + tally->lost + tally->in_flight_at_end,
			"more answered than sent");
		REQUIRE(tally->lost == tally->lost_error_reply + tally->lost_damaged_reply +
					       tally->lost_late_reply +
					       tally->lost_local_receive_drop + tally->lost_unknown,
			"causes do not add up");
		REQUIRE(receive->histograms[i].samples == tally->received, "samples and received");
		out += tally->sent - tally->received - tally->lost - tally->in_flight_at_end;
	}
	REQUIRE(out == receive->account.flight.waiting, "waiting");
}

/* Makes right what the switches ask for, as far as the packet has room for it. */
static inline void receive_repair(const struct receive *receive, uint8_t *packet, size_t length,
				  uint8_t switches, uint64_t sequence)
{
	struct receive_place place =
		receive->family->locate(packet, length, receive->expected.has_ip_header);
	uint8_t data[RECEIVE_DATA_MAX + 1];
	size_t count = 0;

	if (!place.found)
		return;
	if ((switches & REPAIR_IDENTIFIER) != 0) {
		bytes_put16(packet + place.echo + 4, RECEIVE_IDENTIFIER);
		bytes_put16(packet + place.echo + 6, (uint16_t)sequence);
	}
	(void)payload_write(&receive->plan, sequence, data);
	if ((switches & REPAIR_DATA) != 0)
		count = receive->plan.bytes;
	else if ((switches & REPAIR_TAG) != 0)
		count = receive->plan.bytes < 16 ? receive->plan.bytes : 16;
	if (count > place.end - place.echo - 8)
		count = place.end - place.echo - 8;
	memcpy(packet + place.echo + 8, data, count);
	if ((switches & REPAIR_CHECKSUM) != 0) {
		bytes_put16(packet + place.message + 2, 0);
		bytes_put16(packet + place.message + 2, receive->family->checksum(packet, &place));
	}
}

/* What every event must keep to, and what a verdict on its data must mean. */
static inline void receive_examine(const struct receive *receive, const uint8_t *packet,
				   size_t length, const struct event *event)
{
	struct payload_finding finding;
	uint8_t sent[RECEIVE_DATA_MAX + 1];
	uint64_t fallback;

	REQUIRE(event->kind >= EVENT_REPLY && event->kind <= EVENT_BAD_CHECKSUM, "kind");
	REQUIRE(event->ttl >= -1 && event->ttl <= 255, "ttl");
	if (event->kind != EVENT_REPLY && event->kind != EVENT_ERROR) {
		REQUIRE(event->payload == NULL && event->mtu == 0, "kind %d with data",
			(int)event->kind);
		return;
	}
	REQUIRE(event->identifier == RECEIVE_IDENTIFIER, "not ours");
	REQUIRE(event->payload >= packet &&
			event->payload + event->payload_length <= packet + length,
		"data outside of the packet");
	REQUIRE(event->claimed_length >= event->payload_length, "claims less than there is");
	if (event->kind == EVENT_ERROR) {
		REQUIRE(event->destination.family == receive->family->format->family,
			"destination");
		return;
	}
	REQUIRE(event->code == 0, "reply code");
	fallback = flight_from_wire(&receive->account.flight, event->sequence);
	payload_check(&receive->plan, event->payload, event->payload_length, event->claimed_length,
		      fallback, receive->account.flight.last_sequence, &finding);
	if (finding.verdict != PAYLOAD_RIGHT)
		return;
	(void)payload_write(&receive->plan, finding.tagged ? finding.sequence : fallback, sent);
	REQUIRE(event->payload_length == receive->plan.bytes &&
			memcmp(sent, event->payload, event->payload_length) == 0,
		"called right, but is not what was sent");
}

static inline void receive_packet(struct receive *receive, uint8_t *packet, size_t length,
				  uint8_t switches)
{
	const struct wire_format *format = receive->family->format;
	bool strange = (switches & STRANGE_SOURCE) != 0;
	struct account_outcome outcome;
	struct event event;
	struct arrival arrival = {
		.event = &event,
		.source = strange ? receive->family->stranger : receive->family->targets[0],
		.source_target = strange ? ACCOUNT_NO_TARGET : 0,
		.now_ns = receive->now_ns,
		.stamp_ns = (length & 1) == 0 ? ACCOUNT_NO_STAMP : receive->now_ns - 100,
		.ttl = -1,
	};

	memset(&event, 0xff, sizeof(event));
	format->parse(packet, length, length + ((switches & CUT) != 0 ? 1000 : 0),
		      &receive->expected, &event);
	receive_examine(receive, packet, length, &event);
	arrival.ttl = event.ttl;
	if (event.kind == EVENT_ERROR)
		arrival.error_text = format->error_text(event.type, event.code);
	account_arrival(&receive->account, &arrival, &outcome);
	receive_balance(receive);
}

/* The whole of one input. */
static inline void receive_run(const struct receive_family *family, const uint8_t *data,
			       size_t size)
{
	static struct receive receive;
	struct input input = {data, size};

	receive_start(&receive, family, (uint8_t)input_take(&input, 1));
	while (input.left > 0) {
		uint8_t switches = (uint8_t)input_take(&input, 1);
		uint64_t back = input_take(&input, 1) % RECEIVE_REQUESTS;
		size_t length = input_take(&input, 2);
		uint8_t *packet;

		length = length < input.left ? length : input.left;
		packet = malloc(length + (length == 0)); /* exactly its size: over-reads are seen */
		REQUIRE(packet != NULL, "memory");
		memcpy(packet, input.at, length);
		input.at += length;
		input.left -= length;

		receive.now_ns += 500;
		if ((switches & SEND_ANOTHER) != 0)
			receive_send(&receive);
		if ((switches & LET_TIME_PASS) != 0) {
			receive.now_ns += RECEIVE_TIMEOUT_NS / 2;
			(void)account_expire(&receive.account, receive.now_ns, receive_nobody,
					     NULL);
		}
		receive_repair(&receive, packet, length, switches,
			       receive.account.flight.last_sequence - back);
		receive_packet(&receive, packet, length, switches);
		free(packet);
	}
	account_close(&receive.account, receive.now_ns);
	receive_balance(&receive);
}

#endif
