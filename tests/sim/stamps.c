/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send stamps over the simulated network, where every part of a round trip is known beforehand: the
 * budget is compared exactly, what is sampled must not favour a place in a batch, and taking stamps
 * must not change what is measured.
 */
#include <math.h>
#include <string.h>

#include "sim/sim.h"

/* Parts in ns that a part of every sample must have; the least and the most. */
struct span {
	int64_t least, most;
};

struct budget {
	const char *name;
	const char *simulation;
	uint32_t depth, preload; /* preload: flood */
	int64_t interval_ns;
	uint64_t count;
	uint64_t sampled;        /* so many, give or take one */
	struct span parts[BUDGET_PARTS];
};

static void set_pace(struct run *run, uint32_t depth, uint32_t preload, int64_t interval_ns,
		     uint64_t count)
{
	run->configuration.depth = depth;
	run->configuration.flood = preload > 0;
	run->configuration.preload = preload;
	run->configuration.interval_ns = interval_ns;
	run->configuration.count = count;
}

static double mean_of(const struct result_target *target, enum result_budget_part part)
{
	return histogram_mean(target->budget[part]);
}

/* Up to our reading of the kernel's receive stamp the parts are the sampled round trips. */
static bool adds_up(const struct result_target *target)
{
	double until_receive = mean_of(target, BUDGET_CALL_TO_QUEUE) +
			       mean_of(target, BUDGET_QUEUE_TO_DRIVER) +
			       mean_of(target, BUDGET_DRIVER_TO_DRIVER);
	double whole = until_receive + mean_of(target, BUDGET_DRIVER_TO_SOCKET) +
		       mean_of(target, BUDGET_SOCKET_TO_US);

	if (target->stamps.sampled == target->tally.sent && target->tally.lost == 0 &&
	    fabs(whole - histogram_mean(target->rtt_user)) > 1e-3)
		return false;
	return target->sampled_ping_mean_ns.known
		       ? fabs(until_receive - target->sampled_ping_mean_ns.value) < 1e-3
		       : until_receive >= (double)target->rtt_ping->min_ns - 1e-3 &&
				 until_receive <= (double)target->rtt_ping->max_ns + 1e-3;
}

static void test_budget(const struct budget *budget)
{
	struct run *run = new_run(1, budget->simulation);
	const struct result_target *target = &run->result_target;
	const struct result_stamps *stamps = &target->stamps;
	int wrong = -1;

	run->configuration.stamps = STAMPS_SPLIT;
	set_pace(run, budget->depth, budget->preload, budget->interval_ns, budget->count);
	run_simulation(run);
	for (int part = 0; part < BUDGET_PARTS; part++) {
		const struct histogram *histogram = target->budget[part];

		if (histogram->samples != stamps->complete ||
		    histogram->min_ns != budget->parts[part].least ||
		    histogram->max_ns != budget->parts[part].most)
			wrong = part;
	}
	judge(budget->name,
	      wrong < 0 && adds_up(target) && stamps->complete == stamps->sampled &&
		      stamps->sampled + 1 >= budget->sampled &&
		      stamps->sampled <= budget->sampled + 1 &&
		      run->result.stamps == STAMPS_SPLIT &&
		      target->rtt_kernel == target->budget[BUDGET_DRIVER_TO_DRIVER] &&
		      target->rtt_hardware == NULL,
	      "part %d is %lld to %lld ns, %s; %llu of %llu samples", wrong,
	      (long long)(wrong < 0 ? 0 : target->budget[wrong]->min_ns),
	      (long long)(wrong < 0 ? 0 : target->budget[wrong]->max_ns),
	      adds_up(target) ? "adds up" : "does not add up", (unsigned long long)stamps->complete,
	      (unsigned long long)stamps->sampled);
	end_simulation(run);
}

/* Places in a batch of 64: the means of what the first to the last of it take, not the first's. */
static void test_places(void)
{
	struct run *run = new_run(1, "delay=2ns,send=1us");
	const struct histogram *waited; /* for the requests before it in the same call */

	run->configuration.stamps = STAMPS_SPLIT;
	set_pace(run, 0, 64, 0, 64 * 200);
	run_simulation(run);
	waited = run->result_target.budget[BUDGET_CALL_TO_QUEUE];
	judge("no-place-in-a-batch-is-favoured",
	      waited->samples == 200 && fabs(histogram_mean(waited) / 31500 - 1) < 0.02 &&
		      waited->max_ns >= 62000 && waited->min_ns <= 1000,
	      "call to queue is %lld to %lld, mean %g ns", (long long)waited->min_ns,
	      (long long)waited->max_ns, histogram_mean(waited));
	end_simulation(run);
}

/*
 * Whatever the network does, one sample in 64 of ten thousand requests explains the depth; and the
 * times of all requests are to the nanosecond those of a run without send stamps.
 */
static void test_explained(const char *simulation, uint32_t depth, uint32_t preload,
			   int64_t interval_ns)
{
	double worst = 0;
	uint64_t worst_seed = 0;
	bool differs = false;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct run *split = new_run(seed, simulation);
		struct run *plain = new_run(seed, simulation);
		const struct result_target *target = &split->result_target;

		split->configuration.stamps = STAMPS_SPLIT;
		plain->configuration.stamps = STAMPS_RX;
		set_pace(split, depth, preload, interval_ns, 10000);
		set_pace(plain, depth, preload, interval_ns, 10000);
		run_simulation(split);
		run_simulation(plain);
		double open = fabs(target->in_flight_unexplained.value) /
			      target->in_flight_mean.value;
		if (!target->in_flight_sending.known || !(open <= worst)) {
			worst = open;
			worst_seed = seed;
		}
		differs |= memcmp(target->rtt_user->counts, plain->result_target.rtt_user->counts,
				  sizeof(target->rtt_user->counts)) != 0 ||
			   target->window_ns != plain->result_target.window_ns;
		end_simulation(split);
		end_simulation(plain);
	}
	judge("depth-explained", worst < 0.001 && !differs,
	      "%s: unexplained is %g of the depth (seed %llu)%s", simulation, worst,
	      (unsigned long long)worst_seed, differs ? ", and stamps change the run" : "");
}

/* Stamps that never come: counted by kind, and neither waited for nor guessed. */
static void test_lost_stamps(void)
{
	struct run *run = new_run(1, "delay=100us,stamp-loss=0.1,queue=3us");
	const struct result_stamps *stamps = &run->result_target.stamps;

	run->configuration.stamps = STAMPS_SPLIT;
	set_pace(run, 0, 0, 100000, 20000);
	run_simulation(run);
	judge("lost-stamps-are-counted",
	      stamps->sampled == 20000 && fabs((double)stamps->complete / 20000 - 0.81) < 0.01 &&
		      fabs((double)stamps->missing_queue / 20000 - 0.1) < 0.01 &&
		      fabs((double)stamps->missing_driver / 20000 - 0.1) < 0.01 &&
		      stamps->missing_receive == 0 && stamps->voided == 0 &&
		      run->result_target.rtt_kernel->samples == stamps->complete &&
		      run->result_target.rtt_kernel->min_ns == 100000 &&
		      run->result_target.rtt_kernel->max_ns == 100000 &&
		      run->result_target.tally.received == 20000,
	      "%llu complete, %llu and %llu missing", (unsigned long long)stamps->complete,
	      (unsigned long long)stamps->missing_queue,
	      (unsigned long long)stamps->missing_driver);
	end_simulation(run);
	run = new_run(1, "delay=100us,stamp-loss=1");
	run->configuration.stamps = STAMPS_SPLIT;
	set_pace(run, 16, 0, 0, 6400);
	run_simulation(run);
	judge("an-interface-without-stamps",
	      run->result_target.stamps.missing_driver == 100 &&
		      run->result_target.stamps.missing_queue == 100 &&
		      !run->result_target.in_flight_sending.known &&
		      run->result_target.in_flight_network.known &&
		      run->result_target.tally.received == 6400,
	      "%llu and %llu missing",
	      (unsigned long long)run->result_target.stamps.missing_queue,
	      (unsigned long long)run->result_target.stamps.missing_driver);
	end_simulation(run);
}

/* Requests that are lost have nothing to tell; the others do. */
static void test_lost_requests(void)
{
	struct run *run = new_run(1, "delay=100us,loss=0.2");
	const struct result_target *target = &run->result_target;

	run->configuration.stamps = STAMPS_SPLIT;
	set_pace(run, 0, 0, 1000000, 5000);
	run_simulation(run);
	judge("lost-requests-miss-no-stamp",
	      target->stamps.sampled == 5000 &&
		      target->stamps.complete == target->tally.received &&
		      target->stamps.missing_queue + target->stamps.missing_driver +
				      target->stamps.missing_receive + target->stamps.voided == 0,
	      "%llu complete, %llu received", (unsigned long long)target->stamps.complete,
	      (unsigned long long)target->tally.received);
	end_simulation(run);
}

/* ---- rows that differ from the simulated network in one thing ---- */

static struct real_time step_clock;
static int64_t step_at_ns;

/*
 * Real time is set at one moment; the transport, which looks at it, finds out in its next batch.
 * The stamps of that one are brought over soundly, but no older ones belong to them; those of the
 * next 100 ms are left out.
 */
static int receive_with_step(struct transport *transport, struct transport_incoming *packets,
			     uint32_t count, int64_t *now_ns)
{
	int received = transport_sim.receive(transport, packets, count, now_ns);

	for (int i = 0; i < received && *now_ns < step_clock.void_until_ns; i++)
		packets[i].stamp_ns = packets[i].stamp_real_ns = INT64_MIN;
	if (step_clock.steps > 0 || *now_ns < step_at_ns || received == 0)
		return received;
	step_clock.steps = 1;
	step_clock.largest_step_ns = -5;
	step_clock.void_until_ns = *now_ns + 100 * NANOSECONDS_PER_MILLISECOND;
	return received;
}

static void test_clock_step(void)
{
	struct transport_row stepping = transport_sim;
	struct run *run = new_run(1, "delay=5500us,send=1ns");
	const struct result_target *target = &run->result_target;

	stepping.receive = receive_with_step;
	step_clock = (struct real_time){.descriptor = -1, .void_until_ns = INT64_MIN};
	step_at_ns = 1000000000 + 100 * NANOSECONDS_PER_MILLISECOND;
	run->transport.row = &stepping;
	run->real_time = &step_clock;
	run->configuration.stamps = STAMPS_SPLIT;
	set_pace(run, 0, 0, NANOSECONDS_PER_MILLISECOND, 1000);
	run_simulation(run);
	/*
	 * Out at that moment: the one whose reply has come, and the five after it. Of those that
	 * were sent after it 94 are answered within the next 100 ms.
	 */
	judge("a-clock-step-voids-what-is-out",
	      target->stamps.voided == 100 && target->stamps.complete == 900 &&
		      target->stamps.missing_receive == 0 && target->tally.received == 1000 &&
		      run->result.disturbance.clock_steps == 1 &&
		      run->result.disturbance.largest_step_ns == -5,
	      "%llu complete, %llu void", (unsigned long long)target->stamps.complete,
	      (unsigned long long)target->stamps.voided);
	end_simulation(run);
}

static unsigned int stamp_calls, receive_calls;

static int late_stamps(struct transport *transport, struct transport_stamp *stamps, uint32_t count)
{
	return stamp_calls++ == 0 ? 0 : transport_sim.receive_stamps(transport, stamps, count);
}

/* The reply is read before the stamps of its request, and it is the last one. */
static void test_last_stamps(void)
{
	struct transport_row late = transport_sim;
	struct run *run = new_run(1, "delay=2ns");

	late.receive_stamps = late_stamps;
	stamp_calls = 0;
	run->transport.row = &late;
	run->configuration.stamps = STAMPS_SPLIT;
	set_pace(run, 0, 0, NANOSECONDS_PER_MILLISECOND, 1);
	run_simulation(run);
	judge("stamps-after-the-last-reply",
	      run->result_target.stamps.complete == 1 && stamp_calls == 2,
	      "%llu complete after %u calls",
	      (unsigned long long)run->result_target.stamps.complete, stamp_calls);
	end_simulation(run);
}

static int counted_receive(struct transport *transport, struct transport_incoming *packets,
			   uint32_t count, int64_t *now_ns)
{
	receive_calls++;
	return transport_sim.receive(transport, packets, count, now_ns);
}

/* Stamps that lie in the queue would wake each wait: they are taken before. */
static void test_calls(void)
{
	struct transport_row counting = transport_sim;
	unsigned int calls[2];

	counting.receive = counted_receive;
	for (int split = 0; split < 2; split++) {
		struct run *run = new_run(1, "delay=100us");

		receive_calls = 0;
		run->transport.row = &counting;
		run->configuration.stamps = split ? STAMPS_SPLIT : STAMPS_RX;
		set_pace(run, 0, 0, NANOSECONDS_PER_MILLISECOND, 1000);
		run_simulation(run);
		calls[split] = receive_calls;
		end_simulation(run);
	}
	judge("stamps-wake-nobody", calls[0] == calls[1], "%u receive calls with them, %u without",
	      calls[1], calls[0]);
}

static int open_without_stamps(struct transport *transport,
			       const struct transport_settings *settings, int descriptor,
			       struct error *error)
{
	int status = transport_sim.open(transport, settings, descriptor, error);

	transport->sends_stamps = false;
	return status;
}

/* A transport that has no send stamps: the run says so, and goes on with receive stamps. */
static void test_without_send_stamps(void)
{
	struct transport_row bare = transport_sim;
	struct run *run = new_run(1, "delay=1ms");

	bare.open = open_without_stamps;
	run->transport.row = &bare;
	run->configuration.stamps = STAMPS_SPLIT;
	set_pace(run, 4, 0, 0, 100);
	run_simulation(run);
	judge("no-send-stamps-to-be-had",
	      run->result.stamps == STAMPS_RX && run->result.stamp_every == 0 &&
		      run->result_target.rtt_kernel == NULL &&
		      run->result_target.budget[0] == NULL &&
		      run->result_target.rtt_ping->samples == 100,
	      "stamps %d, one in %u", (int)run->result.stamps, run->result.stamp_every);
	end_simulation(run);
}

void test_stamps(void)
{
	static const struct budget budgets[] = {
		/* D + S and nothing else, but the queue of the interface */
		{"budget-depth-1", "delay=500us,service=20us,queue=10us", 1, 0, 0, 6400, 100,
		 {{0, 0}, {10000, 10000}, {520000, 520000}, {0, 0}, {0, 0}}},
		{"budget-flood", "delay=200us,service=7us,queue=1us", 0, 1, 0, 6400, 100,
		 {{0, 0}, {1000, 1000}, {207000, 207000}, {0, 0}, {0, 0}}},
		/* replies come back as far apart as requests left: each slot is filled at once */
		{"budget-depth-4", "delay=100us,send=2us", 4, 0, 0, 6400, 100,
		 {{0, 0}, {0, 0}, {100000, 100000}, {0, 0}, {0, 0}}},
		/* a schedule below 50,000/s stamps every one, above it one in 64 */
		{"budget-interval", "delay=300us,service=20us,queue=5us", 0, 0, 50000, 5000, 5000,
		 {{0, 0}, {5000, 5000}, {320000, 320000}, {0, 0}, {0, 0}}},
		{"budget-fast-interval", "delay=300us,send=1ns", 0, 0, 10000, 6400, 100,
		 {{0, 0}, {0, 0}, {300000, 300000}, {0, 0}, {0, 0}}},
		/*
		 * Sending takes 30 us of each 40: a reply comes 10 us before its end, and waits for
		 * it, but for the last ones.
		 */
		{"budget-busy-socket", "delay=100us,send=30us", 0, 0, 40000, 6400, 6400,
		 {{0, 0}, {0, 0}, {100000, 100000}, {0, 10000}, {0, 0}}},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(budgets); i++)
		test_budget(&budgets[i]);
	test_places();
	test_explained("delay=100us,jitter=100us", 16, 0, 0);
	test_explained("delay=100us,jitter=100us,service=10us,queue=2us", 64, 0, 0);
	test_explained("delay=100us,jitter=100us,stall=5ms,stall-every=50ms", 16, 0, 0);
	test_explained("delay=2us,send=2us,queue=1us,duplicate=0.01", 0, 64, 0);
	test_explained("delay=100us,jitter=100us", 0, 0, 10000);
	test_explained("delay=100us,jitter=500us,reorder=0.1", 0, 0, 100000);
	test_lost_stamps();
	test_lost_requests();
	test_clock_step();
	test_last_stamps();
	test_calls();
	test_without_send_stamps();
}
