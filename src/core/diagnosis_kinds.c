/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kinds of requests, and when enough of one have been sent. What counts is packets, not
 * requests: a request of many pieces loses much more often at the same loss, and so needs fewer.
 */
#include "core/diagnosis_internal.h"

#include <math.h>

#include "core/statistics.h"

#define SMALL_BYTES	 56u
#define PIECE_BYTES	 48u /* the least that a first piece of IPv4 may hold */
#define MANY_PIECES	 6u
#define MANY_OF_JUMBO	 2u
#define JUMBO_MTU	 4000u
#define BITS_PER_S	 1e6 /* at most, but for jumbo packets: ... */
#define INTERVAL_MIN_NS	 (10 * NANOSECONDS_PER_MILLISECOND)
#define INTERVAL_MAX_NS	 (100 * NANOSECONDS_PER_MILLISECOND) /* ... it must come to an end */
#define WIDE_Z		 3.2905 /* the normal distribution's 99.95 % quantile */

uint32_t diagnosis_data_max(const struct diagnosis *diagnosis, uint32_t packets)
{
	return fragment_payload_max(diagnosis->family, diagnosis->mtu, packets) -
	       FRAGMENT_ECHO_HEADER_BYTES;
}

static void set_kind(struct diagnosis *diagnosis, uint32_t row, uint32_t data)
{
	diagnosis->kinds[row] = (struct series_point){.payload_bytes = data};
}

static void set_cut(struct diagnosis *diagnosis, uint32_t row, uint32_t data, uint32_t piece)
{
	diagnosis->kinds[row] = (struct series_point){
		.payload_bytes = data,
		.has_cut = true,
		.cut = {.piece_bytes = piece, .dont_fragment = piece == 0},
	};
}

/* How many packets a request is, and how far apart they are sent so as not to be a load. */
static void measure_kind(struct diagnosis *diagnosis, uint32_t row)
{
	const struct series_point *kind = &diagnosis->kinds[row];
	uint32_t bytes = kind->payload_bytes + FRAGMENT_ECHO_HEADER_BYTES;
	struct fragment_plan plan;

	diagnosis->packets[row] = 1;
	if (kind->has_cut ? fragment_plan_make_cut(&plan, diagnosis->family, diagnosis->mtu, bytes,
						   kind->cut.piece_bytes)
			  : fragment_plan_make(&plan, diagnosis->family, diagnosis->mtu, bytes))
		diagnosis->packets[row] = plan.count;
	diagnosis->intervals_ns[row] =
		min_i64(max_i64((int64_t)(bytes * 8.0 / BITS_PER_S * 1e9), INTERVAL_MIN_NS),
			INTERVAL_MAX_NS);
}

void diagnosis_make_kinds(struct diagnosis *diagnosis)
{
	uint32_t whole = diagnosis_data_max(diagnosis, 1);
	uint32_t many = diagnosis->mtu > JUMBO_MTU ? MANY_OF_JUMBO : MANY_PIECES;
	uint32_t half = (whole + FRAGMENT_ECHO_HEADER_BYTES) / 2;
	uint32_t pieces_2 = 2 * PIECE_BYTES - FRAGMENT_ECHO_HEADER_BYTES;
	uint32_t largest = diagnosis_data_max(diagnosis, many);

	set_kind(diagnosis, DIAGNOSIS_SMALL, SMALL_BYTES);
	set_cut(diagnosis, DIAGNOSIS_PIECES_2, pieces_2, PIECE_BYTES);
	set_cut(diagnosis, DIAGNOSIS_PIECES_8, 8 * PIECE_BYTES - FRAGMENT_ECHO_HEADER_BYTES,
		PIECE_BYTES);
	set_cut(diagnosis, DIAGNOSIS_LARGE_PIECES, whole, (half + 7) / 8 * 8);
	set_kind(diagnosis, DIAGNOSIS_LARGE, whole);
	set_cut(diagnosis, DIAGNOSIS_LARGE_DF, whole, 0);
	set_kind(diagnosis, DIAGNOSIS_CUT_2, whole + 1);
	set_kind(diagnosis, DIAGNOSIS_CUT_MANY, largest);
	set_kind(diagnosis, DIAGNOSIS_SMALL_SLOW, SMALL_BYTES);
	set_cut(diagnosis, DIAGNOSIS_PIECES_SLOW, pieces_2, PIECE_BYTES);
	set_cut(diagnosis, DIAGNOSIS_PIECES_AGAIN, pieces_2, PIECE_BYTES);
	set_kind(diagnosis, DIAGNOSIS_BURST_HALF, largest);
	set_kind(diagnosis, DIAGNOSIS_BURST, largest);
	set_kind(diagnosis, DIAGNOSIS_BURST_WHOLE, whole);
	diagnosis->kinds[DIAGNOSIS_BURST_PIECES] = diagnosis->kinds[DIAGNOSIS_PIECES_8];
	set_kind(diagnosis, DIAGNOSIS_SMALL_AGAIN, SMALL_BYTES);
	for (uint32_t row = 0; row < DIAGNOSIS_SIZES; row++)
		measure_kind(diagnosis, row);
}

/*
 * The kernel cuts to the MTU of the interface here, so these are cut by hand; their replies are the
 * other host's affair.
 */
void diagnosis_make_told_kinds(struct diagnosis *diagnosis, uint32_t told_mtu)
{
	uint32_t whole = fragment_payload_max(diagnosis->family, told_mtu, 1);
	uint32_t many = fragment_payload_max(diagnosis->family, told_mtu, MANY_PIECES);
	uint32_t piece = fragment_payload_max(diagnosis->family, told_mtu, 2) / 2 / 8 * 8;

	diagnosis->told_mtu = told_mtu;
	set_kind(diagnosis, DIAGNOSIS_TOLD_LARGE, whole - FRAGMENT_ECHO_HEADER_BYTES);
	set_cut(diagnosis, DIAGNOSIS_TOLD_CUT_2, whole + 1 - FRAGMENT_ECHO_HEADER_BYTES, piece);
	set_cut(diagnosis, DIAGNOSIS_TOLD_CUT_MANY, many - FRAGMENT_ECHO_HEADER_BYTES, piece);
	for (uint32_t row = DIAGNOSIS_TOLD_LARGE; row <= DIAGNOSIS_TOLD_CUT_MANY; row++)
		measure_kind(diagnosis, row);
}

uint64_t diagnosis_sent(const struct account_target *rows, uint32_t row)
{
	return rows[row].tally.sent + rows[row].tally.send_errors;
}

uint64_t diagnosis_lost(const struct account_target *rows, uint32_t row)
{
	return diagnosis_sent(rows, row) - rows[row].tally.received;
}

/* Wald's sequential test of two probabilities of loss. */
static enum diagnosis_finding test(uint64_t sent, uint64_t lost, double none, double some)
{
	double bound = log((1.0 - DIAGNOSIS_ERROR) / DIAGNOSIS_ERROR);
	double ratio = (double)lost * log(some / none) +
		       (double)(sent - lost) * log((1.0 - some) / (1.0 - none));

	if (sent < DIAGNOSIS_LEAST)
		return DIAGNOSIS_OPEN;
	if (lost == sent)
		return DIAGNOSIS_DEAD;
	if (ratio >= bound || (sent >= DIAGNOSIS_MOST && ratio > 0.0))
		return DIAGNOSIS_LOSSY;
	return ratio <= -bound || sent >= DIAGNOSIS_MOST ? DIAGNOSIS_CLEAN : DIAGNOSIS_OPEN;
}

enum diagnosis_finding diagnosis_judge(const struct diagnosis *diagnosis,
				       const struct account_target *rows, uint32_t row)
{
	double packets = (double)diagnosis->packets[row];

	return test(diagnosis_sent(rows, row), diagnosis_lost(rows, row),
		    1.0 - pow(1.0 - DIAGNOSIS_NO_LOSS, packets),
		    1.0 - pow(1.0 - DIAGNOSIS_LOSS, packets));
}

enum diagnosis_finding diagnosis_judge_against(const struct account_target *rows, uint32_t row,
					       double loss)
{
	return test(diagnosis_sent(rows, row), diagnosis_lost(rows, row), DIAGNOSIS_NO_LOSS,
		    fmin(fmax(loss, 2.0 * DIAGNOSIS_NO_LOSS), 0.95));
}

double diagnosis_least_loss(uint64_t lost, uint64_t sent)
{
	struct statistics_interval loss;

	return statistics_wilson(lost, sent, WIDE_Z, &loss) ? loss.low : 0.0;
}

/*
 * Small echoes lose p, there and back together. n packets there and m back lose between p (all of
 * it on the way that has one packet) and 1 - (1 - p)^max(n, m).
 */
bool diagnosis_is_plain_loss(const struct diagnosis *diagnosis, const struct account_target *rows,
			     uint32_t row)
{
	static const uint32_t smalls[] = {DIAGNOSIS_SMALL, DIAGNOSIS_SMALL_SLOW,
					  DIAGNOSIS_SMALL_AGAIN};
	uint64_t small_sent = 0, small_lost = 0;
	struct statistics_interval small, own;

	for (size_t i = 0; i < ARRAY_LENGTH(smalls); i++) {
		small_sent += diagnosis_sent(rows, smalls[i]);
		small_lost += diagnosis_lost(rows, smalls[i]);
	}
	if (!statistics_wilson(small_lost, small_sent, WIDE_Z, &small) ||
	    !statistics_wilson(diagnosis_lost(rows, row), diagnosis_sent(rows, row), WIDE_Z, &own))
		return false;
	return own.high >= small.low &&
	       own.low <= 1.0 - pow(1.0 - small.high, (double)diagnosis->packets[row]);
}

bool diagnosis_has_timeout_error(const struct diagnosis *diagnosis,
				 const struct account_target *rows)
{
	int type = diagnosis->family == 4 ? 11 : 3; /* RFC 792; RFC 4443 3.3 */

	for (uint32_t row = 0; row < DIAGNOSIS_ROWS; row++)
		for (uint32_t i = 0; i < rows[row].error_count; i++)
			if (rows[row].errors[i].type == type && rows[row].errors[i].code == 1)
				return true;
	return false;
}

uint32_t diagnosis_told_mtu(const struct account_target *rows, uint32_t row)
{
	for (uint32_t i = 0; i < rows[row].error_count; i++)
		if (rows[row].errors[i].mtu > 0)
			return rows[row].errors[i].mtu;
	return 0;
}
