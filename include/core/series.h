/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A series: one run over several points, each of which is a kind of request (a size, a way of
 * cutting it), with only one of them active at a time. Each point has a row of the account of its
 * own, so its counters, times and losses are kept apart however late a reply comes. Who decides
 * what is sent next is a conductor: it is asked whenever a turn is over, sees all that is known of
 * every row, and names the next turn. So a sweep in random order, a search for the path MTU and a
 * diagnosis that tests one suspicion after the other are three conductors over one engine; each is
 * pure, and is tried in a unit test against a network that is one function.
 */
#ifndef FPING_BENCH_CORE_SERIES_H
#define FPING_BENCH_CORE_SERIES_H

#include "core/account.h"
#include "core/fragment_cut.h"

#define SERIES_POINTS_MAX 256u

/* One kind of request. */
struct series_point {
	uint32_t payload_bytes;   /* echo data */
	bool has_cut;             /* false: the kernel cuts it */
	struct fragment_cut cut;
};

/* What is sent next: requests to one row, one after the other. */
struct series_turn {
	uint32_t row;             /* of the account and of the points */
	uint64_t requests;        /* >= 1; those that cannot be sent count */
	uint32_t burst;           /* schedule: sent at once at the start; 0 or 1: none */
	int64_t interval_ns;      /* schedule: between two requests; 0: as the run was asked for */
	int64_t start_ns;         /* not before; 0: at once */
	int64_t patience_ns;      /* after the last request replies are waited for so long, at
				   * most, before the turn is over; later ones still count */
};

struct conductor;

struct conductor_row {
	const char *name;         /* the mode of the run in reports */
	/*
	 * Where the other host's reassembly memory may be held by what was lost (harm_budget.h):
	 * false: the run ends; true: requests that are cut wait until it is free again.
	 */
	bool waits_out_harm;
	/*
	 * The last turn, if there was one, is over. True: turn is the next. points may be written
	 * for rows that have never had a turn, and for those only. False: the series is over.
	 */
	bool (*next)(struct conductor *conductor, const struct account_target *rows,
		     struct series_point *points, int64_t now_ns, struct series_turn *turn);
};

struct conductor {
	const struct conductor_row *row;
	void *state;              /* of the row */
};

#endif
