/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What else this host did while a run went on, as differences between two readings: time stolen by
 * a hypervisor, time spent waiting for a processor, packets that
 * the host dropped for lack of time, and time asleep.
 */
#ifndef FPING_BENCH_OS_HOST_LOAD_H
#define FPING_BENCH_OS_HOST_LOAD_H

#include "core/result.h"

/* Files kept open, so that a reading needs no open; -1 where there is none. */
struct host_load_files {
	int stat;
	int softnet;
	int schedstat;
};

struct host_load {
	int64_t asleep_ns;          /* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	bool has_steal, has_softnet_drops, has_run_delay;
	int64_t steal_ns;           /* all processors; in steps of a clock tick */
	uint64_t softnet_drops;     /* a counter of 32 bits per processor, which wraps */
	int64_t run_delay_ns;       /* of this thread */
};

/* Opens what there is; what is missing stays unknown. */
void host_load_open(struct host_load_files *files);

/* Reads everything now. */
void host_load_read(const struct host_load_files *files, struct host_load *load);

void host_load_close(struct host_load_files *files);

/*
 * Puts what lies between two readings into the result: processor->steal_s and softnet_drops,
 * disturbance->suspended_ns and run_delay_s. Other members stay as they are.
 */
void host_load_difference(const struct host_load *before, const struct host_load *after,
			  struct result_processor *processor,
			  struct result_disturbance *disturbance);

#endif
