/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an arriving packet means for the account. The order of the tests is the order of trust:
 * first whose packet it is (tag, else source, identifier and 16-bit sequence), then whether it
 * comes from where it should, then whether it is whole, then whether it is in time. `received`
 * is counted last, when nothing can be held against the reply any more.
 */
#include "core/account_internal.h"

static const char late_text[] = "late: after the timeout";

static struct account_target *strange(struct account *account, const struct arrival *arrival,
				      struct account_outcome *outcome)
{
	uint32_t index = arrival->source_target;

	if (index == ACCOUNT_NO_TARGET)
		index = arrival->default_target;
	outcome->kind = OBSERVED_STRANGE;
	outcome->target = index;
	return &account->targets[index];
}

static void note_ttl(struct account_target *target, int ttl)
{
	if (ttl < 0)
		return;
	/* Of many hosts that answer, each has its own. */
	target->ttl_changes +=
		!target->is_multicast && target->last_ttl >= 0 && ttl != target->last_ttl;
	target->last_ttl = ttl;
	for (uint32_t i = 0; i < target->ttl_count; i++)
		if (target->ttls[i] == ttl)
			return;
	if (target->ttl_count < RESULT_TTLS_MAX)
		target->ttls[target->ttl_count++] = ttl;
}

/* True if this host has already answered this request, false if it is one more that does. */
static bool is_repeated_responder(struct account_target *target, const struct address *source,
				  uint64_t sequence)
{
	for (uint32_t i = 0; i < target->responder_count; i++) {
		struct account_responder *responder = &target->responders[i];

		if (!address_equal(&responder->address, source))
			continue;
		bool repeated = responder->sequence == sequence;
		responder->sequence = sequence;
		return repeated;
	}
	if (target->responder_count < ACCOUNT_RESPONDERS_MAX)
		target->responders[target->responder_count++] =
			(struct account_responder){.address = *source, .sequence = sequence};
	return false;
}

static void give_up_overtaken(struct account *account, struct account_target *target,
			      int64_t now_ns)
{
	struct flight_entry *entry;

	while ((entry = flight_next_given_up(&account->flight, &target->slots)) != NULL)
		account_give_up(account, target, entry, now_ns);
}

static void record_times(struct account_target *target, const struct flight_entry *entry,
			 const struct arrival *arrival, struct account_outcome *outcome)
{
	int64_t user_ns = arrival->now_ns - entry->sent_ns;
	int64_t ping_ns = user_ns;

	histogram_record(target->rtt_user, user_ns);
	delay_variation_add(&target->variation, user_ns);
	steady_add(&target->steady, user_ns);
	if (target->log != NULL && target->log->count < target->log->capacity)
		target->log->rtts_ns[target->log->count++] = (double)user_ns;
	if (arrival->stamp_ns != ACCOUNT_NO_STAMP && arrival->stamp_ns >= entry->sent_ns &&
	    arrival->stamp_ns <= arrival->now_ns) {
		ping_ns = arrival->stamp_ns - entry->sent_ns;
		if (target->rtt_ping != NULL)
			histogram_record(target->rtt_ping, ping_ns);
		target->queue_sum_ns += arrival->now_ns - arrival->stamp_ns;
		target->queue_samples++;
	}
	if (target->rtt_intended != NULL && arrival->now_ns >= entry->intended_ns)
		histogram_record(target->rtt_intended, arrival->now_ns - entry->intended_ns);
	if (target->ewma_ns < 0)
		target->ewma_ns = (double)ping_ns;
	else
		target->ewma_ns += ((double)ping_ns - target->ewma_ns) / 8;
	outcome->rtt_ns = ping_ns;
}

static void receive_in_time(struct account *account, struct account_target *target,
			    struct flight_entry *entry, const struct arrival *arrival,
			    struct account_outcome *outcome)
{
	bool held_slot = entry->holds_slot;
	int64_t user_ns = arrival->now_ns - entry->sent_ns;

	record_times(target, entry, arrival, outcome);
	if (target->is_multicast)
		(void)is_repeated_responder(target, &arrival->source, entry->sequence);
	if (entry->mark != FLIGHT_UNMARKED)
		account->slowest_further_ns = max_i64(account->slowest_further_ns, user_ns);
	if (reordering_arrival(&target->reordering, entry->number) > 0)
		target->tally.reordered++;
	flight_answer(&account->flight, &target->slots, entry);
	account_event(target, held_slot ? -1 : 0, arrival->now_ns);
	if (!held_slot)
		target->given_up_answered_ns += user_ns;
	give_up_overtaken(account, target, arrival->now_ns);
	if (arrival->largest_fragment > target->largest_fragment)
		target->largest_fragment = arrival->largest_fragment;
	target->tally.received++;
	outcome->kind = OBSERVED_REPLY;
	outcome->freed[0] = outcome->target;
}

static void count_late(struct tally *tally, struct flight_entry *entry)
{
	tally->late++;
	if (entry->mark == FLIGHT_UNMARKED) {
		tally->lost_unknown--;
		tally->lost_late_reply++;
	}
	entry->state = FLIGHT_LATE;
}

static void count_again(struct account *account, struct account_target *target,
			const struct flight_entry *entry, const struct arrival *arrival,
			struct account_outcome *outcome)
{
	if (target->is_multicast &&
	    !is_repeated_responder(target, &arrival->source, entry->sequence)) {
		target->tally.other_responders++;
	} else {
		target->tally.duplicates++;
	}
	outcome->kind = OBSERVED_DUPLICATE;
	outcome->rtt_ns = arrival->now_ns - entry->sent_ns;
	account->slowest_further_ns = max_i64(account->slowest_further_ns, outcome->rtt_ns);
}

/*
 * The timeout has passed, but nobody has looked yet. The request is lost when somebody does, behind
 * those that were sent before it: so requests are lost in the order in which they were sent.
 */
static void receive_late(struct account *account, struct account_target *target,
			 struct flight_entry *entry, int64_t now_ns, int64_t arrived_ns,
			 struct account_outcome *outcome)
{
	if (entry->holds_slot)
		outcome->freed[0] = outcome->target;
	account_give_up(account, target, entry, now_ns);
	target->tally.late++;
	entry->is_late = true;
	if (entry->mark == FLIGHT_UNMARKED)
		flight_set_mark(&account->flight, entry, FLIGHT_LATE_REPLY);
	outcome->kind = OBSERVED_LATE;
	outcome->rtt_ns = arrived_ns - entry->sent_ns;
	outcome->text = late_text;
}

/* The right reply, whole and unchanged; what counts now is when. */
static void take_right(struct account *account, struct account_target *target,
		       struct flight_entry *entry, const struct arrival *arrival,
		       struct account_outcome *outcome)
{
	int64_t arrived_ns = arrival->stamp_ns != ACCOUNT_NO_STAMP &&
					     arrival->stamp_ns >= entry->sent_ns &&
					     arrival->stamp_ns <= arrival->now_ns
				     ? arrival->stamp_ns
				     : arrival->now_ns;

	if (arrival->now_ns < entry->sent_ns) {
		target->tally.clock_errors++;
		outcome->kind = OBSERVED_STRANGE;
		outcome->text = "clock error: the reply is older than its request";
		return;
	}
	note_ttl(target, arrival->ttl);
	switch (entry->state) {
	case FLIGHT_WAITING:
		if (entry->is_late)
			count_again(account, target, entry, arrival, outcome);
		else if (arrived_ns - entry->sent_ns > account->timeout_ns)
			receive_late(account, target, entry, arrival->now_ns, arrived_ns, outcome);
		else
			receive_in_time(account, target, entry, arrival, outcome);
		break;
	case FLIGHT_LOST:
		count_late(&target->tally, entry);
		outcome->kind = OBSERVED_LATE;
		outcome->rtt_ns = arrived_ns - entry->sent_ns;
		outcome->text = late_text;
		break;
	default:
		count_again(account, target, entry, arrival, outcome);
		break;
	}
}

/*
 * The request that a reply names by its 16-bit sequence alone: one to the address that the reply
 * comes from, among the last 65,536.
 */
static struct flight_entry *entry_by_wire(const struct account *account, uint16_t wire_sequence,
					  const struct address *address)
{
	struct flight_entry *entry =
		flight_find(&account->flight, flight_from_wire(&account->flight, wire_sequence));

	if (entry == NULL)
		return NULL;
	const struct account_target *target = &account->targets[entry->target];
	if (!target->is_multicast && !address_equal(&target->address, address))
		return NULL;
	return entry;
}

static void take_untagged(struct account *account, const struct flight_entry *entry,
			  const struct arrival *arrival, struct account_outcome *outcome)
{
	struct account_target *target = strange(account, arrival, outcome);

	if (entry != NULL) {
		target->tally.forged++;
		outcome->text = "forged: right identifier and sequence, wrong tag";
	} else {
		target->tally.foreign++;
		outcome->is_silent = true;
	}
}

static const struct payload_plan *plan_of_entry(const struct account *account,
						const struct flight_entry *entry)
{
	return account->plans_differ ? account->targets[entry->target].plan : account->plan;
}

/*
 * What the data of a reply is to be compared with. Where requests differ in length, their common
 * key tells whose it is before it can be judged.
 */
static const struct payload_plan *plan_of(const struct account *account,
					  const struct arrival *arrival)
{
	const struct event *event = arrival->event;
	const struct flight_entry *entry;
	uint64_t sequence;

	if (!account->plans_differ)
		return account->plan;
	entry = payload_read_tag(account->plan, event->payload, event->payload_length, &sequence)
			? flight_find(&account->flight, sequence)
			: entry_by_wire(account, event->sequence, &arrival->source);
	return entry != NULL ? plan_of_entry(account, entry) : account->plan;
}

static void take_reply(struct account *account, const struct arrival *arrival,
		       struct account_outcome *outcome)
{
	const struct event *event = arrival->event;
	const struct payload_plan *plan = plan_of(account, arrival);
	struct flight_entry *wired = NULL;
	struct payload_finding finding;

	if (!payload_is_tagged(plan) || event->payload_length < PAYLOAD_TAGGED_BYTES)
		wired = entry_by_wire(account, event->sequence, &arrival->source);
	payload_check(plan, event->payload, event->payload_length, event->claimed_length,
		      wired != NULL ? wired->sequence : 0, account->flight.last_sequence, &finding);
	struct flight_entry *entry =
		finding.tagged ? flight_find(&account->flight, finding.sequence) : wired;
	if (finding.verdict == PAYLOAD_UNTAGGED || (entry == NULL && !finding.tagged) ||
	    finding.sequence > account->flight.last_sequence) {
		if (finding.verdict == PAYLOAD_UNTAGGED && payload_is_tagged(plan))
			entry = entry_by_wire(account, event->sequence, &arrival->source);
		take_untagged(account, entry, arrival, outcome);
		return;
	}
	if (entry == NULL) { /* our tag, but answered so long ago that it is forgotten */
		strange(account, arrival, outcome)->tally.duplicates++;
		outcome->kind = OBSERVED_DUPLICATE;
		return;
	}
	struct account_target *target = &account->targets[entry->target];
	outcome->target = entry->target;
	outcome->number = entry->number;
	outcome->sequence = entry->sequence;
	if (!target->is_multicast && !address_equal(&target->address, &arrival->source)) {
		target->tally.wrong_source++;
		outcome->kind = OBSERVED_STRANGE;
		outcome->text = "wrong source: the reply of another host";
		return;
	}
	if (finding.verdict == PAYLOAD_RIGHT)
		take_right(account, target, entry, arrival, outcome);
	else
		account_take_damaged(account, target, entry, arrival, &finding, outcome);
}

/* The request that an error quotes: by its tag where there must be one and it was quoted. */
static struct flight_entry *entry_of_quote(const struct account *account,
					   const struct event *event)
{
	bool has_room = event->payload_length >= PAYLOAD_TAGGED_BYTES;
	struct flight_entry *entry;
	uint64_t sequence;

	if (has_room && payload_read_tag(account->plan, event->payload, event->payload_length,
					 &sequence))
		return flight_find(&account->flight, sequence);
	entry = entry_by_wire(account, event->sequence, &event->destination);
	if (entry != NULL && has_room && payload_is_tagged(plan_of_entry(account, entry)))
		return NULL;
	return entry;
}

/* Redirects and source quench tell of the path; the request that they quote was not dropped. */
static bool error_is_fatal(const struct event *event, uint8_t family)
{
	return family != 4 || (event->type != 4 && event->type != 5);
}

static void take_error(struct account *account, const struct arrival *arrival,
		       struct account_outcome *outcome)
{
	const struct event *event = arrival->event;
	struct flight_entry *entry = entry_of_quote(account, event);

	if (entry == NULL ||
	    !address_equal(&account->targets[entry->target].address, &event->destination)) {
		strange(account, arrival, outcome)->tally.foreign++;
		outcome->is_silent = true;
		return;
	}
	struct account_target *target = &account->targets[entry->target];
	target->tally.icmp_errors++;
	account_error(target, event->type, event->code, 0, arrival->error_text, &arrival->source,
		      event->mtu);
	if (error_is_fatal(event, target->address.family))
		account_mark(account, entry, FLIGHT_ERROR_REPLY, arrival->now_ns,
			     &outcome->freed[0]);
	outcome->kind = OBSERVED_ERROR;
	outcome->target = entry->target;
	outcome->number = entry->number;
	outcome->text = arrival->error_text;
}

void account_arrival(struct account *account, const struct arrival *arrival,
		     struct account_outcome *outcome)
{
	*outcome = (struct account_outcome){
		.rtt_ns = -1, .freed = {ACCOUNT_NO_TARGET, ACCOUNT_NO_TARGET}};
	switch (arrival->event->kind) {
	case EVENT_REPLY:
		take_reply(account, arrival, outcome);
		break;
	case EVENT_ERROR:
		take_error(account, arrival, outcome);
		break;
	case EVENT_FOREIGN:
		strange(account, arrival, outcome)->tally.foreign++;
		outcome->is_silent = true;
		break;
	case EVENT_SHORT:
		strange(account, arrival, outcome)->tally.short_packets++;
		outcome->text = "short: ends before what it must hold";
		break;
	case EVENT_BAD_HEADER:
		strange(account, arrival, outcome)->tally.bad_header++;
		outcome->text = "bad header";
		break;
	case EVENT_BAD_CHECKSUM:
		strange(account, arrival, outcome)->tally.bad_checksum++;
		outcome->text = "bad checksum";
		break;
	}
}
