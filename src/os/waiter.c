/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system's way to wait: one ppoll. A sleep ends 50 to 100 us late (timer slack, wake-up of an
 * idle processor), which is more than a whole round trip; so a wait for a send that is due stops
 * sleeping that much earlier, and what remains is spun by the caller, who looks for packets
 * meanwhile. A wait for anything else sleeps to its end and never spins.
 */
#include "os/waiter.h"

#include <poll.h>
#include <sys/prctl.h>
#include <time.h>

#define SPIN_NS (100 * NANOSECONDS_PER_MICROSECOND)
/*
 * Shortest sleep. The kernel counts in CLOCK_MONOTONIC; another clock may run slower by some
 * 500 ppm, and a wait that ends early by it must not be followed by a swarm of tiny ones.
 */
#define SLEEP_MIN_NS NANOSECONDS_PER_MICROSECOND

static void system_wait(void *context, const int *descriptors, uint32_t count, int64_t until_ns,
			bool precise)
{
	const struct clock_source *clock = context;
	struct pollfd polled[WAITER_DESCRIPTORS_MAX];
	struct timespec timeout;
	struct timespec *limit = NULL;
	nfds_t used = 0;

	for (uint32_t i = 0; i < count && used < WAITER_DESCRIPTORS_MAX; i++) {
		if (descriptors[i] < 0)
			continue;
		polled[used].fd = descriptors[i];
		polled[used].events = POLLIN; /* POLLERR needs no asking: it is always reported */
		polled[used].revents = 0;
		used++;
	}
	if (until_ns != TIME_NEVER_NS) {
		int64_t sleep_ns = until_ns - clock_now(clock);

		if (precise)
			sleep_ns -= SPIN_NS;
		if (sleep_ns <= 0)
			return;
		sleep_ns = max_i64(sleep_ns, SLEEP_MIN_NS);
		timeout.tv_sec = (time_t)(sleep_ns / NANOSECONDS_PER_SECOND);
		timeout.tv_nsec = (long)(sleep_ns % NANOSECONDS_PER_SECOND);
		limit = &timeout;
	}
	/*
	 * Whatever ends it (readable, error queued, signal, time) the caller looks at everything
	 * next, so the result does not matter. A signal that comes before the call is not missed:
	 * it has made its pipe readable, which is among the descriptors.
	 */
	(void)ppoll(polled, used, limit, NULL);
}

struct waiter waiter_system(struct clock_source *clock)
{
	return (struct waiter){.wait = system_wait, .context = clock};
}

void waiter_sharpen(void)
{
	/* Without it the sleeps are up to 50 us longer; nothing else depends on it. */
	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}
