/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flight table: every request that has been sent and not yet been forgotten, under one
 * 64-bit sequence for the whole run (from 1), which is also what the wire carries.
 *
 * Two questions are kept apart, because mixing them ruins fast runs with a little loss. A
 * request holds a *slot* of its target until it is answered or given up (64 newer requests of
 * the same target were answered, or the timeout has passed), so that a lost packet does not
 * stop the pump. It is *waited for* until the timeout, and only then it is lost.
 *
 * Recent requests lie in a ring. One that is pushed out of the ring unanswered moves to the
 * stragglers, a queue that stays in order of sequence and so can be searched by halving. What is
 * in neither was answered long ago. Memory does not depend on how many requests a run has.
 */
#ifndef FPING_BENCH_CORE_FLIGHT_H
#define FPING_BENCH_CORE_FLIGHT_H

#include "base/base.h"

#define FLIGHT_GIVE_UP_AFTER 64u /* newer requests answered */

enum flight_state {
	FLIGHT_WAITING,  /* no right reply yet, timeout not passed */
	FLIGHT_ANSWERED,
	FLIGHT_LOST,
	FLIGHT_LATE,     /* lost, and the right reply came after that */
};

enum flight_mark {
	FLIGHT_UNMARKED,
	FLIGHT_ERROR_REPLY,   /* an ICMP error quotes it */
	FLIGHT_DAMAGED_REPLY, /* a reply came that was not what was sent */
	FLIGHT_LATE_REPLY,    /* the right one came after the timeout, which has not been noticed */
};

struct flight_entry {
	uint64_t sequence;    /* 0: unused */
	int64_t sent_ns;      /* just before the send call */
	int64_t intended_ns;  /* when it was due; sent_ns where there is no schedule */
	uint64_t previous;    /* slot holders of the same target, older and newer; 0: none */
	uint64_t next;
	uint64_t answered_between; /* requests answered between this slot holder and the next */
	uint64_t number;      /* the target's own count of requests, from 1 */
	uint32_t target;
	uint8_t state;        /* enum flight_state */
	uint8_t mark;         /* enum flight_mark */
	bool holds_slot;
	bool is_late;         /* waited for, but its right reply has come after the timeout */
};

/* The slots of one target; all zero at the start. */
struct flight_slots {
	uint64_t first;          /* oldest and newest slot holder; 0: none */
	uint64_t last;
	uint64_t answered_newer; /* requests answered that are newer than `first` */
	uint32_t used;
};

struct flight {
	struct flight_entry *ring;
	struct flight_entry *stragglers;
	uint64_t ring_mask;
	uint64_t straggler_mask;
	/* oldest remembered, next to expire, next free: counts, not indexes */
	uint64_t straggler_head;
	uint64_t straggler_expire;
	uint64_t straggler_tail;
	uint64_t ring_expire;    /* sequence; older ones in the ring are not waited for */
	uint64_t last_sequence;
	uint64_t waiting;        /* requests in state FLIGHT_WAITING */
	uint64_t hopeless;       /* those of them with a mark: no right reply expected */
};

/*
 * Prepares a table over the caller's memory: ring and stragglers are arrays of the given sizes,
 * powers of two, all bytes zero. The ring must be at least four times the slots of all targets.
 */
void flight_init(struct flight *flight, struct flight_entry *ring, uint64_t ring_entries,
		 struct flight_entry *stragglers, uint64_t straggler_entries);

/* How many requests can be sent now without forgetting one that is still waited for. */
uint64_t flight_room(const struct flight *flight);

/*
 * A request was accepted by the kernel: it gets the sequence last_sequence + 1, which is
 * returned, and a slot of its target. flight_room must not be 0.
 */
uint64_t flight_send(struct flight *flight, struct flight_slots *slots, uint32_t target,
		     uint64_t number, int64_t sent_ns, int64_t intended_ns);

/* The entry of a sequence; NULL if it was never sent or is forgotten. Valid until the next send. */
struct flight_entry *flight_find(const struct flight *flight, uint64_t sequence);

/*
 * The newest sent sequence with these low 16 bits, 0 when there is none: all that a reply
 * without a tag can tell.
 */
uint64_t flight_from_wire(const struct flight *flight, uint16_t wire_sequence);

/* The right reply came: the entry, which is waited for, becomes answered and leaves its slot. */
void flight_answer(struct flight *flight, struct flight_slots *slots, struct flight_entry *entry);

/* The entry leaves its slot without an answer; it is still waited for. */
void flight_release(struct flight *flight, struct flight_slots *slots,
		    struct flight_entry *entry);

/* The entry, which is waited for and has no mark yet, gets one. */
void flight_set_mark(struct flight *flight, struct flight_entry *entry, enum flight_mark mark);

/*
 * The oldest slot holder if it is to be given up now (64 newer requests answered), else NULL.
 * The caller releases it and asks again.
 */
struct flight_entry *flight_next_given_up(const struct flight *flight,
					  const struct flight_slots *slots);

/*
 * The oldest request that is waited for and was sent at or before sent_before_ns, else NULL; the
 * caller makes it lost by flight_lose and asks again. oldest_ns receives the send time of the
 * oldest that remains waited for, TIME_NEVER_NS when there is none or one was returned.
 */
struct flight_entry *flight_next_expired(struct flight *flight, int64_t sent_before_ns,
					 int64_t *oldest_ns);

/* The entry, which is waited for, becomes lost. The caller releases its slot first. */
void flight_lose(struct flight *flight, struct flight_entry *entry);

#endif
