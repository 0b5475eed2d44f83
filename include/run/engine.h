/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine: one loop that receives first (so that receive times are early), lets requests
 * expire, asks the pacers, sends last (so that little time passes between send and wait), and
 * waits. It allocates everything before the first packet and prints nothing.
 */
#ifndef FPING_BENCH_RUN_ENGINE_H
#define FPING_BENCH_RUN_ENGINE_H

#include "core/observer.h"
#include "core/pacer.h"
#include "core/payload.h"
#include "core/result.h"
#include "core/series.h"
#include "os/clock.h"
#include "os/fragment_capture.h"
#include "os/real_time.h"
#include "os/transport.h"
#include "os/waiter.h"

struct engine;

struct engine_target {
	struct address address;
	uint32_t transport;   /* index in the setup's transports */
	uint32_t destination; /* index that the transport gave */
	bool usable;          /* false: name not resolved or refused, nothing is sent to it */
	bool is_multicast;    /* multicast or broadcast: several hosts may answer one request */
	uint32_t host;        /* targets that are points of a series at one host share its number */
	const struct fragment_cut *cut; /* how its requests are cut by hand; NULL: by the kernel */
	uint32_t mtu;         /* that the kernel cuts its requests to; 0: unknown */
	const char *name;
};

/* A run over several kinds of requests: a target for each, one of them active at a time. */
struct engine_series {
	struct conductor *conductor;
	struct series_point *points; /* one a target */
};

struct engine_setup {
	const struct configuration *configuration;
	struct clock_source *clock;
	struct waiter *waiter;
	struct real_time *real_time; /* the transports' own; NULL: there are no kernel stamps */
	struct transport *transports[2];
	uint32_t transport_count;
	const struct payload_plan *plan;
	const struct engine_target *targets;
	uint32_t target_count;
	const struct pacer_row *pacer;
	const struct engine_series *series; /* NULL: all targets are active, all requests alike */
	bool allow_harm;                 /* goes on past the budget of core/harm_budget.h */
	struct fragment_capture *capture; /* emptied in every round; NULL: there is none */
	const struct observer *observer; /* NULL: nobody listens */
	/* Called once, right before the first request that is measured; NULL: nobody cares. */
	void (*measurement_starts)(void *context);
	void *context;
};

/* Allocates all that the run needs. */
int engine_open(struct engine **engine, const struct engine_setup *setup, struct error *error)
	MUST_CHECK;

/*
 * Runs until every target has what was asked for, the deadline, a stop signal, or a fault.
 * Only an internal fault is an error; what the network does is a result.
 */
int engine_run(struct engine *engine, struct error *error) MUST_CHECK;

/*
 * The run's clock turned out to be off by a factor (clock_finish): corrects everything that was
 * measured with it. After the run, before engine_freeze.
 */
void engine_rescale(struct engine *engine, double factor);

/*
 * Freezes what was measured into result, and into rows: tallies, histograms, depths, errors,
 * outages, endings and elapsed times of the setup's targets, in its order. rows must hold
 * target_count members with the facts about interface and address filled in (result's own targets,
 * or the points of a series); the histograms and depths stay the engine's, until engine_close.
 */
void engine_freeze(struct engine *engine, struct result *result, struct result_target *rows);

void engine_close(struct engine *engine);

#endif
