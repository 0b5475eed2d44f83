/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counter against a reference, both by script: time passes as the test says, interruptions come
 * when it says so, and the rate that is found must be the rate that was put in, within the bound
 * that is stated with it.
 */
#include "core/clock_line.h"

#include <math.h>

#include "base/random.h"
#include "unit/unit.h"

#define MS	NANOSECONDS_PER_MILLISECOND
#define WINDOWS 125

static struct world {
	double now_ns; /* true time */
	double counts_per_ns;
	double start_count;
	double reference_rate; /* ns of the reference per true ns */
	int64_t reference_step_ns;
	double late_ns;		    /* a step of the reference comes late by up to this */
	double read_ns;		    /* a reading takes */
	double interrupted;	    /* probability that a reading is interrupted ... */
	double interruption_ns;	    /* ... for so long */
	double jump_at_ns, jump_ns; /* of the reference */
	double stands_from_ns;	    /* the counter stops; 0: it does not */
	struct random_state random;
	struct clock_marks marks;
} world;

static void begin(void)
{
	world = (struct world){.now_ns = 1e9,
			       .counts_per_ns = 2.096024,
			       .start_count = 1e15,
			       .reference_rate = 1.0,
			       .reference_step_ns = 1,
			       .read_ns = 25};
	random_seed(&world.random, 7);
	clock_marks_init(&world.marks);
}

static void pass(void)
{
	world.now_ns += world.read_ns;
	if (random_unit(&world.random) < world.interrupted)
		world.now_ns += world.interruption_ns * random_unit(&world.random);
}

static uint64_t read_counter(void)
{
	double at_ns = world.now_ns;

	if (world.stands_from_ns > 0 && at_ns > world.stands_from_ns)
		at_ns = world.stands_from_ns;
	pass();
	return (uint64_t)(world.start_count + at_ns * world.counts_per_ns);
}

static int64_t read_reference(void)
{
	double at_ns = world.now_ns * world.reference_rate;
	int64_t step = (int64_t)(at_ns / (double)world.reference_step_ns);
	double into_ns = at_ns - (double)step * (double)world.reference_step_ns;
	/* How late a step is depends on the step alone. */
	uint64_t hash = (uint64_t)step * UINT64_C(0x9e3779b97f4a7c15);
	double late_ns = world.late_ns * (double)(hash >> 40) / (double)(1 << 24);

	if (into_ns < late_ns)
		step--;
	pass();
	return step * world.reference_step_ns +
	       (world.jump_at_ns > 0 && world.now_ns > world.jump_at_ns ? (int64_t)world.jump_ns
									: 0);
}

/* As a program does it: a fine reference gives its marks at once, a coarse one in its time. */
static void window(double length_ns)
{
	double until_ns = world.now_ns + length_ns;
	int64_t last_ns = 0;
	int changes = 0;

	while (changes < 16 && world.now_ns < until_ns) {
		uint64_t before = read_counter();
		int64_t reference_ns = read_reference();

		clock_marks_read(&world.marks, before, reference_ns, read_counter());
		changes += reference_ns != last_ns;
		last_ns = reference_ns;
	}
	clock_marks_end_window(&world.marks);
	world.now_ns = fmax(world.now_ns, until_ns);
}

static int calibrate(struct clock_line *line, struct error *error)
{
	error_clear(error);
	clock_marks_init(&world.marks);
	for (int i = 0; i < WINDOWS; i++)
		window(4e6);
	return clock_line_fit(&world.marks, line, error);
}

static void expect_rate(const char *label, const struct clock_line *line)
{
	double wanted = world.reference_rate / world.counts_per_ns;
	double off = fabs(line->ns_per_count / wanted - 1.0);

	UNIT_CHECK(off <= line->bound, "%s: off by %g, the bound is %g", label, off, line->bound);
}

static void test_fine(void)
{
	struct clock_line line;
	struct error error;

	begin();
	UNIT_CHECK(calibrate(&line, &error) == 0, "%s", error.text);
	expect_rate("quiet", &line);
	UNIT_CHECK(line.bound < 1e-6, "half a second bounds it: %g", line.bound);

	begin();
	world.interrupted = 0.3;
	world.interruption_ns = 50000;
	UNIT_CHECK(calibrate(&line, &error) == 0, "busy: %s", error.text);
	expect_rate("busy", &line);
	UNIT_CHECK(line.bound < 2e-6, "busy: %g", line.bound);

	begin();
	world.counts_per_ns = 0.024;
	world.reference_rate = 1.00005;
	UNIT_CHECK(calibrate(&line, &error) == 0, "24 MHz: %s", error.text);
	expect_rate("24 MHz and a fast crystal", &line);

	begin();
	world.read_ns = 1000;
	UNIT_CHECK(calibrate(&line, &error) == 0, "slow: %s", error.text);
	expect_rate("slow readings", &line);
}

static void test_stopped(void)
{
	struct clock_line line;
	struct error error;

	begin();
	clock_marks_init(&world.marks);
	for (int i = 0; i < WINDOWS; i++) {
		if (i == WINDOWS / 2)
			world.now_ns += 2e9; /* SIGSTOP */
		window(4e6);
	}
	error_clear(&error);
	UNIT_CHECK(clock_line_fit(&world.marks, &line, &error) == 0, "%s", error.text);
	expect_rate("stopped in the middle", &line);

	/* Stopped for all but a few windows: no rate from that. */
	begin();
	for (int i = 0; i < (int)CLOCK_MARKS_MIN - 1; i++)
		window(4e6);
	UNIT_CHECK(clock_line_fit(&world.marks, &line, &error) < 0, "too few");
}

static void test_coarse(void)
{
	struct clock_line line;
	struct error error;

	begin();
	world.reference_step_ns = 4 * MS;
	world.read_ns = 40;
	UNIT_CHECK(calibrate(&line, &error) == 0, "4 ms: %s", error.text);
	UNIT_CHECK(line.bound < 1e-6, "its steps are sharp: %g", line.bound);
	expect_rate("a tick of 4 ms", &line);
	begin();
	world.reference_step_ns = 4 * MS;
	world.late_ns = 20000;
	UNIT_CHECK(calibrate(&line, &error) == 0, "late: %s", error.text);
	expect_rate("late ticks", &line);
	UNIT_CHECK(line.bound < 2e-4, "late ticks: %g", line.bound);
	begin();
	world.reference_step_ns = 10 * MS;
	UNIT_CHECK(calibrate(&line, &error) == 0, "10 ms: %s", error.text);
	expect_rate("a tick of 10 ms", &line);
}

static void test_refused(void)
{
	struct clock_line line;
	struct error error;

	begin();
	world.jump_at_ns = world.now_ns + 2.5e8;
	world.jump_ns = 50000;
	UNIT_CHECK(calibrate(&line, &error) < 0 && error.text[0] != '\0',
		   "a jump of the reference");
	begin();
	world.jump_at_ns = world.now_ns + 2.5e8;
	world.jump_ns = -50000;
	UNIT_CHECK(calibrate(&line, &error) < 0, "a jump back");
	begin();
	world.stands_from_ns = world.now_ns + 2.5e8;
	UNIT_CHECK(calibrate(&line, &error) < 0, "a counter that stops");
	begin();
	world.stands_from_ns = world.now_ns;
	UNIT_CHECK(calibrate(&line, &error) < 0, "one that stands");
	begin();
	clock_marks_read(&world.marks, 100, 5, 90);
	UNIT_CHECK(clock_line_fit(&world.marks, &line, &error) < 0, "one that goes back");
}

/* Of the marks of a busy end only those count that nobody interrupted. */
static void test_usable(void)
{
	begin();
	UNIT_UNSIGNED("none", clock_marks_usable(&world.marks), 0);
	for (uint64_t i = 0; i < 6; i++) {
		uint64_t count = 1000000 * i;
		uint64_t late = i % 2 == 0 ? 0 : 50000; /* between two readings */

		clock_marks_read(&world.marks, count, (int64_t)i, count + 50);
		clock_marks_read(&world.marks, count + 100 + late, (int64_t)i + 1,
				 count + 150 + late);
		clock_marks_end_window(&world.marks);
	}
	UNIT_UNSIGNED("all", world.marks.count, 6);
	UNIT_UNSIGNED("undisturbed", clock_marks_usable(&world.marks), 3);
}

/* A change between two windows happened at no time that is known. */
static void test_windows(void)
{
	begin();
	clock_marks_read(&world.marks, 100, 5, 110);
	clock_marks_end_window(&world.marks);
	clock_marks_read(&world.marks, 1000, 9, 1010);
	clock_marks_end_window(&world.marks);
	UNIT_UNSIGNED("no mark", world.marks.count, 0);
	clock_marks_read(&world.marks, 2000, 9, 2010);
	clock_marks_read(&world.marks, 2020, 10, 2030);
	clock_marks_end_window(&world.marks);
	UNIT_UNSIGNED("one within a window", world.marks.count, 1);
	UNIT_UNSIGNED("from the reading before", world.marks.marks[0].count, 2000);
	UNIT_UNSIGNED("to the end of this one", world.marks.marks[0].width, 30);
}

static void test_join(void)
{
	struct clock_line start, end, joined;
	struct error error;
	double drift, true_rate;

	begin();
	UNIT_CHECK(calibrate(&start, &error) == 0, "%s", error.text);
	world.now_ns += 3600e9;
	UNIT_CHECK(calibrate(&end, &error) == 0, "%s", error.text);
	UNIT_CHECK(clock_line_join(&start, &end, 1e-6, &joined, &drift, &error) == 0, "%s",
		   error.text);
	expect_rate("an hour later", &joined);
	UNIT_CHECK(joined.bound < 1e-9, "an hour bounds it better: %g", joined.bound);
	UNIT_CHECK(fabs(drift) <= start.bound, "drift %g", drift);

	/* The counter runs faster from here on. */
	begin();
	UNIT_CHECK(calibrate(&start, &error) == 0, "%s", error.text);
	true_rate = world.counts_per_ns * (1 + 5e-5);
	world.start_count += world.now_ns * (world.counts_per_ns - true_rate);
	world.counts_per_ns = true_rate;
	world.now_ns += 60e9;
	UNIT_CHECK(calibrate(&end, &error) == 0, "%s", error.text);
	UNIT_CHECK(clock_line_join(&start, &end, 1e-6, &joined, &drift, &error) < 0,
		   "50 ppm are too many");
	UNIT_NEAR("drift", drift, -5e-5, 2e-6);
	UNIT_CHECK(clock_line_join(&start, &end, 1e-4, &joined, &drift, &error) == 0,
		   "but not for a counter that is not invariant: %s", error.text);
	UNIT_CHECK(clock_line_join(&end, &start, 1e-4, &joined, &drift, &error) < 0, "backwards");
}

static void test_conversion(void)
{
	struct clock_line line;
	struct error error;
	int64_t last_ns = INT64_MIN;
	uint64_t day = 86400 * UINT64_C(2096024000);

	begin();
	UNIT_CHECK(calibrate(&line, &error) == 0, "%s", error.text);
	for (uint64_t i = 0; i < 1000; i++) {
		int64_t now_ns = clock_line_at(&line, line.count - 500 + i);

		UNIT_CHECK(now_ns >= last_ns, "it goes back at %llu", (unsigned long long)i);
		last_ns = now_ns;
	}
	UNIT_NEAR("30 days",
		  (double)(clock_line_at(&line, line.count + 30 * day) -
			   clock_line_at(&line, line.count)),
		  30.0 * (double)day * line.ns_per_count, 30 * 86400e9 * 2e-12);
	UNIT_NEAR(
		"back",
		(double)(clock_line_at(&line, line.count) - clock_line_at(&line, line.count - day)),
		(double)day * line.ns_per_count, 86400e9 * 2e-12 + 1);
}

const struct unit_suite suite_clock_line = {
	"clock-line",
	(const struct unit_test[]){
		{"a fine reference", test_fine},
		{"stopped", test_stopped},
		{"a reference that steps", test_coarse},
		{"refused", test_refused},
		{"usable marks", test_usable},
		{"windows", test_windows},
		{"start and end", test_join},
		{"conversion", test_conversion},
		{NULL, NULL},
	},
};
