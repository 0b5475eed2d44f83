/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests whose fate is known before their timeout: a reply came that is not what was sent, or an
 * error. They stay waited for, since the right reply may still come, but hold no slot any more.
 */
#include "core/account_internal.h"

/* A request was lost by the timeout before its fate was known: unreachable takes 3 s to show. */
static void explain_loss(struct tally *tally, struct flight_entry *entry, enum flight_mark mark)
{
	entry->mark = (uint8_t)mark;
	tally->lost_unknown--;
	if (mark == FLIGHT_ERROR_REPLY)
		tally->lost_error_reply++;
	else
		tally->lost_damaged_reply++;
}

void account_mark(struct account *account, struct flight_entry *entry, enum flight_mark mark,
		  int64_t now_ns, uint32_t *freed)
{
	struct account_target *target = &account->targets[entry->target];

	if (entry->state == FLIGHT_LOST && entry->mark == FLIGHT_UNMARKED)
		explain_loss(&target->tally, entry, mark);
	if (entry->state != FLIGHT_WAITING || entry->mark != FLIGHT_UNMARKED)
		return;
	if (entry->holds_slot)
		*freed = entry->target;
	account_give_up(account, target, entry, now_ns);
	flight_set_mark(&account->flight, entry, mark);
}

static void note_mixed(struct account_target *target, const struct flight_entry *entry,
		       const struct flight_entry *other)
{
	if (target->mixed_count == RESULT_MIXED_MAX)
		return;
	target->mixed[target->mixed_count++] = (struct result_mixed){
		.request = entry->number, .other = other != NULL ? other->number : 0};
}

void account_take_damaged(struct account *account, struct account_target *target,
			  struct flight_entry *entry, const struct arrival *arrival,
			  const struct payload_finding *finding, struct account_outcome *outcome)
{
	struct tally *tally = &target->tally;
	struct flight_entry *other = NULL;

	outcome->kind = OBSERVED_DAMAGED;
	switch (finding->verdict) {
	case PAYLOAD_TRUNCATED:
		if (tally->truncated == 0 || arrival->event->payload_length < tally->shortest_reply)
			tally->shortest_reply = arrival->event->payload_length;
		tally->truncated++;
		outcome->text = "truncated";
		break;
	case PAYLOAD_MIXED:
		tally->mixed++;
		outcome->text = "mixed: parts of two requests";
		other = flight_find(&account->flight, finding->other_sequence);
		note_mixed(target, entry, other);
		break;
	default:
		tally->corrupt++;
		outcome->text = "corrupt: not the data that was sent";
		break;
	}
	account_mark(account, entry, FLIGHT_DAMAGED_REPLY, arrival->now_ns, &outcome->freed[0]);
	if (other != NULL)
		account_mark(account, other, FLIGHT_DAMAGED_REPLY, arrival->now_ns,
			     &outcome->freed[1]);
}
