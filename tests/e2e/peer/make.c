/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The message that an event stands for, before any edit: an echo reply, an error, a forgery, a
 * router's or neighbour's message, or bytes that the script gives. Made when it is sent and not
 * when it is planned, so a million forged replies cost one event.
 */
#include "make.h"

#include <stdlib.h>
#include <string.h>

static struct packets *pool;

struct packets *packets_new(void)
{
	struct packets *packets = pool;

	if (packets)
		pool = packets->next;
	else
		packets = need(calloc(1, sizeof(*packets)));
	packets->used = 0;
	packets->count = 0;
	return packets;
}

void packets_release(struct packets *packets)
{
	if (!packets)
		return;
	packets->next = pool;
	pool = packets;
}

void packets_free_pool(void)
{
	while (pool) {
		struct packets *next = pool->next;

		free(pool->bytes);
		free(pool->place);
		free(pool);
		pool = next;
	}
}

uint8_t *packets_add(struct packets *packets, size_t length)
{
	struct packet_place *place;

	if (packets->used + length > packets->room) {
		packets->room = (packets->used + length) * 2;
		packets->bytes = need(realloc(packets->bytes, packets->room));
	}
	if (packets->count == packets->slots) {
		packets->slots = packets->slots ? packets->slots * 2 : 8;
		packets->place = need(
			realloc(packets->place, (size_t)packets->slots * sizeof(*packets->place)));
	}
	place = &packets->place[packets->count++];
	place->at = packets->used;
	place->length = length;
	packets->used += length;
	return packets->bytes + place->at;
}

void make_keep(struct maker *maker, struct request *request)
{
	struct request **place = &maker->recent[request->number % RECENT_REQUESTS];

	if (!maker->keeps_requests)
		return;
	request_release(*place);
	request->references++;
	*place = request;
}

struct request *make_recent(const struct maker *maker, int64_t number)
{
	struct request *request;

	if (number < 1)
		return NULL;
	request = maker->recent[number % RECENT_REQUESTS];
	return request && request->number == number ? request : NULL;
}

void make_free(struct maker *maker)
{
	for (int i = 0; i < RECENT_REQUESTS; i++)
		request_release(maker->recent[i]);
}

static const struct address *router(const struct maker *maker, const struct event *event)
{
	return event->request->source.family == 6 ? &maker->router6 : &maker->router4;
}

static void start_reply(const struct maker *maker, const struct event *event, struct draft *draft)
{
	const struct request *request = event->request;

	draft->source = request->destination;
	if (address_is_group(&request->destination) ||
	    address_equal(&request->destination, &maker->broadcast4))
		draft->source = *router(maker, event);
	memcpy(draft->icmp, request->icmp, request->icmp_length);
	draft->length = request->icmp_length;
	draft->icmp[0] = request->source.family == 6 ? 129 : 0;
	draft->icmp[1] = 0;
}

/* Random id, sequence and data; the length, the addresses and the checksum are right. */
static void start_forged(struct maker *maker, const struct event *event, struct draft *draft)
{
	start_reply(maker, event, draft);
	for (size_t i = 4; i < draft->length; i++)
		draft->icmp[i] = (uint8_t)(random_next(&maker->random) >> 32);
}

static void start_error(const struct maker *maker, const struct event *event,
			const struct operation *operation, struct draft *draft)
{
	static const uint8_t numbers[ERROR_NAMES][2][2] = {
		/* type and code for IPv4 (RFC 792, 1812) and IPv6 (RFC 4443) */
		[ERROR_BY_NUMBER] = {{3, 0}, {1, 0}},
		[ERROR_NET_UNREACHABLE] = {{3, 0}, {1, 0}},
		[ERROR_HOST_UNREACHABLE] = {{3, 1}, {1, 3}},
		[ERROR_PORT_UNREACHABLE] = {{3, 3}, {1, 4}},
		[ERROR_PROHIBITED] = {{3, 13}, {1, 1}},
		[ERROR_TOO_BIG] = {{3, 4}, {2, 0}},
		[ERROR_TIME_EXCEEDED] = {{11, 0}, {3, 0}},
		[ERROR_REASSEMBLY] = {{11, 1}, {3, 1}},
		[ERROR_PARAMETER] = {{12, 0}, {4, 0}},
	};
	const uint8_t *number = numbers[operation->a][event->request->source.family == 6];

	draft->source = *router(maker, event);
	memset(draft->icmp, 0, 8);
	draft->icmp[0] = number[0];
	draft->icmp[1] = number[1];
	draft->length = 8 + quote_write(event, draft->icmp + 8);
}

/*
 * Router advertisement (RFC 4861 section 4.2 with a lifetime of 0, RFC 1256), neighbour
 * advertisement and solicitation (RFC 4861 sections 4.3, 4.4). IPv4 has no neighbour messages: a
 * router solicitation there.
 */
static void start_neighbour(const struct maker *maker, const struct event *event,
			    enum operation_kind kind, struct draft *draft)
{
	const struct address *from = router(maker, event);
	bool advertisement = kind == OPERATION_NEIGHBOUR_ADVERTISEMENT;

	draft->source = *from;
	memset(draft->icmp, 0, 24);
	if (from->family == 4) {
		draft->icmp[0] = kind == OPERATION_ROUTER_ADVERTISEMENT ? 9 : 10;
		draft->length = 8;
		if (kind == OPERATION_ROUTER_ADVERTISEMENT) {
			put16(draft->icmp + 4, 0x0102);
			memcpy(draft->icmp + 8, from->bytes, 4);
			draft->length = 16;
		}
		return;
	}
	draft->ttl = 255;
	if (kind == OPERATION_ROUTER_ADVERTISEMENT) {
		static const uint8_t link_local[16] = {0xfe, 0x80, [15] = 0xfe};

		memcpy(draft->source.bytes, link_local, 16);
		draft->icmp[0] = 134;
		draft->length = 16;
		return;
	}
	draft->icmp[0] = advertisement ? 136 : 135;
	memcpy(draft->icmp + 8, advertisement ? from->bytes : event->request->source.bytes, 16);
	draft->length = 24;
}

static void start_message(struct maker *maker, const struct event *event,
			  const struct operation *kind, struct draft *draft)
{
	memset(draft, 0, offsetof(struct draft, icmp));
	draft->ttl = 64;
	draft->destination = event->request->source;
	switch (kind->kind) {
	case OPERATION_ERROR:
		start_error(maker, event, kind, draft);
		break;
	case OPERATION_FORGED:
		start_forged(maker, event, draft);
		break;
	case OPERATION_ROUTER_ADVERTISEMENT:
	case OPERATION_NEIGHBOUR_ADVERTISEMENT:
	case OPERATION_NEIGHBOUR_SOLICITATION:
		start_neighbour(maker, event, kind->kind, draft);
		break;
	case OPERATION_ICMP:
		start_reply(maker, event, draft);
		memcpy(draft->icmp, kind->bytes, kind->length);
		draft->length = kind->length;
		break;
	default:
		start_reply(maker, event, draft);
		break;
	}
}

/*
 * The addresses that the copy is sent from: those of the last "from", or the one the message has.
 */
static int find_sources(const struct event *event, const struct address **sources)
{
	int count = 0;

	for (int i = 0; i < event->operations; i++) {
		if (event->operation[i]->kind == OPERATION_FROM) {
			*sources = event->operation[i]->addresses;
			count = event->operation[i]->count;
		}
	}
	return count;
}

struct packets *make_packets(struct maker *maker, const struct event *event)
{
	const struct operation *kind = event->kind;
	struct packets *packets = packets_new();
	struct draft *draft = &maker->draft;
	const struct address *sources = NULL;
	int count = find_sources(event, &sources);

	if (kind->kind == OPERATION_PACKET) {
		memcpy(packets_add(packets, kind->length), kind->bytes, kind->length);
		return packets;
	}
	for (int i = 0; i < (count ? count : 1); i++) {
		start_message(maker, event, kind, draft);
		if (count && sources[i].family != draft->source.family)
			continue; /* one list may serve both families */
		if (count)
			draft->source = sources[i];
		edit_message(maker, event, draft);
		edit_finish(draft);
		wrap_message(maker, draft, packets);
	}
	return packets;
}
