/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pacers, first step by step, then for hours of simulated time: lost replies, stalls, sends that
 * are put off, clocks that start anywhere. The rules themselves are in pacer_rules.h.
 */
#include "unit/unit.h"

#include <stdio.h>

#include "base/random.h"
#include "unit/pacer_rules.h"

#define MS NANOSECONDS_PER_MILLISECOND
#define SECOND NANOSECONDS_PER_SECOND

static struct pacer make(const struct pacer_row *row, struct pacer_settings settings)
{
	struct pacer pacer;
	struct error error;

	UNIT_CHECK(pacer_init(&pacer, row, &settings, &error) == 0, "%s: settings refused",
		   row->name);
	return pacer;
}

/* Asks and expects SEND count; reports it as sent. */
static void expect_send(struct pacer *pacer, int64_t now_ns, uint32_t used, uint32_t count,
			int64_t intended_ns, const char *label)
{
	struct pacer_decision decision;
	const char *broken = pacer_rules_ask(pacer, now_ns, used, &decision);

	UNIT_CHECK(broken == NULL, "%s: %s", label, broken);
	UNIT_SIGNED(label, decision.action, PACER_SEND);
	UNIT_UNSIGNED(label, decision.count, count);
	UNIT_SIGNED(label, decision.intended_ns, intended_ns);
	pacer_sent(pacer, now_ns, decision.count);
}

static void expect_wait(struct pacer *pacer, int64_t now_ns, uint32_t used, int64_t until_ns,
			const char *label)
{
	struct pacer_decision decision;
	const char *broken = pacer_rules_ask(pacer, now_ns, used, &decision);

	UNIT_CHECK(broken == NULL, "%s: %s", label, broken);
	UNIT_SIGNED(label, decision.action, PACER_WAIT);
	UNIT_SIGNED(label, decision.until_ns, until_ns);
}

static void expect_done(struct pacer *pacer, int64_t now_ns, uint32_t used, const char *label)
{
	struct pacer_decision decision;
	const char *broken = pacer_rules_ask(pacer, now_ns, used, &decision);

	UNIT_CHECK(broken == NULL, "%s: %s", label, broken);
	UNIT_SIGNED(label, decision.action, PACER_DONE);
}

static void test_table(void)
{
	UNIT_CHECK(pacer_find("flood") == &pacer_flood, "flood is not found");
	UNIT_CHECK(pacer_find("interval") == &pacer_interval, "interval is not found");
	UNIT_CHECK(pacer_find("depth") == &pacer_depth, "depth is not found");
	UNIT_CHECK(pacer_find("") == NULL && pacer_find("floo") == NULL &&
			   pacer_find("floods") == NULL && pacer_find("Flood") == NULL,
		   "a name that is none is found");
	for (size_t i = 0; pacer_rows[i] != NULL; i++)
		UNIT_CHECK(pacer_find(pacer_rows[i]->name) == pacer_rows[i] &&
				   pacer_rows[i]->summary[0] != '\0',
			   "row %zu", i);
}

static void test_validate(void)
{
	struct pacer pacer;
	struct error error;
	struct pacer_settings none = {0};
	struct pacer_settings negative = {.interval_ns = -1, .preload = 1};
	struct pacer_settings no_first = {.interval_ns = 1, .preload = 0};

	UNIT_SIGNED("no slot", pacer_init(&pacer, &pacer_flood, &none, &error), -ERROR_INVALID);
	UNIT_SIGNED("no slot", pacer_init(&pacer, &pacer_depth, &none, &error), -ERROR_INVALID);
	UNIT_SIGNED("no interval", pacer_init(&pacer, &pacer_interval, &none, &error),
		    -ERROR_INVALID);
	UNIT_SIGNED("negative", pacer_init(&pacer, &pacer_interval, &negative, &error),
		    -ERROR_INVALID);
	UNIT_SIGNED("no first", pacer_init(&pacer, &pacer_interval, &no_first, &error),
		    -ERROR_INVALID);
	UNIT_CHECK(error.text[0] != '\0', "no text");
}

static void test_catch_up(void)
{
	static const struct {
		int64_t interval_ns;
		uint32_t burst;
	} rows[] = {
		{1, 512},       {19531, 512},    {19532, 511}, {100000, 100},  {1 * MS, 10},
		{5 * MS, 2},    {5 * MS + 1, 1}, {10 * MS, 1}, {11 * MS, 1},   {SECOND, 1},
		{INT64_MAX, 1}, {0, 1},          {-5, 1},      {INT64_MIN, 1},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_UNSIGNED("catch-up", pacer_catch_up(rows[i].interval_ns), rows[i].burst);
}

static void test_flood(void)
{
	struct pacer pacer =
		make(&pacer_flood, (struct pacer_settings){.slots = 1, .start_ns = 500});

	expect_wait(&pacer, 499, 0, 500, "before the start");
	expect_send(&pacer, 500, 0, 1, 500, "first");
	expect_wait(&pacer, 500, 1, 500 + 10 * MS, "no reply yet");
	expect_send(&pacer, 700, 0, 1, 700, "at the reply");
	expect_wait(&pacer, 701, 1, 700 + 10 * MS, "no reply yet");
	expect_send(&pacer, 700 + 10 * MS, 1, 1, 700 + 10 * MS, "100 a second without replies");
	expect_wait(&pacer, 700 + 10 * MS, 2, 700 + 20 * MS, "two are out");
	expect_wait(&pacer, 700 + 15 * MS, 1, 700 + 20 * MS, "one came back, its slot was no more");
	expect_send(&pacer, 700 + 16 * MS, 0, 1, 700 + 16 * MS, "both came back");
	expect_send(&pacer, 0 + 600, 1, 1, 600, "the clock went back: no silence");
}

/* A lost request costs 10 ms at most, and the floor is 100 a second, not 99. */
static void test_flood_overtakes(void)
{
	struct pacer pacer = make(&pacer_flood, (struct pacer_settings){.slots = 1, .start_ns = 0});
	struct pacer hard =
		make(&pacer_flood, (struct pacer_settings){.slots = 1, .slots_are_hard = true});

	expect_send(&pacer, 0, 0, 1, 0, "the one that is lost");
	expect_send(&pacer, 10 * MS + 300, 1, 1, 10 * MS + 300, "the floor, a little late");
	expect_wait(&pacer, 10 * MS + 400, 2, 20 * MS, "the next one is not later for that");
	pacer_answered(&pacer, false);
	expect_wait(&pacer, 10 * MS + 500, 2, 20 * MS, "an old reply is no clock");
	pacer_answered(&pacer, true);
	expect_send(&pacer, 10 * MS + 600, 1, 1, 10 * MS + 600, "the reply to the newest is");
	expect_wait(&pacer, 10 * MS + 700, 2, 20 * MS + 600, "once");

	expect_send(&hard, 0, 0, 1, 0, "hard slots");
	pacer_answered(&hard, true);
	expect_wait(&hard, 1 * SECOND, 1, TIME_NEVER_NS, "are never exceeded");
}

static void test_flood_slots(void)
{
	struct pacer soft = make(&pacer_flood, (struct pacer_settings){.slots = 64, .count = 100});
	struct pacer hard =
		make(&pacer_flood, (struct pacer_settings){.slots = 8, .slots_are_hard = true});

	expect_send(&soft, 0, 0, 64, 0, "all slots at the start");
	expect_wait(&soft, 1, 64, 10 * MS, "full");
	expect_send(&soft, 2, 60, 4, 2, "four replies");
	expect_send(&soft, 3, 0, 32, 3, "no more than the count");
	expect_done(&soft, 4, 32, "count reached");

	expect_send(&hard, 0, 0, 8, 0, "all slots at the start");
	expect_wait(&hard, 100 * SECOND, 8, TIME_NEVER_NS, "hard slots know no 100 a second");
	expect_send(&hard, 100 * SECOND, 7, 1, 100 * SECOND, "a slot is free");
}

static void test_depth_pacer(void)
{
	struct pacer pacer = make(&pacer_depth, (struct pacer_settings){.slots = 4, .count = 6});

	expect_send(&pacer, 10, 0, 4, 10, "all slots");
	expect_wait(&pacer, 11, 4, TIME_NEVER_NS, "full");
	expect_send(&pacer, 12, 3, 1, 12, "one reply");
	expect_send(&pacer, 13, 0, 1, 13, "one is left");
	expect_done(&pacer, 14, 1, "count reached");
}

static void test_interval(void)
{
	struct pacer pacer =
		make(&pacer_interval,
		     (struct pacer_settings){
			     .interval_ns = SECOND, .preload = 3, .start_ns = 7, .count = 6});

	expect_wait(&pacer, 0, 0, 7, "before the start");
	expect_send(&pacer, 7, 0, 2, 7, "extra ones");
	expect_send(&pacer, 8, 2, 1, 7, "first of the schedule");
	expect_wait(&pacer, 9, 3, SECOND + 7, "second");
	expect_send(&pacer, SECOND + 9, 3, 1, SECOND + 7, "slots do not matter");
	expect_wait(&pacer, SECOND + 10, 4, 2 * SECOND + 7, "no drift");
	expect_send(&pacer, 4 * SECOND + 8, 4, 1, 4 * SECOND + 7, "after a stall one is sent");
	UNIT_UNSIGNED("two were skipped", pacer.skipped, 2);
	expect_wait(&pacer, 4 * SECOND + 9, 5, 5 * SECOND + 7, "the old schedule");
	expect_send(&pacer, 5 * SECOND + 7, 5, 1, 5 * SECOND + 7, "the last");
	expect_done(&pacer, 6 * SECOND, 6, "skipped ones do not count");
}

/* What the kernel puts off stays due, and only the part that was sent moves the schedule. */
static void test_put_off(void)
{
	struct pacer pacer =
		make(&pacer_interval, (struct pacer_settings){.interval_ns = MS, .preload = 1});
	struct pacer_decision decision;

	pacer_next(&pacer, 4 * MS, 0, &decision);
	UNIT_UNSIGNED("0..4 ms", decision.count, 5);
	pacer_sent(&pacer, 4 * MS, 2);
	pacer_next(&pacer, 4 * MS, 0, &decision);
	UNIT_UNSIGNED("2..4 ms", decision.count, 3);
	UNIT_SIGNED("2..4 ms", decision.intended_ns, 2 * MS);
	pacer_sent(&pacer, 4 * MS, 0);
	pacer_next(&pacer, 5 * MS, 0, &decision);
	UNIT_UNSIGNED("2..5 ms", decision.count, 4);
	UNIT_UNSIGNED("nothing skipped", pacer.skipped, 0);
}

/* Intervals below a millisecond (case B36) and the length of whole runs (case B37). */
static void test_run_lengths(void)
{
	static const struct {
		const char *label;
		int64_t interval_ns;
		uint64_t count;
		int64_t length_ns;
	} rows[] = {
		{"B36: 0.0005 s", 500000, 10000, 4999500000},
		{"B36: 0.0001 s", 100000, 10000, 999900000},
		{"B36: 0.00999 s", 9990000, 1000, 9980010000},
		{"B36: 0.05 s", 50000000, 100, 4950000000},
		{"B37: 0.1 s", 100 * MS, 100, 9900000000},
		{"B37: 0.001 s", MS, 20000, 19999000000},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct pacer pacer = make(
			&pacer_interval, (struct pacer_settings){.interval_ns = rows[i].interval_ns,
								 .count = rows[i].count,
								 .preload = 1,
								 .start_ns = 123456789});
		struct pacer_decision decision = {.until_ns = pacer.settings.start_ns};
		int64_t now = 0;

		/* The waiter wakes up to 77 us late each time; that must not add up. */
		for (int turn = 0; turn < 100000 && decision.action != PACER_DONE; turn++) {
			pacer_next(&pacer, now, 0, &decision);
			if (decision.action == PACER_SEND)
				pacer_sent(&pacer, now, decision.count);
			else if (decision.action == PACER_WAIT)
				now = decision.until_ns + now % 77000;
		}
		UNIT_CHECK(
			pacer.last_send_ns - pacer.settings.start_ns - rows[i].length_ns < 100000 &&
				pacer.last_send_ns - pacer.settings.start_ns >= rows[i].length_ns,
			"%s: took %lld ns", rows[i].label,
			(long long)(pacer.last_send_ns - pacer.settings.start_ns));
		UNIT_UNSIGNED(rows[i].label, pacer.attempts, rows[i].count);
		UNIT_UNSIGNED(rows[i].label, pacer.skipped, 0);
	}
}

/* A process that is stopped for 2 s (case B37): one burst of the stated size, then the schedule. */
static void test_stall(void)
{
	struct pacer pacer =
		make(&pacer_interval, (struct pacer_settings){.interval_ns = MS, .preload = 1});
	struct pacer_decision decision;

	for (int64_t now = 0; now < 100 * MS; now += MS)
		expect_send(&pacer, now, 0, 1, now, "B37: before");
	expect_send(&pacer, 2099 * MS + 5, 0, 10, 2090 * MS, "B37: the burst");
	UNIT_UNSIGNED("B37: skipped", pacer.skipped, 1990);
	pacer_next(&pacer, 2099 * MS + 6, 0, &decision);
	UNIT_SIGNED("B37: after", decision.action, PACER_WAIT);
	expect_send(&pacer, 2100 * MS, 0, 1, 2100 * MS, "B37: after");
}

/* One simulated run: requests come back after a while, or never; the loop stalls at times. */
struct simulated {
	struct random_state random;
	int64_t rtt_ns, stall_ns;
	unsigned int loss_percent, put_off_percent;
	int64_t back_at[256]; /* a slot each; TIME_NEVER_NS: free */
};

static uint32_t slots_used(struct simulated *run, int64_t now_ns)
{
	uint32_t used = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(run->back_at); i++) {
		if (run->back_at[i] <= now_ns)
			run->back_at[i] = TIME_NEVER_NS;
		used += run->back_at[i] != TIME_NEVER_NS;
	}
	return used;
}

static void take_slots(struct simulated *run, int64_t now_ns, uint32_t count)
{
	for (size_t i = 0; i < ARRAY_LENGTH(run->back_at) && count > 0; i++) {
		if (run->back_at[i] != TIME_NEVER_NS)
			continue;
		/* A lost request gives its slot back after a second. */
		run->back_at[i] = now_ns + (random_below(&run->random, 100) < run->loss_percent
						    ? SECOND
						    : run->rtt_ns);
		count--;
	}
}

static int64_t next_event(const struct simulated *run, const struct pacer_decision *decision)
{
	int64_t at = decision->until_ns;

	for (size_t i = 0; i < ARRAY_LENGTH(run->back_at); i++)
		at = min_i64(at, run->back_at[i]);
	return at;
}

/* Runs until done or for so many turns of the loop; the rule that was broken, or NULL. */
static const char *simulate(struct simulated *run, struct pacer *pacer, int64_t now_ns, int turns)
{
	struct pacer_decision decision;

	for (int turn = 0; turn < turns; turn++) {
		uint32_t used = slots_used(run, now_ns), accepted;
		const char *broken = pacer_rules_ask(pacer, now_ns, used, &decision);

		if (broken != NULL || decision.action == PACER_DONE)
			return broken;
		if (decision.action == PACER_WAIT) {
			int64_t next = next_event(run, &decision);

			if (next == TIME_NEVER_NS)
				return "waits for ever";
			now_ns = next + (int64_t)random_below(&run->random, 2000);
		} else {
			accepted = decision.count;
			if (random_below(&run->random, 100) < run->put_off_percent)
				accepted = (uint32_t)random_below(&run->random,
								  accepted + UINT64_C(1));
			take_slots(run, now_ns, accepted);
			pacer_sent(pacer, now_ns, accepted);
			now_ns += 1 + (int64_t)random_below(&run->random, 500);
		}
		if (random_below(&run->random, 1000) == 0)
			now_ns += (int64_t)random_below(&run->random, (uint64_t)run->stall_ns + 1);
	}
	return NULL;
}

static void test_simulations(void)
{
	static const int64_t starts[] = {0,
					 1,
					 -3600 * SECOND,
					 INT64_MIN + 1,
					 INT64_MIN / 2,
					 INT64_MAX / 2,
					 INT64_C(1800000000) * SECOND};
	static const int64_t intervals[] = {1, 7, 1000, 100000, MS, 3 * MS, SECOND, 7200 * SECOND};
	struct random_state random;

	random_seed(&random, 42);
	for (int number = 0; number < 2000; number++) {
		const struct pacer_row *row = pacer_rows[random_below(&random, 3)];
		struct pacer_settings settings = {
			.count = random_below(&random, 2) * random_below(&random, 3000),
			.slots = 1 + (uint32_t)random_below(&random, 64),
			.slots_are_hard = random_below(&random, 2) == 1,
			.interval_ns = intervals[random_below(&random, ARRAY_LENGTH(intervals))],
			.preload = 1 + (uint32_t)random_below(&random, 5),
			.start_ns = starts[random_below(&random, ARRAY_LENGTH(starts))],
		};
		struct simulated run = {
			.rtt_ns = 1 + (int64_t)random_below(&random, 30000000),
			.stall_ns = (int64_t)random_below(&random, 10 * (uint64_t)SECOND),
			.loss_percent = (unsigned int)random_below(&random, 101),
			.put_off_percent = (unsigned int)random_below(&random, 60),
		};
		struct pacer pacer = make(row, settings);
		const char *broken;

		for (size_t i = 0; i < ARRAY_LENGTH(run.back_at); i++)
			run.back_at[i] = TIME_NEVER_NS;
		random_seed(&run.random, (uint64_t)number);
		broken = simulate(&run, &pacer, settings.start_ns, 1000);
		UNIT_CHECK(broken == NULL, "run %d, %s: %s", number, row->name, broken);
	}
}

/* Interval schedules whose next request is past the end of time. */
static void test_end_of_time(void)
{
	struct pacer late =
		make(&pacer_interval, (struct pacer_settings){.interval_ns = SECOND,
							      .preload = 1,
							      .start_ns = INT64_MAX - 5});
	struct pacer rare = make(
		&pacer_interval,
		(struct pacer_settings){.interval_ns = INT64_MAX, .preload = 1, .start_ns = -1000});
	struct pacer flood =
		make(&pacer_flood, (struct pacer_settings){.slots = 1, .start_ns = INT64_MAX - 5});

	expect_send(&late, INT64_MAX - 5, 0, 1, INT64_MAX - 5, "last second");
	expect_wait(&late, INT64_MAX - 4, 0, TIME_NEVER_NS, "last second");
	expect_send(&rare, 0, 0, 1, -1000, "292 years");
	expect_wait(&rare, 1, 0, INT64_MAX - 1000, "292 years");
	expect_send(&rare, INT64_MAX - 1000, 0, 1, INT64_MAX - 1000, "292 years");
	expect_wait(&rare, INT64_MAX - 999, 0, TIME_NEVER_NS, "584 years");
	expect_send(&flood, INT64_MAX - 5, 0, 1, INT64_MAX - 5, "flood");
	expect_wait(&flood, INT64_MAX - 4, 1, TIME_NEVER_NS, "flood");
}

/* 32-bit counters (case B45) and counts beyond them. */
static void test_large_counts(void)
{
	uint64_t edge = (UINT64_C(1) << 32) - 5;
	struct pacer pacer =
		make(&pacer_depth, (struct pacer_settings){.slots = 10, .count = edge + 100});

	pacer.attempts = edge;
	expect_send(&pacer, 0, 0, 10, 0, "B45: over the edge");
	UNIT_UNSIGNED("B45: over the edge", pacer.attempts, edge + 10);
	pacer.attempts = edge + 99;
	expect_send(&pacer, 0, 0, 1, 0, "B45: the last one");
	expect_done(&pacer, 0, 0, "B45: done");
}

const struct unit_suite suite_pacer = {
	"pacer",
	(const struct unit_test[]){
		{"table", test_table},
		{"settings that are refused", test_validate},
		{"size of the burst after a stall", test_catch_up},
		{"flood", test_flood},
		{"flood with slots", test_flood_slots},
		{"a flood overtakes what is lost", test_flood_overtakes},
		{"depth", test_depth_pacer},
		{"interval", test_interval},
		{"requests put off stay due", test_put_off},
		{"B36 B37 schedules do not drift", test_run_lengths},
		{"B37 one burst after a stall", test_stall},
		{"simulations keep the rules", test_simulations},
		{"end of time", test_end_of_time},
		{"B45 counts beyond 32 bits", test_large_counts},
		{NULL, NULL},
	},
};
