/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests, events and the heap of events, see event.h.
 */
#include "event.h"

#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *need(void *memory)
{
	if (!memory) {
		fputs("peer: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

struct request *request_new(const uint8_t *first, size_t first_length, const uint8_t *icmp,
			    size_t icmp_length)
{
	bool inside = icmp >= first && icmp + icmp_length <= first + first_length;
	size_t extra = inside ? 0 : icmp_length;
	struct request *request = need(malloc(sizeof(*request) + first_length + extra));

	memset(request, 0, sizeof(*request));
	request->references = 1;
	memcpy(request->bytes, first, first_length);
	request->first = request->bytes;
	request->first_length = first_length;
	request->icmp_length = icmp_length;
	request->icmp = request->bytes + (inside ? (size_t)(icmp - first) : first_length);
	if (!inside)
		memcpy(request->bytes + first_length, icmp, icmp_length);
	return request;
}

void request_release(struct request *request)
{
	if (request && --request->references == 0)
		free(request);
}

struct event *event_new(struct request *request, struct rule *rule, int operations)
{
	size_t size = sizeof(struct event) + (size_t)operations * sizeof(struct operation *);
	struct event *event = need(calloc(1, size));

	event->request = request;
	event->rule = rule;
	event->copies = 1;
	if (request)
		request->references++;
	return event;
}

void event_free(struct event *event)
{
	packets_release(event->packets);
	request_release(event->request);
	free(event);
}

static bool before(const struct event *left, const struct event *right)
{
	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns;
	return left->order < right->order;
}

void queue_push(struct queue *queue, struct event *event)
{
	size_t at = queue->count++;

	if (queue->count > queue->room) {
		queue->room = queue->room ? queue->room * 2 : 256;
		queue->heap = need(realloc(queue->heap, queue->room * sizeof(*queue->heap)));
	}
	event->order = queue->order++;
	while (at > 0 && before(event, queue->heap[(at - 1) / 2])) {
		queue->heap[at] = queue->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	queue->heap[at] = event;
}

struct event *queue_top(const struct queue *queue)
{
	return queue->count ? queue->heap[0] : NULL;
}

struct event *queue_pop(struct queue *queue)
{
	struct event *top = queue_top(queue), *moved;
	size_t at = 0, child;

	if (!top)
		return NULL;
	moved = queue->heap[--queue->count];
	while ((child = at * 2 + 1) < queue->count) {
		if (child + 1 < queue->count && before(queue->heap[child + 1], queue->heap[child]))
			child++;
		if (!before(queue->heap[child], moved))
			break;
		queue->heap[at] = queue->heap[child];
		at = child;
	}
	if (queue->count > 0)
		queue->heap[at] = moved;
	return top;
}

void queue_free(struct queue *queue)
{
	while (queue->count > 0)
		event_free(queue_pop(queue));
	free(queue->heap);
}
