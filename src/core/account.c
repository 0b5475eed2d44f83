/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sending, expiry and the end of the run; what arrives is in account_arrival.c. Times of one
 * batch are one reading of the clock, so the integral of the depth and the sum of the
 * round-trip times are built from the same numbers and must agree to the nanosecond.
 */
#include "core/account_internal.h"

void account_target_init(struct account_target *target)
{
	target->ewma_ns = -1;
	target->last_ttl = -1;
}

void account_event(struct account_target *target, int64_t change, int64_t now_ns)
{
	if (target->is_paused)
		return;
	for (uint32_t i = 0; i < target->deferred_count; i++) {
		const struct account_deferred *deferred = &target->deferred[i];

		(void)depth_change(&target->depth, -(int64_t)deferred->slots, deferred->at_ns);
		target->given_up_held_ns +=
			(int128)deferred->slots * deferred->at_ns - deferred->sent_sum_ns;
	}
	target->deferred_count = 0;
	(void)depth_change(&target->depth, change, now_ns);
}

void account_give_up(struct account *account, struct account_target *target,
		     struct flight_entry *entry, int64_t now_ns)
{
	if (!entry->holds_slot)
		return;
	flight_release(&account->flight, &target->slots, entry);
	account_event(target, -1, now_ns);
	target->given_up++;
	target->given_up_held_ns += now_ns - entry->sent_ns;
}

void account_give_up_all(struct account *account, uint32_t index, int64_t now_ns)
{
	struct account_target *target = &account->targets[index];

	while (target->slots.first != 0)
		account_give_up(account, target,
				flight_find(&account->flight, target->slots.first), now_ns);
}

void account_sent(struct account *account, uint32_t index, int64_t sent_ns, int64_t intended_ns,
		  bool has_schedule)
{
	struct account_target *target = &account->targets[index];

	if (!target->has_started) {
		depth_start(&target->depth, sent_ns);
		target->has_started = true;
	}
	target->tally.sent++;
	target->last_sequence = flight_send(&account->flight, &target->slots, index,
					    target->tally.sent, sent_ns, intended_ns);
	account_event(target, 1, sent_ns);
	if (has_schedule && target->lateness != NULL && sent_ns >= intended_ns)
		histogram_record(target->lateness, sent_ns - intended_ns);
}

static void count_cause(struct tally *tally, uint8_t mark)
{
	tally->lost++;
	if (mark == FLIGHT_ERROR_REPLY)
		tally->lost_error_reply++;
	else if (mark == FLIGHT_DAMAGED_REPLY)
		tally->lost_damaged_reply++;
	else if (mark == FLIGHT_LATE_REPLY)
		tally->lost_late_reply++;
	else
		tally->lost_unknown++;
}

static void defer_release(struct account_target *target, int64_t sent_ns, int64_t now_ns)
{
	struct account_deferred *last = NULL;

	if (target->deferred_count > 0)
		last = &target->deferred[target->deferred_count - 1];
	if (last == NULL || last->at_ns != now_ns) {
		if (target->deferred_count == ACCOUNT_DEFERRED_MAX)
			account_event(target, 0, last->at_ns);
		last = &target->deferred[target->deferred_count++];
		*last = (struct account_deferred){.at_ns = now_ns};
	}
	last->slots++;
	last->sent_sum_ns += sent_ns;
	target->given_up++;
}

/* An error tells that the request did not get there, or that what did was thrown away. */
static void count_harm(struct account *account, struct account_target *target, uint8_t mark,
		       int64_t now_ns)
{
	if (target->harm == NULL || target->pinned_bytes == 0 || mark == FLIGHT_ERROR_REPLY)
		return;
	if (harm_budget_add(target->harm, now_ns, target->pinned_bytes) > HARM_BUDGET_BYTES)
		account->exceeded = target->harm;
}

void account_lose(struct account *account, struct flight_entry *entry, int64_t now_ns)
{
	struct account_target *target = &account->targets[entry->target];

	flight_lose(&account->flight, entry);
	if (entry->is_late)
		entry->state = FLIGHT_LATE;
	count_cause(&target->tally, entry->mark);
	count_harm(account, target, entry->mark, now_ns);
	loss_runs_lost(&target->loss_runs, entry->number);
}

int64_t account_expire(struct account *account, int64_t now_ns,
		       void (*freed)(void *context, uint32_t target), void *context)
{
	struct flight *flight = &account->flight;
	struct flight_entry *entry;
	int64_t oldest_ns;

	while ((entry = flight_next_expired(flight, now_ns - account->timeout_ns, &oldest_ns)) !=
	       NULL) {
		struct account_target *target = &account->targets[entry->target];

		if (entry->holds_slot) {
			flight_release(flight, &target->slots, entry);
			defer_release(target, entry->sent_ns, now_ns);
			freed(context, entry->target);
		}
		account_lose(account, entry, now_ns);
	}
	return oldest_ns == TIME_NEVER_NS ? TIME_NEVER_NS : oldest_ns + account->timeout_ns;
}

static void copy_text(char *to, size_t size, const char *from)
{
	size_t length = 0;

	while (from != NULL && from[length] != '\0' && length + 1 < size) {
		to[length] = from[length];
		length++;
	}
	to[length] = '\0';
}

void account_error(struct account_target *target, int type, int code, int system_errno,
		   const char *text, const struct address *from, uint32_t mtu)
{
	char from_text[ADDRESS_TEXT_LENGTH] = "";

	if (from != NULL)
		(void)address_text(from, from_text);
	for (uint32_t i = 0; i < target->error_count; i++) {
		struct result_error *known = &target->errors[i];
		size_t at = 0;

		if (known->type != type || known->code != code || known->mtu != mtu ||
		    known->system_errno != system_errno)
			continue;
		while (from_text[at] != '\0' && from_text[at] == known->from[at])
			at++;
		if (from_text[at] == known->from[at]) {
			known->count++;
			return;
		}
	}
	if (target->error_count == RESULT_ERRORS_MAX)
		return;
	struct result_error *error = &target->errors[target->error_count++];
	*error = (struct result_error){
		.type = type, .code = code, .system_errno = system_errno, .mtu = mtu, .count = 1};
	copy_text(error->text, sizeof(error->text), text);
	copy_text(error->from, sizeof(error->from), from_text);
}

/* Slots that are still held when the measurement ends were held until its last event. */
static void close_slots(const struct account *account, struct account_target *target)
{
	int64_t end_ns = target->depth.last_ns;

	for (uint32_t i = 0; i < target->deferred_count; i++)
		target->given_up_held_ns += (int128)target->deferred[i].slots * end_ns -
					    target->deferred[i].sent_sum_ns;
	target->deferred_count = 0;
	for (uint64_t sequence = target->slots.first; sequence != 0;) {
		const struct flight_entry *entry = flight_find(&account->flight, sequence);

		target->given_up_held_ns += end_ns - entry->sent_ns;
		sequence = entry->next;
	}
}

void account_pause(struct account *account, uint32_t index)
{
	struct account_target *target = &account->targets[index];
	uint64_t held = target->slots.used;

	for (uint32_t i = 0; i < target->deferred_count; i++)
		held += target->deferred[i].slots;
	close_slots(account, target);
	while (target->slots.first != 0) {
		flight_release(&account->flight, &target->slots,
			       flight_find(&account->flight, target->slots.first));
		target->given_up++;
	}
	/* At the time of the last event, so that no time passes. */
	(void)depth_change(&target->depth, -(int64_t)held, target->depth.last_ns);
	target->is_paused = true;
}

void account_resume(struct account *account, uint32_t index, int64_t now_ns)
{
	struct account_target *target = &account->targets[index];

	if (target->has_started)
		depth_resume(&target->depth, now_ns);
	target->is_paused = false;
}

void account_close(struct account *account, int64_t now_ns)
{
	struct flight_entry *entry;
	int64_t oldest_ns;

	for (uint32_t i = 0; i < account->target_count; i++) {
		struct account_target *target = &account->targets[i];

		if (!target->has_started)
			continue;
		if (target->slots.used > 0)
			account_event(target, 0, now_ns);
		close_slots(account, target);
	}
	while ((entry = flight_next_expired(&account->flight, INT64_MAX, &oldest_ns)) != NULL) {
		if (entry->mark != FLIGHT_UNMARKED) {
			account_lose(account, entry, now_ns);
		} else {
			account->targets[entry->target].tally.in_flight_at_end++;
			flight_lose(&account->flight, entry);
		}
	}
	for (uint32_t i = 0; i < account->target_count; i++)
		loss_runs_end(&account->targets[i].loss_runs);
}
