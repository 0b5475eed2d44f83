/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The derived figures. Each is checked against the others that it can be derived from, so that a
 * slip in one formula cannot hide; and a miscount put in on purpose must be seen, since that is
 * what the cross-checks are for.
 */
#include "core/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fragments.h"
#include "unit/unit.h"

#define TARGETS 3
#define SECOND	NANOSECONDS_PER_SECOND

struct world {
	struct result result;
	struct configuration configuration;
	struct result_target targets[TARGETS];
	struct histogram user[TARGETS], ping[TARGETS], lateness[TARGETS];
	struct depth depth[TARGETS];
	struct kernel_counters before, after;
	int64_t now_ns;
};

static struct world world;

static void world_begin(uint32_t targets)
{
	static const char *const names[TARGETS] = {"a", "b", "c"};

	memset(&world, 0, sizeof(world));
	world.configuration.timeout_ns = SECOND;
	world.result.configuration = &world.configuration;
	world.result.targets = world.targets;
	world.result.target_count = targets;
	for (uint32_t i = 0; i < targets; i++) {
		struct result_target *target = &world.targets[i];

		target->name = names[i];
		target->family = 4;
		target->mtu = target->path_mtu = 1500;
		target->payload_bytes = 56;
		target->rtt_user = &world.user[i];
		target->rtt_ping = &world.ping[i];
		target->depth = &world.depth[i];
		depth_start(&world.depth[i], 0);
	}
}

/* `count` requests one after the other, each held rtt_ns in flight and answered. */
static void answer(uint32_t i, uint64_t count, int64_t rtt_ns, int64_t queue_ns, int64_t pause_ns)
{
	struct result_target *target = &world.targets[i];

	for (uint64_t n = 0; n < count; n++) {
		(void)depth_change(&world.depth[i], 1, world.now_ns);
		world.now_ns += rtt_ns;
		(void)depth_change(&world.depth[i], -1, world.now_ns);
		world.now_ns += pause_ns;
		histogram_record(&world.user[i], rtt_ns);
		histogram_record(&world.ping[i], rtt_ns - queue_ns);
		target->receive_queue_held_ns += (double)queue_ns;
		target->receive_queue_samples++;
		target->tally.sent++;
		target->tally.received++;
	}
}

/* A request that holds its slot for held_ns and is answered after rtt_ns, or never (0). */
static void give_up(uint32_t i, int64_t held_ns, int64_t rtt_ns)
{
	struct result_target *target = &world.targets[i];

	(void)depth_change(&world.depth[i], 1, world.now_ns);
	world.now_ns += held_ns;
	(void)depth_change(&world.depth[i], -1, world.now_ns);
	target->tally.sent++;
	target->given_up++;
	target->given_up_held_ns += (double)held_ns;
	if (rtt_ns == 0) {
		target->tally.lost++;
		target->tally.lost_unknown++;
		return;
	}
	histogram_record(&world.user[i], rtt_ns);
	target->given_up_answered_rtt_ns += (double)rtt_ns;
	target->tally.received++;
}

static void world_finish(void)
{
	for (uint32_t i = 0; i < world.result.target_count; i++) {
		struct result_target *target = &world.targets[i];

		target->window_ns = world.depth[i].last_ns - world.depth[i].start_ns;
		if (target->elapsed_ns == 0)
			target->elapsed_ns = target->window_ns;
	}
	summary_complete(&world.result, world.before.count > 0 ? &world.before : NULL,
			 world.after.count > 0 ? &world.after : NULL);
}

/* Whether these codes, in this order, are the reasons. */
static void expect_reasons(const char *label, const char *wanted)
{
	char codes[256] = "";

	for (uint32_t i = 0; i < world.result.reason_count; i++) {
		size_t used = strlen(codes);

		(void)snprintf(codes + used, sizeof(codes) - used, "%s%s", i > 0 ? " " : "",
			       world.result.reasons[i].code);
		UNIT_CHECK(world.result.reasons[i].text[0] != '\0', "%s: reason %u has no text",
			   label, i);
	}
	UNIT_TEXT(label, codes, wanted);
}

/* ---- rates ---- */

static void test_rates(void)
{
	struct result_target *target = &world.targets[0];
	struct fragment_plan plan;

	world_begin(1);
	target->payload_bytes = world.configuration.payload_bytes = 2048;
	target->link_bits_per_s = UINT64_C(10000000000);
	answer(0, 10000, 12600, 3500, 400);
	world_finish();
	if (!fragment_plan_make(&plan, 4, 1500, 2056))
		return;
	UNIT_CHECK(target->received_per_s.known && target->link_share.known, "rates are known");
	UNIT_NEAR("received", target->received_per_s.value,
		  10000.0 * 1e9 / (double)target->window_ns, 1e-6);
	UNIT_NEAR("sent", target->sent_per_s.value, target->received_per_s.value, 1e-6);
	UNIT_NEAR("payload", target->payload_bytes_per_s.value,
		  target->received_per_s.value * 2048.0, 1e-3);
	UNIT_NEAR("wire", target->wire_bits_per_s.value,
		  target->received_per_s.value * 8.0 * (1538.0 + 634.0), 1e-3);
	UNIT_NEAR("frames", target->frame_bytes_per_s.value,
		  target->received_per_s.value * (double)fragment_frame_bytes(&plan), 1e-3);
	UNIT_NEAR("share", target->link_share.value, target->wire_bits_per_s.value / 1e10, 1e-12);
	UNIT_NEAR("overhead", target->fragments.overhead, 2172.0 / 2048.0 - 1.0, 1e-12);
}

/* The oldest figures that have to come out right: a flood of 1992. */
static void test_old_flood(void)
{
	struct result_target *target = &world.targets[0];

	world_begin(1);
	target->elapsed_ns = 37900 * NANOSECONDS_PER_MILLISECOND;
	target->tally.sent = 10012;
	target->tally.received = 10000;
	target->tally.lost = target->tally.lost_unknown = 12;
	target->depth = NULL;
	world_finish();
	UNIT_NEAR("sent/s", target->sent_per_s.value, 264.2, 0.05);
	UNIT_NEAR("loss", target->loss.value, 12.0 / 10012.0, 1e-15);
	UNIT_CHECK(!target->in_flight_mean.known && !target->littles_law.known, "no depth, no law");
}

static void test_unknown(void)
{
	struct result_target *target = &world.targets[0];

	world_begin(1);
	target->mtu = target->path_mtu = 0;
	world_finish();
	UNIT_CHECK(!target->loss.known && !target->loss_ci95.known, "no loss of nothing");
	UNIT_CHECK(!target->sent_per_s.known && !target->received_per_s.known, "no rate");
	UNIT_CHECK(!target->payload_bytes_per_s.known && !target->wire_bits_per_s.known &&
			   !target->frame_bytes_per_s.known && !target->link_share.known,
		   "no throughput");
	UNIT_CHECK(!target->in_flight_mean.known && !target->littles_law.known &&
			   !target->in_flight_sending.known && !target->in_flight_network.known &&
			   !target->in_flight_receive_queue.known &&
			   !target->in_flight_unexplained.known &&
			   !target->time_weighted_rtt_ns.known,
		   "no depth");
	UNIT_CHECK(!target->fragments.known && !target->fragments.counters_known &&
			   !target->fragments.loss_one_way.known &&
			   !target->fragments.id_repeat_ns.known &&
			   !target->fragments.pinned_bytes_estimate.known,
		   "no fragments");
	expect_reasons("nothing", "too-few-samples");
}

/* ---- in flight ---- */

static void test_little(void)
{
	struct result_target *target = &world.targets[0];
	double rate;

	world_begin(1);
	answer(0, 1000, 45000, 4000, 5000);
	give_up(0, 700000, 0);
	give_up(0, 90000, 250000);
	give_up(0, 80000, 0);
	answer(0, 500, 61000, 6000, 0);
	world_finish();
	rate = target->received_per_s.value;
	UNIT_NEAR("law meets integral", target->littles_law.value, target->in_flight_mean.value,
		  1e-12);
	UNIT_NEAR("law by hand", target->littles_law.value * (double)target->window_ns / 1e9,
		  rate * histogram_mean(target->rtt_user) / 1e9 * (double)target->window_ns / 1e9 +
			  (700000.0 + 90000.0 + 80000.0 - 250000.0) / 1e9,
		  1e-9);
	UNIT_NEAR("network", target->in_flight_network.value,
		  rate * histogram_mean(target->rtt_ping) / 1e9, 1e-12);
	UNIT_NEAR("queue", target->in_flight_receive_queue.value,
		  rate * (1000.0 * 4000.0 + 500.0 * 6000.0) / 1500.0 / 1e9, 1e-12);
	UNIT_NEAR("sum",
		  target->in_flight_network.value + target->in_flight_receive_queue.value +
			  target->in_flight_unexplained.value,
		  target->in_flight_mean.value, 1e-12);
	UNIT_UNSIGNED("max", target->in_flight_max, 1);
	UNIT_CHECK(!target->in_flight_sending.known, "nothing stamps the sending yet");
	expect_reasons("good", "");
}

static void test_shares(void)
{
	double sum = 0.0, mean = 0.0;

	world_begin(1);
	answer(0, 777, 31000, 1000, 7000);
	world_finish();
	for (uint32_t i = 0; i < DEPTH_SHARES; i++) {
		double share =
			(double)world.depth[0].time_at[i] / (double)world.targets[0].window_ns;

		sum += share;
		mean += share * i;
	}
	UNIT_NEAR("shares", sum, 1.0, 1e-12);
	UNIT_NEAR("mean of shares", mean, world.targets[0].in_flight_mean.value, 1e-12);
	UNIT_CHECK(world.targets[0].in_flight_unexplained.value == 0.0,
		   "equal sums leave no residue");
}

static void test_miscounts(void)
{
	world_begin(1);
	answer(0, 1000, 45000, 4000, 5000);
	(void)depth_change(&world.depth[0], 1, world.now_ns - 5000);
	answer(0, 1000, 45000, 4000, 5000);
	world_finish();
	expect_reasons("a slot that is never given back", "littles-law-open");

	world_begin(1);
	answer(0, 1000, 45000, 4000, 5000);
	world.targets[0].tally.received += 50;
	world.targets[0].tally.sent += 50;
	world_finish();
	expect_reasons("replies counted twice", "littles-law-open unbalanced");

	world_begin(1);
	answer(0, 1000, 45000, 4000, 5000);
	world.targets[0].tally.sent++;
	world_finish();
	expect_reasons("a request of which nothing is known", "unbalanced");

	world_begin(1);
	answer(0, 1000, 45000, 4000, 5000);
	world.targets[0].tally.lost_unknown++;
	world_finish();
	expect_reasons("a cause without a loss", "unbalanced");

	world_begin(1);
	answer(0, 10000, 45000, 4000, 5000);
	histogram_record(&world.user[0], 45000);
	world_finish();
	expect_reasons("one time too many", "unbalanced");
}

/* A small run has no edge that would excuse it: what is in the integral is in the sum of times. */
static void test_little_small(void)
{
	world_begin(1);
	answer(0, 1, 45000, 4000, 0);
	world_finish();
	expect_reasons("one request", "");

	world_begin(1);
	answer(0, 10, 45000, 4000, 0);
	depth_advance(&world.depth[0], world.now_ns + 21000);
	world.depth[0].area += 21000; /* an eleventh request, half of it, that nobody timed */
	world_finish();
	expect_reasons("half a request in ten", "littles-law-open");
}

/* ---- loss ---- */

static void test_loss(void)
{
	struct result_target *target = &world.targets[0];

	world_begin(1);
	answer(0, 75, 1000, 0, 0);
	for (int i = 0; i < 25; i++)
		give_up(0, 5000, 0);
	target->tally.sent += 20;
	target->tally.in_flight_at_end = 20;
	world_finish();
	UNIT_CHECK(target->loss.value == 0.25, "those in flight are not lost: %g",
		   target->loss.value);
	UNIT_CHECK(target->loss_ci95.known && target->loss_ci95.low < 0.25 &&
			   target->loss_ci95.high > 0.25,
		   "the interval holds the loss");

	world_begin(1);
	target->tally.sent = target->tally.in_flight_at_end = 7;
	world_finish();
	UNIT_CHECK(!target->loss.known && !target->loss_ci95.known, "all in flight: no loss");
}

static void test_shared_drops(void)
{
	static const uint64_t losses[TARGETS] = {10, 20, 3};
	uint64_t sum = 0;

	for (uint64_t drops = 0; drops <= 40; drops++) {
		world_begin(TARGETS);
		for (uint32_t i = 0; i < TARGETS; i++) {
			world.targets[i].tally.lost = losses[i] + 1;
			world.targets[i].tally.lost_late_reply = 1;
			world.targets[i].tally.lost_unknown = losses[i];
			world.targets[i].tally.sent = losses[i] + 1;
			world.targets[i].tally.local_drops = i == 2 ? 2 : drops;
		}
		world.targets[2].family = 6;
		world_finish();
		sum = 0;
		for (uint32_t i = 0; i < TARGETS; i++) {
			const struct tally *tally = &world.targets[i].tally;

			UNIT_CHECK(result_tally_balances(tally) &&
					   tally->lost_unknown + tally->lost_local_receive_drop ==
						   losses[i],
				   "%llu drops: target %u is out of balance",
				   (unsigned long long)drops, i);
			sum += tally->lost_local_receive_drop;
		}
		UNIT_UNSIGNED("IPv4's drops are shared out once", sum - 2, min_u64(drops, 30));
		UNIT_UNSIGNED("IPv6 has its own", world.targets[2].tally.lost_local_receive_drop,
			      2);
	}
	expect_reasons("drops", "local-receive-drops too-few-samples");
}

/* ---- fragments ---- */

static void count(const char *name, uint64_t before, uint64_t after)
{
	struct kernel_counter *first = &world.before.counters[world.before.count++];
	struct kernel_counter *last = &world.after.counters[world.after.count++];

	(void)snprintf(first->name, sizeof(first->name), "%s", name);
	(void)snprintf(last->name, sizeof(last->name), "%s", name);
	first->value = before;
	last->value = after;
}

static void test_fragments(void)
{
	struct result_target *target = &world.targets[0];
	const struct result_fragments *fragments = &target->fragments;
	double through;

	world_begin(1);
	target->payload_bytes = 8000;
	answer(0, 900, 30000, 2000, 0);
	for (int i = 0; i < 100; i++)
		give_up(0, 60000, 0);
	target->elapsed_ns = 60 * SECOND;
	count("Ip.FragCreates", 1000, 7000);
	count("Ip.ReasmReqds", 2000, 7400);
	count("Ip.ReasmOKs", 300, 1200);
	count("Ip.ReasmFails", 5, 7);
	count("Ip6.FragCreates", 0, 99);
	target->pinned_bytes = (struct maybe){true, 567500.0};
	world_finish();
	UNIT_UNSIGNED("per request", fragments->per_request, 6);
	UNIT_UNSIGNED("first", fragments->sizes[0], 1500);
	UNIT_UNSIGNED("last", fragments->sizes[5], 8008 - 5 * 1480 + 20);
	UNIT_UNSIGNED("wire", fragments->wire_bytes, 5 * 1538 + 628 + 38);
	UNIT_CHECK(fragments->counters_known, "all four counters were there");
	UNIT_UNSIGNED("created", fragments->created, 6000);
	UNIT_UNSIGNED("received", fragments->reassembled_fragments, 5400);
	UNIT_UNSIGNED("reassembled", fragments->reassembled, 900);
	UNIT_UNSIGNED("failed", fragments->reassembly_failures, 2);
	through = pow(1.0 - fragments->loss_one_way.value, 6.0);
	UNIT_NEAR("one way", 1.0 - through, target->loss.value, 1e-12);
	through = pow(1.0 - fragments->loss_both_ways.value, 12.0);
	UNIT_NEAR("both ways", 1.0 - through, target->loss.value, 1e-12);
	UNIT_NEAR("low", 1.0 - pow(1.0 - fragments->loss_one_way_ci95.low, 6.0),
		  target->loss_ci95.low, 1e-12);
	UNIT_NEAR("high", 1.0 - pow(1.0 - fragments->loss_both_ways_ci95.high, 12.0),
		  target->loss_ci95.high, 1e-12);
	UNIT_NEAR("ids", fragments->id_repeat_ns.value, 65536.0 / (1000.0 / 60.0) * 1e9, 1.0);
	/* What the engine has kept count of while the run went on. */
	UNIT_NEAR("pinned", fragments->pinned_bytes_estimate.value, 567500.0, 1e-6);
}

/* Requests in many pieces, replies whole or as the kernel cuts them: each way its own number. */
static void test_cut_by_hand(void)
{
	static const struct {
		uint8_t family;
		uint32_t payload, piece, requests, replies;
		uint64_t wire, reply_wire;
	} rows[] = {
		{4, 200, 64, 4, 1, 3 * 122 + 46 + 38, 228 + 38},
		{4, 3000, 1480, 3, 3, 2 * 1538 + 68 + 38, 2 * 1538 + 68 + 38},
		{4, 3000, 752, 4, 3, 4 * 772 + 4 * 38, 2 * 1538 + 68 + 38},
		{6, 200, 64, 4, 1, 3 * 150 + 64 + 38, 248 + 38},
		{4, 200, 1480, 1, 1, 228 + 38, 228 + 38},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct result_target *target = &world.targets[0];
		const struct result_fragments *fragments = &target->fragments;

		world_begin(1);
		target->family = rows[i].family;
		target->payload_bytes = rows[i].payload;
		target->has_cut = true;
		target->cut.piece_bytes = rows[i].piece;
		answer(0, 90, 30000, 2000, 0);
		for (int lost = 0; lost < 10; lost++)
			give_up(0, 60000, 0);
		target->elapsed_ns = 60 * SECOND;
		world_finish();
		UNIT_CHECK(fragments->known, "row %zu: known", i);
		UNIT_UNSIGNED("pieces of a request", fragments->per_request, rows[i].requests);
		UNIT_UNSIGNED("pieces of a reply", fragments->per_reply, rows[i].replies);
		UNIT_UNSIGNED("wire", fragments->wire_bytes, rows[i].wire);
		UNIT_UNSIGNED("wire of a reply", fragments->reply_wire_bytes, rows[i].reply_wire);
		UNIT_NEAR("one way", pow(1.0 - fragments->loss_one_way.value, rows[i].requests),
			  1.0 - target->loss.value, 1e-12);
		UNIT_NEAR("both ways",
			  pow(1.0 - fragments->loss_both_ways.value,
			      rows[i].requests + rows[i].replies),
			  1.0 - target->loss.value, 1e-12);
	}
}

static void test_fragment_modes(void)
{
	static const struct {
		const char *label;
		uint8_t family;
		enum configuration_path_mtu mode;
		uint32_t path_mtu, wanted;
	} rows[] = {
		{"IPv4 default cuts at the interface", 4, PATH_MTU_DEFAULT, 576, 2},
		{"omit", 4, PATH_MTU_OMIT, 576, 2},
		{"want cuts at the path", 4, PATH_MTU_WANT, 576, 4},
		{"dont", 4, PATH_MTU_DONT, 576, 4},
		{"path not known", 4, PATH_MTU_DONT, 0, 2},
		{"do never cuts", 4, PATH_MTU_DO, 1500, 0},
		{"probe never cuts", 4, PATH_MTU_PROBE, 1500, 0},
		{"IPv6 default cuts at the path", 6, PATH_MTU_DEFAULT, 1280, 2},
		{"IPv6 interface", 6, PATH_MTU_INTERFACE, 1280, 2},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct result_target *target = &world.targets[0];

		world_begin(1);
		target->payload_bytes = 2000;
		target->family = rows[i].family;
		target->path_mtu = rows[i].path_mtu;
		world.configuration.path_mtu = rows[i].mode;
		count("Ip.FragCreates", 1, 2);
		world_finish();
		UNIT_CHECK(target->fragments.known == (rows[i].wanted > 0), "%s: known",
			   rows[i].label);
		UNIT_UNSIGNED(rows[i].label, target->fragments.per_request, rows[i].wanted);
		UNIT_CHECK(!target->fragments.counters_known, "%s: some counters are missing",
			   rows[i].label);
		UNIT_CHECK(!target->fragments.id_repeat_ns.known, "%s: no rate, no repeat",
			   rows[i].label);
	}
}

/* ---- the verdict ---- */

static void test_schedule(void)
{
	static const struct {
		const char *label;
		uint64_t on_time, late, skipped;
		const char *wanted;
	} rows[] = {
		{"kept", 1000, 0, 0, ""},
		{"one in a hundred", 990, 10, 0, ""},
		{"more than one in a hundred", 980, 20, 0, "rate-not-held"},
		{"one of few", 20, 1, 0, ""},
		{"most of few", 4, 6, 0, "rate-not-held"},
		{"left out", 1000, 0, 1, "rate-not-held"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		world_begin(1);
		answer(0, rows[i].on_time + rows[i].late, 50000, 4000, 0);
		world.result.interval_ns = 1000000;
		world.targets[0].lateness = &world.lateness[0];
		for (uint64_t n = 0; n < rows[i].on_time; n++)
			histogram_record(&world.lateness[0], 20000);
		for (uint64_t n = 0; n < rows[i].late; n++)
			histogram_record(&world.lateness[0], 200000);
		world.targets[0].tally.skipped = rows[i].skipped;
		world_finish();
		expect_reasons(rows[i].label, rows[i].wanted);
	}
}

static void test_order(void)
{
	world_begin(2);
	answer(0, 1000, 45000, 4000, 5000);
	world.targets[0].tally.send_errors = 3;
	world.targets[0].tally.local_drops = 1;
	world.targets[1].tally.skipped = 1;
	world.targets[1].tally.sent = 1;
	world.result.interval_ns = 1000000;
	(void)depth_change(&world.depth[0], 1, world.now_ns);
	depth_advance(&world.depth[0], 2 * world.now_ns);
	world.result.reasons[0] = (struct result_reason){"clock-stepped", "the clock was set"};
	world.result.reason_count = 1;
	world_finish();
	expect_reasons("causes first", "clock-stepped send-errors local-receive-drops "
				       "rate-not-held littles-law-open unbalanced");

	world_begin(1);
	world.result.reason_count = RESULT_REASONS_MAX;
	for (uint32_t i = 0; i < RESULT_REASONS_MAX; i++)
		world.result.reasons[i] = (struct result_reason){"suspended", "slept"};
	world_finish();
	UNIT_UNSIGNED("a full list stays full", world.result.reason_count, RESULT_REASONS_MAX);
}

static void test_exit_status(void)
{
	static const struct {
		const char *label;
		uint64_t count, received[2];
		int64_t deadline_ns;
		int wanted;
	} rows[] = {
		{"all answered", 10, {10, 10}, 0, 0},
		{"one reply is enough", 10, {1, 10}, 0, 0},
		{"one never answered", 10, {10, 0}, 0, 1},
		{"fewer by the deadline", 10, {10, 9}, SECOND, 1},
		{"all by the deadline", 10, {10, 10}, SECOND, 0},
		{"a deadline alone", 0, {3, 1}, SECOND, 0},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		world_begin(2);
		world.configuration.count = rows[i].count;
		world.configuration.deadline_ns = rows[i].deadline_ns;
		world.targets[0].tally.received = rows[i].received[0];
		world.targets[1].tally.received = rows[i].received[1];
		UNIT_SIGNED(rows[i].label, result_exit_status(&world.result), rows[i].wanted);
	}
}

static void test_balance(void)
{
	struct tally tally = {.sent = 30,
			      .received = 10,
			      .lost = 15,
			      .in_flight_at_end = 5,
			      .lost_error_reply = 1,
			      .lost_damaged_reply = 2,
			      .lost_late_reply = 3,
			      .lost_local_receive_drop = 4,
			      .lost_unknown = 5};

	UNIT_CHECK(result_tally_balances(&tally), "the sums meet");
	tally.lost_late_reply++;
	UNIT_CHECK(!result_tally_balances(&tally), "a cause too many");
	tally.lost++;
	UNIT_CHECK(!result_tally_balances(&tally), "a loss too many");
	tally.sent++;
	UNIT_CHECK(result_tally_balances(&tally), "the sums meet again");
	tally.duplicates = tally.late = tally.foreign = 99;
	UNIT_CHECK(result_tally_balances(&tally), "what merely arrived feeds neither side");
}

const struct unit_suite suite_summary = {
	"summary",
	(const struct unit_test[]){
		{"rates and throughput", test_rates},
		{"a flood of 1992", test_old_flood},
		{"nothing measured is nothing known", test_unknown},
		{"little's law", test_little},
		{"shares of depth", test_shares},
		{"miscounts are seen", test_miscounts},
		{"little's law in small runs", test_little_small},
		{"loss", test_loss},
		{"drops are shared out", test_shared_drops},
		{"fragments", test_fragments},
		{"requests cut by hand", test_cut_by_hand},
		{"fragments by path-MTU mode", test_fragment_modes},
		{"schedule", test_schedule},
		{"causes first", test_order},
		{"exit status", test_exit_status},
		{"balance", test_balance},
		{NULL, NULL},
	},
};
