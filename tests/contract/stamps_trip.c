/* SPDX-License-Identifier: BSD-2-Clause */
/* One batch at a time, and a diary of what its packets' stamps say. */
#include "contract/stamps_trip.h"

#include "contract/contract.h"
#include "contract/other_kernel.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

#define MAPPING_ERROR_NS (50 * NANOSECONDS_PER_MICROSECOND) /* the process may be interrupted */
#define STAMPS_MAX	 64u

bool trip_open(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	memset(trip, 0, sizeof(*trip));
	lab_prepare(&trip->lab, row, family);
	trip->lab.configuration.stamps = STAMPS_SPLIT;
	return lab_open(&trip->lab);
}

/* Ids in no order, near the end of their range. */
static uint32_t id_of(uint16_t sequence)
{
	return 0xfffffff0u + (uint32_t)sequence * 0x9e3779b1u;
}

bool trip_send(struct trip *trip, uint16_t first, uint32_t count, uint32_t every)
{
	struct transport_lab *lab = &trip->lab;

	memset(trip->journeys, 0, sizeof(trip->journeys));
	trip->count = count;
	trip->strangers = 0;
	lab_write(lab, first, count);
	for (uint32_t i = 0; i < count; i++) {
		struct journey *journey = &trip->journeys[i];

		journey->is_sampled = every != 0 && i % every == 0;
		journey->id = id_of((uint16_t)(first + i));
		lab->outgoing[i].wants_stamps = journey->is_sampled;
		lab->outgoing[i].stamp_id = journey->id;
	}
	trip->start_ns = clock_now(&lab->clock);
	return lab_send_written(lab, count) == count;
}

static void take_stamp(struct trip *trip, const struct transport_stamp *stamp)
{
	for (uint32_t i = 0; i < trip->count; i++) {
		struct journey *journey = &trip->journeys[i];

		if (!journey->is_sampled || journey->id != stamp->id)
			continue;
		if (stamp->kind == TRANSPORT_STAMP_QUEUE) {
			journey->queue_count++;
			journey->queue_real_ns = stamp->real_ns;
			journey->queue_ns = stamp->stamp_ns;
		} else if (stamp->kind == TRANSPORT_STAMP_DRIVER) {
			journey->driver_count++;
			journey->driver_real_ns = stamp->real_ns;
			journey->driver_ns = stamp->stamp_ns;
		} else {
			journey->hardware_count++;
			journey->hardware_ns = stamp->real_ns;
			contract_check(stamp->stamp_ns == INT64_MIN, "another clock brought over");
		}
		return;
	}
	trip->strangers++;
}

uint32_t trip_take_stamps(struct trip *trip, uint32_t expected)
{
	struct transport_lab *lab = &trip->lab;
	int64_t limit_ns = clock_now(&lab->clock) + PATIENCE_NS / 10;
	int descriptor = lab->row->descriptor(&lab->transport);
	struct transport_stamp stamps[STAMPS_MAX];
	uint32_t taken = 0;

	for (;;) {
		int count = lab->row->receive_stamps(&lab->transport, stamps, STAMPS_MAX);

		if (!contract_check(count >= 0 && (uint32_t)count <= STAMPS_MAX, "stamps: %d",
				    count))
			return taken;
		for (int i = 0; i < count; i++)
			take_stamp(trip, &stamps[i]);
		taken += (uint32_t)count;
		if (taken >= expected || clock_now(&lab->clock) >= limit_ns)
			return taken;
		lab->waiter.wait(lab->waiter.context, &descriptor, 1, limit_ns, false);
	}
}

bool trip_take_replies(struct trip *trip, uint16_t first, bool has_stamps)
{
	struct transport_lab *lab = &trip->lab;
	uint32_t answered = 0;
	int64_t now_ns;

	while (answered < trip->count) {
		uint32_t received = lab_receive(lab, trip->count, &now_ns);

		if (!contract_check(received > 0, "%u of %u answered", answered, trip->count))
			return false;
		for (uint32_t i = 0; i < received; i++) {
			const struct transport_incoming *packet = &lab->incoming[i];
			const uint8_t *echo = packet->bytes + packet->length - PACKET_BYTES;
			uint32_t at = (uint16_t)(bytes_get16(echo + 6) - first);

			if (!contract_check(packet->length >= PACKET_BYTES && at < trip->count,
					    "another packet") ||
			    packet->stamp_real_ns == INT64_MIN)
				continue;
			contract_check(!trip->journeys[at].is_sampled || !has_stamps ||
					       packet->stamp_real_ns >=
						       trip->journeys[at].driver_real_ns,
				       "answered before it left");
		}
		answered += received;
	}
	return true;
}

void trip_check(struct trip *trip, uint32_t hardware)
{
	int64_t now_ns = clock_now(&trip->lab.clock);

	contract_check(trip->strangers == 0, "%u stamps of nobody", trip->strangers);
	for (uint32_t i = 0; i < trip->count; i++) {
		const struct journey *journey = &trip->journeys[i];
		unsigned wanted = journey->is_sampled ? 1 : 0;

		contract_check(journey->queue_count == wanted &&
				       journey->driver_count == (hardware > 0 ? 0 : wanted) &&
				       journey->hardware_count == wanted * hardware,
			       "packet %u has %u queue, %u driver and %u hardware stamps", i,
			       journey->queue_count, journey->driver_count,
			       journey->hardware_count);
		if (wanted == 0 || hardware > 0)
			continue;
		contract_check(journey->queue_real_ns <= journey->driver_real_ns,
			       "it left before it was queued");
		contract_check(journey->queue_ns >= trip->start_ns - MAPPING_ERROR_NS &&
				       journey->driver_ns <= now_ns + MAPPING_ERROR_NS,
			       "a stamp %lld ns after the call",
			       (long long)(journey->queue_ns - trip->start_ns));
		/* both are brought over by one offset, or by two that agree */
		contract_check(journey->driver_ns - journey->queue_ns <
					       journey->driver_real_ns - journey->queue_real_ns +
						       MAPPING_ERROR_NS &&
				       journey->driver_ns - journey->queue_ns >
					       journey->driver_real_ns - journey->queue_real_ns -
						       MAPPING_ERROR_NS,
			       "brought over differently");
	}
}

void trip_check_queue_empty(struct transport_lab *lab)
{
	struct pollfd polled = {.fd = lab->row->descriptor(&lab->transport), .events = POLLIN};

	if (polled.fd >= 0)
		contract_check(poll(&polled, 1, 0) >= 0 && (polled.revents & POLLERR) == 0,
			       "the error queue is not empty");
}

void trip_run(const struct trip_contract *contracts, size_t count)
{
	static struct trip trip;

	for (size_t i = 0; transport_rows[i] != NULL; i++) {
		const struct transport_row *row = transport_rows[i];

		for (size_t at = 0; row->receive_stamps != NULL && at < 2 * count; at++) {
			const struct trip_contract *contract = &contracts[at / 2];
			uint8_t family = at % 2 == 0 ? 4 : 6;
			char what[80];

			if (contract->needs_socket &&
			    (row->flags(family) & TRANSPORT_SIMULATED) != 0)
				continue;
			(void)snprintf(what, sizeof(what), "IPv%u %s", (unsigned)family,
				       contract->what);
			contract_begin("transport", row->name, what);
			other_kernel = (struct other_kernel){0};
			contract->check(&trip, row, family);
			other_kernel = (struct other_kernel){0};
			contract_end();
		}
	}
}
