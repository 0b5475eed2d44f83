/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flight table against a plain model that keeps every request for ever and counts by
 * looking at all of them: random sends, answers, releases, marks and expiries over several
 * targets, with a ring and a straggler queue so small that everything is pushed out of them
 * again and again.
 */
#include "core/flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "unit/unit.h"

#define RING 64
#define STRAGGLERS 256
#define TARGETS 3
#define REQUESTS 20000

static struct flight_entry ring[RING], stragglers[STRAGGLERS];

struct model {
	int64_t sent_ns;
	uint32_t target;
	enum flight_state state;
	bool holds_slot, marked;
};

static struct model model[REQUESTS + 1];

struct world {
	struct flight flight;
	struct flight_slots slots[TARGETS];
	uint64_t sent[TARGETS];
	uint64_t oldest; /* below it nothing is waited for */
	int64_t now_ns;
	struct random_state random;
};

static void world_init(struct world *world, uint64_t seed)
{
	memset(world, 0, sizeof(*world));
	memset(ring, 0, sizeof(ring));
	memset(stragglers, 0, sizeof(stragglers));
	memset(model, 0, sizeof(model));
	flight_init(&world->flight, ring, RING, stragglers, STRAGGLERS);
	random_seed(&world->random, seed);
	world->oldest = 1;
	world->now_ns = 1000;
}

static void world_send(struct world *world)
{
	uint32_t target = (uint32_t)random_below(&world->random, TARGETS);
	uint64_t sequence;

	if (flight_room(&world->flight) == 0 || world->flight.last_sequence == REQUESTS)
		return;
	sequence = flight_send(&world->flight, &world->slots[target], target,
			       ++world->sent[target], world->now_ns, world->now_ns);
	model[sequence] = (struct model){world->now_ns, target, FLIGHT_WAITING, true, false};
}

/* The newest answered requests after this one, by looking at all of them. */
static uint64_t model_answered_newer(const struct world *world, uint64_t sequence)
{
	uint64_t count = 0;

	for (uint64_t i = sequence + 1; i <= world->flight.last_sequence; i++)
		count += model[i].target == model[sequence].target &&
			 model[i].state == FLIGHT_ANSWERED;
	return count;
}

static uint64_t model_first(const struct world *world, uint32_t target)
{
	for (uint64_t i = world->oldest; i <= world->flight.last_sequence; i++)
		if (model[i].holds_slot && model[i].target == target)
			return i;
	return 0;
}

static bool check_slots(const struct world *world)
{
	for (uint32_t target = 0; target < TARGETS; target++) {
		const struct flight_slots *slots = &world->slots[target];
		uint64_t first = model_first(world, target);
		uint32_t used = 0;

		for (uint64_t i = world->oldest; i <= world->flight.last_sequence; i++)
			used += model[i].target == target && model[i].holds_slot;
		if (!UNIT_UNSIGNED("slots used", slots->used, used) ||
		    !UNIT_UNSIGNED("oldest holder", slots->first, first))
			return false;
		if (first != 0 &&
		    !UNIT_UNSIGNED("newer answered", slots->answered_newer,
				   model_answered_newer(world, first)))
			return false;
	}
	return true;
}

static void world_answer(struct world *world)
{
	uint64_t span = min_u64(world->flight.last_sequence, 150);
	struct flight_entry *entry;
	uint64_t sequence;

	if (span == 0)
		return;
	sequence = world->flight.last_sequence - random_below(&world->random, span);
	entry = flight_find(&world->flight, sequence);
	if (entry == NULL) {
		UNIT_CHECK(model[sequence].state != FLIGHT_WAITING,
			   "request %llu is forgotten, but waited for",
			   (unsigned long long)sequence);
		return;
	}
	UNIT_UNSIGNED("state", entry->state, model[sequence].state);
	if (entry->state != FLIGHT_WAITING)
		return;
	/* Only what holds its slot counts towards giving up the older ones: the model, too. */
	if (random_below(&world->random, 20) == 0) {
		flight_release(&world->flight, &world->slots[entry->target], entry);
		model[sequence].holds_slot = false;
		if (entry->mark == FLIGHT_UNMARKED) {
			flight_set_mark(&world->flight, entry, FLIGHT_ERROR_REPLY);
			model[sequence].marked = true;
		}
		return;
	}
	if (!entry->holds_slot)
		return;
	flight_answer(&world->flight, &world->slots[entry->target], entry);
	model[sequence].state = FLIGHT_ANSWERED;
	model[sequence].holds_slot = false;
}

static void world_give_up(struct world *world)
{
	for (uint32_t target = 0; target < TARGETS; target++) {
		struct flight_entry *entry;

		while ((entry = flight_next_given_up(&world->flight, &world->slots[target]))) {
			UNIT_CHECK(model_answered_newer(world, entry->sequence) >=
					   FLIGHT_GIVE_UP_AFTER,
				   "given up too early");
			model[entry->sequence].holds_slot = false;
			flight_release(&world->flight, &world->slots[target], entry);
		}
	}
}

static void world_expire(struct world *world, int64_t timeout_ns)
{
	struct flight_entry *entry;
	int64_t oldest_ns;
	uint64_t waiting = 0;

	while ((entry = flight_next_expired(&world->flight, world->now_ns - timeout_ns,
					    &oldest_ns)) != NULL) {
		UNIT_SIGNED("waited for", model[entry->sequence].state, FLIGHT_WAITING);
		flight_release(&world->flight, &world->slots[entry->target], entry);
		flight_lose(&world->flight, entry);
		model[entry->sequence].holds_slot = false;
		model[entry->sequence].state = FLIGHT_LOST;
	}
	while (world->oldest <= world->flight.last_sequence &&
	       model[world->oldest].state != FLIGHT_WAITING)
		world->oldest++;
	for (uint64_t i = world->oldest; i <= world->flight.last_sequence; i++) {
		waiting += model[i].state == FLIGHT_WAITING;
		UNIT_CHECK(model[i].state != FLIGHT_WAITING ||
				   model[i].sent_ns > world->now_ns - timeout_ns,
			   "request %llu should have expired", (unsigned long long)i);
	}
	UNIT_UNSIGNED("waiting", world->flight.waiting, waiting);
	if (waiting > 0)
		UNIT_SIGNED("oldest", oldest_ns, model[world->oldest].sent_ns);
}

static void test_against_model(void)
{
	struct world world;

	for (uint64_t seed = 1; seed <= 8; seed++) {
		world_init(&world, seed);
		for (int step = 0; step < 12000; step++) {
			world.now_ns += (int64_t)random_below(&world.random, 20);
			if (random_below(&world.random, 5) < 3)
				world_send(&world);
			else
				world_answer(&world);
			world_give_up(&world);
			if (step % 50 != 0)
				continue;
			world_expire(&world, 4000);
			if (!check_slots(&world))
				return;
		}
	}
}

static void test_wire_sequence(void)
{
	struct flight flight;
	const struct {
		uint64_t last;
		uint16_t wire;
		uint64_t found;
	} rows[] = {
		{0, 0, 0},	       {0, 1, 0},	      {1, 1, 1},
		{1, 2, 0},	       {1, 0, 0},	      {65535, 65535, 65535},
		{65536, 0, 65536},     {65536, 1, 1},	      {65537, 1, 65537},
		{200000, 65535, 196607}, {200000, 3392, 200000}, {200000, 3393, 134465},
	};

	flight_init(&flight, ring, RING, stragglers, STRAGGLERS);
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		flight.last_sequence = rows[i].last;
		UNIT_CHECK(flight_from_wire(&flight, rows[i].wire) == rows[i].found,
			   "row %zu: %llu", i,
			   (unsigned long long)flight_from_wire(&flight, rows[i].wire));
	}
}

static void test_room(void)
{
	struct flight_slots slots = {0};
	struct flight flight;
	uint64_t sent = 0;

	memset(ring, 0, sizeof(ring));
	memset(stragglers, 0, sizeof(stragglers));
	flight_init(&flight, ring, RING, stragglers, STRAGGLERS);
	while (flight_room(&flight) > 0) {
		(void)flight_send(&flight, &slots, 0, ++sent, 1, 1);
		if (sent > 10000)
			break;
	}
	UNIT_UNSIGNED("as many as both hold", sent, RING + STRAGGLERS);
	for (uint64_t sequence = 1; sequence <= sent; sequence++)
		UNIT_CHECK(flight_find(&flight, sequence) != NULL, "request %llu is forgotten",
			   (unsigned long long)sequence);
	UNIT_CHECK(flight_find(&flight, sent + 1) == NULL, "never sent");
	UNIT_CHECK(flight_find(&flight, 0) == NULL, "no request has sequence 0");
}

const struct unit_suite suite_flight = {
	"flight",
	(const struct unit_test[]){
		{"agrees with a plain model", test_against_model},
		{"16-bit sequences", test_wire_sequence},
		{"nothing waited for is forgotten", test_room},
		{NULL, NULL},
	},
};
