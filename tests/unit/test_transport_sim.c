/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated transport: that its time is exact, that its packets are what a parser expects, that
 * each setting does what it says and nothing else, and that a seed tells the whole run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/checksum.h"
#include "core/fragments.h"
#include "core/simulation.h"
#include "core/wire_format.h"
#include "os/simulated_path.h"
#include "os/simulated_stamps.h"
#include "os/transport.h"
#include "os/waiter.h"
#include "unit/unit.h"

#define START_NS INT64_C(5000000000)
#define CAPACITY 70000u

/* One open transport with everything around it. */
struct lab {
	struct configuration configuration;
	int64_t time_ns;
	struct clock_source clock;
	struct waiter waiter;
	struct transport_settings settings;
	struct transport transport;
	uint8_t request[CAPACITY];
	uint8_t reply[CAPACITY];
	struct transport_incoming incoming;
	int64_t received_ns;
};

static void no_wait(void *context, const int *descriptors, uint32_t count, int64_t until_ns,
		    bool precise)
{
	(void)context, (void)descriptors, (void)count, (void)until_ns, (void)precise;
}

/* data: bytes of echo data. NULL, and a failed check, when it does not open. */
static struct lab *lab_open_as(enum configuration_stamps stamps, uint8_t family, uint32_t data,
			       const char *simulation)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	struct error error;
	const struct wire_format *format = wire_format_find(family);
	uint16_t sum;

	if (lab == NULL)
		return NULL;
	error_clear(&error);
	configuration_defaults(&lab->configuration);
	lab->configuration.stamps = stamps;
	UNIT_CHECK(simulation[0] == '\0' ||
			   simulation_parse(simulation, &lab->configuration.simulation, &error) ==
				   0,
		   "%s", error.text);
	lab->time_ns = START_NS;
	lab->clock = (struct clock_source){.row = &clock_simulated, .context = &lab->time_ns};
	lab->waiter = (struct waiter){.wait = no_wait};
	lab->settings = (struct transport_settings){
		.family = family,
		.identifier = 0x1234,
		.configuration = &lab->configuration,
		.packet_bytes = data + 8,
		.outstanding = 64,
		.clock = &lab->clock,
		.waiter = &lab->waiter,
	};
	lab->transport.row = &transport_sim;
	if (!UNIT_CHECK(transport_sim.open(&lab->transport, &lab->settings, -1, &error) == 0, "%s",
			error.text)) {
		free(lab);
		return NULL;
	}
	for (uint8_t i = 0; i < 3; i++) {
		uint8_t bytes[16] = {10, 0, 0, i};
		struct address address =
			family == 4 ? address_from_ip4(bytes) : address_from_ip6(bytes, 0);

		UNIT_SIGNED("destination",
			    transport_sim.add_destination(&lab->transport, &address, &error), i);
	}
	for (uint32_t i = 0; i < data; i++)
		lab->request[8 + i] = (uint8_t)(i * 7 + 1);
	format->build(lab->request, 0x1234);
	sum = checksum_sum(lab->request + 8, data);
	format->finish(lab->request, 1, sum);
	lab->incoming.bytes = lab->reply;
	lab->incoming.capacity = CAPACITY;
	return lab;
}

static struct lab *lab_open(uint8_t family, uint32_t data, const char *simulation)
{
	return lab_open_as(STAMPS_RX, family, data, simulation);
}

static void lab_close(struct lab *lab)
{
	transport_sim.close(&lab->transport);
	UNIT_CHECK(lab->waiter.wait == no_wait, "the waiter is not put back");
	free(lab);
}

static int lab_send(struct lab *lab, uint32_t destination)
{
	struct transport_outgoing outgoing = {
		.bytes = lab->request,
		.length = lab->settings.packet_bytes,
		.destination = destination,
	};

	return transport_sim.send(&lab->transport, &outgoing, 1);
}

static int lab_receive(struct lab *lab)
{
	return transport_sim.receive(&lab->transport, &lab->incoming, 1, &lab->received_ns);
}

static void lab_wait(struct lab *lab, int64_t until_ns)
{
	lab->waiter.wait(lab->waiter.context, NULL, 0, until_ns, false);
}

/* Sends one request and waits for its reply; false if there is none within 10 s. */
static bool lab_exchange(struct lab *lab)
{
	if (lab_send(lab, 1) != 1)
		return false;
	lab_wait(lab, lab->time_ns + 10 * NANOSECONDS_PER_SECOND);
	return lab_receive(lab) == 1;
}

static void test_time(void)
{
	struct lab *lab = lab_open(4, 56, "delay=3ms,send=250ns");

	if (lab == NULL)
		return;
	UNIT_SIGNED("sent", lab_send(lab, 1), 1);
	UNIT_SIGNED("a send takes its time", lab->time_ns, START_NS + 250);
	UNIT_SIGNED("nothing yet", lab_receive(lab), 0);
	lab_wait(lab, START_NS + 1000);
	UNIT_SIGNED("not past the limit", lab->time_ns, START_NS + 1000);
	lab_wait(lab, START_NS + 500);
	UNIT_SIGNED("never back", lab->time_ns, START_NS + 1000);
	lab_wait(lab, TIME_NEVER_NS);
	UNIT_SIGNED("to the arrival", lab->time_ns, START_NS + 3000000);
	UNIT_SIGNED("received", lab_receive(lab), 1);
	UNIT_SIGNED("read time", lab->received_ns, START_NS + 3000000);
	UNIT_SIGNED("stamp", lab->incoming.stamp_ns, START_NS + 3000000);
	UNIT_SIGNED("ttl", lab->incoming.ttl, 64);
	UNIT_UNSIGNED("whole", lab->incoming.largest_fragment, 0);
	UNIT_UNSIGNED("source", lab->incoming.source.bytes[3], 1);
	UNIT_SIGNED("only one", lab_receive(lab), 0);
	/* A reply that is taken late keeps its stamp. */
	UNIT_SIGNED("sent again", lab_send(lab, 2), 1);
	lab->time_ns += NANOSECONDS_PER_SECOND;
	UNIT_SIGNED("received late", lab_receive(lab), 1);
	UNIT_SIGNED("its stamp", lab->incoming.stamp_ns, START_NS + 6000000);
	UNIT_SIGNED("descriptor", transport_sim.descriptor(&lab->transport), -1);
	UNIT_UNSIGNED("identifier", lab->transport.identifier, 0x1234);
	lab_close(lab);
}

/* What comes back parses as our reply, in both families, for odd lengths, too. */
static void test_packets(void)
{
	static const uint32_t sizes[] = {0, 1, 15, 56, 1472, 1473, 4001, 65507};

	for (uint8_t family = 4; family <= 6; family += 2) {
		const struct wire_format *format = wire_format_find(family);
		unsigned flags = transport_sim.flags(family);
		struct wire_expectation expected = {
			.identifier = 0x1234,
			.has_ip_header = (flags & TRANSPORT_HAS_IP_HEADER) != 0,
			.verify_checksum = (flags & TRANSPORT_VERIFIES_CHECKSUM) == 0,
		};

		UNIT_CHECK(!expected.has_ip_header && (flags & TRANSPORT_SIMULATED) != 0, "flags");
		for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
			struct lab *lab = lab_open(family, sizes[i], "");
			struct event event;

			if (lab == NULL)
				continue;
			UNIT_CHECK(lab_exchange(lab), "IPv%u, %u bytes: no reply", family,
				   sizes[i]);
			format->parse(lab->reply, lab->incoming.length, lab->incoming.full_length,
				      &expected, &event);
			UNIT_SIGNED("kind", event.kind, EVENT_REPLY);
			UNIT_UNSIGNED("sequence", event.sequence, 1);
			UNIT_UNSIGNED("length", event.payload_length, sizes[i]);
			UNIT_CHECK(memcmp(lab->reply + 8, lab->request + 8, sizes[i]) == 0,
				   "IPv%u, %u bytes: data differs", family, sizes[i]);
			lab_close(lab);
		}
	}
}

static void test_cut(void)
{
	struct lab *lab = lab_open(4, 1000, "");

	if (lab == NULL)
		return;
	lab->incoming.capacity = 100;
	UNIT_CHECK(lab_exchange(lab), "no reply");
	UNIT_UNSIGNED("length", lab->incoming.length, 100);
	UNIT_UNSIGNED("full length", lab->incoming.full_length, 1008);
	lab_close(lab);
}

static void test_order(void)
{
	/* The server takes 20 us each: replies of a burst come 20 us apart, in order. */
	struct lab *lab = lab_open(4, 56, "delay=100us,service=20us,send=1us");

	if (lab == NULL)
		return;
	for (uint32_t i = 0; i < 3; i++)
		UNIT_SIGNED("sent", lab_send(lab, i), 1);
	for (uint32_t i = 0; i < 3; i++) {
		lab_wait(lab, TIME_NEVER_NS);
		UNIT_SIGNED("received", lab_receive(lab), 1);
		UNIT_UNSIGNED("in turn", lab->incoming.source.bytes[3], i);
		UNIT_SIGNED("when", lab->incoming.stamp_ns, START_NS + 100000 + 20000 * (i + 1));
	}
	lab_close(lab);
}

/* The network stands still for the last 10 ms of each 100 ms. */
static void test_stall(void)
{
	struct lab *lab = lab_open(4, 56, "delay=2ms,stall-every=100ms,stall=10ms");

	if (lab == NULL)
		return;
	lab->time_ns = START_NS + 88500000; /* at the server before, back in the stall */
	UNIT_CHECK(lab_exchange(lab), "no reply");
	UNIT_SIGNED("reply held", lab->time_ns, START_NS + 100000000);
	lab->time_ns = START_NS + 195000000; /* at the server in the stall */
	UNIT_CHECK(lab_exchange(lab), "no reply");
	UNIT_SIGNED("request held", lab->time_ns, START_NS + 201000000);
	lab->time_ns = START_NS + 250000000;
	UNIT_CHECK(lab_exchange(lab), "no reply");
	UNIT_SIGNED("not held", lab->time_ns, START_NS + 252000000);
	lab_close(lab);
}

/* How many of `count` exchanges have a reply. */
static unsigned int count_replies(uint8_t family, uint32_t data, const char *simulation,
				  unsigned int count)
{
	struct lab *lab = lab_open(family, data, simulation);
	unsigned int replies = 0;

	if (lab == NULL)
		return UINT32_MAX;
	for (unsigned int i = 0; i < count; i++)
		replies += lab_exchange(lab);
	lab_close(lab);
	return replies;
}

/* Shares within 5 standard deviations, and the seed is fixed. */
static void test_losses(void)
{
	static const struct {
		uint8_t family;
		uint32_t data;
		const char *simulation;
		double arrives;
	} rows[] = {
		{4, 56, "loss=0", 1},
		{4, 56, "loss=1", 0},
		{4, 56, "loss=0.25", 0.75},
		{4, 56, "fragment-loss=0.05", 0.95},
		{4, 1472, "fragment-loss=0.05", 0.95},
		{4, 1473, "fragment-loss=0.05", 0.95 * 0.95},
		{6, 2888, "fragment-loss=0.05", 0.95 * 0.95},
		{6, 2889, "fragment-loss=0.05", 0.95 * 0.95 * 0.95},
		{4, 2048, "fragment-loss=0.05,reply-fragment-loss=0.05", 0.95 * 0.95 * 0.95 * 0.95},
		{4, 2048, "reply-fragment-loss=0.1,mtu=9000", 0.9},
		{4, 56, "drop-every=4", 0.75},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		double p = rows[i].arrives;
		double tolerance = 5 * 100 * (p * (1 - p) > 0 ? 0.5 : 0);

		UNIT_NEAR(rows[i].simulation,
			  count_replies(rows[i].family, rows[i].data, rows[i].simulation, 10000),
			  10000 * p, tolerance);
	}
	UNIT_UNSIGNED("every fourth, exactly", count_replies(4, 56, "drop-every=4", 1000), 750);
}

static void test_duplicate_and_reorder(void)
{
	struct lab *lab = lab_open(4, 56, "delay=1ms,duplicate=1");

	if (lab == NULL)
		return;
	UNIT_CHECK(lab_exchange(lab), "no reply");
	UNIT_SIGNED("first", lab->incoming.stamp_ns, START_NS + 1000000);
	lab_wait(lab, TIME_NEVER_NS);
	UNIT_SIGNED("second", lab_receive(lab), 1);
	UNIT_SIGNED("1 us later", lab->incoming.stamp_ns, START_NS + 1001000);
	lab_close(lab);

	lab = lab_open(4, 56, "delay=1ms,reorder=1");
	if (lab == NULL)
		return;
	UNIT_CHECK(lab_exchange(lab), "no reply");
	UNIT_SIGNED("twice the delay", lab->incoming.stamp_ns, START_NS + 2000000);
	lab_close(lab);
}

/* One byte of the data differs, and no checksum tells. */
static void test_corrupt(void)
{
	for (uint8_t family = 4; family <= 6; family += 2) {
		struct lab *lab = lab_open(family, 56, "corrupt=1");

		for (int i = 0; lab != NULL && i < 100; i++) {
			unsigned int different = 0;

			UNIT_CHECK(lab_exchange(lab), "no reply");
			for (size_t at = 8; at < 64; at++)
				different += lab->reply[at] != lab->request[at];
			UNIT_UNSIGNED("bytes changed", different, 1);
			if (family == 4)
				UNIT_UNSIGNED("sum", checksum_sum(lab->reply, 64), 0xffff);
		}
		if (lab != NULL)
			lab_close(lab);
	}
}

static void test_fragment_sizes(void)
{
	struct lab *lab = lab_open(4, 2048, "");

	if (lab == NULL)
		return;
	UNIT_CHECK(lab_exchange(lab), "no reply");
	UNIT_UNSIGNED("largest", lab->incoming.largest_fragment, 1500);
	lab_close(lab);
	/* 1499: pieces of 1472 bytes, but the last may have 1479 and is the largest here. */
	lab = lab_open(4, 1472 + 1479 - 8, "mtu=1499");
	if (lab == NULL)
		return;
	UNIT_CHECK(lab_exchange(lab), "no reply");
	UNIT_UNSIGNED("largest", lab->incoming.largest_fragment, 1499);
	lab_close(lab);
}

static void test_path_mtu_modes(void)
{
	static const struct {
		enum configuration_path_mtu mode;
		bool refuses;
	} rows[] = {
		{PATH_MTU_DEFAULT, false}, {PATH_MTU_WANT, false},     {PATH_MTU_DONT, false},
		{PATH_MTU_OMIT, false},	   {PATH_MTU_INTERFACE, true}, {PATH_MTU_PROBE, true},
		{PATH_MTU_DO, true},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct lab *lab = lab_open(4, 1473, "");
		struct error error;
		int64_t before_ns;

		if (lab == NULL)
			return;
		transport_sim.close(&lab->transport);
		lab->configuration.path_mtu = rows[i].mode;
		UNIT_SIGNED("open", transport_sim.open(&lab->transport, &lab->settings, -1, &error),
			    0);
		before_ns = lab->time_ns;
		UNIT_SIGNED("send", lab_send(lab, 0), rows[i].refuses ? -EMSGSIZE : 1);
		UNIT_CHECK(lab->time_ns > before_ns, "time stands still");
		lab_close(lab);
	}
}

/* Everything that a run can show, as one number. */
static uint64_t fingerprint(uint64_t seed)
{
	struct lab *lab =
		lab_open(4, 2048, "loss=0.1,jitter=1ms,duplicate=0.1,reorder=0.1,corrupt=0.1");
	uint64_t mix = 0;
	struct error error;

	if (lab == NULL)
		return 0;
	transport_sim.close(&lab->transport);
	lab->configuration.simulation.seed = seed;
	UNIT_SIGNED("open", transport_sim.open(&lab->transport, &lab->settings, -1, &error), 0);
	for (int i = 0; i < 3; i++)
		(void)!transport_sim.add_destination(&lab->transport,
						     &(struct address){.family = 4}, &error);
	for (int i = 0; i < 500; i++) {
		if (i % 3 == 0)
			lab_wait(lab, lab->time_ns + 300000);
		UNIT_SIGNED("send", lab_send(lab, 0), 1);
		while (lab_receive(lab) == 1)
			mix = mix * 31 + (uint64_t)lab->incoming.stamp_ns +
			      checksum_sum(lab->reply, lab->incoming.length) +
			      lab->reply[lab->incoming.length / 2];
	}
	lab_close(lab);
	return mix;
}

static void test_seed(void)
{
	UNIT_CHECK(fingerprint(1) == fingerprint(1), "the same seed gives another run");
	UNIT_CHECK(fingerprint(1) != fingerprint(2), "another seed gives the same run");
}

/* Both families in one run: the clock stops at the arrivals of both. */
static void test_two_families(void)
{
	struct lab *four = lab_open(4, 56, "delay=5ms");
	struct transport six = {.row = &transport_sim};
	struct transport_settings settings;
	struct configuration configuration;
	struct transport_outgoing outgoing;
	struct error error;
	uint8_t request[64] = {128};

	if (four == NULL)
		return;
	configuration = four->configuration;
	configuration.simulation.delay_ns = 3000000;
	settings = four->settings;
	settings.family = 6;
	settings.configuration = &configuration;
	UNIT_SIGNED("open", transport_sim.open(&six, &settings, -1, &error), 0);
	UNIT_SIGNED("add",
		    transport_sim.add_destination(&six, &(struct address){.family = 6}, &error), 0);
	outgoing = (struct transport_outgoing){.bytes = request, .length = 64, .destination = 0};
	UNIT_SIGNED("send 4", lab_send(four, 0), 1);
	UNIT_SIGNED("send 6", transport_sim.send(&six, &outgoing, 1), 1);
	lab_wait(four, TIME_NEVER_NS);
	UNIT_SIGNED("the nearer one", four->time_ns, START_NS + 3001000);
	UNIT_SIGNED("4 has none", lab_receive(four), 0);
	UNIT_SIGNED("6 has one",
		    transport_sim.receive(&six, &four->incoming, 1, &four->received_ns), 1);
	UNIT_UNSIGNED("type", four->reply[0], 129);
	lab_wait(four, TIME_NEVER_NS);
	UNIT_SIGNED("the other one", four->time_ns, START_NS + 5000000);
	UNIT_SIGNED("4 has one", lab_receive(four), 1);
	/* The first to open may close first: the other one still has its time. */
	transport_sim.close(&four->transport);
	UNIT_SIGNED("send 6", transport_sim.send(&six, &outgoing, 1), 1);
	lab_wait(four, TIME_NEVER_NS);
	UNIT_SIGNED("6 goes on", four->time_ns, START_NS + 8000000);
	transport_sim.close(&six);
	UNIT_CHECK(four->waiter.wait == no_wait, "the waiter is not put back");
	free(four);
}

/* Replies that nobody takes fill the memory; then they are dropped and counted. */
static void test_bound(void)
{
	struct lab *lab = lab_open(4, 65507, "delay=1ns,send=1ns");
	uint32_t room = SIMULATED_MEMORY_MAX / (65507 + 8);
	uint32_t received = 0;

	if (lab == NULL)
		return;
	for (uint32_t i = 0; i < room + 7; i++)
		UNIT_SIGNED("send", lab_send(lab, 0), 1);
	UNIT_UNSIGNED("drops", transport_sim.drops(&lab->transport), 7);
	lab_wait(lab, lab->time_ns + 10);
	while (lab_receive(lab) == 1)
		received++;
	UNIT_UNSIGNED("received", received, room);
	UNIT_CHECK(lab_exchange(lab), "no room again");
	lab_close(lab);
}

/* Sends one request that asks for stamps; they become known when it leaves the queue. */
static void test_send_stamps(void)
{
	struct lab *lab = lab_open_as(STAMPS_SPLIT, 4, 56, "delay=1ms,send=1us,queue=10us");
	struct transport_stamp stamps[4];

	if (lab == NULL)
		return;
	struct transport_outgoing outgoing[2] = {
		{.bytes = lab->request, .length = 64, .wants_stamps = true, .stamp_id = 77},
		{.bytes = lab->request, .length = 64, .stamp_id = 78},
	};
	UNIT_SIGNED("sent", transport_sim.send(&lab->transport, outgoing, 2), 2);
	UNIT_SIGNED("too early", transport_sim.receive_stamps(&lab->transport, stamps, 4), 0);
	lab_wait(lab, START_NS + NANOSECONDS_PER_SECOND);
	UNIT_SIGNED("stamps end the wait", lab->time_ns, START_NS + 10000);
	lab_wait(lab, START_NS + NANOSECONDS_PER_SECOND);
	UNIT_SIGNED("and do so until they are taken", lab->time_ns, START_NS + 11000);
	UNIT_SIGNED("both", transport_sim.receive_stamps(&lab->transport, stamps, 4), 2);
	for (unsigned int i = 0; i < 2; i++) {
		int64_t expected_ns = START_NS + (i == 0 ? 0 : 10000);

		UNIT_UNSIGNED("kind", stamps[i].kind,
			      i == 0 ? TRANSPORT_STAMP_QUEUE : TRANSPORT_STAMP_DRIVER);
		UNIT_UNSIGNED("id", stamps[i].id, 77);
		UNIT_SIGNED("run's clock", stamps[i].stamp_ns, expected_ns);
		UNIT_SIGNED("real time", stamps[i].real_ns, expected_ns);
	}
	UNIT_SIGNED("once", transport_sim.receive_stamps(&lab->transport, stamps, 4), 0);
	lab_wait(lab, START_NS + NANOSECONDS_PER_SECOND);
	UNIT_SIGNED("reply", lab_receive(lab), 1);
	UNIT_SIGNED("the queue's wait is part of it", lab->incoming.stamp_ns, START_NS + 1010000);
	UNIT_SIGNED("real time", lab->incoming.stamp_real_ns, START_NS + 1010000);
	UNIT_SIGNED("no hardware", lab->incoming.hardware_ns, INT64_MIN);
	lab_close(lab);
}

/* Stamps that nobody wants, that get lost, and of so many requests that there is no room. */
static void test_lost_stamps(void)
{
	static const struct {
		enum configuration_stamps stamps;
		const char *simulation;
		uint32_t count, least, most;
	} rows[] = {
		{STAMPS_USER, "", 10, 0, 0},
		{STAMPS_RX, "", 10, 0, 0},
		{STAMPS_SPLIT, "", 1000, 2000, 2000},
		{STAMPS_SPLIT, "stamp-loss=1", 1000, 0, 0},
		{STAMPS_SPLIT, "stamp-loss=0.25", 10000, 14800, 15200},
		{STAMPS_SPLIT, "loss=1", 1000, 2000, 2000},
		{STAMPS_SPLIT, "loss=1", SIMULATED_STAMPS_MAX + 10, 2 * SIMULATED_STAMPS_MAX,
		 2 * SIMULATED_STAMPS_MAX},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct lab *lab = lab_open_as(rows[i].stamps, 4, 56, rows[i].simulation);
		struct transport_stamp stamps[64];
		uint32_t taken = 0;
		int more;

		if (lab == NULL)
			return;
		struct transport_outgoing outgoing = {
			.bytes = lab->request, .length = 64, .wants_stamps = true};
		for (; outgoing.stamp_id < rows[i].count; outgoing.stamp_id++)
			(void)transport_sim.send(&lab->transport, &outgoing, 1);
		while ((more = transport_sim.receive_stamps(&lab->transport, stamps, 64)) > 0)
			taken += (uint32_t)more;
		UNIT_CHECK(taken >= rows[i].least && taken <= rows[i].most,
			   "row %zu: %u stamps, not %u to %u", i, taken, rows[i].least,
			   rows[i].most);
		lab_close(lab);
	}
}

static void test_refused(void)
{
	struct lab *lab = lab_open(6, 56, "");
	struct transport transport = {.row = &transport_sim};
	struct clock_source real = {.row = &clock_monotonic};
	struct transport_outgoing outgoing;
	struct error error;

	if (lab == NULL)
		return;
	outgoing = (struct transport_outgoing){.bytes = lab->request, .length = 65};
	UNIT_SIGNED("longer than said", transport_sim.send(&lab->transport, &outgoing, 1),
		    -EMSGSIZE);
	lab->configuration.simulation.mtu = 1279;
	error_clear(&error);
	UNIT_SIGNED("IPv6 needs 1280", transport_sim.open(&transport, &lab->settings, -1, &error),
		    -ERROR_INVALID);
	UNIT_CHECK(strstr(error.text, "MTU of 1279") != NULL, "%s", error.text);
	UNIT_CHECK(transport.context == NULL, "something is left");
	lab->configuration.simulation.mtu = 1500;
	lab->settings.clock = &real;
	UNIT_SIGNED("needs virtual time",
		    transport_sim.open(&transport, &lab->settings, -1, &error), -ERROR_INTERNAL);
	lab_close(lab);
}

const struct unit_suite suite_transport_sim = {
	"transport-sim",
	(const struct unit_test[]){
		{"time is exact", test_time},
		{"packets are replies", test_packets},
		{"a short buffer cuts", test_cut},
		{"one server", test_order},
		{"stalls", test_stall},
		{"losses", test_losses},
		{"duplicates and late replies", test_duplicate_and_reorder},
		{"one byte changes", test_corrupt},
		{"largest fragment", test_fragment_sizes},
		{"path MTU modes", test_path_mtu_modes},
		{"the seed tells the run", test_seed},
		{"two families share time", test_two_families},
		{"memory is bounded", test_bound},
		{"send stamps", test_send_stamps},
		{"send stamps that do not come", test_lost_stamps},
		{"refusals", test_refused},
		{NULL, NULL},
	},
};
