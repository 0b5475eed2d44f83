/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the requests were: sending, on the network, in our socket. Ten thousand round trips with
 * times that vary, one in 64 of them stamped, go through the table of samples and the summary. With
 * exact stamps nothing may be left unexplained, however unlike the rest the sampled ones are; with
 * one stamp shifted, in one place only, just that shift must be.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "core/stamps.h"
#include "core/summary.h"
#include "unit/unit.h"

#define REQUESTS 10000
#define EPOCH_NS INT64_C(1700000000000000000)

/* Which stamp is off by how much. */
struct shifts {
	int64_t driver_ns;       /* driver's stamp as brought over: sending */
	int64_t driver_real_ns;  /* driver's stamp as it came: network */
	int64_t receive_real_ns; /* receive stamp as it came: network */
	int64_t queue_ns;        /* receive stamp as brought over for the socket's queue only */
};

static struct {
	struct configuration configuration;
	struct result result;
	struct result_target target;
	struct histogram user, ping, kernel, hardware, budget[BUDGET_PARTS];
	struct depth depth;
	struct stamps_sample ring[16];
	struct stamps_target stamped;
	struct stamps stamps;
} world;

static void world_begin(uint32_t every)
{
	memset(&world, 0, sizeof(world));
	world.configuration.timeout_ns = NANOSECONDS_PER_SECOND;
	world.result.configuration = &world.configuration;
	world.result.targets = &world.target;
	world.result.target_count = 1;
	world.target.name = "a";
	world.target.family = 4;
	world.target.mtu = 1500;
	world.target.payload_bytes = 56;
	world.target.rtt_user = &world.user;
	world.target.rtt_ping = &world.ping;
	world.target.depth = &world.depth;
	world.stamped.rtt_kernel = &world.kernel;
	world.stamped.rtt_hardware = &world.hardware;
	for (int part = 0; part < BUDGET_PARTS; part++)
		world.stamped.budget[part] = &world.budget[part];
	if (every > 0)
		stamps_init(&world.stamps, world.ring, ARRAY_LENGTH(world.ring), &world.stamped,
			    every, NANOSECONDS_PER_SECOND);
	depth_start(&world.depth, 0);
}

/* One round trip from call_ns on: returns its end. */
static int64_t exchange(uint64_t sequence, int64_t call_ns, const int64_t takes_ns[3],
			const struct shifts *shifts)
{
	int64_t driver_ns = call_ns + takes_ns[0];
	int64_t arrived_ns = driver_ns + takes_ns[1];
	struct stamps_reply reply = {
		.sequence = sequence,
		.receive_call_ns = arrived_ns,
		.read_ns = arrived_ns + takes_ns[2],
		.stamp_ns = arrived_ns,
		.real_ns = arrived_ns + EPOCH_NS + shifts->receive_real_ns,
		.hardware_ns = STAMPS_NONE,
	};

	(void)depth_change(&world.depth, 1, call_ns);
	(void)depth_change(&world.depth, -1, reply.read_ns);
	histogram_record(&world.user, reply.read_ns - call_ns);
	histogram_record(&world.ping, arrived_ns - call_ns);
	world.target.receive_queue_held_ns += (double)(takes_ns[2] + shifts->queue_ns);
	world.target.receive_queue_samples++;
	world.target.tally.sent++;
	world.target.tally.received++;
	if (world.stamps.every > 0) {
		stamps_sent(&world.stamps, 0, sequence, call_ns);
		stamps_take(&world.stamps, (uint32_t)sequence, STAMPS_QUEUE, call_ns,
			    call_ns + EPOCH_NS);
		stamps_take(&world.stamps, (uint32_t)sequence, STAMPS_DRIVER,
			    driver_ns + shifts->driver_ns,
			    driver_ns + EPOCH_NS + shifts->driver_real_ns);
		stamps_answer(&world.stamps, &reply);
	}
	return reply.read_ns;
}

static void world_finish(void)
{
	struct result_target *target = &world.target;

	target->window_ns = target->elapsed_ns = world.depth.last_ns;
	if (world.stamps.every > 0) {
		target->rtt_kernel = &world.kernel;
		target->sending_held_ns = (double)world.stamped.sending_sum_ns;
		target->sending_samples = world.stamped.counts.complete;
		target->sampled_ping_mean_ns.known = stamps_slopes(
			&world.stamped, &target->sending_slope, &target->network_slope);
		target->sampled_ping_mean_ns.value = world.stamped.moments.ping_ns;
	}
	summary_complete(&world.result, NULL, NULL);
}

/* Times that vary, with a slow one now and then: 4 ms in 300, as a busy processor makes them. */
static void exchange_many(uint64_t seed, uint32_t every, const struct shifts *shifts)
{
	struct random_state random;
	int64_t now_ns = 0;

	world_begin(every);
	random_seed(&random, seed);
	for (uint64_t sequence = 1; sequence <= REQUESTS; sequence++) {
		int64_t takes_ns[3];

		for (int i = 0; i < 3; i++) {
			takes_ns[i] = 20000 + (int64_t)random_below(&random, 30000);
			if (random_below(&random, 900) == 0)
				takes_ns[i] += 4 * NANOSECONDS_PER_MILLISECOND;
		}
		now_ns = exchange(sequence, now_ns, takes_ns, shifts);
	}
	world_finish();
}

static double places(void)
{
	const struct result_target *target = &world.target;

	return target->in_flight_sending.value + target->in_flight_network.value +
	       target->in_flight_receive_queue.value + target->in_flight_unexplained.value;
}

static void test_exact_stamps(void)
{
	static const struct shifts none;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		exchange_many(seed, 64, &none);
		UNIT_UNSIGNED("samples", world.stamped.counts.complete, REQUESTS / 64);
		UNIT_CHECK(world.target.in_flight_sending.known &&
				   world.target.in_flight_network.known &&
				   world.target.in_flight_receive_queue.known &&
				   world.target.in_flight_unexplained.known,
			   "all are known");
		UNIT_NEAR("identity", places(), world.target.in_flight_mean.value, 1e-9);
		UNIT_NEAR("nothing is left", world.target.in_flight_unexplained.value, 0, 1e-9);
		UNIT_NEAR("sending", world.target.in_flight_sending.value, 1.0 / 3, 0.1);
		UNIT_NEAR("network", world.target.in_flight_network.value, 1.0 / 3, 0.1);
	}
	exchange_many(1, 1, &none);
	UNIT_NEAR("each one stamped", world.target.in_flight_unexplained.value, 0, 1e-9);
	UNIT_NEAR("then no estimate", world.target.in_flight_network.value,
		  world.target.received_per_s.value * histogram_mean(&world.kernel) / 1e9, 1e-9);
}

static void test_shifted_stamps(void)
{
	static const struct {
		const char *label;
		struct shifts shifts;
		double unexplained_ns;
	} rows[] = {
		{"driver, brought over", {.driver_ns = 5000}, -5000},
		{"driver, as it came", {.driver_real_ns = 5000}, 5000},
		{"receive, as it came", {.receive_real_ns = 5000}, -5000},
		{"the socket's queue", {.queue_ns = -5000}, 5000},
		{"both clocks of one stamp: moved from one place to the other",
		 {.driver_ns = 5000, .driver_real_ns = 5000}, 0},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		exchange_many(3, 64, &rows[i].shifts);
		UNIT_NEAR(rows[i].label, world.target.in_flight_unexplained.value,
			  world.target.received_per_s.value * rows[i].unexplained_ns / 1e9, 1e-9);
		UNIT_NEAR("identity", places(), world.target.in_flight_mean.value, 1e-9);
	}
}

/* Without send stamps the network holds both, and sending is not known. */
static void test_without_send_stamps(void)
{
	static const struct shifts none;

	exchange_many(1, 0, &none);
	UNIT_CHECK(!world.target.in_flight_sending.known, "sending");
	UNIT_NEAR("network", world.target.in_flight_network.value,
		  world.target.received_per_s.value * histogram_mean(&world.ping) / 1e9, 1e-12);
	UNIT_NEAR("identity", places(), world.target.in_flight_mean.value, 1e-12);
}

/* Lines through two samples that do not reach as far as the rest: plain means then. */
static void test_no_negative_place(void)
{
	static const struct shifts none;
	static const int64_t sampled[2][3] = {{1000, 100000, 1000}, {11000, 95000, 1000}};
	static const int64_t other[3] = {1000, 1000, 1000};
	int64_t now_ns = 0;

	world_begin(64);
	for (uint64_t sequence = 1; sequence <= 128; sequence++) {
		bool wanted = stamps_wants(&world.stamps, 0, 0);

		now_ns = exchange(sequence, now_ns,
				  wanted ? sampled[world.stamped.counts.sampled] : other, &none);
	}
	world_finish();
	UNIT_UNSIGNED("two", world.stamped.counts.complete, 2);
	UNIT_NEAR("sending", world.target.in_flight_sending.value,
		  world.target.received_per_s.value * 6000 / 1e9, 1e-9);
	UNIT_NEAR("network", world.target.in_flight_network.value,
		  world.target.received_per_s.value * 97500 / 1e9, 1e-9);
	UNIT_NEAR("identity", places(), world.target.in_flight_mean.value, 1e-9);
}

const struct unit_suite suite_places = {
	"places",
	(const struct unit_test[]){
		{"exact stamps leave nothing unexplained", test_exact_stamps},
		{"a shifted stamp shows", test_shifted_stamps},
		{"without send stamps", test_without_send_stamps},
		{"no place holds less than nothing", test_no_negative_place},
		{NULL, NULL},
	},
};
