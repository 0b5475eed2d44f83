/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two signs tell of a step of real time: a timer that the kernel cancels when the clock is set, and
 * an offset that has moved further than a slew could move it. The timer knows of every step, but
 * somebody has to look; the offset is looked at with every batch, but cannot tell a small step from
 * a slew after a long pause. Both usually see the same step, which counts once.
 */
#include "os/real_time.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define PAIR_ATTEMPTS 4
#define PAIR_CLOSE_NS 250 /* three readings take 50 to 120 ns; more was an interruption */
#define PAIR_AGE_NS NANOSECONDS_PER_MILLISECOND
#define SLEW_PARTS 2000 /* 500 ppm */
#define STEP_LEAST_NS NANOSECONDS_PER_MICROSECOND
#define CHECK_EVERY_NS NANOSECONDS_PER_MILLISECOND

/* ---- the system's real time ---- */

static int64_t system_now(void *context)
{
	struct timespec now;

	(void)context;
	/* It cannot fail: every kernel has this clock. */
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * NANOSECONDS_PER_SECOND + now.tv_nsec;
}

/* A timer that will not expire while anybody waits; it is there to be cancelled. */
static int arm(int descriptor)
{
	const struct itimerspec never = {
		.it_value.tv_sec = (time_t)(sizeof(time_t) > 4 ? INT64_C(1) << 40 : INT32_MAX),
	};

	return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never,
			       NULL);
}

static int system_watch(void *context)
{
	int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);

	(void)context;
	if (descriptor >= 0 && arm(descriptor) != 0) {
		(void)close(descriptor);
		return -1;
	}
	return descriptor;
}

static bool system_was_set(void *context, int descriptor)
{
	uint64_t expirations;

	(void)context;
	if (read(descriptor, &expirations, sizeof(expirations)) >= 0 || errno != ECANCELED)
		return false;
	/* Set again meanwhile: it fails with ECANCELED once more, and is armed all the same. */
	(void)arm(descriptor);
	return true;
}

static void system_unwatch(void *context, int descriptor)
{
	(void)context;
	(void)close(descriptor);
}

static const struct real_time_source system_source = {
	.now = system_now,
	.watch = system_watch,
	.was_set = system_was_set,
	.unwatch = system_unwatch,
};

/* ---- pairs and steps ---- */

/* Unsigned, so that there is no value without one. */
static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/*
 * Real time is read between two readings of the clock and taken for the middle of them; of a few
 * attempts the one with the closest bracket counts.
 */
static void make_pair(struct real_time *real_time, struct real_time_pair *pair)
{
	int64_t before_ns = clock_now(real_time->clock);
	int64_t closest_ns = INT64_MAX;

	for (int attempt = 0; attempt < PAIR_ATTEMPTS && closest_ns > real_time->close_ns;
	     attempt++) {
		int64_t real_ns = real_time->source->now(real_time->context);
		int64_t after_ns = clock_now(real_time->clock);

		if (after_ns - before_ns < closest_ns) {
			closest_ns = after_ns - before_ns;
			pair->offset_ns = before_ns + closest_ns / 2 - real_ns;
		}
		before_ns = after_ns;
	}
	pair->error_ns = closest_ns / 2 + 1;
	pair->measured_ns = before_ns;
	pair->is_known = true;
}

/*
 * What counts as close follows the clock: where a reading is a system call, or waits for a slow
 * timer, nothing is ever as close as it is here.
 */
static void measure_closeness(struct real_time *real_time)
{
	real_time->close_ns = 0;
	make_pair(real_time, &real_time->pair);
	real_time->close_ns = max_i64(4 * real_time->pair.error_ns, PAIR_CLOSE_NS);
}

static void note_step(struct real_time *real_time, int64_t step_ns, int64_t now_ns)
{
	real_time->steps++;
	if (magnitude(step_ns) > magnitude(real_time->largest_step_ns))
		real_time->largest_step_ns = step_ns;
	real_time->void_until_ns = now_ns + REAL_TIME_VOID_NS;
}

/* Makes a new pair. True, with the step noted, if it tells of one. */
static bool renew(struct real_time *real_time, int64_t now_ns)
{
	const struct real_time_pair old = real_time->pair;
	struct real_time_pair *pair = &real_time->pair;
	uint64_t allowed_ns;
	int64_t moved_ns;

	make_pair(real_time, pair);
	moved_ns = pair->offset_ns - old.offset_ns;
	allowed_ns = magnitude(pair->measured_ns - old.measured_ns) / SLEW_PARTS +
		     (uint64_t)(old.error_ns + pair->error_ns + STEP_LEAST_NS);
	if (magnitude(moved_ns) <= allowed_ns)
		return false;
	/* Where real time went forwards, the distance back to it has shrunk. */
	note_step(real_time, -moved_ns, now_ns);
	return true;
}

static bool is_told(const struct real_time *real_time)
{
	return real_time->descriptor >= 0 &&
	       real_time->source->was_set(real_time->context, real_time->descriptor);
}

/* Whether the pair is young and one reading of real time says the same. */
static bool still_agrees(const struct real_time *real_time, int64_t now_ns)
{
	int64_t passed_ns;

	if (now_ns - real_time->pair.measured_ns >= PAIR_AGE_NS)
		return false;
	/* Between the reading of now_ns and this one little time has passed. */
	passed_ns = real_time->source->now(real_time->context) + real_time->pair.offset_ns - now_ns;
	return passed_ns >= -real_time->close_ns && passed_ns <= real_time->close_ns;
}

/* ---- the interface ---- */

void real_time_open(struct real_time *real_time, const struct clock_source *clock)
{
	real_time_open_with(real_time, clock, &system_source, NULL);
}

void real_time_open_with(struct real_time *real_time, const struct clock_source *clock,
			 const struct real_time_source *source, void *context)
{
	*real_time = (struct real_time){
		.clock = clock,
		.source = source,
		.context = context,
		.descriptor = -1,
		.void_until_ns = INT64_MIN,
		.next_check_ns = INT64_MIN,
	};
	if (clock->row->is_simulated)
		return;
	real_time->descriptor = source->watch(context);
	measure_closeness(real_time);
}

bool real_time_offset(struct real_time *real_time, int64_t now_ns, int64_t *offset_ns)
{
	*offset_ns = 0;
	if (real_time->clock->row->is_simulated)
		return true;
	/* A step that the offset shows is told by the descriptor, too: that is taken off. */
	if (!still_agrees(real_time, now_ns) && renew(real_time, now_ns))
		(void)is_told(real_time);
	*offset_ns = real_time->pair.offset_ns;
	return now_ns >= real_time->void_until_ns;
}

void real_time_check(struct real_time *real_time, int64_t now_ns)
{
	if (now_ns < real_time->next_check_ns)
		return;
	real_time->next_check_ns = now_ns + CHECK_EVERY_NS;
	if (!is_told(real_time))
		return;
	/*
	 * A step too small to be seen in the offset is a step. But within the second after another
	 * it may be that one, which the offset has shown before the kernel told of it.
	 */
	if (!renew(real_time, now_ns) && now_ns >= real_time->void_until_ns)
		note_step(real_time, 0, now_ns);
}

void real_time_close(struct real_time *real_time)
{
	if (real_time->descriptor >= 0)
		real_time->source->unwatch(real_time->context, real_time->descriptor);
	real_time->descriptor = -1;
}
