/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reassembly, see reassembly.h. A bit for every 8 bytes says what is there; a list by age gives
 * the timeouts.
 */
#include "reassembly.h"

#include "event.h"

#include <stdlib.h>
#include <string.h>

static size_t bucket_of(const struct packet_view *view)
{
	uint64_t hash = view->fragment_id;

	for (int i = 0; i < 16; i++)
		hash = hash * 31 + view->source.bytes[i] + 7u * view->destination.bytes[i];
	return hash % REASSEMBLY_BUCKETS;
}

static struct packet_view view_of(const struct datagram *datagram)
{
	struct packet_view view = {0};

	view.source = datagram->source;
	view.destination = datagram->destination;
	view.fragment_id = datagram->id;
	return view;
}

/* RFC 791: the protocol is a part of the key; RFC 8200: it is not. */
static bool belongs(const struct datagram *datagram, const struct packet_view *view)
{
	return datagram->id == view->fragment_id &&
	       (view->family == 6 || datagram->protocol == view->protocol) &&
	       address_equal(&datagram->source, &view->source) &&
	       address_equal(&datagram->destination, &view->destination);
}

void reassembly_remove(struct reassembly *reassembly, struct datagram *datagram)
{
	struct packet_view view = view_of(datagram);
	struct datagram **link = &reassembly->bucket[bucket_of(&view)];

	while (*link != datagram)
		link = &(*link)->chain;
	*link = datagram->chain;
	if (datagram->older)
		datagram->older->newer = datagram->newer;
	else
		reassembly->oldest = datagram->newer;
	if (datagram->newer)
		datagram->newer->older = datagram->older;
	else
		reassembly->newest = datagram->older;
	reassembly->count--;
	free(datagram->first);
	free(datagram->payload);
	free(datagram);
}

static struct datagram *create(struct reassembly *reassembly, const struct packet_view *view,
			       int64_t now_ns)
{
	struct datagram *datagram = need(calloc(1, sizeof(*datagram)));
	struct datagram **bucket = &reassembly->bucket[bucket_of(view)];

	if (reassembly->count == REASSEMBLY_DATAGRAMS_MAX) {
		reassembly->evicted++;
		reassembly_remove(reassembly, reassembly->oldest);
	}
	datagram->source = view->source;
	datagram->destination = view->destination;
	datagram->protocol = view->protocol;
	datagram->id = view->fragment_id;
	datagram->dont_fragment = view->dont_fragment;
	datagram->first_ns = now_ns;
	datagram->number = ++reassembly->datagrams;
	datagram->chain = *bucket;
	*bucket = datagram;
	datagram->older = reassembly->newest;
	if (reassembly->newest)
		reassembly->newest->newer = datagram;
	else
		reassembly->oldest = datagram;
	reassembly->newest = datagram;
	reassembly->count++;
	return datagram;
}

struct datagram *reassembly_find(struct reassembly *reassembly, const struct packet_view *view,
				 int64_t now_ns)
{
	struct datagram *datagram = reassembly->bucket[bucket_of(view)];

	while (datagram && !belongs(datagram, view))
		datagram = datagram->chain;
	return datagram ? datagram : create(reassembly, view, now_ns);
}

static bool unit_taken(const struct datagram *datagram, size_t unit)
{
	return datagram->units[unit / 64] >> unit % 64 & 1;
}

/* How much of a range is there already: 0 nothing, 1 a part, 2 all of it. */
static int range_taken(const struct datagram *datagram, size_t from, size_t to)
{
	size_t taken = 0;

	for (size_t unit = from; unit < to; unit++)
		taken += unit_taken(datagram, unit);
	return taken == 0 ? 0 : taken == to - from ? 2 : 1;
}

static void store(struct datagram *datagram, const struct packet_view *view, const uint8_t *packet,
		  size_t length)
{
	size_t end = view->offset + view->payload_length;

	if (end > datagram->room) {
		datagram->room = end * 2;
		datagram->payload = need(realloc(datagram->payload, datagram->room));
	}
	memcpy(datagram->payload + view->offset, view->payload, view->payload_length);
	for (size_t unit = view->offset / 8; unit < (end + 7) / 8; unit++)
		datagram->units[unit / 64] |= (uint64_t)1 << unit % 64;
	datagram->received += view->payload_length;
	if (!view->more)
		datagram->total = end;
	if (view->offset == 0) {
		datagram->protocol = view->protocol;
		datagram->first = need(malloc(length));
		datagram->first_length = length;
		memcpy(datagram->first, packet, length);
	}
	if ((int64_t)length > datagram->largest_packet)
		datagram->largest_packet = (int64_t)length;
}

enum reassembly_result reassembly_insert(struct reassembly *reassembly, struct datagram **datagram,
					 const struct packet_view *view, const uint8_t *packet,
					 size_t length, int64_t now_ns)
{
	size_t end = view->offset + view->payload_length;
	int taken;

	if (view->payload_length == 0 || end > 65535 ||
	    (view->more && view->payload_length % 8 != 0) ||
	    ((*datagram)->total > 0 && end > (*datagram)->total))
		return REASSEMBLY_REFUSED;
	taken = range_taken(*datagram, view->offset / 8, (end + 7) / 8);
	if (taken == 2 && end <= (*datagram)->room &&
	    memcmp((*datagram)->payload + view->offset, view->payload, view->payload_length) == 0) {
		reassembly->duplicates++;
		return REASSEMBLY_MORE;
	}
	if (taken == 1) {
		reassembly->overlaps++;
		reassembly_remove(reassembly, *datagram);
		*datagram = NULL;
		return REASSEMBLY_REFUSED;
	}
	if (taken == 2) {
		reassembly->replaced++;
		reassembly_remove(reassembly, *datagram);
		*datagram = create(reassembly, view, now_ns);
	}
	store(*datagram, view, packet, length);
	return (*datagram)->received == (*datagram)->total ? REASSEMBLY_WHOLE : REASSEMBLY_MORE;
}

struct datagram *reassembly_expired(const struct reassembly *reassembly, int64_t now_ns)
{
	struct datagram *oldest = reassembly->oldest;

	return oldest && now_ns - oldest->first_ns >= reassembly->timeout_ns ? oldest : NULL;
}

void reassembly_free(struct reassembly *reassembly)
{
	while (reassembly->oldest)
		reassembly_remove(reassembly, reassembly->oldest);
}
