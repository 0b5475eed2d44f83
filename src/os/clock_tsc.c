/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor's counter as a clock. Its rate is found against CLOCK_MONOTONIC_RAW, for half a
 * second before the run and again after it; what processor or kernel print as its frequency is
 * nominal, and wrong in virtual machines. What must not be trusted is refused with the reason: a
 * counter that is trapped or dear to read, that differs between processors, or does not fit the
 * reference. A kernel that prefers another clock is no reason: that is where this one is needed.
 */
#include "os/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock_line.h"
#include "os/clock_counter.h"
#include "os/system_clock.h"

#define CALIBRATION_NS	    (500 * NANOSECONDS_PER_MILLISECOND)
#define WINDOWS		    125u /* of 4 ms */
#define WINDOW_READINGS	    16u	 /* of a fine reference, in each */
/* At most, where others have the processor; 8 ticks of 10 ms are 80 ms otherwise. */
#define END_NS		    (500 * NANOSECONDS_PER_MILLISECOND)
#define COARSE_STEP_NS	    NANOSECONDS_PER_MICROSECOND
#define READ_MAX_NS	    100.0
#define READ_TRIALS	    2000u
#define TOLERANCE_INVARIANT 1e-6
#define TOLERANCE_VARIANT   1e-4
#define CRYSTAL_ERROR	    5e-5

struct tsc {
	struct clock_counter counter;
	struct clock_marks marks;
	struct clock_line start;
	bool is_pinned;
	cpu_set_t allowed; /* processors, before it was pinned */
	bool is_untested; /* the other processors could not be compared */
};

static int64_t reference_ns(void)
{
	return system_clock_ns(CLOCK_MONOTONIC_RAW);
}

/*
 * One window: a fine reference gives its marks within a few readings, a coarse one is read until
 * the window's time is over, since only that catches its step.
 */
static void read_window(struct tsc *tsc, uint32_t wanted, int64_t until_ns)
{
	int64_t now = reference_ns();
	uint32_t changes = 0;

	while (changes < wanted && now < until_ns) {
		uint64_t before = clock_counter_read(&tsc->counter);
		int64_t earlier_ns = now;

		now = reference_ns();
		clock_marks_read(&tsc->marks, before, now, clock_counter_read(&tsc->counter));
		changes += now != earlier_ns;
	}
	clock_marks_end_window(&tsc->marks);
}

static void sleep_until(int64_t until_ns)
{
	int64_t left_ns = until_ns - reference_ns();
	struct timespec time = {.tv_nsec = (long)left_ns};

	/* Below a window's length, so the seconds are none. A signal may end it: no harm. */
	if (left_ns > 0 && left_ns < NANOSECONDS_PER_SECOND)
		(void)nanosleep(&time, NULL);
}

static int calibrate(struct tsc *tsc, struct error *error)
{
	int64_t start_ns = reference_ns();

	clock_marks_init(&tsc->marks);
	for (uint32_t window = 1; window <= WINDOWS; window++) {
		int64_t until_ns = start_ns + CALIBRATION_NS / WINDOWS * window;

		read_window(tsc, WINDOW_READINGS, until_ns);
		sleep_until(until_ns);
	}
	return clock_line_fit(&tsc->marks, &tsc->start, error);
}

/* Cost of one reading: the least of a few trials, of which an interrupt may spoil one. */
static double read_cost_ns(const struct tsc *tsc)
{
	uint64_t least = UINT64_MAX;

	for (int trial = 0; trial < 5; trial++) {
		uint64_t before = clock_counter_read(&tsc->counter), after = before;

		for (uint32_t i = 0; i < READ_TRIALS; i++)
			after = clock_counter_read(&tsc->counter);
		least = min_u64(least, after - before);
	}
	return (double)least * tsc->start.ns_per_count / READ_TRIALS;
}

static int check_processors(struct tsc *tsc, struct error *error)
{
	enum clock_counter_agreement agreement = clock_counter_compare(&tsc->counter);

	if (agreement == CLOCK_COUNTER_WARPS)
		return error_set(error, ERROR_UNSUPPORTED,
				 "its copies in the processors differ: it goes backwards between "
				 "them");
	tsc->is_untested = agreement == CLOCK_COUNTER_UNTESTED;
	tsc->is_pinned = !tsc->counter.is_invariant || tsc->is_untested;
	if (!tsc->is_pinned)
		return 0;
	tsc->is_pinned = clock_counter_stay(&tsc->allowed) == 0;
	if (!tsc->is_pinned)
		return error_set(error, ERROR_UNSUPPORTED,
				 "it is not the same in all processors, and this process cannot be "
				 "kept on one");
	return 0;
}

static int tsc_open(void **context, struct error *error)
{
	struct tsc *tsc = calloc(1, sizeof(*tsc));
	double cost_ns;
	int status;

	if (tsc == NULL)
		return error_set(error, ERROR_NO_MEMORY, "no memory for its calibration");
	status = clock_counter_find(&tsc->counter, error);
	if (status == 0)
		status = check_processors(tsc, error);
	if (status == 0)
		status = calibrate(tsc, error);
	if (status == 0 && (cost_ns = read_cost_ns(tsc)) > READ_MAX_NS)
		status = error_set(error, ERROR_UNSUPPORTED,
				   "a reading takes %.0f ns: somebody traps it", cost_ns);
	if (status < 0) {
		/* Another clock is taken then, which needs no such thing. */
		if (tsc->is_pinned)
			clock_counter_leave(&tsc->allowed);
		free(tsc);
		return status;
	}
	*context = tsc;
	return 0;
}

static int64_t tsc_now(void *context)
{
	const struct tsc *tsc = context;

	return clock_line_at(&tsc->start, clock_counter_read(&tsc->counter));
}

/* The greatest common divisor of the counter's steps: what it really counts in. */
static uint64_t grain(const struct tsc *tsc)
{
	uint64_t last = clock_counter_read(&tsc->counter), divisor = 0;

	for (uint32_t i = 0; i < READ_TRIALS; i++) {
		uint64_t count = clock_counter_read(&tsc->counter);
		uint64_t step = count - last;

		last = count;
		while (step != 0) {
			uint64_t rest = divisor % step;

			divisor = step;
			step = rest;
		}
	}
	return divisor;
}

static void tsc_describe(void *context, struct result_clock *facts)
{
	const struct tsc *tsc = context;

	facts->is_calibrated = true;
	facts->is_pinned = tsc->is_pinned;
	facts->counts_per_s = 1e9 / tsc->start.ns_per_count;
	facts->calibration_bound = tsc->start.bound;
	facts->rate_error = CRYSTAL_ERROR + tsc->start.bound;
	facts->grain_ns.value = (double)grain(tsc) * tsc->start.ns_per_count;
	facts->grain_ns.known = facts->grain_ns.value > 0.0;
}

static double tsc_finish(void *context, struct result_clock *facts)
{
	struct tsc *tsc = context;
	double tolerance = tsc->counter.is_invariant ? TOLERANCE_INVARIANT : TOLERANCE_VARIANT;
	int64_t until_ns = reference_ns() + END_NS;
	struct clock_line end, joined = tsc->start;
	struct error error;
	uint32_t wanted;
	int status;

	/* A reference that steps gives one mark a step. */
	wanted = tsc->marks.step_ns > COARSE_STEP_NS ? 1 : WINDOW_READINGS;
	clock_marks_init(&tsc->marks);
	while (clock_marks_usable(&tsc->marks) < CLOCK_MARKS_MIN &&
	       tsc->marks.count < CLOCK_MARKS_MAX && reference_ns() < until_ns)
		read_window(tsc, wanted, until_ns);
	error_clear(&error);
	status = clock_line_fit(&tsc->marks, &end, &error);
	if (status == 0) {
		status = clock_line_join(&tsc->start, &end, tolerance, &joined, &facts->drift,
					 &error);
		facts->counts_per_s = 1e9 / joined.ns_per_count;
		facts->calibration_bound = joined.bound;
		facts->rate_error = CRYSTAL_ERROR + joined.bound;
	}
	if (status < 0) {
		(void)snprintf(facts->fault, sizeof(facts->fault),
			       "the counter of the clock tsc: %.160s", error.text);
		return 1.0;
	}
	return joined.ns_per_count / tsc->start.ns_per_count;
}

const struct clock_row clock_tsc = {
	.name = "tsc",
	.summary = "the processor's counter, calibrated for half a second and again at the end",
	.rate_error = CRYSTAL_ERROR,
	.now = tsc_now,
	.open = tsc_open,
	.describe = tsc_describe,
	.finish = tsc_finish,
	.close = free,
};
