/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system's waiter: what ends a wait, that it never ends early, and that a precise wait leaves
 * its last part to the caller. Upper limits are generous: this machine may be busy.
 */
#include "os/waiter.h"

#include "contract/contract.h"

#include <sys/socket.h>
#include <unistd.h>

#define LATE_NS (500 * NANOSECONDS_PER_MILLISECOND)
#define STEP_NS (5 * NANOSECONDS_PER_MILLISECOND)
#define SPIN_NS (100 * NANOSECONDS_PER_MICROSECOND)

static struct clock_source clock_used = {.row = &clock_monotonic};

/* How long a wait took. */
static int64_t wait_for(const int *descriptors, uint32_t count, int64_t wait_ns, bool precise)
{
	struct waiter waiter = waiter_system(&clock_used);
	int64_t start_ns = clock_now(&clock_used);

	waiter.wait(waiter.context, descriptors, count,
		    wait_ns == TIME_NEVER_NS ? wait_ns : start_ns + wait_ns, precise);
	return clock_now(&clock_used) - start_ns;
}

static void check_time(void)
{
	const int none = -1;
	int64_t took_ns;

	contract_begin("waiter", "system", "waits to the end");
	for (int i = 0; i < 20; i++) {
		took_ns = wait_for(&none, 1, STEP_NS, false);
		contract_check(took_ns >= STEP_NS && took_ns < STEP_NS + LATE_NS, "%lld ns",
			       (long long)took_ns);
	}
	contract_check(wait_for(NULL, 0, 1, false) >= 1, "a nanosecond");
	contract_check(wait_for(NULL, 0, -1, false) < LATE_NS, "a time that has passed");
	contract_end();

	contract_begin("waiter", "system", "a precise wait leaves the end to the caller");
	for (int i = 0; i < 20; i++) {
		took_ns = wait_for(NULL, 0, STEP_NS, true);
		contract_check(took_ns >= STEP_NS - SPIN_NS && took_ns < STEP_NS + LATE_NS,
			       "%lld ns", (long long)took_ns);
	}
	took_ns = INT64_MAX;
	for (int i = 0; i < 20; i++)
		took_ns = min_i64(took_ns, wait_for(NULL, 0, SPIN_NS, true));
	contract_check(took_ns < SPIN_NS / 2, "sleeps in the last part: %lld ns",
		       (long long)took_ns);
	contract_end();
}

static void check_descriptors(void)
{
	int pair[2], idle[2], ends[2];

	contract_begin("waiter", "system", "a readable descriptor ends it");
	if (!contract_check(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0 &&
				    socketpair(AF_UNIX, SOCK_DGRAM, 0, idle) == 0,
			    "no sockets")) {
		contract_end();
		return;
	}
	contract_check(write(pair[1], "x", 1) == 1, "write");
	for (uint32_t place = 0; place < WAITER_DESCRIPTORS_MAX; place++) {
		int descriptors[WAITER_DESCRIPTORS_MAX] = {-1, idle[0], -1, idle[0]};

		descriptors[place] = pair[0];
		contract_check(wait_for(descriptors, WAITER_DESCRIPTORS_MAX, 20 * LATE_NS, false) <
				       LATE_NS,
			       "in place %u", place);
	}
	contract_end();

	contract_begin("waiter", "system", "an idle descriptor does not");
	contract_check(wait_for(&idle[0], 1, STEP_NS, false) >= STEP_NS, "too early");
	contract_end();

	/* The writing end of a pipe that nobody reads any more: POLLERR and nothing else. */
	contract_begin("waiter", "system", "an error on a descriptor ends it");
	if (contract_check(pipe(ends) == 0, "no pipe")) {
		(void)close(ends[0]);
		contract_check(wait_for(&ends[1], 1, 20 * LATE_NS, false) < LATE_NS, "no end");
		(void)close(ends[1]);
	}
	contract_end();
	(void)close(idle[0]);
	(void)close(idle[1]);
	(void)close(pair[0]);
	(void)close(pair[1]);
}

void contract_waiter(void)
{
	waiter_sharpen();
	check_time();
	check_descriptors();
}
