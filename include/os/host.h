/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this host tells of itself: facts for the report, the kernel's network counters, and the
 * processor time that the run took.
 */
#ifndef FPING_BENCH_OS_HOST_H
#define FPING_BENCH_OS_HOST_H

#include "core/kernel_counters.h"
#include "core/result.h"

/* Files of /proc/net kept open, so that the second reading needs no open. */
struct host_counters {
	int snmp;
	int snmp6;
};

/*
 * Opens the counter files. A file that is missing (no IPv6) is not an error: its counters are
 * unknown.
 */
void host_counters_open(struct host_counters *files);

/* Reads all counters now. Returns 0, or a negative code when nothing could be read. */
int host_counters_read(const struct host_counters *files, struct kernel_counters *counters)
	MUST_CHECK;

void host_counters_close(struct host_counters *files);

/* Fills the facts; members that cannot be found out stay empty. */
void host_environment(struct environment *environment);

/* Processor time of this process so far, in ns. */
void host_processor_time(int64_t *user_ns, int64_t *system_ns);

/* How this kernel books time spent in interrupts ("" unknown): text for struct result_processor. */
void host_accounting(char text[static 160], bool responder_on_this_host);

#endif
