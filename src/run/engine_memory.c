/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that a run needs in memory, taken before the first packet. Sizes depend on how
 * many requests can be out at once, never on how many a run has.
 */
#include <stdlib.h>
#include <string.h>

#include "run/engine_internal.h"

#define RING_MIN	 UINT64_C(16384)
#define STRAGGLERS_MIN	 UINT64_C(16384)
#define STRAGGLERS_FLOOD (UINT64_C(1) << 18) /* losses of one timeout that a fast run remembers */
#define STRAGGLERS_MAX	 (UINT64_C(1) << 22)
#define BATCH_BYTES	 (1024u * 1024u) /* what the buffers of a batch may take */
#define BATCH_MIN	 4u
#define RECEIVE_SLACK	 128u /* IP header with options, and bytes that a reply has too many */

void *engine_allocate(struct engine *engine, uint64_t count, uint64_t size, struct error *error)
{
	void *memory = NULL;

	if (engine->memory_count < ARRAY_LENGTH(engine->memory))
		memory = calloc((size_t)max_u64(count, 1), (size_t)size);
	if (memory == NULL) {
		(void)error_set(error, ERROR_NO_MEMORY,
				"no memory for %llu x %llu bytes; fewer targets or a smaller "
				"--depth need less",
				(unsigned long long)count, (unsigned long long)size);
		return NULL;
	}
	engine->memory[engine->memory_count++] = memory;
	return memory;
}

uint64_t engine_outstanding(const struct engine *engine)
{
	const struct configuration *configuration = engine->setup.configuration;
	uint32_t targets = engine_active_targets(engine);

	if (engine->has_schedule) {
		int64_t interval_ns = configuration_interval_ns(configuration, targets);
		uint64_t out = (uint64_t)(configuration->timeout_ns / max_i64(interval_ns, 1)) + 2;

		return (out + configuration->preload) * targets;
	}
	return max_u64(max_u64(configuration->depth, configuration->preload), 1) * targets;
}

uint64_t engine_power_of_two(uint64_t at_least)
{
	uint64_t power = 1;

	while (power < at_least)
		power *= 2;
	return power;
}

static int allocate_flight(struct engine *engine, struct error *error)
{
	uint64_t outstanding = engine_outstanding(engine);
	uint64_t slots = engine->has_schedule ? RING_MIN / 4 : outstanding;
	uint64_t ring_entries = engine_power_of_two(max_u64(RING_MIN, 4 * slots));
	uint64_t straggler_entries = STRAGGLERS_FLOOD;

	if (engine->has_schedule)
		straggler_entries = engine_power_of_two(
			max_u64(STRAGGLERS_MIN, min_u64(outstanding * 5 / 4, STRAGGLERS_MAX)));
	struct flight_entry *ring = engine_allocate(engine, ring_entries, sizeof(*ring), error);
	if (ring == NULL)
		return -ERROR_NO_MEMORY;
	/* A long run uses the whole ring: take its pages now, not while measuring. */
	memset(ring, 0, (size_t)ring_entries * sizeof(*ring));
	struct flight_entry *stragglers =
		engine_allocate(engine, straggler_entries, sizeof(*stragglers), error);
	if (stragglers == NULL)
		return -ERROR_NO_MEMORY;
	flight_init(&engine->account.flight, ring, ring_entries, stragglers, straggler_entries);
	return 0;
}

/* The second row of each target, for its warm-up: the account alone, and one histogram for all. */
static int allocate_shadows(struct engine *engine, struct error *error)
{
	const struct engine_setup *setup = &engine->setup;
	struct account_target *shadows = engine->account.targets + setup->target_count;
	struct histogram *unread = engine_allocate(engine, 1, sizeof(*unread), error);

	if (unread == NULL)
		return -ERROR_NO_MEMORY;
	for (uint32_t i = 0; i < setup->target_count; i++) {
		shadows[i].address = setup->targets[i].address;
		shadows[i].is_multicast = setup->targets[i].is_multicast;
		shadows[i].rtt_user = unread;
		account_target_init(&shadows[i]);
	}
	return 0;
}

static int allocate_targets(struct engine *engine, struct error *error)
{
	const struct engine_setup *setup = &engine->setup;
	uint32_t count = setup->target_count;
	uint32_t kinds = engine->has_schedule ? 4 : 2;
	uint32_t rows;

	engine->has_shadows =
		setup->configuration->warmup_requests != 0 || setup->configuration->warmup_ns != 0;
	rows = engine->has_shadows ? 2 * count : count;
	struct account_target *targets = engine_allocate(engine, rows, sizeof(*targets), error);
	if (targets == NULL)
		return -ERROR_NO_MEMORY;
	struct histogram *histograms =
		engine_allocate(engine, (uint64_t)count * kinds, sizeof(*histograms), error);
	if (histograms == NULL)
		return -ERROR_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		struct account_target *target = &targets[i];

		target->address = setup->targets[i].address;
		target->is_multicast = setup->targets[i].is_multicast;
		target->rtt_user = &histograms[(size_t)i * kinds];
		if (setup->configuration->stamps != STAMPS_USER)
			target->rtt_ping = target->rtt_user + 1;
		if (engine->has_schedule) {
			target->rtt_intended = target->rtt_user + 2;
			target->lateness = target->rtt_user + 3;
		}
		account_target_init(target);
	}
	engine->account.targets = targets;
	engine->account.target_count = rows;
	if (engine->has_shadows && allocate_shadows(engine, error) < 0)
		return -ERROR_NO_MEMORY;
	engine->account.plan = setup->plan;
	engine->account.timeout_ns = setup->configuration->timeout_ns;
	return 0;
}

/*
 * Reordering needs to know of as many replies as can be out of order, which is what can be out, for
 * each target.
 */
static int allocate_reordering(struct engine *engine, struct error *error)
{
	uint32_t count = engine->setup.target_count;
	uint64_t out = engine_outstanding(engine) / max_u64(engine_active_targets(engine), 1);
	uint64_t entries = engine_power_of_two(
		min_u64(max_u64(out, REORDERING_RING_MIN), REORDERING_RING_MAX));
	struct reordering_record *records =
		engine_allocate(engine, entries * count, sizeof(*records), error);

	if (records == NULL)
		return -ERROR_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		reordering_init(&engine->account.targets[i].reordering, records + i * entries,
				entries);
	return 0;
}

static int allocate_responders(struct engine *engine, struct error *error)
{
	struct account_responder *responders;
	uint64_t needed = 0;

	for (uint32_t i = 0; i < engine->account.target_count; i++)
		needed += engine->account.targets[i].is_multicast ? ACCOUNT_RESPONDERS_MAX : 0;
	responders = engine_allocate(engine, needed, sizeof(*responders), error);
	if (responders == NULL)
		return -ERROR_NO_MEMORY;
	for (uint32_t i = 0; i < engine->account.target_count; i++) {
		if (!engine->account.targets[i].is_multicast)
			continue;
		engine->account.targets[i].responders = responders;
		responders += ACCOUNT_RESPONDERS_MAX;
	}
	return 0;
}

static int allocate_buffers(struct engine *engine, struct error *error)
{
	const struct engine_setup *setup = &engine->setup;
	uint32_t capacity;

	engine->packet_bytes = WIRE_ECHO_HEADER_BYTES + setup->plan->bytes;
	engine->batch = (uint32_t)min_u64(TRANSPORT_BATCH,
					  max_u64(BATCH_BYTES / engine->packet_bytes, BATCH_MIN));
	/*
	 * In depth mode a slot is filled again per reply: no refill waits for more than an eighth
	 * of the slots to come back, so that the number in flight stays near what was asked for.
	 */
	engine->receive_most = engine->batch;
	if (!engine->has_schedule && setup->pacer == &pacer_depth)
		engine->receive_most = (uint32_t)min_u64(
			engine->batch, max_u64(engine_outstanding(engine) / 8, 1));
	capacity = engine->packet_bytes + RECEIVE_SLACK;
	engine->send_memory = engine_allocate(engine, engine->batch, engine->packet_bytes, error);
	if (engine->send_memory == NULL)
		return -ERROR_NO_MEMORY;
	engine->receive_memory = engine_allocate(engine, engine->batch, capacity, error);
	if (engine->receive_memory == NULL)
		return -ERROR_NO_MEMORY;
	memset(engine->receive_memory, 0, (size_t)engine->batch * capacity);
	for (uint32_t i = 0; i < engine->batch; i++) {
		engine->outgoing[i].bytes = engine->send_memory + (size_t)i * engine->packet_bytes;
		engine->outgoing[i].length = engine->packet_bytes;
		engine->incoming[i].bytes = engine->receive_memory + (size_t)i * capacity;
		engine->incoming[i].capacity = capacity;
	}
	return 0;
}

static int allocate_source_table(struct engine *engine, struct error *error)
{
	uint64_t size = engine_power_of_two((uint64_t)engine->setup.target_count * 2 + 1);

	engine->by_source = engine_allocate(engine, size, sizeof(*engine->by_source), error);
	if (engine->by_source == NULL)
		return -ERROR_NO_MEMORY;
	engine->by_source_mask = (uint32_t)(size - 1);
	for (uint32_t i = engine->setup.target_count; i-- > 0;) {
		const struct engine_target *target = &engine->setup.targets[i];

		if (!target->usable)
			continue;
		engine->first_target[target->transport] = i;
		if (engine_target_of(engine, &target->address) != ACCOUNT_NO_TARGET)
			continue;
		uint32_t at = address_hash(&target->address) & engine->by_source_mask;
		while (engine->by_source[at] != 0)
			at = (at + 1) & engine->by_source_mask;
		engine->by_source[at] = i + 1;
	}
	return 0;
}

static int allocate_schedule(struct engine *engine, struct error *error)
{
	uint32_t count = engine->setup.target_count;
	struct schedule_slot *heap = engine_allocate(engine, count, sizeof(*heap), error);
	if (heap == NULL)
		return -ERROR_NO_MEMORY;
	uint32_t *place = engine_allocate(engine, count, sizeof(*place), error);
	if (place == NULL)
		return -ERROR_NO_MEMORY;
	engine->paces = engine_allocate(engine, count, sizeof(*engine->paces), error);
	if (engine->paces == NULL)
		return -ERROR_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		engine->paces[i].outage_from_ns = INT64_MIN;
	schedule_init(&engine->schedule, heap, place, count);
	return 0;
}

int engine_allocate_all(struct engine *engine, struct error *error)
{
	const struct engine_setup *setup = &engine->setup;
	int (*const steps[])(struct engine *, struct error *) = {
		allocate_flight,     allocate_targets,	       allocate_reordering,
		allocate_responders, allocate_buffers,	       allocate_source_table,
		allocate_schedule,   engine_allocate_sampling, engine_allocate_series,
	};

	for (size_t i = 0; i < ARRAY_LENGTH(steps); i++) {
		int status = steps[i](engine, error);

		if (status < 0)
			return status;
	}
	for (uint32_t i = 0; i < setup->transport_count; i++) {
		const struct transport *transport = setup->transports[i];
		uint8_t family = setup->targets[engine->first_target[i]].address.family;
		unsigned flags = transport->row->flags(family);

		engine->formats[i] = wire_format_find(family);
		engine->expectations[i] = (struct wire_expectation){
			.identifier = transport->identifier,
			.has_ip_header = (flags & TRANSPORT_HAS_IP_HEADER) != 0,
			.verify_checksum = (flags & TRANSPORT_VERIFIES_CHECKSUM) == 0,
		};
	}
	memset(engine->template_of, UINT8_MAX, sizeof(engine->template_of));
	return 0;
}
