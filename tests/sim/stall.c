/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network that stands still for 1 s in every 100 s, probed a thousand times a second: who sends
 * by the clock sees that one request in a hundred waits, half a second in the mean; who sends when
 * the reply is there sees a single slow one in a million. Both are compared with what arithmetic
 * says, request by request.
 */
#include <string.h>

#include "sim/sim.h"

#define DELAY_NS (100 * NANOSECONDS_PER_MICROSECOND)
#define STALL_NS NANOSECONDS_PER_SECOND
#define EVERY_NS (100 * NANOSECONDS_PER_SECOND)
#define SIMULATION "delay=100us,send=1ns,stall-every=100s,stall=1s"

#define INTERVAL_NS NANOSECONDS_PER_MILLISECOND
#define SCHEDULED 200000 /* two periods */
/* No send at the very moment at which the stall ends: it would take its nanosecond from a reply. */
#define HEAD_START_NS 300000

#define CLOSED 1000000 /* round trips: a little more than one period */

static struct histogram expected;

/* When something that would happen at at_ns does; the network's time starts at 0. */
static int64_t held(int64_t at_ns)
{
	return at_ns % EVERY_NS < EVERY_NS - STALL_NS ? at_ns : (at_ns / EVERY_NS + 1) * EVERY_NS;
}

static int64_t round_trip(int64_t at_ns)
{
	return held(held(at_ns + DELAY_NS / 2) + DELAY_NS / 2) - at_ns;
}

static bool is_expected(const struct histogram *measured)
{
	return measured != NULL && measured->samples == expected.samples &&
	       measured->min_ns == expected.min_ns && measured->max_ns == expected.max_ns &&
	       memcmp(measured->counts, expected.counts, sizeof(expected.counts)) == 0;
}

static void test_open_loop(void)
{
	struct run *run = new_run(1, SIMULATION);
	const struct result_target *target = &run->result_target;

	histogram_init(&expected);
	for (int64_t i = 0; i < SCHEDULED; i++)
		histogram_record(&expected, round_trip(HEAD_START_NS + i * INTERVAL_NS));
	run->head_start_ns = HEAD_START_NS;
	run->configuration.timeout_ns = 2 * NANOSECONDS_PER_SECOND;
	run->configuration.interval_ns = INTERVAL_NS;
	run->configuration.count = SCHEDULED;
	run_simulation(run);
	double late = (double)histogram_quantile(target->rtt_intended, 0.995);
	judge("open-loop-sees-the-stall",
	      is_expected(target->rtt_intended) && is_expected(target->rtt_user) &&
		      target->lateness->max_ns == 0 && late > 495e6 && late < 505e6,
	      "p99.5 from the intended time is %g ms (expected %g)", late / 1e6,
	      (double)histogram_quantile(&expected, 0.995) / 1e6);
	end_simulation(run);
}

static void test_closed_loop(void)
{
	struct run *run = new_run(1, SIMULATION);
	const struct result_target *target = &run->result_target;
	int64_t at_ns = 0;

	histogram_init(&expected);
	for (int64_t i = 0; i < CLOSED; i++) {
		int64_t rtt_ns = round_trip(at_ns);

		histogram_record(&expected, rtt_ns);
		at_ns += rtt_ns;
	}
	run->configuration.timeout_ns = 2 * NANOSECONDS_PER_SECOND;
	run->configuration.depth = 1;
	run->configuration.count = CLOSED;
	run_simulation(run);
	judge("closed-loop-does-not",
	      is_expected(target->rtt_user) && target->rtt_intended == NULL &&
		      target->rtt_user->max_ns > 900 * NANOSECONDS_PER_MILLISECOND &&
		      histogram_quantile(target->rtt_user, 0.9999) ==
			      histogram_quantile(target->rtt_user, 0.5),
	      "p99.99 is %lld ns, the slowest %lld ns",
	      (long long)histogram_quantile(target->rtt_user, 0.9999),
	      (long long)target->rtt_user->max_ns);
	end_simulation(run);
}

void test_stall(void)
{
	test_open_loop();
	test_closed_loop();
}
