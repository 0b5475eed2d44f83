/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run of fping-bench as a row of steps over one structure. Each step prints what it has to
 * say and returns PROBE_CONTINUE or the exit status with which the program ends; main does
 * nothing but call them in order.
 */
#ifndef FPING_BENCH_APPS_PROBE_PROBE_H
#define FPING_BENCH_APPS_PROBE_PROBE_H

#include "apps/probe/console.h"
#include "apps/probe/hosts.h"
#include "apps/probe/options.h"
#include "apps/probe/way.h"
#include "core/kernel_counters.h"
#include "core/diagnosis.h"
#include "core/mtu_search.h"
#include "core/sweep.h"
#include "os/fragment_capture.h"
#include "os/host.h"
#include "os/host_interface.h"
#include "os/host_load.h"
#include "os/output_file.h"
#include "os/privilege.h"
#include "os/real_time.h"
#include "run/engine.h"

enum probe_status {
	PROBE_CONTINUE = -1,
	PROBE_ANSWERED = 0,   /* every target answered */
	PROBE_UNANSWERED = 1, /* a target never answered, or fewer than -c by -w */
	PROBE_UNUSABLE = 2,   /* usage or set-up error, nothing sent */
	PROBE_INVALID = 4,    /* --strict, and the measurement is not valid */
	PROBE_REFUSED = 5,    /* forbidden by the rules, nothing sent */
	PROBE_BROKEN = 6,     /* ended early by a fault, or the output could not be written */
};

#define PROBE_TRANSPORTS 2u /* one for each family */

struct probe {
	/* rights */
	struct privilege privilege;
	struct error rights_error; /* of the sockets; matters only if something is to be sent */
	/* what was asked */
	int argument_count;
	char **arguments;
	const char **argument_hosts;
	struct options options;
	struct hosts hosts;
	struct output_file file;   /* of --json=FILE */
	bool has_file;
	struct refusal refusals[CONFIGURATION_REFUSALS_MAX];
	/* what it became */
	struct way way;
	struct engine_target *targets;
	uint32_t usable_count;
	/* of the first target that was found: its interface, and that one's driver */
	char interface[32];
	char driver[64];
	bool responder_is_here;    /* a target is this host, or the far end of a veth pair */
	bool is_simulated;
	int64_t simulated_ns;
	struct clock_source clock;
	struct real_time real_time;
	bool has_real_time;
	struct waiter waiter;
	struct transport transports[PROBE_TRANSPORTS];
	uint32_t transport_count;
	struct payload_plan plan;
	struct fragment_cut cut;   /* of --fragment-size */
	/* a run of several kinds of requests */
	struct engine_series series;
	struct series_point *points;     /* one a row, NULL where there is no series */
	struct engine_target *rows;      /* what the engine has for targets then */
	struct result_target *row_facts;
	uint32_t row_count;
	struct sweep *sweep;
	struct mtu_search *mtu_search;
	struct fragment_capture *capture; /* of --capture-fragments */
	struct diagnosis *diagnosis;
	struct engine *engine;
	struct console console;
	struct host_counters counter_files;
	struct host_load_files load_files;
	struct host_load load_before;
	int64_t user_before_ns, system_before_ns; /* processor time */
	struct kernel_counters *before, *after; /* NULL: not known */
	struct result_counter *counters;
	bool has_run;              /* the result is that of a measurement */
	struct result result;
};

/* ---- the steps, in their order ---- */

/*
 * The first: what exec passed on is reset; for everybody but real root the sockets are opened
 * and all privilege is gone when this returns. Nothing of the caller's has been read.
 */
int probe_secure(struct probe *probe);

/* Reads the command line, and answers --help and --version. */
int probe_read_options(struct probe *probe, int argc, char *argv[]);

/* Opens the file of --json, reads that of --targets, and judges what was asked as a whole. */
int probe_read_files(struct probe *probe);

/* Refuses what this caller may not do: nothing is sent and no name is asked. */
int probe_check_rules(struct probe *probe);

/* For real root: opens the sockets and gives up all privilege, now that its files are open. */
int probe_give_up_root(struct probe *probe);

/* Names become addresses, each with what the kernel says about the way to it. */
int probe_find_targets(struct probe *probe);

/* For a series: its points, now that the path is known. */
int probe_prepare_series(struct probe *probe);

/* Opens clock, transports and engine: after this, all that can fail has failed. */
int probe_open(struct probe *probe);

/* Sends, receives, and freezes the result. */
int probe_measure(struct probe *probe);

/* Writes the reports; the exit status of a run that took place. */
int probe_report(struct probe *probe);

/* Gives everything back; any step may have been the last. */
void probe_close(struct probe *probe);

/* ---- what the steps share ---- */

/*
 * Ends the program before anything was sent: the sentence goes to standard error and, with
 * --json, into a document that is whole. Returns status, or PROBE_BROKEN if that cannot be written.
 */
int probe_fail(struct probe *probe, int status, const char *format, ...) PRINTF_LIKE(3, 4);

/*
 * Writes the result where --json and the text go. with_text: the report for people too. Returns
 * status, or PROBE_BROKEN.
 */
int probe_write(struct probe *probe, int status, bool with_text);

/* What --capture-fragments needs, on the interface of the first target; nothing without it. */
int probe_open_capture(struct probe *probe);

/* The run is over, its ending is known: puts what was captured into the result. */
void probe_end_capture(struct probe *probe);

/* Most requests in flight over all targets, from which the buffers are sized. */
uint32_t probe_outstanding(const struct probe *probe);

/* What the engine sends to: the hosts, or the points of a series at the only host. */
struct engine_target *probe_rows(struct probe *probe, uint32_t *count);

/* The conductor of the series, NULL for none; the engine is about to be opened. */
const struct engine_series *probe_start_series(struct probe *probe);

/* The frozen rows of a series become the points of its host. */
void probe_end_series(struct probe *probe);

/* The first measured request is about to leave: takes the first readings. For the engine. */
void probe_measurement_starts(void *probe);

/*
 * Sends a few requests to the first target, one after the other, to learn whether the clock is fine
 * enough for its round trips; the clock may be another one after it.
 */
void probe_try_clock(struct probe *probe);

static inline const struct configuration *probe_configuration(const struct probe *probe)
{
	return &probe->options.configuration;
}

#endif
