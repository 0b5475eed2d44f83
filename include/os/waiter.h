/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for packets or for a point in time. The system waiter sleeps in ppoll and spins for
 * the last part of a wait, since a sleep ends up to 100 us late; the simulated one lets virtual
 * time pass.
 */
#ifndef FPING_BENCH_OS_WAITER_H
#define FPING_BENCH_OS_WAITER_H

#include "os/clock.h"

#define WAITER_DESCRIPTORS_MAX 4u

struct waiter {
	/*
	 * Returns when a descriptor is readable, has an error queued, a signal came, or `until_ns`
	 * is reached on the clock (TIME_NEVER_NS: no limit). precise: the wait ends for a send
	 * that is due, so within the last 100 us before until_ns it returns at once, and the
	 * caller's loop spins them.
	 */
	void (*wait)(void *context, const int *descriptors, uint32_t count, int64_t until_ns,
		     bool precise);
	void *context;
};

/* The system's waiter; context is the clock, which must outlive it. */
struct waiter waiter_system(struct clock_source *clock);

/* Timer slack of this thread to 1 ns, so that sleeps end as near to their time as they can. */
void waiter_sharpen(void);

#endif
