/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the golden tests share: a result that a case fills with raw measurements, as the engine
 * would, and the helpers to do so. The derived figures come from summary_complete, so that the
 * expected files show what a user would see.
 */
#ifndef FPING_BENCH_TESTS_GOLDEN_GOLDEN_H
#define FPING_BENCH_TESTS_GOLDEN_GOLDEN_H

#include <stdio.h>

#include "core/kernel_counters.h"
#include "core/result.h"

#define GOLDEN_TARGETS 4
#define US	       NANOSECONDS_PER_MICROSECOND
#define MS	       NANOSECONDS_PER_MILLISECOND
#define S	       NANOSECONDS_PER_SECOND

/* One run. */
struct golden_run {
	struct result result;
	struct configuration configuration;
	struct result_target targets[GOLDEN_TARGETS];
	struct histogram user[GOLDEN_TARGETS], ping[GOLDEN_TARGETS];
	struct histogram intended[GOLDEN_TARGETS], lateness[GOLDEN_TARGETS];
	struct histogram kernel[GOLDEN_TARGETS], hardware[GOLDEN_TARGETS];
	struct histogram budget[GOLDEN_TARGETS][BUDGET_PARTS];
	struct depth depth[GOLDEN_TARGETS];
	int64_t now_ns[GOLDEN_TARGETS]; /* the clock of each target's conversation, from 0 */
	struct kernel_counters before, after;
	struct result_counter counters[8];
	struct refusal refusals[2];
};

/* One kind of request in a conversation of one request after the other. */
struct golden_trip {
	uint64_t count;
	int64_t rtt_ns;	  /* 0: never answered, given up after the timeout */
	int64_t queue_ns; /* of which the reply waited in our socket; -1: no stamp */
	int64_t pause_ns; /* before the next request */
};

/* A flood run of `targets` IPv4 targets 10.9.0.2, 10.9.0.3, ... with MTU 1500, no measurements. */
void golden_begin(struct golden_run *run, uint32_t targets, const char *const *arguments);

/* Makes a target an IPv6 one. */
void golden_make_ip6(struct golden_run *run, uint32_t target, const char *address);

/* Lets a target have this conversation: tally, histograms and depth follow from it. */
void golden_converse(struct golden_run *run, uint32_t target, const struct golden_trip *trips,
		     size_t count);

/* The kernel counted this much more of `name` after the run. */
void golden_count(struct golden_run *run, const char *name, uint64_t before, uint64_t change);

/* Adds a kind of error to a target's table. */
struct result_error *golden_error(struct golden_run *run, uint32_t target, int type, int code,
				  const char *text, const char *from, uint64_t count);

/* The processor time of the run, over so many round trips. */
void golden_processor(struct golden_run *run, double user_s, double system_s, uint64_t trips,
		      const char *accounting);

/* Makes a run one by the clock: every request to the target leaves late by about this much. */
void golden_schedule(struct golden_run *run, uint32_t target, int64_t interval_ns,
		     int64_t lateness_ns);

/* The clock was measured: nothing is odd about it. */
void golden_measured_clock(struct golden_run *run);

/* Send stamps on one request in `every`: `stamped` of them are whole, with these stretches. */
void golden_stamps(struct golden_run *run, uint32_t target, uint32_t every, uint64_t stamped,
		   const int64_t stretches_ns[static BUDGET_PARTS]);

/* Completes the result: ends of the depths, times, summary. */
void golden_finish(struct golden_run *run);

/* ---- the cases ---- */

struct golden_case {
	const char *name;
	void (*build)(struct golden_run *run); /* from golden_begin to golden_finish */
};

/*
 * Each ended by a row of NULLs: what requests meet, what clocks and stamps tell of them, and runs
 * of several kinds of requests.
 */
extern const struct golden_case golden_cases[];
extern const struct golden_case golden_time_cases[];
extern const struct golden_case golden_series_cases[];

/* Single lines: banners, reply lines, live and status lines, each with its circumstances. */
void golden_print_banners(FILE *stream);
void golden_print_observations(FILE *stream);
void golden_print_live(FILE *stream);
void golden_print_status(FILE *stream);

#endif
