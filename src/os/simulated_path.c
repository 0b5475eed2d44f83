/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated path. A request is answered the moment it is sent, since nothing that happens
 * later can change its fate: requests reach the server in the order in which they left, so its
 * queue is one number, the time at which it is free.
 *
 * Replies come without IP header and, for IPv4, with a right checksum, also where a byte was
 * changed: a checksum would catch that, and what is to be tried is what passes one.
 */
#include "os/simulated_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/checksum.h"

#define SLOTS_FIRST 64u
#define SLOTS_MAX (UINT32_C(1) << 22)
#define DUPLICATE_DELAY_NS NANOSECONDS_PER_MICROSECOND
#define REPLY_TTL 64

/* ---- replies in order of arrival ---- */

static bool comes_before(const struct simulated_reply *a, const struct simulated_reply *b)
{
	if (a->arrival_ns != b->arrival_ns)
		return a->arrival_ns < b->arrival_ns;
	return a->order < b->order;
}

static void heap_push(struct simulated_path *path, const struct simulated_reply *reply)
{
	uint32_t place = path->reply_count++;

	while (place > 0 && comes_before(reply, &path->heap[(place - 1) / 2])) {
		path->heap[place] = path->heap[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	path->heap[place] = *reply;
}

static struct simulated_reply heap_pop(struct simulated_path *path)
{
	struct simulated_reply first = path->heap[0];
	struct simulated_reply last = path->heap[--path->reply_count];
	uint32_t count = path->reply_count;
	uint32_t place = 0;

	for (;;) {
		uint32_t child = 2 * place + 1;

		if (child + 1 < count && comes_before(&path->heap[child + 1], &path->heap[child]))
			child++;
		if (child >= count || !comes_before(&path->heap[child], &last))
			break;
		path->heap[place] = path->heap[child];
		place = child;
	}
	path->heap[place] = last;
	return first;
}

/* Makes room for more replies: false at the limit or without memory. */
static bool grow(struct simulated_path *path)
{
	uint64_t wanted = path->slots == 0 ? SLOTS_FIRST : 2 * (uint64_t)path->slots;
	uint32_t slots = (uint32_t)min_u64(wanted, path->slots_max);
	void *storage, *free_slots, *heap;

	if (slots <= path->slots)
		return false;
	storage = realloc(path->storage, (size_t)slots * path->slot_bytes);
	if (storage == NULL)
		return false;
	path->storage = storage;
	free_slots = realloc(path->free_slots, (size_t)slots * sizeof(*path->free_slots));
	if (free_slots == NULL)
		return false;
	path->free_slots = free_slots;
	heap = realloc(path->heap, (size_t)slots * sizeof(*path->heap));
	if (heap == NULL)
		return false;
	path->heap = heap;
	for (uint32_t slot = slots; slot > path->slots; slot--)
		path->free_slots[path->free_count++] = slot - 1;
	path->slots = slots;
	return true;
}

static uint8_t *slot_bytes(const struct simulated_path *path, uint32_t slot)
{
	return path->storage + (size_t)slot * path->slot_bytes;
}

/* ---- what happens to a request ---- */

static bool happens(struct simulated_path *path, double probability)
{
	return probability > 0 && random_unit(&path->random) < probability;
}

/* Whether one of the fragments of the current plan is lost. */
static bool loses_fragment(struct simulated_path *path, double probability)
{
	bool lost = false;

	/* All are drawn for: the loss of one request must not shift the fate of others. */
	for (uint32_t i = 0; i < path->plan.count && probability > 0; i++)
		lost |= happens(path, probability);
	return lost;
}

/* The time at which something that would arrive at at_ns does, if the network stands still. */
static int64_t after_stall(const struct simulated_path *path, int64_t at_ns)
{
	const struct simulation *settings = &path->settings;
	int64_t phase_ns;

	if (settings->stall_ns == 0)
		return at_ns;
	phase_ns = (at_ns - path->origin_ns) % settings->stall_every_ns;
	if (phase_ns < settings->stall_every_ns - settings->stall_ns)
		return at_ns;
	return at_ns + settings->stall_every_ns - phase_ns;
}

/*
 * Makes the request in the scratch memory its reply. The checksum is brought along; for ICMPv6 it
 * is none of this network's business, since it covers addresses, and nobody looks at it.
 */
static void turn_around(struct simulated_path *path, uint32_t length, bool damaged)
{
	const struct wire_format *format = path->format;
	uint8_t *packet = path->scratch;
	uint16_t before = bytes_get16(packet);

	packet[0] = format->echo_reply_type;
	bytes_put16(packet + 2,
		    checksum_update16(bytes_get16(packet + 2), before, bytes_get16(packet)));
	if (damaged && length > WIRE_ECHO_HEADER_BYTES) {
		uint64_t at = WIRE_ECHO_HEADER_BYTES +
			      random_below(&path->random, length - WIRE_ECHO_HEADER_BYTES);

		packet[at] ^= (uint8_t)(1 + random_below(&path->random, 255));
		bytes_put16(packet + 2, 0);
		bytes_put16(packet + 2, checksum_finish(checksum_sum(packet, length)));
	}
	if (format->family == 6)
		bytes_put16(packet + 2, 0);
}

static uint32_t largest_fragment(const struct fragment_plan *plan)
{
	if (plan->count == 1)
		return 0;
	return plan->header_bytes + (uint32_t)max_u64(plan->piece_bytes, plan->last_bytes);
}

/* Puts the reply in the scratch memory on its way. */
static void put_reply(struct simulated_path *path, int64_t arrival_ns,
		      const struct transport_outgoing *request)
{
	struct simulated_reply reply = {
		.arrival_ns = after_stall(path, arrival_ns),
		.order = path->order++,
		.length = request->length,
		.destination = request->destination,
		.largest_fragment = largest_fragment(&path->plan),
	};

	if (path->free_count == 0 && !grow(path)) {
		path->drops++;
		return;
	}
	reply.slot = path->free_slots[--path->free_count];
	memcpy(slot_bytes(path, reply.slot), path->scratch, reply.length);
	heap_push(path, &reply);
}

void simulated_path_send(struct simulated_path *path, int64_t now_ns,
			 const struct transport_outgoing *request)
{
	const struct simulation *settings = &path->settings;
	uint64_t jitter_range = (uint64_t)settings->jitter_ns + 1;
	int64_t arrival_ns =
		after_stall(path, now_ns + settings->queue_ns + settings->delay_ns / 2);
	bool lost, twice, damaged;

	path->requests++;
	lost = settings->drop_every > 0 && path->requests % settings->drop_every == 0;
	lost |= happens(path, settings->loss);
	lost |= loses_fragment(path, settings->fragment_loss);
	if (lost || request->bytes[0] != path->format->echo_request_type)
		return;
	path->server_free_ns = max_i64(path->server_free_ns, arrival_ns) + settings->service_ns;
	if (loses_fragment(path, settings->reply_fragment_loss))
		return;
	arrival_ns = path->server_free_ns + settings->delay_ns - settings->delay_ns / 2;
	if (settings->jitter_ns > 0)
		arrival_ns += (int64_t)random_below(&path->random, jitter_range);
	if (happens(path, settings->reorder))
		arrival_ns += settings->delay_ns;
	twice = happens(path, settings->duplicate);
	damaged = happens(path, settings->corrupt);
	memcpy(path->scratch, request->bytes, request->length);
	turn_around(path, request->length, damaged);
	put_reply(path, arrival_ns, request);
	if (twice)
		put_reply(path, arrival_ns + DUPLICATE_DELAY_NS, request);
}

int simulated_path_open(struct simulated_path *path, uint8_t family,
			const struct simulation *settings, uint32_t packet_bytes, int64_t now_ns,
			struct error *error)
{
	memset(path, 0, sizeof(*path));
	if (!fragment_plan_make(&path->plan, family, settings->mtu, packet_bytes))
		return error_set(error, ERROR_INVALID,
				 "the simulated network cannot carry %u bytes of ICMP over IPv%u "
				 "with an MTU of %u", packet_bytes, family, settings->mtu);
	path->format = wire_format_find(family);
	path->settings = *settings;
	path->origin_ns = now_ns;
	/* A stream of its own for each family. */
	random_seed(&path->random, settings->seed ^ (uint64_t)family << 56);
	path->slot_bytes = packet_bytes;
	path->slots_max = (uint32_t)min_u64(SLOTS_MAX, SIMULATED_MEMORY_MAX / packet_bytes);
	path->scratch = malloc(packet_bytes);
	if (path->scratch == NULL || !grow(path)) {
		simulated_path_close(path);
		return error_set_system(error, ENOMEM, "cannot open the simulated network");
	}
	return 0;
}

uint32_t simulated_path_fragments(struct simulated_path *path, uint32_t length)
{
	const struct fragment_plan *plan = &path->plan;

	if (length < WIRE_ECHO_HEADER_BYTES || length > path->slot_bytes)
		return 0;
	if (length != plan->payload_bytes &&
	    !fragment_plan_make(&path->plan, plan->family, plan->mtu, length))
		return 0;
	return plan->count;
}

int64_t simulated_path_next(const struct simulated_path *path)
{
	return path->reply_count > 0 ? path->heap[0].arrival_ns : TIME_NEVER_NS;
}

bool simulated_path_receive(struct simulated_path *path, int64_t now_ns,
			    struct transport_incoming *packet, uint32_t *destination)
{
	struct simulated_reply reply;

	if (simulated_path_next(path) > now_ns || path->reply_count == 0)
		return false;
	reply = heap_pop(path);
	packet->length = (uint32_t)min_u64(reply.length, packet->capacity);
	packet->full_length = reply.length;
	memcpy(packet->bytes, slot_bytes(path, reply.slot), packet->length);
	packet->ttl = REPLY_TTL;
	packet->largest_fragment = reply.largest_fragment;
	packet->stamp_ns = reply.arrival_ns;
	packet->stamp_real_ns = reply.arrival_ns; /* real time is the simulated time */
	packet->hardware_ns = INT64_MIN;
	*destination = reply.destination;
	path->free_slots[path->free_count++] = reply.slot;
	return true;
}

void simulated_path_close(struct simulated_path *path)
{
	free(path->scratch);
	free(path->storage);
	free(path->free_slots);
	free(path->heap);
	memset(path, 0, sizeof(*path));
}
