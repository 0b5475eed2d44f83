/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the peer has in hand: requests that arrived, and events, each one answer to one request
 * that is due at a time. Events lie in a heap ordered by (time, order of planning), so two
 * answers due at the same instant leave in the order in which the script made them, on every run.
 */
#ifndef FPING_BENCH_PEER_EVENT_H
#define FPING_BENCH_PEER_EVENT_H

#include "packet.h"
#include "script.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One whole echo request (or one fragment, for the rules about fragments). Shared by its events. */
struct request {
	int references;
	int answers; /* events not yet finished */
	int64_t number;
	int64_t arrival_ns;
	struct address source;
	struct address destination;
	uint16_t id;
	uint16_t sequence;
	bool dont_fragment;
	int64_t fragments;
	int64_t largest_packet;
	const uint8_t *icmp; /* the whole ICMP message */
	size_t icmp_length;
	const uint8_t *first; /* the packet that errors quote: the request, or its first fragment */
	size_t first_length;
	uint8_t bytes[]; /* what the two pointers above point into */
};

struct packets;

struct event {
	int64_t time_ns;
	uint64_t order;
	struct request *request; /* NULL: a timer of rule */
	struct rule *rule;
	const struct operation *kind; /* what is sent: a reply, an error ... */
	bool delayed;	   /* due later than it was planned: its lateness says something */
	int64_t wanted_ns; /* the time of the first copy */
	int64_t copies;
	int64_t copy;
	int64_t spacing_ns;
	const int64_t *times; /* "repeat at": copies entries, after wanted_ns */
	int64_t hold_number;  /* waits for this request; 0: for none */
	int64_t pause_ns;     /* between the packets of one copy */
	struct packets *packets;
	int next_packet;
	int operations;
	struct operation *operation[];
};

struct queue {
	struct event **heap;
	size_t count;
	size_t room;
	uint64_t order;
};

/*
 * A copy of what arrived; first and icmp may overlap in one packet. The reference belongs to the
 * caller.
 */
struct request *request_new(const uint8_t *first, size_t first_length, const uint8_t *icmp,
			    size_t icmp_length);
void request_release(struct request *request);

struct event *event_new(struct request *request, struct rule *rule, int operations);
void event_free(struct event *event);

/* Takes the event over; it gets its place by time_ns, behind those planned before it. */
void queue_push(struct queue *queue, struct event *event);
struct event *queue_top(const struct queue *queue);
struct event *queue_pop(struct queue *queue);
void queue_free(struct queue *queue);

/* malloc and realloc that end the program when there is no memory left: no test can go on then. */
void *need(void *memory);

#endif
