/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which clock is taken, over tables of clocks by script: what their names promise is of no account,
 * only what they do when they are read.
 */
#include "os/clock.h"

#include <string.h>
#include <time.h>

#include "core/clock_quality.h"
#include "unit/unit.h"

static int64_t step_ns; /* of the script's kernel clock */
static bool counter_is_refused;
static bool counter_goes_back;
static int counters_open;

static int64_t real_ns(void)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NANOSECONDS_PER_SECOND + now.tv_nsec;
}

static int64_t kernel_now(void *context)
{
	(void)context;
	return real_ns() / step_ns * step_ns;
}

static int64_t counter_now(void *context)
{
	static uint64_t readings;

	(void)context;
	/* Far enough that no reading in between hides it. */
	if (counter_goes_back && ++readings % 1000 == 0)
		return real_ns() - NANOSECONDS_PER_SECOND;
	return real_ns();
}

static int counter_open(void **context, struct error *error)
{
	static int opened;

	if (counter_is_refused)
		return error_set(error, ERROR_UNSUPPORTED, "somebody traps it");
	*context = &opened;
	counters_open++;
	return 0;
}

static void counter_close(void *context)
{
	(void)context;
	counters_open--;
}

static const struct clock_row kernel = {
	.name = "monotonic", .summary = "a kernel's clock", .rate_error = 5e-4, .now = kernel_now};
static const struct clock_row counter = {.name = "tsc",
					 .summary = "a counter",
					 .rate_error = 5e-5,
					 .now = counter_now,
					 .open = counter_open,
					 .close = counter_close};
static const struct clock_row *const rows[] = {&kernel, &counter, NULL};
static const struct clock_row *const rows_without[] = {&kernel, NULL};

static void expect(const char *label, const struct clock_source *clock,
		   const struct result_clock *facts, const char *name, const char *in_reason)
{
	UNIT_TEXT(label, clock->row->name, name);
	UNIT_TEXT(label, facts->source, name);
	UNIT_CHECK(strstr(facts->reason, in_reason) != NULL, "%s: '%s' is not in: %s", label,
		   in_reason, facts->reason);
}

static void open_auto(struct clock_source *clock, const struct clock_row *const *table,
		      struct result_clock *facts)
{
	struct error error;

	error_clear(&error);
	UNIT_CHECK(clock_open(clock, table, "auto", facts, &error) == 0, "%s", error.text);
}

static void test_auto(void)
{
	struct clock_source clock;
	struct result_clock facts;

	counter_is_refused = false;
	step_ns = 1;
	open_auto(&clock, rows, &facts);
	expect("fine", &clock, &facts, "monotonic", "far below any round trip");
	clock_close(&clock);

	step_ns = 4 * NANOSECONDS_PER_MILLISECOND;
	open_auto(&clock, rows, &facts);
	expect("a tick, and a counter", &clock, &facts, "tsc", "steps by 4 ms");
	UNIT_CHECK(!facts.is_coarse && facts.step_ns < 1000, "the facts are the counter's");
	UNIT_SIGNED("open", counters_open, 1);
	clock_close(&clock);
	UNIT_SIGNED("closed", counters_open, 0);

	counter_is_refused = true;
	open_auto(&clock, rows, &facts);
	expect("a tick, and a counter that is refused", &clock, &facts, "monotonic",
	       "somebody traps it");
	UNIT_CHECK(facts.is_coarse, "the facts are the tick's");
	clock_close(&clock);
	open_auto(&clock, rows_without, &facts);
	expect("a tick, and no counter", &clock, &facts, "monotonic", "there is none");
	clock_close(&clock);
}

static void test_trial(void)
{
	struct clock_source clock;
	struct result_clock facts;

	counter_is_refused = false;
	step_ns = 300;
	open_auto(&clock, rows, &facts);
	UNIT_CHECK(clock_needs_trial(&facts), "300 ns need a trial: step %lld",
		   (long long)facts.step_ns);
	clock_reconsider(&clock, rows, 50000, 5, &facts);
	expect("long round trips", &clock, &facts, "monotonic", "after a trial of 5 requests");
	clock_reconsider(&clock, rows, 0, 5, &facts);
	expect("no reply", &clock, &facts, "monotonic", "a trial had no reply");
	clock_reconsider(&clock, rows, 2000, 5, &facts);
	expect("short round trips", &clock, &facts, "tsc", "round trips take 2 us");
	clock_close(&clock);

	counter_is_refused = true;
	open_auto(&clock, rows, &facts);
	clock_reconsider(&clock, rows, 2000, 5, &facts);
	expect("short round trips, no counter", &clock, &facts, "monotonic", "somebody traps it");
	clock_close(&clock);
}

static void test_named(void)
{
	struct clock_source clock;
	struct result_clock facts;
	struct error error;

	step_ns = 1;
	counter_is_refused = false;
	UNIT_SIGNED("tsc", clock_open(&clock, rows, "tsc", &facts, &error), 0);
	expect("asked for", &clock, &facts, "tsc", "--clock");
	clock_close(&clock);
	counter_is_refused = true;
	UNIT_CHECK(clock_open(&clock, rows, "tsc", &facts, &error) < 0 &&
			   strstr(error.text, "somebody traps it") != NULL,
		   "refused with its reason");
	step_ns = 4 * NANOSECONDS_PER_MILLISECOND;
	UNIT_SIGNED("coarse, but asked for", clock_open(&clock, rows, "monotonic", &facts, &error),
		    0);
	UNIT_CHECK(facts.is_coarse, "and it is known");
	UNIT_NEAR("no correction", clock_finish(&clock, &facts), 1.0, 0.0);
	clock_close(&clock);
}

/* A counter that goes back is not taken, and one that was asked for says what it does. */
static void test_back(void)
{
	struct clock_source clock;
	struct result_clock facts;
	struct error error;

	counter_is_refused = false;
	counter_goes_back = true;
	step_ns = 4 * NANOSECONDS_PER_MILLISECOND;
	open_auto(&clock, rows, &facts);
	expect("a counter that goes back", &clock, &facts, "monotonic", "went back");
	UNIT_TEXT("the tick has no fault", facts.fault, "");
	UNIT_SIGNED("given back", counters_open, 0);
	clock_close(&clock);
	UNIT_SIGNED("asked for", clock_open(&clock, rows, "tsc", &facts, &error), 0);
	UNIT_CHECK(strstr(facts.fault, "went back") != NULL, "fault: '%s'", facts.fault);
	clock_close(&clock);
	counter_goes_back = false;
}

const struct unit_suite suite_clock_open = {
	"clock-open",
	(const struct unit_test[]){
		{"auto", test_auto},
		{"a trial", test_trial},
		{"by name", test_named},
		{"backwards", test_back},
		{NULL, NULL},
	},
};
