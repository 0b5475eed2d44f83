/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sending: the pacers of the targets that are due are asked, their requests are written over
 * the packets of the last batch, and one system call sends them all. The header of a packet is
 * a template; sequence, data and checksum are what changes.
 *
 * What the kernel did not accept was never sent: it keeps no sequence and no slot, and stays due.
 */
#include <errno.h>
#include <string.h>

#include "run/engine_internal.h"

/* A batch while it is being made. */
struct batch {
	uint32_t transport;
	uint32_t count;
	uint32_t visited;
};

void engine_finish_target(struct engine *engine, uint32_t target)
{
	if (engine->paces[target].finished)
		return;
	engine->paces[target].finished = true;
	if (!engine_has_series(engine)) /* a target of a series comes again, or does not: turns.c */
		engine->unfinished--;
	schedule_set(&engine->schedule, target, TIME_NEVER_NS);
}

/* ahead: requests to the same target that are before it in the batch. */
static void write_request(struct engine *engine, struct batch *batch, uint32_t target,
			  uint32_t ahead, int64_t intended_ns)
{
	uint32_t slot = batch->count++;
	uint64_t sequence = engine->account.flight.last_sequence + 1 + slot;
	const struct wire_format *format = engine->formats[batch->transport];
	const struct payload_plan *plan = engine_plan(engine, target);
	uint8_t *packet = engine->send_memory + (size_t)slot * engine->packet_bytes;

	if (engine->template_of[slot] != batch->transport) {
		format->build(packet, engine->expectations[batch->transport].identifier);
		engine->template_of[slot] = (uint8_t)batch->transport;
	}
	format->finish(packet, (uint16_t)sequence,
		       payload_write(plan, sequence, packet + WIRE_ECHO_HEADER_BYTES));
	engine->outgoing[slot].cut = engine_cut(engine, target);
	engine->outgoing[slot].length = WIRE_ECHO_HEADER_BYTES + plan->bytes;
	engine->outgoing[slot].destination = engine->setup.targets[target].destination;
	engine->outgoing[slot].wants_stamps =
		engine->stamp_every != 0 && !engine->is_warming &&
		stamps_wants(&engine->stamps, target, ahead);
	engine->outgoing[slot].stamp_id = (uint32_t)sequence;
	engine->requests[slot] =
		(struct engine_request){.target = target, .intended_ns = intended_ns};
}

/*
 * With -c and -w together it is replies that are counted: sending goes on until so many have
 * come. Where the pace follows the replies, no more are sent than can still be wanted.
 */
static uint32_t limit_by_replies(const struct engine *engine, uint32_t target, uint32_t count)
{
	const struct configuration *configuration = engine->setup.configuration;
	const struct account_target *account = &engine->account.targets[target];
	uint64_t wanted;

	if (!engine_counts_replies(engine) || engine->has_schedule)
		return count;
	wanted = configuration->count - min_u64(configuration->count, account->tally.received);
	return (uint32_t)min_u64(count, wanted - min_u64(wanted, account->slots.used));
}

/* Asks one pacer and writes what it wants sent, as far as there is room. */
static void ask_pacer(struct engine *engine, struct batch *batch, uint32_t target)
{
	struct engine_pace *pace = &engine->paces[target];
	struct pacer_decision decision;
	uint32_t count;

	if (pace->retry_at_ns > engine->now_ns) {
		schedule_set(&engine->schedule, target, pace->retry_at_ns);
		return;
	}
	pacer_next(&pace->pacer, engine->now_ns, engine_slots_used(engine, target), &decision);
	if (decision.action == PACER_DONE) {
		engine_finish_target(engine, target);
		return;
	}
	if (decision.action == PACER_WAIT) {
		schedule_set(&engine->schedule, target, decision.until_ns);
		return;
	}
	count = (uint32_t)min_u64(decision.count, engine->batch - batch->count);
	count = engine_limit_warmup(engine, target, limit_by_replies(engine, target, count));
	for (uint32_t i = 0; i < count; i++)
		write_request(engine, batch, target, i,
			      decision.spacing_ns != 0 || engine->has_schedule
				      ? decision.intended_ns + (int64_t)i * decision.spacing_ns
				      : engine->now_ns);
	/* Not due for the rest of this batch; asked again right after it. */
	schedule_set(&engine->schedule, target, TIME_NEVER_NS);
	if (count > 0)
		engine->visited[batch->visited++] = target;
}

static void make_batch(struct engine *engine, struct batch *batch)
{
	bool has_room = engine_has_room(engine);
	uint32_t target = 0;

	while (batch->count < engine->batch && has_room &&
	       schedule_first(&engine->schedule, &target) <= engine->now_ns) {
		uint32_t transport = engine->setup.targets[target].transport;

		if (batch->count > 0 && transport != batch->transport)
			break;
		batch->transport = transport;
		ask_pacer(engine, batch, target);
	}
}

static void observe_outstanding(struct engine *engine, uint32_t target)
{
	const struct observer *observer = engine->setup.observer;
	const struct account_target *account = &engine->account.targets[target];
	const struct flight_entry *entry;

	if (engine->is_warming || !engine_is_observed(engine) || !observer->wants_outstanding)
		return;
	entry = flight_find(&engine->account.flight, account->last_sequence);
	if (entry == NULL || entry->state != FLIGHT_WAITING || entry->mark != FLIGHT_UNMARKED)
		return;
	struct observation observation = {
		.kind = OBSERVED_OUTSTANDING,
		.target = target,
		.name = engine->setup.targets[target].name,
		.sequence = entry->number,
		.sent_bytes = WIRE_ECHO_HEADER_BYTES + engine_plan(engine, target)->bytes,
		.ttl = -1,
		.rtt_ns = -1,
	};
	observer->observe(observer->context, &observation);
}

void engine_end_outage(struct engine *engine, struct engine_pace *pace)
{
	if (pace->outage_from_ns == INT64_MIN)
		return;
	if (pace->outage_count < RESULT_OUTAGES_MAX) {
		struct result_outage *outage = &pace->outages[pace->outage_count++];

		outage->from_ns = pace->outage_from_ns - engine->start_ns;
		outage->to_ns = engine->now_ns - engine->start_ns;
		memcpy(outage->what, pace->outage_what, sizeof(outage->what));
	}
	pace->outage_from_ns = INT64_MIN;
}

/* The first `accepted` requests of the batch are on their way since sent_ns. */
static void account_batch(struct engine *engine, uint32_t accepted, int64_t sent_ns)
{
	for (uint32_t i = 0; i < accepted;) {
		uint32_t target = engine->requests[i].target;
		uint32_t count = 0;

		observe_outstanding(engine, target);
		for (; i < accepted && engine->requests[i].target == target; i++, count++) {
			account_sent(&engine->account, engine_row(engine, target), sent_ns,
				     engine->requests[i].intended_ns, engine->has_schedule);
			if (engine->stamp_every != 0 && !engine->is_warming)
				stamps_sent(&engine->stamps, target,
					    engine->account.flight.last_sequence, sent_ns);
		}
		pacer_sent(&engine->paces[target].pacer, sent_ns, count);
		engine_end_outage(engine, &engine->paces[target]);
	}
	engine->last_sent_ns = sent_ns;
	if (engine->next_expiry_ns == TIME_NEVER_NS)
		engine->next_expiry_ns = sent_ns + engine->account.timeout_ns;
	engine->back_off_ns = 0;
}

/* Whether the kernel may have room for the same packet a moment later. */
static bool is_passing(const struct engine *engine, int system_errno)
{
	if (system_errno != EAGAIN && system_errno != EWOULDBLOCK && system_errno != ENOBUFS &&
	    system_errno != ENOMEM)
		return false;
	/* A send buffer that one request does not fit into never has room. */
	return engine->back_off_ns == 0 ||
	       engine->now_ns - engine->blocked_since_ns < ENGINE_BLOCKED_MAX_NS;
}

/* The kernel has no room now (or a filter of this host is short of it): not sent, still due. */
static void put_off(struct engine *engine)
{
	uint32_t row = engine_row(engine, engine->requests[0].target);

	engine->account.targets[row].tally.send_retries++;
	if (engine->back_off_ns == 0)
		engine->blocked_since_ns = engine->now_ns;
	engine->back_off_ns = engine->back_off_ns == 0
				      ? ENGINE_BACK_OFF_MIN_NS
				      : min_i64(2 * engine->back_off_ns, ENGINE_BACK_OFF_MAX_NS);
	engine->blocked_until_ns = engine->now_ns + engine->back_off_ns;
}

/* The first request of the batch cannot be sent: its place in count and schedule is used up. */
static void fail_request(struct engine *engine, uint32_t transport, int system_errno)
{
	const struct observer *observer = engine->setup.observer;
	uint32_t index = engine->requests[0].target;
	struct account_target *target = &engine->account.targets[engine_row(engine, index)];
	struct engine_pace *pace = &engine->paces[index];
	const char *text = system_errno == EMSGSIZE ? "message too long" : strerror(system_errno);
	uint32_t mtu = engine_drain_errors(engine, transport);

	target->tally.send_errors++;
	account_error(target, -1, -1, system_errno, text, NULL, system_errno == EMSGSIZE ? mtu : 0);
	pacer_sent(&pace->pacer, engine->now_ns, 1);
	if (!engine->has_schedule)
		pace->retry_at_ns = engine->now_ns + ENGINE_RETRY_NS;
	if (pace->outage_from_ns == INT64_MIN) {
		pace->outage_from_ns = engine->back_off_ns != 0 ? engine->blocked_since_ns
								: engine->now_ns;
		strncpy(pace->outage_what, text, sizeof(pace->outage_what) - 1);
	}
	if (observer != NULL && observer->observe != NULL) {
		struct observation observation = {
			.kind = OBSERVED_SEND_ERROR,
			.target = index,
			.name = engine->setup.targets[index].name,
			.sent_bytes = WIRE_ECHO_HEADER_BYTES + engine_plan(engine, index)->bytes,
			.ttl = -1,
			.rtt_ns = -1,
			.text = text,
			.mtu = system_errno == EMSGSIZE ? mtu : 0,
		};
		observer->observe(observer->context, &observation);
	}
}

bool engine_send(struct engine *engine)
{
	struct batch batch = {0};
	struct transport *transport;
	int64_t sent_ns;
	int accepted;

	if (engine->now_ns < engine->blocked_until_ns)
		return false;
	make_batch(engine, &batch);
	if (batch.count == 0)
		return false;
	transport = engine->setup.transports[batch.transport];
	sent_ns = clock_now(engine->setup.clock);
	engine->now_ns = sent_ns;
	accepted = transport->row->send(transport, engine->outgoing, batch.count);
	if (accepted > 0)
		account_batch(engine, (uint32_t)accepted, sent_ns);
	else if (accepted == 0 || is_passing(engine, -accepted))
		put_off(engine);
	else
		fail_request(engine, batch.transport, -accepted);
	for (uint32_t i = 0; i < batch.visited; i++)
		schedule_set(&engine->schedule, engine->visited[i], engine->now_ns);
	return true;
}
