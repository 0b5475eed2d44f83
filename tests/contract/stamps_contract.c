/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send stamps of every transport that has them: each packet that asks gets its own, by its id and
 * in the order in which a packet travels; no other gets any; errors that share the queue with
 * them are kept apart; and the queue is empty afterwards.
 */
#include "contract/stamps_trip.h"

#include "contract/contract.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/sock_diag.h>

#define MANY 1000u

static void check_matching(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	static const struct {
		uint32_t count, every;
	} cases[] = {{TRIP_BATCH, 1}, {TRIP_BATCH, 2}, {TRIP_BATCH, 5},
		     {1, 1},	      {1, 0},	       {TRIP_BATCH, 0}};
	uint16_t first = 1;

	if (!trip_open(trip, row, family))
		return;
	contract_check(trip->lab.transport.sends_stamps, "it says that it has no send stamps");
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++, first = (uint16_t)(first + TRIP_BATCH)) {
		uint32_t sampled = cases[i].every == 0
					   ? 0
					   : (cases[i].count + cases[i].every - 1) / cases[i].every;

		if (!trip_send(trip, first, cases[i].count, cases[i].every))
			break;
		contract_check(trip_take_stamps(trip, 2 * sampled) == 2 * sampled,
			       "row %zu: stamps", i);
		trip_check(trip, 0);
		if (!trip_take_replies(trip, first, true))
			break;
		contract_check(trip_take_stamps(trip, 0) == 0, "row %zu: more stamps", i);
		trip_check_queue_empty(&trip->lab);
	}
	lab_close(&trip->lab);
}

/* Replies first, then the stamps: nothing depends on who is asked first. */
static void check_late_asking(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	if (!trip_open(trip, row, family))
		return;
	for (uint16_t first = 1; first < 200; first = (uint16_t)(first + TRIP_BATCH)) {
		if (!trip_send(trip, first, TRIP_BATCH, 1))
			break;
		if (!trip_take_replies(trip, first, false))
			break;
		contract_check(trip_take_stamps(trip, 2 * TRIP_BATCH) == 2 * TRIP_BATCH,
			       "stamps are missing");
		trip_check(trip, 0);
	}
	trip_check_queue_empty(&trip->lab);
	lab_close(&trip->lab);
}

static void check_many(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	uint32_t sent = 0, stamps = 0;

	if (!trip_open(trip, row, family))
		return;
	for (; sent < MANY; sent += TRIP_BATCH) {
		if (!trip_send(trip, (uint16_t)sent, TRIP_BATCH, 1))
			break;
		stamps += trip_take_stamps(trip, 2 * TRIP_BATCH);
		contract_check(trip->strangers == 0, "stamps of nobody");
		if (!trip_take_replies(trip, (uint16_t)sent, true))
			break;
	}
	contract_check(stamps == 2 * sent && sent >= MANY, "%u stamps of %u packets", stamps, sent);
	trip_check_queue_empty(&trip->lab);
	contract_check(trip->lab.row->drops(&trip->lab.transport) == 0, "drops");
	lab_close(&trip->lab);
}

/* Nobody asks for stamps any more: the queue is emptied with the errors, the last are kept. */
static void check_unasked(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	struct transport_lab *lab = &trip->lab;
	struct transport_error error;

	if (!trip_open(trip, row, family))
		return;
	for (uint16_t first = 1; first < MANY; first = (uint16_t)(first + TRIP_BATCH)) {
		if (!trip_send(trip, first, TRIP_BATCH, 1))
			break;
		if (!trip_take_replies(trip, first, false))
			break;
		contract_check(lab->row->receive_error(&lab->transport, &error) == 0, "an error");
		trip_check_queue_empty(lab);
	}
	/* The newest are still there, among the last of those before. */
	contract_check(trip_take_stamps(trip, 2 * TRIP_BATCH) >= 2 * TRIP_BATCH, "stamps are lost");
	while (trip_take_stamps(trip, 0) > 0)
		;
	trip->strangers = 0;
	trip_check(trip, 0);
	lab_close(lab);
}

/* Nobody asks for anything: stamps that pile up must not take the room of the replies. */
static void check_piled_up(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	if (!trip_open(trip, row, family))
		return;
	for (uint32_t sent = 0; sent < 3 * MANY; sent += TRIP_BATCH) {
		if (!trip_send(trip, (uint16_t)sent, TRIP_BATCH, 1))
			break;
		if (!trip_take_replies(trip, (uint16_t)sent, false))
			break;
	}
	contract_check(trip->lab.row->drops(&trip->lab.transport) == 0, "drops");
	lab_close(&trip->lab);
}

/* Errors of this host: a packet that is too long leaves one on the queue, at every attempt. */
static uint32_t take_errors(struct transport_lab *lab)
{
	struct transport_error error;
	uint32_t count = 0;

	while (lab->row->receive_error(&lab->transport, &error) > 0) {
		contract_check(error.is_local && error.system_errno == EMSGSIZE, "another error");
		count++;
	}
	return count;
}

static void check_mixed(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	static uint8_t giant[70000];
	struct transport_lab *lab = &trip->lab;
	struct transport_outgoing too_long = {.bytes = giant};

	for (int order = 0; order < 2; order++) {
		memset(trip, 0, sizeof(*trip));
		lab_prepare(lab, row, family);
		lab->configuration.stamps = STAMPS_SPLIT;
		lab->configuration.path_mtu = PATH_MTU_DO;
		if (!lab_open(lab))
			return;
		giant[0] = lab->format->echo_request_type;
		/* Longer than a ping socket looks at is refused without an entry on the queue. */
		too_long.length = (uint32_t)min_u64(lab->format->payload_max + 9, UINT16_MAX);
		if (trip_send(trip, 1, TRIP_BATCH, 1)) {
			contract_check(lab->row->send(&lab->transport, &too_long, 1) == -EMSGSIZE,
				       "a packet that is too long is sent");
			contract_check(lab_send_written(lab, 1) == 1, "not sent");
			if (order == 0)
				contract_check(take_errors(lab) == 1, "the error, errors first");
			contract_check(trip_take_stamps(trip, 2 * TRIP_BATCH + 2) ==
					       2 * TRIP_BATCH + 2,
				       "a stamp is lost");
			if (order == 1)
				contract_check(take_errors(lab) == 1, "the error, stamps first");
		}
		trip_check_queue_empty(lab);
		lab_close(lab);
	}
}

/* A stamp comes without its packet, or the replies would have less room than was made for them. */
static void check_room(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	static uint8_t large[8000];
	const struct transport_outgoing packet = {
		.bytes = large, .length = sizeof(large), .wants_stamps = true, .stamp_id = 1};
	struct transport_lab *lab = &trip->lab;
	uint32_t memory[SK_MEMINFO_VARS] = {0};
	socklen_t length = sizeof(memory);
	int64_t now_ns;

	if (!trip_open(trip, row, family))
		return;
	lab->format->build(large, lab->transport.identifier);
	lab->format->finish(large, 1, 0);
	contract_check(lab->row->send(&lab->transport, &packet, 1) == 1, "not sent");
	contract_check(lab_receive(lab, 1, &now_ns) == 1, "no answer");
	contract_check(getsockopt(lab->row->descriptor(&lab->transport), SOL_SOCKET, SO_MEMINFO,
				  memory, &length) == 0,
		       "its memory cannot be read");
	contract_check(memory[SK_MEMINFO_RMEM_ALLOC] > 0 &&
			       memory[SK_MEMINFO_RMEM_ALLOC] <= 2 * 1024,
		       "two stamps take %u bytes", memory[SK_MEMINFO_RMEM_ALLOC]);
	contract_check(trip_take_stamps(trip, 2) == 2, "stamps are missing");
	lab_close(lab);
}

/* Under --stamps rx wishes change nothing. */
static void check_not_split(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	memset(trip, 0, sizeof(*trip));
	lab_prepare(&trip->lab, row, family);
	if (!lab_open(&trip->lab))
		return;
	contract_check(!trip->lab.transport.sends_stamps, "send stamps that were not asked for");
	if (trip_send(trip, 1, TRIP_BATCH, 1)) {
		contract_check(trip_take_stamps(trip, 1) == 0, "stamps");
		(void)trip_take_replies(trip, 1, false);
	}
	trip_check_queue_empty(&trip->lab);
	lab_close(&trip->lab);
}

/* Real time was set a moment ago: no stamp is brought over, neither way. */
static void check_void(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	struct transport_lab *lab = &trip->lab;
	int64_t now_ns;

	if (!trip_open(trip, row, family))
		return;
	lab->real_time.void_until_ns = clock_now(&lab->clock) + 10 * PATIENCE_NS;
	if (trip_send(trip, 1, 1, 1) && trip_take_stamps(trip, 2) == 2) {
		contract_check(trip->journeys[0].queue_ns == INT64_MIN &&
				       trip->journeys[0].driver_ns == INT64_MIN,
			       "a send stamp is brought over");
		contract_check(lab_receive(lab, 1, &now_ns) == 1 &&
				       lab->incoming[0].stamp_ns == INT64_MIN &&
				       lab->incoming[0].stamp_real_ns == INT64_MIN,
			       "a receive stamp is used");
	}
	lab_close(lab);
}

static const struct trip_contract contracts[] = {
	{"send stamps by id", false, check_matching},
	{"replies before stamps", false, check_late_asking},
	{"many send stamps", false, check_many},
	{"not asked for send stamps", false, check_not_split},
	{"nobody asks for stamps", true, check_unasked},
	{"stamps pile up", true, check_piled_up},
	{"stamps and errors mixed", true, check_mixed},
	{"room for stamps", true, check_room},
	{"real time was set", true, check_void},
};

void contract_stamps(void)
{
	trip_run(contracts, ARRAY_LENGTH(contracts));
}
