/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search as a state machine that is asked after each turn. Most paths have the MTU of the
 * interface or one of a few others, so these are tried before the interval is halved.
 */
#include "core/mtu_search.h"

#include <math.h>
#include <string.h>

#include "core/fragments.h"

#define ALIVE_REQUESTS	  10u
#define CONTROL_REQUESTS  3u
#define REPEATS_MIN	  4u
#define REPEATS_MAX	  16u
#define RESTARTS_MAX	  2u
#define PATIENCE_MIN_NS	  (100 * NANOSECONDS_PER_MILLISECOND)
#define PATIENCE_FACTOR	  4
#define INTERVAL_NS	  (10 * NANOSECONDS_PER_MILLISECOND)
#define IP4_HEADER_BYTES  20u
#define IP6_HEADER_BYTES  40u
#define ICMP_HEADER_BYTES 8u
#define PACKET_MAX	  65535u /* a raw socket of Linux sends no longer one, IPv6 neither */

/*
 * Ethernet with jumbo frames, plain, with PPPoE, with tunnels (IPIP, GRE, IPsec or WireGuard), and
 * the least that IPv6 and (by RFC 1122) IPv4 hosts take; RFC 1191 7.1 has a table of older links.
 */
static const uint32_t usual[] = {9000, 1500, 1492, 1480, 1476, 1420, 1400, 1280, 576};

static uint32_t header_bytes(const struct mtu_search *search)
{
	return (search->family == 4 ? IP4_HEADER_BYTES : IP6_HEADER_BYTES) + ICMP_HEADER_BYTES;
}

static uint32_t least(uint8_t family)
{
	return family == 4 ? FRAGMENT_MTU_MIN_IP4 : FRAGMENT_MTU_MIN_IP6;
}

uint32_t mtu_search_clamp(uint8_t family, uint32_t told, uint32_t sent_bytes)
{
	return told >= least(family) && told < sent_bytes ? told : 0;
}

void mtu_search_init(struct mtu_search *search, uint8_t family, uint32_t interface_mtu,
		     int64_t timeout_ns)
{
	memset(search, 0, sizeof(*search));
	search->conductor = (struct conductor){&conductor_find_mtu, search};
	search->family = family;
	search->interface_mtu = interface_mtu < PACKET_MAX ? interface_mtu : PACKET_MAX;
	search->timeout_ns = timeout_ns;
	search->repeats = REPEATS_MIN;
	search->why_not = "";
	search->lengths[0] = MTU_SEARCH_CONTROL_BYTES + header_bytes(search);
	search->rows = 1;
}

/* ---- turns ---- */

static int64_t patience(const struct mtu_search *search, const struct account_target *rows)
{
	const struct histogram *rtt = rows[0].rtt_user;

	if (rtt->samples == 0)
		return search->timeout_ns;
	return min_i64(max_i64(PATIENCE_FACTOR * rtt->max_ns, PATIENCE_MIN_NS),
		       search->timeout_ns);
}

static void ask(const struct mtu_search *search, const struct account_target *rows, uint32_t row,
		uint32_t requests, struct series_turn *turn)
{
	turn->row = row;
	turn->requests = requests;
	turn->interval_ns = INTERVAL_NS;
	turn->patience_ns = patience(search, rows);
}

/* The row of a length, a new one if it was never tried; the rows are enough for any search. */
static uint32_t row_of(struct mtu_search *search, struct series_point *points, uint32_t length)
{
	for (uint32_t i = 1; i < search->rows; i++)
		if (search->lengths[i] == length)
			return i;
	if (search->rows == MTU_SEARCH_ROWS)
		return 0;
	search->lengths[search->rows] = length;
	points[search->rows] = (struct series_point){
		.payload_bytes = length - header_bytes(search),
		.has_cut = true,
		.cut = {.piece_bytes = 0, .dont_fragment = true},
	};
	return search->rows++;
}

static bool end(struct mtu_search *search, const char *why_not)
{
	search->state = MTU_SEARCH_OVER;
	search->why_not = why_not;
	return false;
}

/* ---- which length is next ---- */

/* Whether a length lies where the answer still can be. */
static bool is_open(const struct mtu_search *search, uint32_t length)
{
	return length > search->passes && length >= least(search->family) &&
	       length <= search->interface_mtu && (search->fails == 0 || length < search->fails);
}

/* What errors to any length have told, as far as it is still possible: the smallest such. */
static uint32_t told_length(const struct mtu_search *search, const struct account_target *rows)
{
	uint32_t told = 0;

	for (uint32_t i = 1; i < search->rows; i++) {
		for (uint32_t j = 0; j < rows[i].error_count; j++) {
			uint32_t mtu = mtu_search_clamp(search->family, rows[i].errors[j].mtu,
							search->lengths[i]);

			if (mtu != 0 && is_open(search, mtu) && (told == 0 || mtu < told))
				told = mtu;
		}
	}
	return told;
}

static bool was_told(const struct mtu_search *search, const struct account_target *rows,
		     uint32_t length)
{
	for (uint32_t i = 1; i < search->rows; i++)
		for (uint32_t j = 0; j < rows[i].error_count; j++)
			if (rows[i].errors[j].mtu == length)
				return true;
	return false;
}

/* 0: nothing is open any more. */
static uint32_t next_length(const struct mtu_search *search, const struct account_target *rows)
{
	uint32_t told = told_length(search, rows);
	uint32_t low;

	if (search->passes == 0 && search->fails == 0)
		return search->interface_mtu;
	if (told != 0)
		return told;
	/* One more than what just passed, if that was what an error had told. */
	if (search->passes != 0 && is_open(search, search->passes + 1) &&
	    was_told(search, rows, search->passes))
		return search->passes + 1;
	for (size_t i = 0; i < ARRAY_LENGTH(usual); i++)
		if (is_open(search, usual[i]) && search->passes == 0)
			return usual[i];
	low = search->passes != 0 ? search->passes : least(search->family) - 1;
	if (search->fails <= low + 1)
		return 0;
	for (size_t i = 0; i < ARRAY_LENGTH(usual); i++)
		if (search->passes == usual[i] && is_open(search, usual[i] + 1))
			return usual[i] + 1;
	return low + (search->fails - low) / 2;
}

/* ---- what the last turn means ---- */

/*
 * How many must stay unanswered before it is not loss: at the loss that the short echoes have, so
 * many in a row are lost less often than once in a thousand.
 */
static uint32_t repeats_for(const struct account_target *control)
{
	double lost = (double)(control->tally.sent - control->tally.received);
	double loss = (lost + 1.0) / ((double)control->tally.sent + 2.0);
	double repeats = ceil(log(MTU_SEARCH_ERROR) / log(loss));

	return (uint32_t)fmin(fmax(repeats, REPEATS_MIN), REPEATS_MAX);
}

static bool try_length(struct mtu_search *search, const struct account_target *rows,
		       struct series_point *points, uint32_t length, struct series_turn *turn)
{
	search->row = row_of(search, points, length);
	if (search->row == 0)
		return end(search, "it took too many lengths to find");
	search->state = MTU_SEARCH_LENGTH;
	search->control_before = rows[0].tally.received;
	ask(search, rows, search->row, search->is_confirming ? search->repeats : 1, turn);
	return true;
}

/* The answer is there when nothing lies between what passes and what fails; then both are tried
 * once more. */
static bool go_on(struct mtu_search *search, const struct account_target *rows,
		  struct series_point *points, struct series_turn *turn)
{
	uint32_t length = next_length(search, rows);

	if (length != 0)
		return try_length(search, rows, points, length, turn);
	if (search->passes == 0)
		return end(search, "not even the shortest packets that must stay whole are "
				   "answered");
	if (search->passes < search->interface_mtu && !search->is_confirming) {
		search->is_confirming = true;
		return try_length(search, rows, points, search->passes + 1, turn);
	}
	search->known = true;
	search->mtu = search->passes;
	search->was_told = was_told(search, rows, search->mtu);
	return end(search, "");
}

/* A length has passed that is longer than one that did not: the path is another one now. */
static bool start_again(struct mtu_search *search, const struct account_target *rows,
			struct series_point *points, struct series_turn *turn)
{
	uint32_t length = search->lengths[search->row];

	if (search->restarts++ == RESTARTS_MAX)
		return end(search, "the path changed while it was searched");
	search->is_confirming = false;
	search->passes = length;
	search->fails = 0;
	if (length == search->interface_mtu)
		return go_on(search, rows, points, turn);
	return try_length(search, rows, points, search->interface_mtu, turn);
}

static bool after_length(struct mtu_search *search, const struct account_target *rows,
			 struct series_point *points, struct series_turn *turn)
{
	const struct account_target *row = &rows[search->row];
	uint32_t length = search->lengths[search->row];

	if (row->tally.received > 0) {
		if (search->fails != 0 && length >= search->fails)
			return start_again(search, rows, points, turn);
		search->passes = length > search->passes ? length : search->passes;
		return go_on(search, rows, points, turn);
	}
	/* An error is an answer of its own: one more try, and no waiting for what will not come. */
	search->state = MTU_SEARCH_CONTROL;
	/* As many as would be lost together less often than what is asked of them. */
	ask(search, rows, 0,
	    search->repeats > CONTROL_REQUESTS ? search->repeats : CONTROL_REQUESTS, turn);
	return true;
}

static bool after_control(struct mtu_search *search, const struct account_target *rows,
			  struct series_point *points, struct series_turn *turn)
{
	const struct account_target *row = &rows[search->row];
	uint64_t attempts = row->tally.sent + row->tally.send_errors;

	search->repeats = repeats_for(&rows[0]);
	if (rows[0].tally.received == search->control_before)
		return end(search, "the host stopped to answer short echoes");
	if (row->tally.received > 0) { /* late, or just now */
		search->state = MTU_SEARCH_LENGTH;
		return after_length(search, rows, points, turn);
	}
	if (attempts < search->repeats) {
		search->state = MTU_SEARCH_LENGTH;
		search->control_before = rows[0].tally.received;
		ask(search, rows, search->row, search->repeats - (uint32_t)attempts, turn);
		return true;
	}
	if (search->fails == 0 || search->lengths[search->row] < search->fails)
		search->fails = search->lengths[search->row];
	return go_on(search, rows, points, turn);
}

static bool next(struct conductor *conductor, const struct account_target *rows,
		 struct series_point *points, int64_t now_ns, struct series_turn *turn)
{
	struct mtu_search *search = conductor->state;

	(void)now_ns;
	switch (search->state) {
	case MTU_SEARCH_ALIVE:
		if (rows[0].tally.sent + rows[0].tally.send_errors == 0) {
			points[0] = (struct series_point){.payload_bytes =
								  MTU_SEARCH_CONTROL_BYTES};
			ask(search, rows, 0, ALIVE_REQUESTS, turn);
			return true;
		}
		if (rows[0].tally.received == 0)
			return end(search, "the host does not answer short echoes");
		search->repeats = repeats_for(&rows[0]);
		return go_on(search, rows, points, turn);
	case MTU_SEARCH_LENGTH:
		return after_length(search, rows, points, turn);
	case MTU_SEARCH_CONTROL:
		return after_control(search, rows, points, turn);
	case MTU_SEARCH_OVER:
		break;
	}
	return false;
}

const struct conductor_row conductor_find_mtu = {
	.name = "find-mtu",
	.waits_out_harm = false,
	.next = next,
};
