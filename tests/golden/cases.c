/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runs whose reports are kept: one for each thing that a report may have to say.
 */
#include "golden/golden.h"

#include <string.h>

#include "core/result_capture.h"

/* The sample of the manual: 10,000 datagrams of two fragments each way over a veth pair. */
static void build_flood(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-f",	   "-c10000", "-s",
						"2048",	       "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {
		{2, 253000, 4000, 400},	  {10, 81000, 9000, 400},   {138, 17900, 3500, 400},
		{1850, 13100, 3500, 400}, {8000, 12600, 3500, 400},
	};

	golden_begin(run, 1, arguments);
	run->configuration.count = 10000;
	run->configuration.payload_bytes = run->targets[0].payload_bytes = 2048;
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	run->targets[0].reply_ttl[0] = 64;
	run->targets[0].reply_ttl_count = 1;
	run->targets[0].fragments.largest_in_reply = 1500;
	golden_count(run, "Ip.FragCreates", 77, 20000);
	golden_count(run, "Ip.ReasmReqds", 1077, 20000);
	golden_count(run, "Ip.ReasmOKs", 500, 10000);
	golden_count(run, "Ip.ReasmFails", 3, 0);
	golden_processor(run, 0.009, 0.118, 10000, "includes the responder on this host");
	golden_finish(run);
}

/* Loss of fragments, and replies that came back cut in another way than the requests. */
static void build_fragments(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "--depth",  "1",	   "-c",
						"4000",	       "-s",	   "8000", "-W",
						"2ms",	       "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {
		{3000, 28600, 8600, 700}, {500, 31000, 8600, 700}, {500, 0, -1, 700}};

	golden_begin(run, 1, arguments);
	run->configuration.flood = false;
	run->configuration.depth = 1;
	run->configuration.count = 4000;
	run->configuration.timeout_ns = 2 * MS;
	run->result.mode = "depth";
	run->configuration.payload_bytes = run->targets[0].payload_bytes = 8000;
	run->targets[0].pinned_bytes = (struct maybe){true, 5675000.0};
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	run->targets[0].link_bits_per_s = 0;
	run->targets[0].fragments.largest_in_reply = 1300;
	golden_count(run, "Ip.FragCreates", 0, 24000);
	golden_count(run, "Ip.ReasmReqds", 0, 24510);
	golden_count(run, "Ip.ReasmOKs", 0, 3500);
	golden_count(run, "Ip.ReasmFails", 0, 10);
	golden_processor(run, 0.02, 0.13, 3500, "");
	golden_finish(run);
}

/* The same seen fragment by fragment: some lost on the way back, some in another order. */
static void build_captured(struct golden_run *run)
{
	static struct result_capture capture;

	build_fragments(run);
	capture = (struct result_capture){
		.interface = "eth0", .drops_are_known = true, .holes_are_known = true, .targets = 1,
		.foreign = 3};
	capture.out = (struct result_capture_way){
		.trains = 4000, .complete = 4000, .in_order = 4000,
		.patterns = {{{{1500, 5}, {628, 1}}, 2, 4000}}, .pattern_count = 1,
		.gap_samples = 4000, .gap_min_ns = 3700, .gap_median_ns = 3900,
		.gap_max_ns = 82800};
	capture.in = (struct result_capture_way){
		.trains = 3990, .complete = 3500, .incomplete = 480, .undecided = 7, .evicted = 3,
		.in_order = 3400, .reversed = 60, .other_order = 40, .duplicates = 2, .overlaps = 1,
		.patterns = {{{{1300, 6}, {248, 1}}, 2, 3000}, {{{1500, 5}, {628, 1}}, 2, 499}},
		.pattern_count = 2, .patterns_left_out = 1,
		.missing = {{0, 20}, {6, 460}}, .missing_count = 2, .missing_unknown = 4,
		.gap_samples = 3500, .gap_min_ns = 5400000, .gap_median_ns = 5460000,
		.gap_max_ns = 5920000, .dispersion_bits_per_s = {true, 9.99e6}};
	run->result.capture = &capture;
}

/* A capture that was overrun, of two hosts behind one interface and a third behind another. */
static void build_overrun(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-f", "10.9.0.2", "10.9.0.3",
						"10.9.0.4", NULL};
	static const struct golden_trip trips[] = {{1000, 13000, 3500, 400}};
	static struct result_capture capture;

	golden_begin(run, 3, arguments);
	for (uint32_t i = 0; i < 3; i++)
		golden_converse(run, i, trips, 1);
	capture = (struct result_capture){.interface = "eth0", .drops_are_known = true, .drops = 12,
					  .targets = 2, .targets_left_out = 1};
	capture.in = (struct result_capture_way){
		.trains = 100, .complete = 90, .incomplete = 10, .reversed = 90,
		.patterns = {{{{1500, 1}, {596, 1}}, 2, 90}}, .pattern_count = 1,
		.missing = {{1, 10}}, .missing_count = 1};
	run->result.capture = &capture;
	golden_finish(run);
}

static void build_silent(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-c", "3", "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {{3, 0, -1, 0}};

	golden_begin(run, 1, arguments);
	run->configuration.count = 3;
	golden_converse(run, 0, trips, 1);
	golden_schedule(run, 0, S, 60 * US);
	golden_processor(run, 0.001, 0.002, 0, "");
	golden_finish(run);
}

/* Ctrl-C with 20 requests out: neither received nor lost. */
static void build_interrupted(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-i", "0.01", "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {{80, 9 * MS + 900 * US, 4000, 100 * US}};

	golden_begin(run, 1, arguments);
	golden_converse(run, 0, trips, 1);
	golden_schedule(run, 0, 10 * MS, 30 * US);
	for (int i = 0; i < 20; i++)
		(void)depth_change(&run->depth[0], 1, run->now_ns[0] - 100 * US);
	run->targets[0].tally.sent += 20;
	run->targets[0].tally.in_flight_at_end = 20;
	run->result.ending = ENDING_INTERRUPTED;
	golden_processor(run, 0.004, 0.006, 80, "time in interrupts is not included");
	golden_finish(run);
}

/* Four targets: one good, one silent, one bad name, one IPv6. */
static void build_targets(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-f",	   "-c",
						"1000",	       "10.9.0.2", "10.9.0.3",
						"bad.invalid", "fd09::2",  NULL};
	static const struct golden_trip good[] = {{1000, 45 * US, 4000, 5 * US}};
	static const struct golden_trip silent[] = {{1000, 0, -1, 0}};
	struct result_target *bad;

	golden_begin(run, 4, arguments);
	run->configuration.count = 1000;
	run->configuration.timeout_ns = 10 * MS;
	golden_make_ip6(run, 3, "fd09::2");
	golden_converse(run, 0, good, 1);
	golden_converse(run, 1, silent, 1);
	golden_converse(run, 3, good, 1);
	bad = &run->targets[2];
	memset(bad, 0, sizeof(*bad));
	bad->name = "bad.invalid";
	(void)snprintf(bad->error, sizeof(bad->error), "Name or service not known");
	golden_processor(run, 0.02, 0.05, 2000, "");
	golden_finish(run);
}

/* Everything that can arrive beside right replies. */
static void build_arrivals(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-c",   "40",	   "-i", "0.2",
						"-W",	       "0.15", "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {{30, 20 * MS, 8 * US, 180 * MS},
						   {10, 0, -1, 50 * MS}};
	struct tally *tally;

	golden_begin(run, 1, arguments);
	run->configuration.count = 40;
	run->configuration.timeout_ns = 150 * MS;
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	golden_schedule(run, 0, 200 * MS, 50 * US);
	tally = &run->targets[0].tally;
	tally->lost_unknown = 2;
	tally->lost_late_reply = 3;
	tally->lost_damaged_reply = 4;
	tally->lost_error_reply = 1;
	tally->duplicates = 12;
	tally->late = 3;
	tally->corrupt = 2;
	tally->truncated = 1;
	tally->shortest_reply = 20;
	tally->mixed = 1;
	tally->forged = 5;
	tally->wrong_source = 1;
	tally->bad_checksum = 2;
	tally->short_packets = 1;
	tally->bad_header = 1;
	tally->foreign = 7;
	tally->reordered = 4;
	tally->clock_errors = 1;
	tally->other_responders = 2;
	(void)golden_error(run, 0, 3, 1, "Destination Host Unreachable", "10.9.0.254", 1);
	golden_finish(run);
}

/* A run that must not be believed, and says why. */
static void build_invalid(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-i",	   "250us", "-c",
						"4000",	       "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {{3500, 200 * US, 30 * US, 50 * US},
						   {100, 0, -1, 0}};
	struct result_target *target;

	golden_begin(run, 1, arguments);
	run->configuration.count = 4000;
	run->configuration.timeout_ns = MS;
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	golden_schedule(run, 0, 250 * US, 40 * US);
	target = &run->targets[0];
	target->tally.skipped = 300;
	target->tally.local_drops = 60;
	target->tally.send_retries = 12;
	golden_error(run, 0, -1, -1, "No buffer space available", "", 60)->system_errno = 105;
	golden_error(run, 0, -1, -1, "Network is down", "", 40)->system_errno = 100;
	target->outages[target->outage_count++] =
		(struct result_outage){400 * MS, 410 * MS, "Network is down"};
	/* A depth that somebody forgot to take back. */
	(void)depth_change(&run->depth[0], 1, run->now_ns[0]);
	(void)depth_change(&run->depth[0], -1, run->now_ns[0] + 100 * MS);
	golden_processor(run, 0.2, 0.3, 3500, "");
	golden_finish(run);
}

/* IPv6, where the first request was the price of learning the path's MTU. */
static void build_ip6(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-6",   "-A",	  "-c", "500",
						"-s",	       "1400", "fd09::2", NULL};
	static const struct golden_trip trips[] = {{499, 60 * US, 5 * US, 3 * US}, {1, 0, -1, 0}};
	struct tally *tally;

	golden_begin(run, 1, arguments);
	run->configuration.flood = false;
	run->configuration.depth = 1;
	run->configuration.count = 500;
	run->configuration.timeout_ns = 10 * MS;
	run->configuration.payload_bytes = run->targets[0].payload_bytes = 1400;
	run->result.mode = "depth";
	golden_make_ip6(run, 0, "fd09::2");
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	tally = &run->targets[0].tally;
	tally->lost_unknown = 0;
	tally->lost_error_reply = 1;
	golden_error(run, 0, 2, 0, "Packet too big", "fd09::ffff", 1)->mtu = 1400;
	run->targets[0].fragments.largest_in_reply = 1392;
	golden_processor(run, 0.004, 0.009, 499, "");
	golden_finish(run);
}

/* A simulated run: nothing of this host is in its document. */
static void build_simulated(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "--transport", "sim",	   "-f",
						"-c",	       "3000",	      "192.0.2.1", NULL};
	static const struct golden_trip trips[] = {{2990, 100 * US, 0, 1 * US},
						   {10, 150 * US, 0, 1 * US}};
	struct result *result = &run->result;

	golden_begin(run, 1, arguments);
	run->configuration.count = 3000;
	run->configuration.simulation =
		(struct simulation){.seed = 1, .delay_ns = 100 * US, .send_ns = 1, .mtu = 1500};
	result->build = result->sandbox = NULL;
	result->started[0] = '\0';
	memset(&result->environment, 0, sizeof(result->environment));
	result->clock.source = "sim";
	result->clock.reason[0] = '\0';
	result->transport = "sim";
	run->targets[0].name = "192.0.2.1";
	(void)snprintf(run->targets[0].address, sizeof(run->targets[0].address), "192.0.2.1");
	run->targets[0].interface[0] = run->targets[0].source[0] = '\0';
	run->targets[0].link_bits_per_s = 0;
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	golden_finish(run);
}

/* Names and texts from outside that would like to write to the terminal. */
static void build_names(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench",
						"\x1b[31mred\n",
						"caf\xc3\xa9",
						"bad\xff\xc3utf8",
						"\xed\xa0\x80",
						"quo\"te\\",
						"",
						NULL};
	static const struct golden_trip trips[] = {{2, 45 * US, 4000, 5 * US}};

	golden_begin(run, 4, arguments);
	run->targets[0].name = "\x1b[31mred\n";
	run->targets[1].name = "caf\xc3\xa9";
	run->targets[2].name = "bad\xff\xc3utf8";
	run->targets[3].name = "quo\"te\\";
	for (uint32_t i = 0; i < 3; i++)
		golden_converse(run, i, trips, 1);
	(void)snprintf(
		run->targets[3].error, sizeof(run->targets[3].error),
		"a text that goes on for longer than a line of a terminal is wide, \x07 with "
		"a bell in it");
	(void)snprintf(run->result.transport_note, sizeof(run->result.transport_note),
		       "ping socket: opening a raw socket needs CAP_NET_RAW, which this process "
		       "does not have");
	run->result.tagged = false;
	run->result.ending = ENDING_FAULT;
	(void)snprintf(run->result.fault, sizeof(run->result.fault),
		       "interface eth0 is gone for good");
	golden_finish(run);
}

/* Counters beyond 32 bits. */
static void build_counters(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-f", "10.9.0.2", NULL};
	const uint64_t below = UINT64_C(4294967291), many = UINT64_C(10000000);
	struct result_target *target;
	struct tally *tally;

	golden_begin(run, 1, arguments);
	target = &run->targets[0];
	tally = &target->tally;
	histogram_record(&run->user[0], 10 * US);
	run->user[0].samples = run->user[0].counts[histogram_bucket(10 * US)] = 2 * below;
	histogram_record(&run->ping[0], 8 * US);
	run->ping[0].samples = run->ping[0].counts[histogram_bucket(8 * US)] = 2 * below;
	(void)depth_change(&run->depth[0], 1, 0);
	depth_advance(&run->depth[0], (int64_t)(2 * below) * 10 * US);
	tally->sent = 2 * below + many;
	tally->received = 2 * below;
	tally->lost = tally->lost_unknown = many;
	tally->duplicates = below;
	tally->late = many;
	tally->foreign = UINT64_MAX;
	target->receive_queue_held_ns = (double)(2 * below) * 2000.0;
	target->receive_queue_samples = 2 * below;
	golden_processor(run, 30000.0, 50000.0, 2 * below, "");
	golden_finish(run);
}

/* What the rules of this host forbid: a document without a measurement. */
static void build_refused(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-f", "10.9.0.2", NULL};
	struct refusal *refusal = &run->refusals[0];

	golden_begin(run, 0, arguments);
	refusal->rule = "user.flood";
	(void)snprintf(refusal->asked, sizeof(refusal->asked), "-f");
	(void)snprintf(refusal->limit, sizeof(refusal->limit), "interval 2 ms");
	(void)snprintf(refusal->text, sizeof(refusal->text), "-f is for root: use -i 2ms");
	run->result.refusal_count = 1;
	golden_finish(run);
}

const struct golden_case golden_cases[] = {
	{"flood", build_flood},
	{"fragments", build_fragments},
	{"captured", build_captured},
	{"overrun", build_overrun},
	{"silent", build_silent},
	{"interrupted", build_interrupted},
	{"targets", build_targets},
	{"arrivals", build_arrivals},
	{"invalid", build_invalid},
	{"ip6", build_ip6},
	{"simulated", build_simulated},
	{"names", build_names},
	{"counters", build_counters},
	{"refused", build_refused},
	{NULL, NULL},
};
