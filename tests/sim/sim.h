/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run over the simulated network, as every file of this program makes it.
 */
#ifndef FPING_BENCH_TESTS_SIM_SIM_H
#define FPING_BENCH_TESTS_SIM_SIM_H

#include "os/transport.h"
#include "run/engine.h"

struct run {
	/* for the caller to set, all zero where there is nothing to say */
	struct configuration configuration;
	int64_t head_start_ns; /* the network is so old when the run starts */
	struct real_time *real_time;
	double clock_factor; /* by which all times turn out to be wrong at the end; 0: by none */
	/* the transport's row may be set as well; the rest is filled in */
	int64_t time_ns;
	struct clock_source clock;
	struct waiter waiter;
	struct transport transport;
	struct payload_plan plan;
	struct engine_target target;
	struct engine *engine;
	struct result result;
	struct result_target result_target;
};

/* One line of the outcome; the format says what went wrong. */
void judge(const char *name, bool passed, const char *format, ...) PRINTF_LIKE(3, 4);

/* A test that cannot even be set up ends the program. */
void die(const struct error *error);

/* A run over the network that the text describes, with defaults for all else. */
struct run *new_run(uint64_t seed, const char *simulation);

/* Runs to its end; the caller has set the configuration. */
void run_simulation(struct run *run);

void end_simulation(struct run *run);

/* stall.c: a network that stands still now and then. */
void test_stall(void);

/* stamps.c: where the time of a round trip goes. */
void test_stamps(void);

/* warmup.c: requests before the measurement. */
void test_warmup(void);

/* rescale.c: a clock whose rate turns out to be another one. */
void test_rescale(void);

/* sizes.c: the cost of bytes and of fragments. */
void test_sizes(void);

/* loss.c: what loses fragments. */
void test_loss(void);

/* conductors.c: the diagnosis of fragments and the search for the path MTU. */
void test_conductors(void);

/* confusions.c: networks that look like others. */
void test_confusions(void);

#endif
