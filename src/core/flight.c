/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flight table. Every operation takes constant time, or time that is paid once per request
 * over the whole run, however many requests are out and however many were lost.
 *
 * The count that decides about giving up ("how many newer requests were answered?") would need
 * an update of every older slot holder at each reply. Instead each holder keeps how many were
 * answered between itself and the next holder, and the target keeps the sum over all of them,
 * which is the count of the oldest holder; when a holder leaves, its share goes to the holder
 * before it. Only the oldest can be due: no newer one can have a higher count.
 */
#include "core/flight.h"

void flight_init(struct flight *flight, struct flight_entry *ring, uint64_t ring_entries,
		 struct flight_entry *stragglers, uint64_t straggler_entries)
{
	*flight = (struct flight){
		.ring = ring,
		.stragglers = stragglers,
		.ring_mask = ring_entries - 1,
		.straggler_mask = straggler_entries - 1,
		.ring_expire = 1,
	};
}

static struct flight_entry *ring_at(const struct flight *flight, uint64_t sequence)
{
	return &flight->ring[sequence & flight->ring_mask];
}

static struct flight_entry *straggler_at(const struct flight *flight, uint64_t position)
{
	return &flight->stragglers[position & flight->straggler_mask];
}

uint64_t flight_room(const struct flight *flight)
{
	/* Stragglers that nobody waits for any more may be forgotten to make room. */
	uint64_t in_use = flight->straggler_tail - flight->straggler_expire;
	uint64_t entries = flight->straggler_mask + 1;

	return in_use < entries ? entries - in_use : 0;
}

/* Moves what is about to be pushed out of the ring to the stragglers, unless it was answered. */
static void keep_straggler(struct flight *flight, const struct flight_entry *entry)
{
	if (entry->sequence == 0 || entry->state == FLIGHT_ANSWERED)
		return;
	*straggler_at(flight, flight->straggler_tail) = *entry;
	flight->straggler_tail++;
	if (flight->straggler_tail - flight->straggler_head > flight->straggler_mask + 1)
		flight->straggler_head++;
	if (flight->straggler_expire < flight->straggler_head)
		flight->straggler_expire = flight->straggler_head;
}

uint64_t flight_send(struct flight *flight, struct flight_slots *slots, uint32_t target,
		     uint64_t number, int64_t sent_ns, int64_t intended_ns)
{
	uint64_t sequence = ++flight->last_sequence;
	struct flight_entry *entry = ring_at(flight, sequence);

	keep_straggler(flight, entry);
	*entry = (struct flight_entry){
		.sequence = sequence,
		.sent_ns = sent_ns,
		.intended_ns = intended_ns,
		.previous = slots->last,
		.number = number,
		.target = target,
		.state = FLIGHT_WAITING,
		.holds_slot = true,
	};
	if (slots->last != 0)
		flight_find(flight, slots->last)->next = sequence;
	else
		slots->first = sequence;
	slots->last = sequence;
	slots->used++;
	flight->waiting++;
	return sequence;
}

static struct flight_entry *find_straggler(const struct flight *flight, uint64_t sequence)
{
	uint64_t low = flight->straggler_head;
	uint64_t high = flight->straggler_tail;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		struct flight_entry *entry = straggler_at(flight, middle);

		if (entry->sequence == sequence)
			return entry;
		if (entry->sequence < sequence)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

struct flight_entry *flight_find(const struct flight *flight, uint64_t sequence)
{
	if (sequence == 0 || sequence > flight->last_sequence)
		return NULL;
	struct flight_entry *entry = ring_at(flight, sequence);
	if (entry->sequence == sequence)
		return entry;
	return find_straggler(flight, sequence);
}

uint64_t flight_from_wire(const struct flight *flight, uint16_t wire_sequence)
{
	uint64_t last = flight->last_sequence;
	uint16_t behind = (uint16_t)((uint16_t)last - wire_sequence);

	return behind < last ? last - behind : 0;
}

static void leave_slot(struct flight *flight, struct flight_slots *slots,
		       struct flight_entry *entry, uint64_t answered)
{
	struct flight_entry *previous = flight_find(flight, entry->previous);
	struct flight_entry *next = flight_find(flight, entry->next);

	if (previous != NULL) {
		previous->answered_between += entry->answered_between + answered;
		previous->next = entry->next;
		slots->answered_newer += answered;
	} else {
		slots->first = entry->next;
		slots->answered_newer -= entry->answered_between;
	}
	if (next != NULL)
		next->previous = entry->previous;
	else
		slots->last = entry->previous;
	entry->previous = 0;
	entry->next = 0;
	entry->answered_between = 0;
	entry->holds_slot = false;
	slots->used--;
}

static void stop_waiting(struct flight *flight, struct flight_entry *entry,
			 enum flight_state state)
{
	entry->state = (uint8_t)state;
	flight->waiting--;
	if (entry->mark != FLIGHT_UNMARKED)
		flight->hopeless--;
}

void flight_answer(struct flight *flight, struct flight_slots *slots, struct flight_entry *entry)
{
	if (entry->holds_slot)
		leave_slot(flight, slots, entry, 1);
	stop_waiting(flight, entry, FLIGHT_ANSWERED);
}

void flight_release(struct flight *flight, struct flight_slots *slots, struct flight_entry *entry)
{
	if (entry->holds_slot)
		leave_slot(flight, slots, entry, 0);
}

void flight_set_mark(struct flight *flight, struct flight_entry *entry, enum flight_mark mark)
{
	entry->mark = (uint8_t)mark;
	flight->hopeless++;
}

struct flight_entry *flight_next_given_up(const struct flight *flight,
					  const struct flight_slots *slots)
{
	if (slots->first == 0 || slots->answered_newer < FLIGHT_GIVE_UP_AFTER)
		return NULL;
	return flight_find(flight, slots->first);
}

struct flight_entry *flight_next_expired(struct flight *flight, int64_t sent_before_ns,
					 int64_t *oldest_ns)
{
	*oldest_ns = TIME_NEVER_NS;
	for (; flight->straggler_expire < flight->straggler_tail; flight->straggler_expire++) {
		struct flight_entry *entry = straggler_at(flight, flight->straggler_expire);

		if (entry->state != FLIGHT_WAITING)
			continue;
		if (entry->sent_ns <= sent_before_ns)
			return entry;
		*oldest_ns = entry->sent_ns;
		return NULL;
	}
	if (flight->last_sequence > flight->ring_mask)
		flight->ring_expire = max_u64(flight->ring_expire,
					      flight->last_sequence - flight->ring_mask);
	for (; flight->ring_expire <= flight->last_sequence; flight->ring_expire++) {
		struct flight_entry *entry = ring_at(flight, flight->ring_expire);

		if (entry->state != FLIGHT_WAITING)
			continue;
		if (entry->sent_ns <= sent_before_ns)
			return entry;
		*oldest_ns = entry->sent_ns;
		return NULL;
	}
	return NULL;
}

void flight_lose(struct flight *flight, struct flight_entry *entry)
{
	stop_waiting(flight, entry, FLIGHT_LOST);
}
