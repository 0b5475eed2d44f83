/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of stamped requests: which are sampled, that the pieces of one meet in every order, and
 * that whatever does not come, comes twice, comes late or comes from nowhere is counted as what it
 * is. The real-time clock of these tests is far from the run's, so that a mix of both would show.
 */
#include "core/stamps.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "unit/unit.h"

#define RING 8
#define EPOCH_NS INT64_C(1700000000000000000) /* real time where the run's clock has its zero */
#define TIMEOUT_NS NANOSECONDS_PER_SECOND

/* One round trip: what each part takes. */
#define CALL_NS INT64_C(5000000)
#define TO_QUEUE 2500
#define TO_DRIVER 500
#define TO_HOST 2750 /* driver to driver */
#define TO_CALL 3000 /* the reply waits until our receive call */
#define TO_US 435
#define WHOLE_NS (TO_QUEUE + TO_DRIVER + TO_HOST + TO_CALL + TO_US)
#define HARDWARE_NS 1800

static struct stamps stamps;
static struct stamps_sample ring[RING];
static struct stamps_target targets[3];
static struct histogram histograms[3][2 + BUDGET_PARTS];

static void start(uint32_t every)
{
	memset(ring, 0, sizeof(ring));
	memset(targets, 0, sizeof(targets));
	memset(histograms, 0, sizeof(histograms));
	for (int i = 0; i < 3; i++) {
		targets[i].rtt_kernel = &histograms[i][0];
		targets[i].rtt_hardware = &histograms[i][1];
		for (int part = 0; part < BUDGET_PARTS; part++)
			targets[i].budget[part] = part == BUDGET_DRIVER_TO_DRIVER
							  ? targets[i].rtt_kernel
							  : &histograms[i][2 + part];
		targets[i].phase = (uint32_t)i * 123456789u;
	}
	stamps_init(&stamps, ring, RING, targets, every, TIMEOUT_NS);
}

static void take(uint64_t sequence, enum stamps_kind kind, int64_t at_ns)
{
	stamps_take(&stamps, (uint32_t)sequence, kind, at_ns, at_ns + EPOCH_NS);
}

static struct stamps_reply reply_at(uint64_t sequence, int64_t stamp_ns, int64_t call_ns,
				    int64_t read_ns)
{
	return (struct stamps_reply){
		.sequence = sequence,
		.receive_call_ns = call_ns,
		.read_ns = read_ns,
		.stamp_ns = stamp_ns,
		.real_ns = stamp_ns + EPOCH_NS,
		.hardware_ns = STAMPS_NONE,
	};
}

/* The pieces of the round trip above, sent at call_ns. */
static void queue_piece(uint64_t sequence, int64_t call_ns)
{
	take(sequence, STAMPS_QUEUE, call_ns + TO_QUEUE);
}

static void driver_piece(uint64_t sequence, int64_t call_ns)
{
	take(sequence, STAMPS_DRIVER, call_ns + TO_QUEUE + TO_DRIVER);
}

static void reply_piece(uint64_t sequence, int64_t call_ns)
{
	int64_t arrived_ns = call_ns + TO_QUEUE + TO_DRIVER + TO_HOST;
	struct stamps_reply reply =
		reply_at(sequence, arrived_ns, arrived_ns + TO_CALL, call_ns + WHOLE_NS);

	stamps_answer(&stamps, &reply);
}

static void check_counts(const char *label, uint64_t sampled, uint64_t complete, uint64_t queue,
			 uint64_t driver, uint64_t receive, uint64_t voided)
{
	const struct result_stamps *counts = &targets[0].counts;

	UNIT_CHECK(counts->sampled == sampled && counts->complete == complete &&
			   counts->missing_queue == queue && counts->missing_driver == driver &&
			   counts->missing_receive == receive && counts->voided == voided,
		   "%s: sampled %llu, complete %llu, missing %llu %llu %llu, voided %llu", label,
		   (unsigned long long)counts->sampled, (unsigned long long)counts->complete,
		   (unsigned long long)counts->missing_queue,
		   (unsigned long long)counts->missing_driver,
		   (unsigned long long)counts->missing_receive,
		   (unsigned long long)counts->voided);
}

static void check_idle(const char *label)
{
	UNIT_CHECK(!stamps_awaits_stamps(&stamps) && !stamps_awaits_replies(&stamps) &&
			   stamps.lacking == 0 && stamps.unanswered == 0 &&
			   stamps.head == stamps.tail,
		   "%s: lacking %llu, unanswered %llu, %llu in the ring", label,
		   (unsigned long long)stamps.lacking, (unsigned long long)stamps.unanswered,
		   (unsigned long long)(stamps.tail - stamps.head));
}

static double budget_sum(void)
{
	double sum = 0;

	for (int part = 0; part < BUDGET_PARTS; part++)
		sum += histogram_mean(targets[0].budget[part]);
	return sum;
}

static void test_sampling(void)
{
	enum { BLOCKS = 6400, EVERY = 64 };
	uint32_t places[EVERY] = {0};
	uint32_t most = 0, least = UINT32_MAX;

	start(EVERY);
	for (uint32_t block = 0; block < BLOCKS; block++) {
		uint32_t in_block = 0;

		for (uint32_t place = 0; place < EVERY; place++) {
			if (!stamps_wants(&stamps, 0, place))
				continue;
			in_block++;
			places[place]++;
		}
		UNIT_UNSIGNED("one in each block", in_block, 1);
		targets[0].requests += EVERY;
	}
	for (uint32_t place = 0; place < EVERY; place++) {
		most = places[place] > most ? places[place] : most;
		least = places[place] < least ? places[place] : least;
	}
	UNIT_CHECK(least >= 98 && most <= 102, "places of a block come up %u to %u times in 6400",
		   least, most);
	/* Even over few blocks: 64 blocks leave hardly a place out. */
	start(EVERY);
	uint64_t seen = 0;
	for (uint32_t block = 0; block < 64; block++, targets[0].requests += EVERY)
		for (uint32_t place = 0; place < EVERY; place++)
			if (stamps_wants(&stamps, 0, place))
				seen |= UINT64_C(1) << place;
	UNIT_CHECK(__builtin_popcountll(seen) >= 55, "64 blocks show %d places of 64",
		   __builtin_popcountll(seen));
	start(EVERY);
	targets[1].phase = UINT32_C(1) << 31;
	UNIT_CHECK(stamps_wants(&stamps, 0, 0) && stamps_wants(&stamps, 1, EVERY / 2),
		   "the phase says where it starts");
}

static void test_every_request(void)
{
	start(1);
	for (uint64_t sequence = 1; sequence <= 5; sequence++) {
		UNIT_CHECK(stamps_wants(&stamps, 0, (uint32_t)sequence * 7), "each one");
		stamps_sent(&stamps, 0, sequence, CALL_NS);
	}
	check_counts("every = 1", 5, 0, 0, 0, 0, 0);
}

/* What was asked for when a batch was made is what is remembered when it was sent. */
static void test_ahead(void)
{
	uint64_t sequence = 0;

	start(64);
	for (int batch = 0; batch < 500; batch++) {
		uint32_t size = 1 + (uint32_t)batch % 64, wanted = 0, target = (uint32_t)batch % 3;
		uint64_t before = targets[target].counts.sampled;

		for (uint32_t i = 0; i < size; i++)
			wanted += stamps_wants(&stamps, target, i);
		for (uint32_t i = 0; i < size; i++)
			stamps_sent(&stamps, target, ++sequence, CALL_NS);
		UNIT_UNSIGNED("of a batch", targets[target].counts.sampled - before, wanted);
	}
}

static void check_whole(const char *label)
{
	static const int64_t expected[] = {TO_QUEUE, TO_DRIVER, TO_HOST, TO_CALL, TO_US};

	check_counts(label, 1, 1, 0, 0, 0, 0);
	check_idle(label);
	for (int part = 0; part < BUDGET_PARTS; part++) {
		UNIT_UNSIGNED(label, targets[0].budget[part]->samples, 1);
		UNIT_SIGNED(label, targets[0].budget[part]->min_ns, expected[part]);
	}
	UNIT_NEAR(label, budget_sum(), WHOLE_NS, 0);
	UNIT_SIGNED(label, (int64_t)targets[0].sending_sum_ns, TO_QUEUE + TO_DRIVER);
}

/* The three pieces in all six orders, each piece twice in one more round. */
static void test_orders(void)
{
	static void (*const pieces[])(uint64_t, int64_t) = {queue_piece, driver_piece, reply_piece};
	static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					 {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	char label[64];

	for (int twice = 0; twice < 2; twice++) {
		for (size_t order = 0; order < ARRAY_LENGTH(orders); order++) {
			(void)snprintf(label, sizeof(label), "order %zu%s", order,
				       twice ? ", each twice" : "");
			start(1);
			stamps_sent(&stamps, 0, 77, CALL_NS);
			UNIT_CHECK(stamps_awaits_stamps(&stamps) && stamps_awaits_replies(&stamps),
				   "%s: awaited", label);
			for (int i = 0; i < 3; i++) {
				pieces[orders[order][i]](77, CALL_NS);
				if (twice) /* another time, as a second layer would give it */
					pieces[orders[order][i]](77, CALL_NS + 40);
			}
			check_whole(label);
		}
	}
}

/* Three requests interleaved: matched by number, whatever comes first. */
static void test_interleaved(void)
{
	start(1);
	for (uint64_t sequence = 10; sequence < 13; sequence++)
		stamps_sent(&stamps, 0, sequence, CALL_NS + (int64_t)sequence);
	reply_piece(12, CALL_NS + 12);
	driver_piece(11, CALL_NS + 11);
	queue_piece(12, CALL_NS + 12);
	reply_piece(10, CALL_NS + 10);
	driver_piece(12, CALL_NS + 12);
	driver_piece(10, CALL_NS + 10);
	queue_piece(10, CALL_NS + 10);
	queue_piece(11, CALL_NS + 11);
	UNIT_CHECK(!stamps_awaits_stamps(&stamps) && stamps_awaits_replies(&stamps),
		   "one reply is out");
	reply_piece(11, CALL_NS + 11);
	check_counts("interleaved", 3, 3, 0, 0, 0, 0);
	check_idle("interleaved");
	UNIT_NEAR("all alike", histogram_deviation(targets[0].rtt_kernel), 0, 0);
	UNIT_NEAR("sum", budget_sum(), WHOLE_NS, 0);
}

/* A reply that arrives during the receive call has waited for nothing. */
static void test_arrival_during_call(void)
{
	int64_t arrived_ns = CALL_NS + TO_QUEUE + TO_DRIVER + TO_HOST;
	struct stamps_reply reply = reply_at(1, arrived_ns, arrived_ns - 700, arrived_ns + 300);

	start(1);
	stamps_sent(&stamps, 0, 1, CALL_NS);
	queue_piece(1, CALL_NS);
	driver_piece(1, CALL_NS);
	stamps_answer(&stamps, &reply);
	UNIT_SIGNED("no wait", targets[0].budget[BUDGET_DRIVER_TO_SOCKET]->max_ns, 0);
	UNIT_SIGNED("the rest of the call", targets[0].budget[BUDGET_SOCKET_TO_US]->max_ns, 300);
	UNIT_NEAR("sum", budget_sum(), (double)(reply.read_ns - CALL_NS), 0);
}

static void test_unknown_ids(void)
{
	static const uint32_t unknown[] = {0, 1, 9, 11, 19, 21, 1000, UINT32_MAX};

	start(1);
	stamps_take(&stamps, 5, STAMPS_QUEUE, 1, 1); /* an empty table */
	stamps_sent(&stamps, 0, 10, CALL_NS);
	stamps_sent(&stamps, 0, 20, CALL_NS);
	for (size_t i = 0; i < ARRAY_LENGTH(unknown); i++) {
		take(unknown[i], STAMPS_QUEUE, 1);
		take(unknown[i], STAMPS_DRIVER, 1);
		reply_piece(unknown[i], CALL_NS);
	}
	UNIT_UNSIGNED("nothing has come", stamps.lacking + stamps.unanswered, 4);
	queue_piece(10, CALL_NS);
	driver_piece(10, CALL_NS);
	reply_piece(10, CALL_NS);
	/* It is through: what comes now is old. */
	queue_piece(10, CALL_NS + 1);
	reply_piece(10, CALL_NS + 1);
	check_counts("unknown ids", 2, 1, 0, 0, 0, 0);
}

/* Ids are 32 bits: they come round, and 2^32 requests ago is not now. */
static void test_wrap(void)
{
	uint64_t base = UINT64_C(3) << 32;

	start(1);
	for (uint64_t sequence = base - 2; sequence < base + 2; sequence++)
		stamps_sent(&stamps, 0, sequence, CALL_NS);
	for (uint64_t sequence = base - 2; sequence < base + 2; sequence++) {
		driver_piece(sequence, CALL_NS);
		reply_piece(sequence, CALL_NS);
		queue_piece(sequence, CALL_NS);
	}
	check_counts("wrap", 4, 4, 0, 0, 0, 0);
	check_idle("wrap");
	UNIT_NEAR("sum", budget_sum(), WHOLE_NS, 0);
	stamps_sent(&stamps, 0, 2 * base + 5, CALL_NS);
	reply_piece(base + 5, CALL_NS);
	UNIT_UNSIGNED("the reply to another", stamps.unanswered, 1);
}

static void test_missing(void)
{
	static const struct {
		const char *label;
		bool queue, driver, reply, stamped;
		uint64_t missing[3];
	} rows[] = {
		{"no queue stamp", false, true, true, true, {1, 0, 0}},
		{"no driver stamp", true, false, true, true, {0, 1, 0}},
		{"no send stamp", false, false, true, true, {1, 1, 0}},
		{"no receive stamp", true, true, true, false, {0, 0, 1}},
		{"no stamp at all", false, false, true, false, {1, 1, 1}},
		{"no reply", true, true, false, false, {0, 0, 0}},
		{"nothing", false, false, false, false, {0, 0, 0}},
	};
	struct stamps_reply bare = reply_at(3, 0, CALL_NS + 1, CALL_NS + WHOLE_NS);

	bare.stamp_ns = STAMPS_NONE;
	bare.real_ns = STAMPS_NONE;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		for (int expires = 0; expires < 2; expires++) {
			start(1);
			stamps_sent(&stamps, 0, 3, CALL_NS);
			if (rows[i].reply && rows[i].stamped)
				reply_piece(3, CALL_NS);
			else if (rows[i].reply)
				stamps_answer(&stamps, &bare);
			if (rows[i].queue)
				queue_piece(3, CALL_NS);
			if (rows[i].driver)
				driver_piece(3, CALL_NS);
			if (expires)
				stamps_expire(&stamps, CALL_NS + 2 * TIMEOUT_NS);
			else
				stamps_close(&stamps);
			check_counts(rows[i].label, 1, 0, rows[i].missing[0], rows[i].missing[1],
				     rows[i].missing[2], 0);
			check_idle(rows[i].label);
			UNIT_UNSIGNED(rows[i].label, targets[0].rtt_kernel->samples, 0);
		}
	}
}

/* Who waits how long: without a reply the timeout, with one the grace. */
static void test_expiry(void)
{
	start(1);
	stamps_sent(&stamps, 0, 1, CALL_NS);
	stamps_expire(&stamps, CALL_NS + TIMEOUT_NS);
	UNIT_UNSIGNED("at the timeout", stamps.unanswered, 1);
	stamps_expire(&stamps, CALL_NS + TIMEOUT_NS + 1);
	check_idle("after the timeout");
	stamps_sent(&stamps, 0, 2, CALL_NS);
	reply_piece(2, CALL_NS);
	stamps_expire(&stamps, CALL_NS + WHOLE_NS + STAMPS_GRACE_NS);
	UNIT_UNSIGNED("within the grace", stamps.lacking, 1);
	stamps_expire(&stamps, CALL_NS + WHOLE_NS + STAMPS_GRACE_NS + 1);
	check_idle("after the grace");
	queue_piece(2, CALL_NS);
	check_counts("expired", 2, 0, 1, 1, 0, 0);
	UNIT_UNSIGNED("what expired stays forgotten", targets[0].rtt_kernel->samples, 0);
}

static void test_overwriting(void)
{
	start(1);
	for (uint64_t sequence = 1; sequence <= RING; sequence++)
		stamps_sent(&stamps, 0, sequence, CALL_NS);
	reply_piece(1, CALL_NS); /* lacks both */
	queue_piece(2, CALL_NS); /* never answered */
	for (uint64_t sequence = RING + 1; sequence <= RING + 3; sequence++)
		stamps_sent(&stamps, 0, sequence, CALL_NS);
	check_counts("overwritten", RING + 3, 0, 1, 1, 0, 0);
	for (uint64_t sequence = 1; sequence <= RING + 3; sequence++) {
		queue_piece(sequence, CALL_NS);
		driver_piece(sequence, CALL_NS);
		reply_piece(sequence, CALL_NS);
	}
	check_counts("the rest", RING + 3, RING, 1, 1, 0, 0);
	check_idle("the rest");
}

/* One part below zero: more than 1 us is void, less is nothing, exactly 1 us is still nothing. */
static void test_negative_parts(void)
{
	static const int64_t errors_ns[] = {1, 999, 1000, 1001, 5000};
	char label[64];

	for (int part = 0; part < BUDGET_PARTS; part++) {
		for (size_t i = 0; i < ARRAY_LENGTH(errors_ns); i++) {
			int64_t parts[BUDGET_PARTS] = {20000, 20000, 20000, 20000, 20000};
			int64_t at_ns = CALL_NS;
			bool is_void = errors_ns[i] > STAMPS_ERROR_NS;

			if (part == BUDGET_DRIVER_TO_SOCKET)
				continue; /* cannot be: the later of two times minus one of them */
			(void)snprintf(label, sizeof(label), "part %d short by %lld", part,
				       (long long)errors_ns[i]);
			parts[part] = -errors_ns[i];
			start(1);
			stamps_sent(&stamps, 0, 1, CALL_NS);
			take(1, STAMPS_QUEUE, at_ns += parts[0]);
			take(1, STAMPS_DRIVER, at_ns += parts[1]);
			at_ns += parts[2];
			struct stamps_reply reply = reply_at(1, at_ns, at_ns + parts[3],
							     at_ns + parts[3] + parts[4]);
			stamps_answer(&stamps, &reply);
			check_counts(label, 1, !is_void, 0, 0, 0, is_void);
			check_idle(label);
			UNIT_UNSIGNED(label, targets[0].budget[part]->samples, !is_void);
			if (!is_void)
				UNIT_SIGNED(label, targets[0].budget[part]->max_ns, 0);
		}
	}
}

/* Around a step of real time: stamps that cannot be brought over, and what was under way. */
static void test_clock_step(void)
{
	for (int piece = 0; piece < 3; piece++) {
		int64_t arrived_ns = CALL_NS + TO_QUEUE + TO_DRIVER + TO_HOST;
		struct stamps_reply reply =
			reply_at(1, arrived_ns, arrived_ns + 1, CALL_NS + WHOLE_NS);

		if (piece == 2)
			reply.stamp_ns = STAMPS_NONE;
		start(1);
		stamps_sent(&stamps, 0, 1, CALL_NS);
		stamps_take(&stamps, 1, STAMPS_QUEUE, piece == 0 ? STAMPS_NONE : CALL_NS + 100,
			    EPOCH_NS + CALL_NS + 100);
		stamps_take(&stamps, 1, STAMPS_DRIVER, piece == 1 ? STAMPS_NONE : CALL_NS + 200,
			    EPOCH_NS + CALL_NS + 200);
		stamps_answer(&stamps, &reply);
		check_counts("a stamp of an uncertain time", 1, 0, 0, 0, 0, 1);
		check_idle("a stamp of an uncertain time");
	}
	/* A reply whose stamp was left out: whether its send stamps come or not. */
	for (int pieces = 0; pieces < 3; pieces++) {
		struct stamps_reply reply =
			reply_at(1, CALL_NS, CALL_NS + TO_QUEUE, CALL_NS + WHOLE_NS);

		reply.stamp_ns = reply.real_ns = STAMPS_NONE;
		reply.is_void = true;
		start(1);
		stamps_sent(&stamps, 0, 1, CALL_NS);
		stamps_answer(&stamps, &reply);
		if (pieces > 0)
			queue_piece(1, CALL_NS);
		if (pieces > 1)
			driver_piece(1, CALL_NS);
		stamps_close(&stamps);
		check_counts("left out", 1, 0, 0, 0, 0, 1);
		check_idle("left out");
	}
	/* One that is void and has an older one before it is not judged again. */
	start(1);
	stamps_sent(&stamps, 0, 1, CALL_NS);
	stamps_sent(&stamps, 0, 2, CALL_NS);
	queue_piece(2, CALL_NS);
	stamps_take(&stamps, 2, STAMPS_DRIVER, STAMPS_NONE, EPOCH_NS);
	reply_piece(2, CALL_NS);
	stamps_take(&stamps, 2, STAMPS_HARDWARE, STAMPS_NONE, 42);
	check_counts("void once", 2, 0, 0, 0, 0, 1);
	start(1);
	stamps_sent(&stamps, 0, 1, CALL_NS);
	queue_piece(1, CALL_NS);
	stamps_sent(&stamps, 0, 2, CALL_NS);
	reply_piece(2, CALL_NS);
	stamps_void(&stamps);
	check_counts("under way", 2, 0, 0, 0, 0, 2);
	check_idle("under way");
	driver_piece(1, CALL_NS);
	reply_piece(1, CALL_NS);
	stamps_sent(&stamps, 0, 3, CALL_NS);
	queue_piece(3, CALL_NS);
	driver_piece(3, CALL_NS);
	reply_piece(3, CALL_NS);
	check_counts("the next one is sound again", 3, 1, 0, 0, 0, 2);
}

/* Where the interface stamps too, on a clock of its own: in every order, and missing. */
static void test_hardware(void)
{
	static const int orders[][2] = {{0, 1}, {1, 0}};
	int64_t arrived_ns = CALL_NS + TO_QUEUE + TO_DRIVER + TO_HOST;
	struct stamps_reply reply =
		reply_at(1, arrived_ns, arrived_ns + TO_CALL, CALL_NS + WHOLE_NS);

	reply.hardware_ns = 42 + HARDWARE_NS;
	for (size_t order = 0; order < ARRAY_LENGTH(orders); order++) {
		start(1);
		stamps_sent(&stamps, 0, 1, CALL_NS);
		queue_piece(1, CALL_NS);
		driver_piece(1, CALL_NS);
		for (int i = 0; i < 2; i++) {
			if (orders[order][i] == 0)
				stamps_answer(&stamps, &reply);
			else
				stamps_take(&stamps, 1, STAMPS_HARDWARE, STAMPS_NONE, 42);
		}
		check_whole("with hardware");
		UNIT_UNSIGNED("samples", targets[0].rtt_hardware->samples, 1);
		UNIT_SIGNED("rtt_hardware", targets[0].rtt_hardware->max_ns, HARDWARE_NS);
	}
	start(1);
	stamps_sent(&stamps, 0, 1, CALL_NS);
	queue_piece(1, CALL_NS);
	driver_piece(1, CALL_NS);
	stamps_answer(&stamps, &reply);
	UNIT_CHECK(stamps_awaits_stamps(&stamps), "the interface's own is still out");
	check_counts("without it the rest counts", 1, 1, 0, 0, 0, 0);
	stamps_void(&stamps); /* nothing left to void: it was recorded */
	check_whole("hardware stamp missing");
	UNIT_UNSIGNED("samples", targets[0].rtt_hardware->samples, 0);
}

/* An interface whose driver stamps nothing is not asked for ever. */
static void test_hopeless(void)
{
	start(1);
	for (uint64_t sequence = 1; sequence <= STAMPS_HOPELESS_AFTER; sequence++) {
		stamps_sent(&stamps, 0, sequence, CALL_NS);
		queue_piece(sequence, CALL_NS);
		reply_piece(sequence, CALL_NS);
		UNIT_CHECK(stamps_awaits_stamps(&stamps), "still asked for");
		stamps_expire(&stamps, CALL_NS + TIMEOUT_NS);
	}
	stamps_sent(&stamps, 0, 1000, CALL_NS);
	UNIT_CHECK(!stamps_awaits_stamps(&stamps), "not asked for any more");
	queue_piece(1000, CALL_NS);
	driver_piece(1000, CALL_NS);
	reply_piece(1000, CALL_NS);
	stamps_sent(&stamps, 0, 1001, CALL_NS);
	UNIT_CHECK(stamps_awaits_stamps(&stamps), "one that came after all restores hope");
}

/* Parts of which the network's varies alone, then the sending alone, then both half each. */
static void test_slopes(void)
{
	static const struct {
		const char *label;
		int64_t sending_ns, network_ns; /* by which a step changes */
	} rows[] = {{"network", 0, 10}, {"sending", 10, 0}, {"both", 5, 5}, {"against", 30, -20}};
	double sending = -1, network = -1;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		start(1);
		UNIT_CHECK(!stamps_slopes(&targets[0], &sending, &network), "nothing is known");
		for (int64_t step = 0; step < 100; step++) {
			uint64_t sequence = (uint64_t)step + 1;
			int64_t driver_ns = CALL_NS + 10000 + step * rows[i].sending_ns;
			int64_t arrived_ns = driver_ns + 10000 + step * rows[i].network_ns;
			struct stamps_reply reply =
				reply_at(sequence, arrived_ns, arrived_ns, arrived_ns);

			stamps_sent(&stamps, 0, sequence, CALL_NS);
			take(sequence, STAMPS_QUEUE, CALL_NS + 5000);
			take(sequence, STAMPS_DRIVER, driver_ns);
			stamps_answer(&stamps, &reply);
		}
		UNIT_CHECK(stamps_slopes(&targets[0], &sending, &network), "%s: known",
			   rows[i].label);
		UNIT_NEAR(rows[i].label, sending, (double)rows[i].sending_ns / 10, 1e-9);
		UNIT_NEAR(rows[i].label, network, (double)rows[i].network_ns / 10, 1e-9);
	}
}

/* Random pieces in random order with losses, against a plain list of what came. */
static void test_random(void)
{
	enum { REQUESTS = 4000, WINDOW = RING };
	struct random_state random;
	uint64_t complete = 0, missing_queue = 0, missing_driver = 0;
	double whole_ns = 0;

	start(1);
	random_seed(&random, 7);
	for (uint64_t first = 1; first <= REQUESTS; first += WINDOW) {
		bool has[WINDOW][3], done[WINDOW][3] = {{false}};
		int left = 0;

		for (uint64_t i = 0; i < WINDOW; i++) {
			stamps_sent(&stamps, 0, first + i, CALL_NS);
			for (int piece = 0; piece < 3; piece++) {
				has[i][piece] = random_below(&random, 5) > 0;
				left += has[i][piece];
			}
			complete += has[i][0] && has[i][1] && has[i][2];
			missing_queue += has[i][2] && !has[i][0];
			missing_driver += has[i][2] && !has[i][1];
			whole_ns += has[i][0] && has[i][1] && has[i][2] ? WHOLE_NS : 0;
		}
		while (left > 0) {
			uint64_t i = random_below(&random, WINDOW);
			uint64_t piece = random_below(&random, 3);

			if (!has[i][piece] || done[i][piece])
				continue;
			done[i][piece] = true;
			left--;
			(piece == 0 ? queue_piece : piece == 1 ? driver_piece : reply_piece)(
				first + i, CALL_NS);
		}
	}
	stamps_close(&stamps);
	check_counts("random", REQUESTS, complete, missing_queue, missing_driver, 0, 0);
	check_idle("random");
	UNIT_NEAR("sum of the parts", budget_sum() * (double)complete, whole_ns, 1e-3);
}

const struct unit_suite suite_stamps = {
	"stamps",
	(const struct unit_test[]){
		{"one in each block, at even places", test_sampling},
		{"every request", test_every_request},
		{"wanted and sent agree", test_ahead},
		{"every order of the pieces", test_orders},
		{"interleaved requests", test_interleaved},
		{"a reply during the receive call", test_arrival_during_call},
		{"unknown and old ids", test_unknown_ids},
		{"ids come round", test_wrap},
		{"missing pieces", test_missing},
		{"how long is waited", test_expiry},
		{"overwriting", test_overwriting},
		{"negative parts", test_negative_parts},
		{"clock steps", test_clock_step},
		{"hardware stamps", test_hardware},
		{"no hope for stamps", test_hopeless},
		{"slopes", test_slopes},
		{"random pieces", test_random},
		{NULL, NULL},
	},
};
