/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send stamps on kernels that know less, or more, than this one: old ones that cannot take our ids,
 * such as refuse altogether, and one with an interface that makes stamps of its own.
 */
#include "contract/stamps_trip.h"

#include "contract/contract.h"
#include "contract/other_kernel.h"

#include <errno.h>

/* Before 6.13: the kernel counts, and after one failure nobody knows what it has counted. */
static void check_counted(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	struct transport_lab *lab = &trip->lab;
	uint16_t first = 1;

	other_kernel.lacks_ids = true;
	if (!trip_open(trip, row, family))
		return;
	/* More than the ring of counts holds, with packets between that are not counted. */
	for (; first < 1500; first = (uint16_t)(first + TRIP_BATCH)) {
		if (!trip_send(trip, first, TRIP_BATCH, first % 3 + 1))
			break;
		(void)trip_take_stamps(trip, 2 * (TRIP_BATCH / (first % 3u + 1)));
		while (trip_take_stamps(trip, 0) > 0)
			;
		trip_check(trip, 0);
		if (!trip_take_replies(trip, first, true))
			break;
	}
	contract_check(lab->transport.sends_stamps, "given up");
	/* A packet without a wish may fail. */
	other_kernel.refuses_sends = ENOBUFS;
	lab_write(lab, 1, 2);
	contract_check(lab->row->send(&lab->transport, lab->outgoing, 2) == -ENOBUFS, "no failure");
	contract_check(lab->transport.sends_stamps, "given up for another's failure");
	/* Stamps that are on their way are still known. */
	other_kernel.refuses_sends = 0;
	if (trip_send(trip, first, TRIP_BATCH, 1)) {
		other_kernel.refuses_sends = ENOBUFS;
		contract_check(lab->row->send(&lab->transport, lab->outgoing, 2) == -ENOBUFS,
			       "no failure");
		other_kernel.refuses_sends = 0;
		contract_check(!lab->transport.sends_stamps, "goes on counting after a failure");
		contract_check(trip_take_stamps(trip, 2 * TRIP_BATCH) == 2 * TRIP_BATCH,
			       "stamps are lost");
		trip_check(trip, 0);
	}
	if (trip_send(trip, 1, TRIP_BATCH, 1))
		contract_check(trip_take_stamps(trip, 1) == 0, "stamps of a lost count");
	lab_close(lab);
}

/* The same, where the failure hides behind packets of the batch that were accepted. */
static void check_counted_cut(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	struct transport_lab *lab = &trip->lab;

	other_kernel.lacks_ids = true;
	if (!trip_open(trip, row, family))
		return;
	if (trip_send(trip, 1, TRIP_BATCH, 2)) {
		other_kernel.refuses_sends = ENOBUFS;
		other_kernel.refuses_from = 3;
		contract_check(lab->row->send(&lab->transport, lab->outgoing, TRIP_BATCH) == 3,
			       "no cut");
		contract_check(lab->transport.sends_stamps, "given up for another's failure");
		other_kernel.refuses_from = 2;
		contract_check(lab->row->send(&lab->transport, lab->outgoing, TRIP_BATCH) == 2,
			       "no cut");
		contract_check(!lab->transport.sends_stamps, "goes on counting after a failure");
		/* What was accepted before is known. */
		contract_check(trip_take_stamps(trip, TRIP_BATCH + 6) == TRIP_BATCH + 6,
			       "stamps are lost");
		contract_check(trip->strangers == 0, "stamps of nobody");
	}
	lab_close(lab);
}

/* A kernel that refuses: the run goes on without, and receive stamps are there all the same. */
static void check_refused(struct trip *trip, const struct transport_row *row, uint8_t family,
			  bool at_open)
{
	struct transport_lab *lab = &trip->lab;
	bool stamped = false;

	other_kernel.lacks_stamps = at_open;
	other_kernel.lacks_messages = !at_open;
	if (!trip_open(trip, row, family))
		return;
	contract_check(lab->transport.sends_stamps != at_open, "another answer when opened");
	for (uint16_t first = 1; first < 200 && !stamped; first = (uint16_t)(first + TRIP_BATCH)) {
		if (!trip_send(trip, first, TRIP_BATCH, 2))
			break;
		contract_check(!lab->transport.sends_stamps, "it says that it has send stamps");
		if (!trip_take_replies(trip, first, false))
			break;
		stamped = lab->incoming[0].stamp_ns != INT64_MIN;
	}
	contract_check(stamped, "no receive stamp");
	contract_check(trip_take_stamps(trip, 1) == 0, "a send stamp");
	contract_check(other_kernel.stamped_sends == 0, "it asks and asks");
	lab_close(lab);
}

/* EINVAL for a reason that is no matter of stamps: they are there afterwards. */
static void check_own_failure(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	struct transport_lab *lab = &trip->lab;

	if (!trip_open(trip, row, family))
		return;
	other_kernel.refuses_sends = EINVAL;
	lab_write(lab, 1, 2);
	lab->outgoing[0].wants_stamps = true;
	contract_check(lab->row->send(&lab->transport, lab->outgoing, 2) == -EINVAL, "no failure");
	other_kernel.refuses_sends = 0;
	contract_check(lab->transport.sends_stamps, "given up");
	if (trip_send(trip, 1, TRIP_BATCH, 1)) {
		contract_check(trip_take_stamps(trip, 2 * TRIP_BATCH) == 2 * TRIP_BATCH,
			       "stamps are missing");
		trip_check(trip, 0);
	}
	lab_close(lab);
}

/* Before 6.12: every received packet has its stamp twice. */
static void check_unfiltered(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	other_kernel.lacks_filter = true;
	if (!trip_open(trip, row, family))
		return;
	for (uint16_t first = 1; first < 200; first = (uint16_t)(first + TRIP_BATCH)) {
		if (!trip_send(trip, first, TRIP_BATCH, 1))
			break;
		contract_check(trip_take_stamps(trip, 2 * TRIP_BATCH) == 2 * TRIP_BATCH,
			       "stamps are missing");
		trip_check(trip, 0);
		if (!trip_take_replies(trip, first, true))
			break;
	}
	trip_check_queue_empty(&trip->lab);
	lab_close(&trip->lab);
}

static void check_hardware(struct trip *trip, const struct transport_row *row, uint8_t family)
{
	struct transport_lab *lab = &trip->lab;
	int64_t now_ns;

	other_kernel.has_hardware = true;
	other_kernel.hardware_ns = 1234567890123;
	if (!trip_open(trip, row, family))
		return;
	if (trip_send(trip, 1, TRIP_BATCH, 2)) {
		contract_check(trip_take_stamps(trip, TRIP_BATCH) == TRIP_BATCH,
			       "stamps are missing");
		trip_check(trip, 1);
		contract_check(trip->journeys[0].hardware_ns == 1234567890123, "another time");
		if (contract_check(lab_receive(lab, TRIP_BATCH, &now_ns) > 0, "no answer"))
			contract_check(lab->incoming[0].hardware_ns == 1234567890123,
				       "no hardware stamp of a reply");
	}
	lab_close(lab);
}

static void check_refused_at_open(struct trip *trip, const struct transport_row *row,
				  uint8_t family)
{
	check_refused(trip, row, family, true);
}

static void check_refused_at_send(struct trip *trip, const struct transport_row *row,
				  uint8_t family)
{
	check_refused(trip, row, family, false);
}

static const struct trip_contract contracts[] = {
	{"a kernel that counts", true, check_counted},
	{"a kernel that counts, a batch cut short", true, check_counted_cut},
	{"a kernel without stamps", true, check_refused_at_open},
	{"a kernel without wishes", true, check_refused_at_send},
	{"a failure of its own", true, check_own_failure},
	{"a kernel without the filter", true, check_unfiltered},
	{"hardware stamps", true, check_hardware},
};

void contract_stamps_elsewhere(void)
{
	trip_run(contracts, ARRAY_LENGTH(contracts));
}
