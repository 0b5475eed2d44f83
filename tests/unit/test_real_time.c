/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real time beside the clock of the run, both scripted: what is a step, how often it counts, for
 * how long stamps are void after it, and what is none.
 */
#include "os/real_time.h"

#include "unit/unit.h"

#include <poll.h>

#define START_NS (100 * NANOSECONDS_PER_SECOND)
#define EPOCH_NS (INT64_C(1700000000) * NANOSECONDS_PER_SECOND)
#define DESCRIPTOR 77

struct script {
	int64_t now_ns;      /* on the run's clock */
	int64_t read_ns;     /* what one reading takes */
	double slew;         /* real time runs faster by so much */
	int64_t slewed_from_ns;
	int64_t real_offset_ns; /* real time minus the run's clock, before the slew */
	bool is_told;        /* the descriptor is readable */
	bool has_descriptor;
	unsigned watched, unwatched, asked, real_readings;
	/* an interruption: before this reading of real time so much passes */
	unsigned interrupted_reading;
	int64_t interruption_ns;
};

static int64_t script_clock(void *context)
{
	struct script *script = context;

	script->now_ns += script->read_ns;
	return script->now_ns;
}

static int64_t real_at(const struct script *script, int64_t now_ns)
{
	return now_ns + script->real_offset_ns +
	       (int64_t)((double)(now_ns - script->slewed_from_ns) * script->slew);
}

static int64_t script_real(void *context)
{
	struct script *script = context;

	script->now_ns += script->read_ns;
	script->real_readings++;
	if (script->real_readings == script->interrupted_reading)
		script->now_ns += script->interruption_ns;
	return real_at(script, script->now_ns);
}

static int script_watch(void *context)
{
	struct script *script = context;

	script->watched++;
	return script->has_descriptor ? DESCRIPTOR : -1;
}

static bool script_was_set(void *context, int descriptor)
{
	struct script *script = context;
	bool was = script->is_told;

	UNIT_SIGNED("descriptor", descriptor, DESCRIPTOR);
	script->asked++;
	script->is_told = false;
	return was;
}

static void script_unwatch(void *context, int descriptor)
{
	struct script *script = context;

	UNIT_SIGNED("descriptor", descriptor, DESCRIPTOR);
	script->unwatched++;
}

static const struct real_time_source source = {script_real, script_watch, script_was_set,
					       script_unwatch};
static const struct clock_row row = {.name = "script", .now = script_clock};

struct lab {
	struct script script;
	struct clock_source clock;
	struct real_time real_time;
};

static void open_lab(struct lab *lab)
{
	*lab = (struct lab){
		.script = {.now_ns = START_NS,
			   .read_ns = 25,
			   .slewed_from_ns = START_NS,
			   .real_offset_ns = EPOCH_NS - START_NS,
			   .has_descriptor = true},
		.clock = {.row = &row},
	};
	lab->clock.context = &lab->script;
	real_time_open_with(&lab->real_time, &lab->clock, &source, &lab->script);
}

/* The kernel sets the clock: it tells at once, as the timer does. */
static void set_clock(struct lab *lab, int64_t step_ns)
{
	lab->script.real_offset_ns += step_ns;
	lab->script.is_told = lab->script.has_descriptor;
}

/*
 * A batch of stamps after `pause_ns`: whether they may be used. If so, a stamp of this moment must
 * come out within tolerance_ns.
 */
static bool batch(struct lab *lab, int64_t pause_ns, int64_t tolerance_ns)
{
	int64_t now_ns, offset_ns, stamp_ns;
	bool usable;

	lab->script.now_ns += pause_ns;
	now_ns = clock_now(&lab->clock);
	stamp_ns = real_at(&lab->script, now_ns);
	usable = real_time_offset(&lab->real_time, now_ns, &offset_ns);
	if (usable) {
		int64_t error_ns = stamp_ns + offset_ns - now_ns;

		UNIT_CHECK(error_ns <= tolerance_ns && error_ns >= -tolerance_ns,
			   "a stamp is brought over %lld ns off", (long long)error_ns);
	}
	return usable;
}

/* A look at the descriptor, at a time when there is one. */
static void check(struct lab *lab)
{
	lab->script.now_ns += NANOSECONDS_PER_MILLISECOND;
	real_time_check(&lab->real_time, lab->script.now_ns);
}

static void test_no_step(void)
{
	struct lab lab;

	open_lab(&lab);
	UNIT_SIGNED("descriptor", lab.real_time.descriptor, DESCRIPTOR);
	for (int i = 0; i < 1000; i++) {
		UNIT_CHECK(batch(&lab, i % 7 * 300 * NANOSECONDS_PER_MICROSECOND, 30), "batch %d",
			   i);
		real_time_check(&lab.real_time, lab.script.now_ns);
	}
	UNIT_CHECK(batch(&lab, 3600 * NANOSECONDS_PER_SECOND, 30), "after an hour");
	UNIT_UNSIGNED("steps", lab.real_time.steps, 0);
	UNIT_SIGNED("largest", lab.real_time.largest_step_ns, 0);
	real_time_close(&lab.real_time);
	UNIT_UNSIGNED("given back", lab.script.unwatched, 1);
	real_time_close(&lab.real_time);
	UNIT_UNSIGNED("once", lab.script.unwatched, 1);
}

/* A young pair that agrees costs one reading of real time. */
static void test_cost(void)
{
	struct lab lab;
	unsigned before;

	open_lab(&lab);
	(void)batch(&lab, 0, 30);
	before = lab.script.real_readings;
	(void)batch(&lab, 1000, 30);
	UNIT_UNSIGNED("readings", lab.script.real_readings - before, 1);
	(void)batch(&lab, 2 * NANOSECONDS_PER_MILLISECOND, 30);
	UNIT_UNSIGNED("and a pair", lab.script.real_readings - before, 2);
	/* The descriptor is looked at once a millisecond. */
	for (int i = 0; i < 40; i++) {
		lab.script.now_ns += NANOSECONDS_PER_MILLISECOND / 10;
		real_time_check(&lab.real_time, lab.script.now_ns);
	}
	UNIT_UNSIGNED("looks", lab.script.asked, 4);
}

/* Between two batches: found by the offset, whether or not the descriptor tells as well. */
static void test_step_between_batches(void)
{
	static const int64_t steps[] = {2 * NANOSECONDS_PER_MICROSECOND,
					-2 * NANOSECONDS_PER_MICROSECOND,
					NANOSECONDS_PER_MILLISECOND,
					-NANOSECONDS_PER_MILLISECOND,
					3600 * NANOSECONDS_PER_SECOND,
					-30 * 365 * 86400 * NANOSECONDS_PER_SECOND};

	for (size_t i = 0; i < 2 * ARRAY_LENGTH(steps); i++) {
		int64_t step_ns = steps[i / 2];
		struct lab lab;

		open_lab(&lab);
		UNIT_CHECK(batch(&lab, 1000, 30), "before");
		lab.script.has_descriptor = i % 2 == 0;
		lab.real_time.descriptor = i % 2 == 0 ? DESCRIPTOR : -1;
		set_clock(&lab, step_ns);
		UNIT_CHECK(!batch(&lab, 1000, 30), "step %zu: the batch is void", i);
		UNIT_UNSIGNED("steps", lab.real_time.steps, 1);
		UNIT_CHECK(lab.real_time.largest_step_ns >= step_ns - 100 &&
				   lab.real_time.largest_step_ns <= step_ns + 100,
			   "%lld instead of %lld", (long long)lab.real_time.largest_step_ns,
			   (long long)step_ns);
		UNIT_CHECK(!lab.script.is_told, "the descriptor is emptied");
		UNIT_CHECK(!batch(&lab, REAL_TIME_VOID_NS - 5000, 30), "still void");
		UNIT_CHECK(batch(&lab, 5000, 30), "and good again");
		real_time_check(&lab.real_time, lab.script.now_ns);
		UNIT_UNSIGNED("one step", lab.real_time.steps, 1);
	}
}

/* The offset shows it before the kernel has told: still one step, and a second one is another. */
static void test_told_late(void)
{
	struct lab lab;

	open_lab(&lab);
	lab.script.real_offset_ns += NANOSECONDS_PER_SECOND;
	UNIT_CHECK(!batch(&lab, 1000, 30), "void");
	lab.script.is_told = true;
	check(&lab);
	UNIT_UNSIGNED("steps", lab.real_time.steps, 1);
	set_clock(&lab, -2 * NANOSECONDS_PER_SECOND);
	check(&lab);
	UNIT_UNSIGNED("steps", lab.real_time.steps, 2);
	UNIT_CHECK(lab.real_time.largest_step_ns < -1999 * NANOSECONDS_PER_MILLISECOND,
		   "the larger one is told");
}

/* While nothing arrives only the descriptor can tell. */
static void test_step_while_idle(void)
{
	struct lab lab;

	open_lab(&lab);
	UNIT_CHECK(batch(&lab, 1000, 30), "before");
	/* after so long a pause a slew could explain this one */
	lab.script.now_ns += 600 * NANOSECONDS_PER_SECOND;
	real_time_check(&lab.real_time, lab.script.now_ns);
	UNIT_UNSIGNED("nothing told", lab.real_time.steps, 0);
	set_clock(&lab, -100 * NANOSECONDS_PER_MILLISECOND);
	check(&lab);
	UNIT_UNSIGNED("told", lab.real_time.steps, 1);
	UNIT_SIGNED("how far is not known", lab.real_time.largest_step_ns, 0);
	UNIT_CHECK(!batch(&lab, 1000, 30), "void");
	UNIT_CHECK(batch(&lab, REAL_TIME_VOID_NS, 30), "good");
	/* without a pause its size is known */
	set_clock(&lab, -100 * NANOSECONDS_PER_MILLISECOND);
	check(&lab);
	UNIT_UNSIGNED("told", lab.real_time.steps, 2);
	UNIT_CHECK(lab.real_time.largest_step_ns < -99 * NANOSECONDS_PER_MILLISECOND, "size");
}

/* The most that the kernel slews, either way, over short and long pauses. */
static void test_slew(void)
{
	static const int64_t pauses[] = {1000, 900 * NANOSECONDS_PER_MICROSECOND,
					 3 * NANOSECONDS_PER_MILLISECOND, NANOSECONDS_PER_SECOND,
					 600 * NANOSECONDS_PER_SECOND};

	for (int way = -1; way <= 1; way += 2) {
		struct lab lab;

		open_lab(&lab);
		lab.script.slew = way * 500e-6;
		for (size_t i = 0; i < 200; i++)
			UNIT_CHECK(batch(&lab, pauses[i % ARRAY_LENGTH(pauses)], 300),
				   "slew %d, %zu", way, i);
		UNIT_UNSIGNED("steps", lab.real_time.steps, 0);
	}
	/* twice that is more than a slew */
	struct lab lab;

	open_lab(&lab);
	lab.script.slew = 1000e-6;
	(void)batch(&lab, NANOSECONDS_PER_SECOND, INT64_MAX);
	UNIT_UNSIGNED("steps", lab.real_time.steps, 1);
}

/* The process is interrupted between two readings: a new pair, no step. */
static void test_interrupted(void)
{
	for (unsigned at = 1; at <= 6; at++) {
		struct lab lab;

		open_lab(&lab);
		(void)batch(&lab, 1000, 30);
		lab.script.interrupted_reading = lab.script.real_readings + at;
		lab.script.interruption_ns = 5 * NANOSECONDS_PER_MILLISECOND;
		for (int i = 0; i < 3; i++)
			UNIT_CHECK(batch(&lab, 2 * NANOSECONDS_PER_MILLISECOND, 30), "reading %u",
				   at);
		UNIT_UNSIGNED("steps", lab.real_time.steps, 0);
	}
}

/* A clock whose reading is a system call: what is close is measured, a batch stays cheap. */
static void test_slow_clock(void)
{
	struct lab lab;
	unsigned before;

	open_lab(&lab);
	lab.script.read_ns = 1500;
	real_time_open_with(&lab.real_time, &lab.clock, &source, &lab.script);
	before = lab.script.real_readings;
	for (int i = 0; i < 10; i++)
		UNIT_CHECK(batch(&lab, 1000, 3000), "batch %d", i);
	UNIT_UNSIGNED("readings", lab.script.real_readings - before, 10);
	UNIT_UNSIGNED("steps", lab.real_time.steps, 0);
	set_clock(&lab, 10 * NANOSECONDS_PER_MICROSECOND);
	UNIT_CHECK(!batch(&lab, 1000, 3000), "a step");
}

static void test_simulated(void)
{
	struct lab lab;
	int64_t time_ns = 42, offset_ns = 1;
	const struct clock_source clock = {.row = &clock_simulated, .context = &time_ns};

	open_lab(&lab);
	real_time_open_with(&lab.real_time, &clock, &source, &lab.script);
	UNIT_UNSIGNED("watched", lab.script.watched, 1); /* by open_lab */
	UNIT_SIGNED("descriptor", lab.real_time.descriptor, -1);
	for (; time_ns < 3 * NANOSECONDS_PER_SECOND; time_ns += NANOSECONDS_PER_SECOND) {
		UNIT_CHECK(real_time_offset(&lab.real_time, time_ns, &offset_ns), "usable");
		UNIT_SIGNED("offset", offset_ns, 0);
		real_time_check(&lab.real_time, time_ns);
	}
	UNIT_UNSIGNED("steps", lab.real_time.steps, 0);
	real_time_close(&lab.real_time);
	UNIT_UNSIGNED("given back", lab.script.unwatched, 0);
}

/* The system's own: a descriptor that stays silent, and an offset that is the system's. */
static void test_system(void)
{
	struct clock_source clock = {.row = &clock_monotonic};
	struct real_time real_time;
	int64_t offset_ns, expected_ns;

	real_time_open(&real_time, &clock);
	if (UNIT_CHECK(real_time.descriptor >= 0, "no descriptor")) {
		struct pollfd polled = {.fd = real_time.descriptor, .events = POLLIN};

		UNIT_SIGNED("silent", poll(&polled, 1, 0), 0);
	}
	real_time_check(&real_time, clock_now(&clock));
	UNIT_UNSIGNED("steps", real_time.steps, 0);
	UNIT_CHECK(real_time_offset(&real_time, clock_now(&clock), &offset_ns), "usable");
	expected_ns = clock_now(&clock) - clock_wall_ns(&clock);
	UNIT_CHECK(offset_ns - expected_ns < NANOSECONDS_PER_MILLISECOND &&
			   expected_ns - offset_ns < NANOSECONDS_PER_MILLISECOND,
		   "off by %lld ns", (long long)(offset_ns - expected_ns));
	real_time_close(&real_time);
	UNIT_SIGNED("closed", real_time.descriptor, -1);
}

const struct unit_suite suite_real_time = {
	"real_time",
	(const struct unit_test[]){{"no step", test_no_step},
				   {"what a batch costs", test_cost},
				   {"a step between batches", test_step_between_batches},
				   {"told after it was seen", test_told_late},
				   {"a step while idle", test_step_while_idle},
				   {"a slew is no step", test_slew},
				   {"interrupted readings", test_interrupted},
				   {"a slow clock", test_slow_clock},
				   {"simulated", test_simulated},
				   {"the system's", test_system},
				   {NULL, NULL}},
};
