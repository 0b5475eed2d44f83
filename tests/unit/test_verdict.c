/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verdict's reasons that come from outside of the measurement: each alone, just below its
 * limit, and all at once, where the cause must stand before what it causes.
 */
#include "core/summary.h"

#include <stdio.h>
#include <string.h>

#include "unit/unit.h"

#define SECOND NANOSECONDS_PER_SECOND

static struct world {
	struct result result;
	struct configuration configuration;
	struct result_target target;
	struct histogram user, lateness;
	struct depth depth;
} world;

/* A clean run of ten seconds: 1,000 requests on a schedule of 10 ms, answered within 50 us. */
static void world_begin(void)
{
	struct result_target *target = &world.target;
	int64_t now_ns = 0;

	memset(&world, 0, sizeof(world));
	world.configuration.timeout_ns = SECOND;
	world.result.configuration = &world.configuration;
	world.result.targets = target;
	world.result.target_count = 1;
	world.result.interval_ns = 10 * NANOSECONDS_PER_MILLISECOND;
	world.result.stamps = STAMPS_SPLIT;
	world.result.clock.source = "monotonic";
	world.result.clock.is_measured = true;
	world.result.clock.step_ns = 20;
	world.result.clock.read_ns = 25;
	world.result.clock.rate_error = 5e-4;
	world.result.processor = (struct result_processor){.known = true,
							   .user_s = 0.1,
							   .system_s = 0.2,
							   .wall_s = 10.0,
							   .steal_s = {.known = true}};
	world.result.disturbance.run_delay_s.known = true;
	world.result.disturbance.suspended_ns.known = true;
	target->name = "a";
	target->family = 4;
	target->mtu = target->path_mtu = 1500;
	target->payload_bytes = 56;
	target->rtt_user = &world.user;
	target->lateness = &world.lateness;
	target->depth = &world.depth;
	target->steady = (struct result_steady){.known = true, .is_steady = true};
	depth_start(&world.depth, 0);
	for (int request = 0; request < 1000; request++) {
		(void)depth_change(&world.depth, 1, now_ns);
		(void)depth_change(&world.depth, -1, now_ns + 50000);
		histogram_record(&world.user, 50000);
		histogram_record(&world.lateness, 1000);
		now_ns += world.result.interval_ns;
	}
	target->tally.sent = target->tally.received = 1000;
	target->window_ns = target->elapsed_ns = world.depth.last_ns;
}

static void expect(const char *label, const char *wanted)
{
	char codes[256] = "";

	summary_complete(&world.result, NULL, NULL);
	for (uint32_t i = 0; i < world.result.reason_count; i++) {
		size_t used = strlen(codes);

		(void)snprintf(codes + used, sizeof(codes) - used, "%s%s", i > 0 ? " " : "",
			       world.result.reasons[i].code);
		UNIT_CHECK(world.result.reasons[i].text[0] != '\0', "%s: no text", label);
		UNIT_CHECK(strlen(world.result.reasons[i].text) <
				   sizeof(world.result.reasons[i].text) - 1,
			   "%s: the text is cut: %s", label, world.result.reasons[i].text);
	}
	UNIT_TEXT(label, codes, wanted);
}

static void test_clean(void)
{
	world_begin();
	expect("a clean run", "");
	UNIT_CHECK(world.result.clock.error_ns.known, "the clock's error is known");
	UNIT_NEAR("step, reading and 500 ppm of 50 us", world.result.clock.error_ns.value, 70, 0.2);
}

static void test_standstill(void)
{
	world_begin();
	world.result.disturbance.stops = 1;
	expect("continued, but never stood still", "");

	world_begin();
	world.result.disturbance.stops = 1;
	world.result.disturbance.stopped_ns = 2 * SECOND;
	expect("stopped", "suspended");

	world_begin();
	world.result.disturbance.suspended_ns.value = 1e6 - 1;
	expect("less than two readings can differ by", "");
	world_begin();
	world.result.disturbance.suspended_ns.value = 3e9;
	expect("asleep", "suspended");
	world_begin();
	world.result.disturbance.suspended_ns = (struct maybe){.known = false, .value = 3e9};
	expect("nobody knows", "");
}

static void test_clock(void)
{
	world_begin();
	world.result.disturbance.clock_steps = 1;
	expect("set", "clock-stepped");
	world_begin();
	world.result.disturbance.clock_steps = 2;
	world.result.disturbance.largest_step_ns = -3600 * SECOND;
	world.target.stamps.voided = 12;
	expect("set back", "clock-stepped");
	UNIT_CHECK(strstr(world.result.reasons[0].text, "12 sampled") != NULL &&
			   strstr(world.result.reasons[0].text, "3600 s") != NULL,
		   "it says how far and what it cost: %s", world.result.reasons[0].text);
	world_begin();
	world.result.disturbance.clock_steps = 1;
	world.result.stamps = STAMPS_USER;
	expect("set, and nothing used it", "");
	world_begin();
	(void)snprintf(world.result.clock.fault, sizeof(world.result.clock.fault), "it drifted");
	expect("a counter that must not be trusted after all", "clock-stepped");

	world_begin();
	world.result.clock.is_coarse = true;
	world.result.clock.step_ns = 4 * NANOSECONDS_PER_MILLISECOND;
	expect("coarse", "clock-too-coarse");
	world_begin();
	world.result.clock.step_ns = 5000;
	expect("a tenth of the median", "");
	world_begin();
	world.result.clock.step_ns = 5100;
	expect("above a tenth of the median", "clock-too-coarse");
	world_begin();
	world.result.clock.step_ns = 5100;
	world.result.clock.is_measured = false;
	expect("not measured", "");
}

static void test_processor(void)
{
	world_begin();
	world.result.disturbance.run_delay_s.value = 0.5;
	expect("waited for a twentieth", "");
	world.result.disturbance.run_delay_s.value = 0.51;
	expect("waited for more", "cpu-contended");
	world_begin();
	world.result.processor.wall_s = 0.1;
	world.result.disturbance.run_delay_s.value = 0.009;
	expect("a few turns of a daemon in a short run", "");

	world_begin();
	world.result.processor.steal_s.value = 0.51;
	expect("stolen", "cpu-contended");
	world_begin();
	world.result.processor.wall_s = 0.1;
	world.result.processor.steal_s.value = 0.02;
	expect("two ticks in a short run", "");

	world_begin();
	world.result.processor.user_s = 9.9;
	expect("a pacer that spins and keeps its schedule", "");
	world_begin();
	world.result.processor.user_s = 9.9;
	world.target.tally.skipped = 5;
	expect("a full processor and a schedule not kept", "cpu-saturated rate-not-held");
	world_begin();
	world.target.tally.skipped = 5;
	expect("a schedule not kept for another reason", "rate-not-held");
}

static void test_steadiness(void)
{
	world_begin();
	world.target.steady = (struct result_steady){.known = true,
						     .is_steady = false,
						     .cut_replies = 600,
						     .cut_share = 0.6,
						     .cut_mean_ns = 50000,
						     .rest_mean_ns = 80000};
	expect("no steady state", "no-steady-state");
	UNIT_CHECK(strstr(world.result.reasons[0].text, "600 replies (60 %)") != NULL,
		   "it says what would have to go: %s", world.result.reasons[0].text);
	world_begin();
	world.target.steady = (struct result_steady){.known = false, .is_steady = false};
	expect("too short to judge", "");
}

static void test_order(void)
{
	world_begin();
	world.result.disturbance =
		(struct result_disturbance){.stops = 1,
					    .stopped_ns = SECOND,
					    .clock_steps = 1,
					    .run_delay_s = {.known = true, .value = 5}};
	world.result.clock.is_coarse = true;
	world.result.processor.system_s = 9.9;
	world.target.steady.is_steady = false;
	world.target.tally.skipped = 1;
	world.target.tally.send_errors = 1;
	world.target.tally.local_drops = 1;
	world.target.tally.sent++;
	expect("everything", "suspended clock-stepped clock-too-coarse cpu-contended "
			     "cpu-saturated send-errors local-receive-drops rate-not-held "
			     "unbalanced no-steady-state");
}

const struct unit_suite suite_verdict = {
	"verdict",
	(const struct unit_test[]){
		{"a clean run", test_clean},
		{"standstill", test_standstill},
		{"clock", test_clock},
		{"processor", test_processor},
		{"steadiness", test_steadiness},
		{"causes before effects", test_order},
		{NULL, NULL},
	},
};
