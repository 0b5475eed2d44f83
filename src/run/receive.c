/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receiving: one batch a round and transport, so that a storm of packets cannot keep the engine
 * from sending in time. Bytes become events (wire format), events become entries in the account;
 * whoever looks on is told last.
 */
#include <string.h>

#include "base/bytes.h"
#include "run/engine_internal.h"

uint32_t engine_target_of(const struct engine *engine, const struct address *address)
{
	uint32_t at = address_hash(address) & engine->by_source_mask;

	for (; engine->by_source[at] != 0; at = (at + 1) & engine->by_source_mask) {
		uint32_t target = engine->by_source[at] - 1;

		if (address_equal(&engine->setup.targets[target].address, address))
			return target;
	}
	return ACCOUNT_NO_TARGET;
}

/* Where it counts what comes from this address and is tied to no request. */
static uint32_t row_of_source(const struct engine *engine, const struct address *address)
{
	uint32_t target = engine_target_of(engine, address);

	return target == ACCOUNT_NO_TARGET ? target : engine_row(engine, target);
}

static void observe_arrival(struct engine *engine, const struct arrival *arrival,
			    const struct account_outcome *outcome)
{
	const struct observer *observer = engine->setup.observer;
	const struct engine_target *target = &engine->setup.targets[outcome->target];
	const struct payload_plan *plan = engine_plan(engine, outcome->target);
	struct observation observation = {
		.kind = outcome->kind,
		.target = outcome->target,
		.name = target->name,
		.source = &arrival->source,
		.sequence = outcome->number,
		.bytes = WIRE_ECHO_HEADER_BYTES + arrival->event->payload_length,
		.sent_bytes = WIRE_ECHO_HEADER_BYTES + plan->bytes,
		.ttl = arrival->ttl,
		.rtt_ns = outcome->rtt_ns,
		.text = outcome->text,
		.mtu = arrival->event->mtu,
		.is_multicast = target->is_multicast,
	};

	observer->observe(observer->context, &observation);
}

static void take(struct engine *engine, const struct arrival *arrival, struct stamps_reply *stamped)
{
	const struct configuration *configuration = engine->setup.configuration;
	struct account_outcome outcome;

	account_arrival(&engine->account, arrival, &outcome);
	uint32_t target = engine_target_of_row(engine, outcome.target);
	bool is_measured = outcome.target == target;
	if (outcome.kind == OBSERVED_REPLY && stamped != NULL) {
		stamped->sequence = outcome.sequence;
		stamps_answer(&engine->stamps, stamped);
	}
	if (outcome.kind == OBSERVED_REPLY) {
		/* The newest request of all is one of the warm-up until the first measured one. */
		const struct account_target *row = &engine->account.targets[outcome.target];
		bool is_newest = outcome.number == row->tally.sent &&
				 (is_measured || engine->account.targets[target].tally.sent == 0);

		pacer_answered(&engine->paces[target].pacer, is_newest);
		if (is_measured)
			engine_release_warmup(engine, target);
	}
	for (uint32_t i = 0; i < ARRAY_LENGTH(outcome.freed); i++)
		if (outcome.freed[i] != ACCOUNT_NO_TARGET)
			engine_slot_freed(engine, outcome.freed[i]);
	if (outcome.kind == OBSERVED_REPLY && is_measured && engine_counts_replies(engine) &&
	    engine->account.targets[target].tally.received >= configuration->count)
		engine_finish_target(engine, target);
	if (!outcome.is_silent && is_measured && engine_is_observed(engine))
		observe_arrival(engine, arrival, &outcome);
}

/* Real time was set so shortly ago that kernel stamps are left out. */
static bool is_around_step(const struct engine *engine)
{
	const struct real_time *real_time = engine->setup.real_time;

	return real_time != NULL && engine->now_ns < real_time->void_until_ns;
}

static void take_packet(struct engine *engine, uint32_t transport,
			const struct transport_incoming *packet, int64_t call_ns)
{
	const struct wire_format *format = engine->formats[transport];
	struct event event;
	struct arrival arrival = {
		.event = &event,
		.source = packet->source,
		.source_target = row_of_source(engine, &packet->source),
		.default_target = engine_row(engine, engine->first_target[transport]),
		.now_ns = engine->now_ns,
		.stamp_ns = packet->stamp_ns,
		.ttl = packet->ttl,
		.largest_fragment = packet->largest_fragment,
	};
	struct stamps_reply stamped = {
		.receive_call_ns = call_ns,
		.read_ns = engine->now_ns,
		.stamp_ns = packet->stamp_ns,
		.real_ns = packet->stamp_real_ns,
		.hardware_ns = packet->hardware_ns,
		.is_void = packet->stamp_real_ns == INT64_MIN && is_around_step(engine),
	};

	format->parse(packet->bytes, packet->length, packet->full_length,
		      &engine->expectations[transport], &event);
	if (event.ttl >= 0)
		arrival.ttl = event.ttl;
	if (event.kind == EVENT_ERROR)
		arrival.error_text = format->error_text(event.type, event.code);
	take(engine, &arrival, call_ns != STAMPS_NONE ? &stamped : NULL);
}

/*
 * How many packets to ask for: as many as are out, or a whole batch when the last round showed
 * that more comes than that. With one request out it is one: looking for a second packet that
 * is never there costs a lookup in every round trip.
 */
static uint32_t receive_count(const struct engine *engine)
{
	uint64_t waiting = engine->account.flight.waiting;
	uint64_t count =
		engine->receive_was_full && waiting > 1 ? engine->batch : max_u64(waiting, 1);

	return (uint32_t)min_u64(count, engine->receive_most);
}

static void receive_failed(struct engine *engine, int system_errno)
{
	if (++engine->faults < ENGINE_FAULTS_MAX)
		return;
	engine->ending = ENDING_FAULT;
	strncpy(engine->fault, strerror(system_errno), sizeof(engine->fault) - 1);
}

bool engine_receive(struct engine *engine)
{
	uint32_t wanted = receive_count(engine);
	bool received = false, full = false;

	for (uint32_t i = 0; i < engine->setup.transport_count; i++) {
		struct transport *transport = engine->setup.transports[i];
		int64_t call_ns = engine_receive_call(engine);
		int count = transport->row->receive(transport, engine->incoming, wanted,
						    &engine->now_ns);

		engine_note_clock_steps(engine);
		if (count < 0) {
			receive_failed(engine, -count);
			continue;
		}
		engine->faults = 0;
		for (int packet = 0; packet < count; packet++)
			take_packet(engine, i, &engine->incoming[packet], call_ns);
		received = received || count > 0;
		full = full || (uint32_t)count == wanted;
	}
	engine_take_stamps(engine);
	engine->receive_was_full = full;
	return received;
}

/* An ICMP error that came by the error queue, turned into the event that a parser would make. */
static void take_queued_error(struct engine *engine, uint32_t transport,
			      const struct transport_error *error)
{
	const struct wire_format *format = engine->formats[transport];
	struct event event = {
		.kind = EVENT_SHORT,
		.type = error->type,
		.code = error->code,
		.ttl = -1,
		.mtu = error->mtu,
		.destination = error->destination,
	};
	struct arrival arrival = {
		.event = &event,
		.source = error->offender,
		.source_target = row_of_source(engine, &error->destination),
		.default_target = engine_row(engine, engine->first_target[transport]),
		.now_ns = engine->now_ns,
		.stamp_ns = ACCOUNT_NO_STAMP,
		.ttl = -1,
		.error_text = format->error_text(error->type, error->code),
	};

	if (error->length >= WIRE_ECHO_HEADER_BYTES) {
		event.kind = EVENT_ERROR;
		event.identifier = bytes_get16(error->bytes + 4);
		event.sequence = bytes_get16(error->bytes + 6);
		event.payload = error->bytes + WIRE_ECHO_HEADER_BYTES;
		event.payload_length = error->length - WIRE_ECHO_HEADER_BYTES;
		event.claimed_length = event.payload_length;
	}
	take(engine, &arrival, NULL);
}

uint32_t engine_drain_errors(struct engine *engine, uint32_t index)
{
	struct transport *transport = engine->setup.transports[index];
	struct transport_error error;
	uint32_t mtu = 0;

	if (transport->row->receive_error == NULL)
		return 0;
	for (uint32_t i = 0; i < TRANSPORT_BATCH; i++) {
		if (transport->row->receive_error(transport, &error) <= 0)
			break;
		if (error.is_local)
			mtu = error.mtu;
		else
			take_queued_error(engine, index, &error);
	}
	return mtu;
}
