/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runs whose reports are kept for what clocks, stamps and schedules have to say.
 */
#include "golden/golden.h"

#include <string.h>

/* Trips as fast as over a veth pair, with the tail that every host has. */
static const struct golden_trip fast_trips[] = {
	{2, 253000, 4000, 400},	  {10, 81000, 9000, 400},   {138, 17900, 3500, 400},
	{1850, 13100, 3500, 400}, {8000, 12600, 3500, 400},
};

/* A plain flood as people will see it: nothing is odd. */
static void build_split(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-f", "-c10000", "10.9.0.2", NULL};
	static const int64_t stretches_ns[BUDGET_PARTS] = {2540, 510, 5950, 2100, 1400};

	golden_begin(run, 1, arguments);
	run->configuration.count = 10000;
	golden_converse(run, 0, fast_trips, ARRAY_LENGTH(fast_trips));
	golden_stamps(run, 0, 64, 156, stretches_ns);
	golden_processor(run, 0.009, 0.118, 10000, "includes the responder on this host");
	run->targets[0].reply_ttl[0] = 64;
	run->targets[0].reply_ttl_count = 1;
	run->targets[0].rfc3550_ns = (struct maybe){true, 812.4};
	run->targets[0].ipdv_mean_ns = (struct maybe){true, 790.25};
	run->targets[0].reordered_ratio = (struct maybe){true, 0};
	run->targets[0].steady = (struct result_steady){.known = true,
							.is_steady = true,
							.cut_replies = 5,
							.cut_share = 0.0005,
							.cut_mean_ns = 62000,
							.rest_mean_ns = 12850};
	golden_finish(run);
	golden_measured_clock(run);
}

/* A train of fragments over a link that tells no speed, and stamps that did not all come. */
static void build_split_fragments(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-A",   "-c",	   "4000",
						"-s",	       "8000", "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {{4000, 29054, 8600, 700}};
	static const int64_t stretches_ns[BUDGET_PARTS] = {4186, 531, 15163, 13953, 1700};

	golden_begin(run, 1, arguments);
	run->configuration.flood = false;
	run->configuration.depth = 1;
	run->configuration.count = 4000;
	run->result.mode = "depth";
	run->configuration.payload_bytes = run->targets[0].payload_bytes = 8000;
	run->targets[0].pinned_bytes = (struct maybe){true, 0.0};
	golden_converse(run, 0, trips, 1);
	golden_stamps(run, 0, 64, 40, stretches_ns);
	run->targets[0].stamps.sampled = 62;
	run->targets[0].stamps.missing_queue = 1;
	run->targets[0].stamps.missing_driver = 12;
	run->targets[0].stamps.missing_receive = 2;
	run->targets[0].stamps.voided = 7;
	run->result.disturbance.clock_steps = 1;
	run->result.disturbance.largest_step_ns = -20 * MS;
	run->targets[0].link_bits_per_s = 0;
	run->targets[0].fragments.largest_in_reply = 1500;
	golden_processor(run, 0.02, 0.13, 4000, "");
	golden_finish(run);
	golden_measured_clock(run);
}

/* The interface stamps too, and its speed is one that nothing has. Stamps that never came. */
static void build_split_targets(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-f",	   "-c",       "1000",
						"10.9.0.2",    "10.9.0.3", "10.9.0.4", NULL};
	static const struct golden_trip trips[] = {{1000, 45 * US, 4000, 5 * US}};
	static const int64_t stretches_ns[BUDGET_PARTS] = {2000, 400, 38500, 2000, 2100};

	golden_begin(run, 3, arguments);
	run->configuration.count = 1000;
	for (uint32_t i = 0; i < 3; i++)
		golden_converse(run, i, trips, 1);
	golden_stamps(run, 0, 64, 16, stretches_ns);
	golden_stamps(run, 1, 64, 15, stretches_ns);
	golden_stamps(run, 2, 64, 0, stretches_ns);
	run->targets[2].stamps = (struct result_stamps){.sampled = 16, .missing_driver = 16};
	histogram_init(&run->hardware[0]);
	for (int n = 0; n < 16; n++)
		histogram_record(&run->hardware[0], 37100 + n);
	run->targets[0].rtt_hardware = &run->hardware[0];
	golden_processor(run, 0.03, 0.08, 3000, "");
	golden_finish(run);
	golden_measured_clock(run);
}

/* A schedule that is kept, but late; an interface that is faster on paper than in fact. */
static void build_lateness(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-i",	"1ms",	    "-c", "3000",
						"-s",	       "60000", "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {{2960, 160 * US, 44 * US, 840 * US},
						   {40, 420 * US, 50 * US, 580 * US}};
	static const int64_t stretches_ns[BUDGET_PARTS] = {16765, 711, 102833, 30157, 10000};

	golden_begin(run, 1, arguments);
	run->configuration.count = 3000;
	run->configuration.payload_bytes = run->targets[0].payload_bytes = 60000;
	run->targets[0].pinned_bytes = (struct maybe){true, 0.0};
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	golden_schedule(run, 0, MS, 62 * US);
	golden_stamps(run, 0, 1, 3000, stretches_ns);
	run->targets[0].link_bits_per_s = UINT64_C(1000000000);
	run->targets[0].rfc3550_ns = (struct maybe){true, 9800};
	run->targets[0].ipdv_mean_ns = (struct maybe){true, 6900};
	run->targets[0].reordered_ratio = (struct maybe){true, 0};
	golden_processor(run, 0.2, 0.6, 3000, "");
	golden_finish(run);
	golden_measured_clock(run);
}

static void coarsen(struct golden_run *run)
{
	struct result_clock *clock = &run->result.clock;

	golden_measured_clock(run);
	clock->source = "coarse";
	(void)snprintf(clock->reason, sizeof(clock->reason), "asked for by --clock");
	clock->step_ns = 3999994;
	clock->read_ns = 5.2;
	clock->zero_share = 0.99998;
	clock->grain_ns.known = clock->hiccup_ns.known = false;
	clock->is_coarse = true;
	clock->error_ns.value = 3999999.2;
	run->result.stamps = STAMPS_USER;
}

/* A clock that steps by 4 ms: every time is a multiple of that, or it would be made up. */
static void build_coarse(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "--clock", "coarse",   "-i", "10ms",
						"-c",	       "300",	  "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {{180, 1, -1, 11999981},
						   {120, 3999994, -1, 3999994}};

	golden_begin(run, 1, arguments);
	coarsen(run);
	run->configuration.count = 300;
	run->configuration.clock = "coarse";
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	golden_schedule(run, 0, 10 * MS, 3999994);
	run->targets[0].rtt_ping = NULL;
	run->targets[0].rfc3550_ns = (struct maybe){true, 1723456};
	run->targets[0].ipdv_mean_ns = (struct maybe){true, 1890000};
	run->targets[0].outages[run->targets[0].outage_count++] =
		(struct result_outage){401999397, 409999385, "Network is down"};
	run->targets[0].steady = (struct result_steady){.known = true,
							.is_steady = true,
							.cut_replies = 30,
							.cut_share = 0.1,
							.cut_mean_ns = 3400000,
							.rest_mean_ns = 1800000};
	golden_processor(run, 0.01, 0.02, 300, "");
	golden_finish(run);
	coarsen(run);
}

static void build_coarse_flood(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "--clock", "coarse",   "-f",
						"-c",	       "20000",	  "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {{19960, 1, -1, 0}, {40, 3999994, -1, 0}};

	golden_begin(run, 1, arguments);
	coarsen(run);
	run->configuration.count = 20000;
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	run->targets[0].rtt_ping = NULL;
	golden_finish(run);
	coarsen(run);
}

/* The processor's counter, since the kernel's clock was too coarse; it was not good to the end. */
static void build_counter(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-f", "-c10000", "10.9.0.2", NULL};
	struct result_clock *clock = &run->result.clock;

	golden_begin(run, 1, arguments);
	run->configuration.count = 10000;
	golden_converse(run, 0, fast_trips, ARRAY_LENGTH(fast_trips));
	golden_measured_clock(run);
	clock->source = "tsc";
	(void)snprintf(clock->reason, sizeof(clock->reason),
		       "monotonic steps by 4 ms, which is above 1 us, and the processor's counter "
		       "is usable");
	clock->is_calibrated = true;
	clock->counts_per_s = 2595123456.78;
	clock->calibration_bound = 3.1e-8;
	clock->drift = -2.4e-8;
	(void)snprintf(clock->fault, sizeof(clock->fault),
		       "the counter ran 130 ppm faster at the end than at the start");
	golden_finish(run);
	clock->error_ns = (struct maybe){true, 35.2};
}

/* Requests before the measurement, and yet a slow start. */
static void build_warmup(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-f",	"--warmup", "100",
						"-c",	       "15000", "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {{2000, 45 * US, 3500, 400},
						   {13000, 12600, 3500, 400}};
	struct result_target *target = &run->targets[0];

	golden_begin(run, 1, arguments);
	run->configuration.count = 15000;
	run->configuration.warmup_requests = 100;
	run->result.warmup_ns = 12 * MS + 345678;
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	target->warmup.sent = 100;
	target->warmup.received = 97;
	target->warmup.lost = target->warmup.lost_unknown = 2;
	target->warmup.in_flight_at_end = 1;
	target->steady = (struct result_steady){.known = true,
						.is_steady = true,
						.cut_replies = 2000,
						.cut_share = 2000 / 15000.0,
						.cut_mean_ns = 45000,
						.rest_mean_ns = 12600};
	golden_finish(run);
	golden_measured_clock(run);
}

/* A path that moved: later half slower, replies overtaken, losses together. */
static void build_moving(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-i",   "5ms",	   "-c", "1000",
						"-W",	       "50ms", "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {
		{620, 2 * MS, 9 * US, 3 * MS}, {30, 0, -1, 0}, {350, 3 * MS, 9 * US, 2 * MS}};
	struct result_target *target = &run->targets[0];

	golden_begin(run, 1, arguments);
	run->configuration.count = 1000;
	run->configuration.timeout_ns = 50 * MS;
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	golden_schedule(run, 0, 5 * MS, 20 * US);
	target->loss_runs[0] = (struct result_loss_run){1, 3};
	target->loss_runs[1] = (struct result_loss_run){7, 1};
	target->loss_runs[2] = (struct result_loss_run){20, 1};
	target->loss_run_count = 3;
	target->tally.reordered = 320;
	target->reordered_ratio = (struct maybe){true, 320 / 970.0};
	target->reorder_extent_max = 17;
	target->reorder_extent_p99 = (struct maybe){true, 12};
	target->reply_ttl[0] = 64;
	target->reply_ttl[1] = 63;
	target->reply_ttl_count = 2;
	target->reply_ttl_changes = 1;
	target->rfc3550_ns = (struct maybe){true, 31000};
	target->ipdv_mean_ns = (struct maybe){true, 12500};
	target->steady = (struct result_steady){.known = true,
						.is_steady = false,
						.cut_replies = 620,
						.cut_share = 620 / 970.0,
						.cut_mean_ns = 2e6,
						.rest_mean_ns = 3e6};
	golden_finish(run);
	golden_measured_clock(run);
}

/* A host that was busy with other things. */
static void build_disturbed(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-i",	   "20ms", "-c",
						"100",	       "10.9.0.2", NULL};
	static const struct golden_trip trips[] = {{98, 400 * US, 40 * US, 19600 * US},
						   {2, 0, -1, 0}};
	static const char *const offloads[] = {"rx-checksumming", "tx-checksumming",
					       "generic-receive-offload"};
	struct environment *facts = &run->result.environment;
	struct result_disturbance *disturbance = &run->result.disturbance;
	struct result_target *target = &run->targets[0];

	golden_begin(run, 1, arguments);
	run->configuration.count = 100;
	golden_converse(run, 0, trips, ARRAY_LENGTH(trips));
	golden_schedule(run, 0, 20 * MS, 90 * US);
	facts->offloads_known = true;
	for (size_t i = 0; i < ARRAY_LENGTH(offloads); i++)
		(void)snprintf(facts->offloads[facts->offload_count++], sizeof(facts->offloads[0]),
			       "%s", offloads[i]);
	facts->coalescing = (struct result_coalescing){.known = true,
						       .adaptive_receive = true,
						       .receive_us = 50,
						       .send_us = 20,
						       .send_frames = 32};
	*disturbance = (struct result_disturbance){.clock_steps = 2,
						   .stops = 1,
						   .stopped_ns = 2 * S + 1234567,
						   .suspended_ns = {true, 0},
						   .run_delay_s = {true, 0.75}};
	target->loss_runs[0] = (struct result_loss_run){1, 2};
	target->loss_run_count = 1;
	target->tally.other_responders = 3;
	target->reply_ttl[0] = 64;
	target->reply_ttl[1] = 255;
	target->reply_ttl_count = 2;
	target->reply_ttl_changes = 41;
	target->outages[target->outage_count++] =
		(struct result_outage){400 * MS, 2402 * MS, "this process was stopped"};
	golden_processor(run, 0.05, 0.05, 98, "");
	run->result.processor.wall_s = 4.0;
	run->result.processor.steal_s = (struct maybe){true, 0.31};
	run->result.processor.softnet_drops = (struct maybe){true, 12};
	golden_finish(run);
	golden_measured_clock(run);
}

const struct golden_case golden_time_cases[] = {
	{"split", build_split},
	{"split-fragments", build_split_fragments},
	{"split-targets", build_split_targets},
	{"lateness", build_lateness},
	{"coarse", build_coarse},
	{"coarse-flood", build_coarse_flood},
	{"counter", build_counter},
	{"warmup", build_warmup},
	{"moving", build_moving},
	{"disturbed", build_disturbed},
	{NULL, NULL},
};
