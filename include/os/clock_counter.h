/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor's counter: how it is read in order with the instructions around it, what the
 * processor says of it, and whether its copies in several processors agree. Only clock_tsc.c needs
 * this; it stands apart because every kind of processor has its own way.
 */
#ifndef FPING_BENCH_OS_CLOCK_COUNTER_H
#define FPING_BENCH_OS_CLOCK_COUNTER_H

#include <sched.h>

#include "base/error.h"

struct clock_counter {
	bool has_ordered_read; /* x86: RDTSCP */
	bool is_invariant;     /* the rate is the same in all states of the processor */
};

/*
 * Finds out whether there is a counter and whether this process may read it (prctl(2), PR_GET_TSC),
 * without reading it. -ERROR_UNSUPPORTED with a sentence if not.
 */
int clock_counter_find(struct clock_counter *counter, struct error *error) MUST_CHECK;

/* Reads it after everything before the call has been done, and before anything after it. */
uint64_t clock_counter_read(const struct clock_counter *counter);

enum clock_counter_agreement {
	CLOCK_COUNTER_AGREES,   /* or this process has one processor only */
	CLOCK_COUNTER_WARPS,    /* another processor's copy was behind */
	CLOCK_COUNTER_UNTESTED, /* the others could not be asked */
};

/*
 * Hands a value to and fro between this processor and each other one that this process may use, in
 * at most 20 ms in all; the affinity of the caller is as before when it returns.
 */
enum clock_counter_agreement clock_counter_compare(const struct clock_counter *counter);

/*
 * Keeps this process on the processor that it is on; before receives where it was allowed to run. 0
 * or -errno.
 */
int clock_counter_stay(cpu_set_t *before) MUST_CHECK;

/* Takes that back. */
void clock_counter_leave(const cpu_set_t *before);

#endif
