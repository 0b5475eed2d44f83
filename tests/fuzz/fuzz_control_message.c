/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One entry of the error queue: control bytes and, if it is an error, the packet that it quotes,
 * in front of an account with requests in flight. Input: a byte of choices (bit 0: IPv6; bit 1: a
 * right tag is put into the quote, which no input could guess), a byte with the number of control
 * bytes, these, then the quote from its ICMP header on.
 */
#include <string.h>

#include "base/bytes.h"
#include "core/account.h"
#include "core/wire_format.h"
#include "fuzz/require.h"
#include "os/control_message.h"
#include "os/transport_socket_internal.h"

#define PAYLOAD_BYTES 56
#define REQUESTS 40
#define RING 256
#define STRAGGLERS 64
#define QUOTE_MAX 192 /* as struct transport_error has room for */

static struct histogram rtt;
static struct account_target target;
static struct account account;
static struct payload_plan plan;
static struct flight_entry ring[RING], stragglers[STRAGGLERS];

static void nobody(void *context, uint32_t freed)
{
	(void)context;
	(void)freed;
}

static void start(bool is_ip6)
{
	memset(&rtt, 0, sizeof(rtt));
	memset(&target, 0, sizeof(target));
	memset(&account, 0, sizeof(account));
	memset(ring, 0, sizeof(ring));
	memset(stragglers, 0, sizeof(stragglers));
	plan = (struct payload_plan){.bytes = PAYLOAD_BYTES, .key = "0123456789abcde"};
	payload_plan_init(&plan);
	target.address = is_ip6 ? address_from_ip6((const uint8_t[16]){0xfd, 7, [15] = 2}, 0)
				: address_from_ip4((const uint8_t[4]){10, 7, 0, 2});
	target.rtt_user = &rtt;
	account_target_init(&target);
	flight_init(&account.flight, ring, RING, stragglers, STRAGGLERS);
	account.targets = &target;
	account.target_count = 1;
	account.plan = &plan;
	account.timeout_ns = NANOSECONDS_PER_SECOND;
	for (int64_t i = 0; i < REQUESTS; i++)
		account_sent(&account, 0, i * 1000, i * 1000, false);
}

static void check_facts(const struct control_facts *facts)
{
	REQUIRE(facts->ttl >= -1 && facts->ttl <= 255, "ttl %d", facts->ttl);
	REQUIRE(!facts->has_stamp || facts->stamp_real_ns >= 0, "a negative stamp");
	REQUIRE(facts->hardware_ns > 0 || facts->hardware_ns == INT64_MIN, "a hardware stamp of 0");
	REQUIRE(facts->largest_fragment <= 65575, "a fragment of %u", facts->largest_fragment);
	REQUIRE(facts->system_errno >= 0, "errno %d", facts->system_errno);
	REQUIRE(facts->offender.family == 0 || facts->offender.family == 4 ||
			facts->offender.family == 6,
		"family %u", facts->offender.family);
	REQUIRE(facts->has_error || facts->offender.family == 0, "an offender without an error");
	REQUIRE(facts->has_error || facts->data == 0, "an id without an entry");
}

/* What the transport makes of an entry that is no error. */
static void check_stamp(const struct control_facts *facts)
{
	struct transport_stamp stamp = {.real_ns = -1};

	if (!transport_socket_stamp_of(facts, &stamp))
		return;
	REQUIRE(facts->has_error && facts->origin == CONTROL_ORIGIN_STAMP, "a stamp of no entry");
	REQUIRE(stamp.real_ns > 0, "a stamp of no time");
	REQUIRE((stamp.kind == TRANSPORT_STAMP_HARDWARE) ==
			(facts->hardware_ns != INT64_MIN &&
			 facts->information == CONTROL_STAMP_SENT),
		"kind %d", (int)stamp.kind);
}

/* What the engine makes of the entry. */
static void account_for(const struct control_facts *facts, const uint8_t *quote, uint32_t length,
			bool is_ip6)
{
	const struct wire_format *format = wire_format_find(is_ip6 ? 6 : 4);
	struct account_outcome outcome;
	struct event event = {
		.kind = EVENT_SHORT,
		.type = facts->type,
		.code = facts->code,
		.ttl = -1,
		.mtu = facts->information,
		.destination = target.address,
	};
	const struct arrival arrival = {
		.event = &event,
		.source = facts->offender,
		.source_target = 0,
		.now_ns = REQUESTS * 1000,
		.stamp_ns = ACCOUNT_NO_STAMP,
		.ttl = -1,
		.error_text = format->error_text(facts->type, facts->code),
	};

	REQUIRE(arrival.error_text != NULL, "no words for type %u", facts->type);
	if (length >= WIRE_ECHO_HEADER_BYTES) {
		event.kind = EVENT_ERROR;
		event.identifier = bytes_get16(quote + 4);
		event.sequence = bytes_get16(quote + 6);
		event.payload = quote + WIRE_ECHO_HEADER_BYTES;
		event.payload_length = length - WIRE_ECHO_HEADER_BYTES;
		event.claimed_length = event.payload_length;
	}
	account_arrival(&account, &arrival, &outcome);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};
	unsigned choices = (unsigned)input_take(&input, 1);
	size_t control_bytes = (size_t)min_u64(input_take(&input, 1), input.left);
	struct control_facts facts;
	uint8_t quote[QUOTE_MAX];
	uint32_t length;
	bool is_ip6 = (choices & 1) != 0;

	control_message_parse(input.at, control_bytes, &facts);
	check_facts(&facts);
	check_stamp(&facts);
	if (!facts.has_error || facts.origin == CONTROL_ORIGIN_STAMP)
		return 0;
	length = (uint32_t)min_u64(input.left - control_bytes, sizeof(quote));
	memcpy(quote, input.at + control_bytes, length);
	if ((choices & 2) != 0 && length >= WIRE_ECHO_HEADER_BYTES + PAYLOAD_TAGGED_BYTES) {
		uint8_t whole[PAYLOAD_BYTES];

		(void)payload_write(&plan, bytes_get16(quote + 6), whole);
		memcpy(quote + WIRE_ECHO_HEADER_BYTES, whole, PAYLOAD_TAGGED_BYTES);
	}
	start(is_ip6);
	account_for(&facts, quote, length, is_ip6);
	(void)account_expire(&account, 2 * NANOSECONDS_PER_SECOND, nobody, NULL);
	account_close(&account, 2 * NANOSECONDS_PER_SECOND);
	REQUIRE(target.tally.sent == REQUESTS && target.tally.received == 0, "an error answered");
	REQUIRE(result_tally_balances(&target.tally), "the account does not balance");
	return 0;
}
