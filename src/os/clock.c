/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of clocks, how one is chosen, and how it is measured. CLOCK_MONOTONIC is the default:
 * the vDSO reads it in about 25 ns, it never steps, and ppoll counts in it. Where the kernel's
 * clock is a slow chip or its own tick, it is too coarse for round trips, and the processor's
 * counter is taken instead.
 */
#include "os/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/format.h"
#include "core/clock_quality.h"
#include "os/system_clock.h"

#define READINGS      200000u
#define READINGS_LOOK 1000u				 /* between two looks at the time */
#define MEASURE_NS    (16 * NANOSECONDS_PER_MILLISECOND) /* at most; 3 steps of a tick of 4 ms */

/* Formats into facts->reason. */
#define REASON(facts, ...) (void)snprintf((facts)->reason, sizeof((facts)->reason), __VA_ARGS__)

const struct clock_row *const clock_rows[] = {&clock_monotonic, &clock_raw,	  &clock_tsc,
					      &clock_coarse,	&clock_simulated, NULL};

/*
 * Reads the clock as fast as it can be read. A clock of which no step was seen is given the whole
 * time to show one.
 */
static void measure(const struct clock_source *clock, struct result_clock *facts)
{
	int64_t start_ns = system_clock_ns(CLOCK_MONOTONIC), span_ns = 0;
	struct clock_quality quality;
	char reason[sizeof(facts->reason)];

	memcpy(reason, facts->reason, sizeof(reason));
	memset(facts, 0, sizeof(*facts));
	memcpy(facts->reason, reason, sizeof(reason));
	facts->source = clock->row->name;
	facts->rate_error = clock->row->rate_error;
	if (clock->row->is_simulated)
		return;
	clock_quality_init(&quality);
	while (span_ns < MEASURE_NS) {
		for (uint32_t i = 0; i < READINGS_LOOK; i++)
			clock_quality_read(&quality, clock_now(clock));
		span_ns = system_clock_ns(CLOCK_MONOTONIC) - start_ns;
		if (quality.readings >= READINGS && 2 * quality.zeros < quality.readings)
			break;
	}
	clock_quality_result(&quality, span_ns, facts);
	if (quality.negatives > 0)
		(void)snprintf(facts->fault, sizeof(facts->fault),
			       "the clock '%.20s' went back %llu times in %llu readings",
			       clock->row->name, (unsigned long long)quality.negatives,
			       (unsigned long long)quality.readings);
	if (clock->row->describe != NULL)
		clock->row->describe(clock->context, facts);
}

static const struct clock_row *find(const struct clock_row *const *rows, const char *name)
{
	for (; *rows != NULL; rows++)
		if (strcmp((*rows)->name, name) == 0)
			return *rows;
	return NULL;
}

static int open_row(struct clock_source *clock, const struct clock_row *row, struct error *error)
{
	*clock = (struct clock_source){.row = row};
	return row->open == NULL ? 0 : row->open(&clock->context, error);
}

/* Why the clock in use is not fine enough: its own step, or the round trips of a trial. */
static const char *shortcoming(const struct result_clock *facts, int64_t trial_rtt_ns,
			       char text[static 80])
{
	char step[FORMAT_LENGTH], rtt[FORMAT_LENGTH];

	if (trial_rtt_ns <= 0)
		(void)snprintf(text, 80, "steps by %s",
			       format_duration((double)facts->step_ns, step));
	else
		(void)snprintf(text, 80, "steps by %s and round trips take %s",
			       format_duration((double)facts->step_ns, step),
			       format_duration((double)trial_rtt_ns, rtt));
	return text;
}

/* What the choice means for the process is said with it. */
static void add_pinning(struct result_clock *facts)
{
	size_t used = strlen(facts->reason);

	if (facts->is_pinned)
		(void)snprintf(facts->reason + used, sizeof(facts->reason) - used,
			       "; this process is kept on one processor for it");
}

/* Opens the table's counter and measures it. Negative, with the reason, if it cannot be used. */
static int open_counter(struct clock_source *counter, const struct clock_row *const *rows,
			struct result_clock *facts, struct error *error)
{
	const struct clock_row *row = find(rows, "tsc");
	int status;

	if (row == NULL)
		return error_set(error, ERROR_NOT_FOUND, "there is none");
	status = open_row(counter, row, error);
	if (status < 0)
		return status;
	measure(counter, facts);
	if (facts->fault[0] == '\0')
		return 0;
	clock_close(counter);
	return error_set(error, ERROR_UNSUPPORTED, "%s", facts->fault);
}

/* The clock in use is too coarse: takes the counter if it can be used, and says what was done. */
static void try_counter(struct clock_source *clock, const struct clock_row *const *rows,
			int64_t trial_rtt_ns, struct result_clock *facts)
{
	const char *former = clock->row->name;
	struct result_clock counter_facts = {0};
	struct clock_source counter;
	struct error error;
	char why[80];

	error_clear(&error);
	(void)shortcoming(facts, trial_rtt_ns, why);
	if (open_counter(&counter, rows, &counter_facts, &error) < 0) {
		REASON(facts, "%s %s, and the processor's counter cannot be used: %.100s", former,
		       why, error.text);
		return;
	}
	clock_close(clock);
	*clock = counter;
	*facts = counter_facts;
	REASON(facts, "%s %s, too coarse; the processor's counter is finer", former, why);
	add_pinning(facts);
}

int clock_open(struct clock_source *clock, const struct clock_row *const *rows, const char *name,
	       struct result_clock *facts, struct error *error)
{
	bool is_auto = strcmp(name, "auto") == 0;
	const struct clock_row *row = find(rows, is_auto ? "monotonic" : name);
	char step[FORMAT_LENGTH];
	struct error inner;

	memset(facts, 0, sizeof(*facts));
	/* A simulated clock needs memory that holds its time: no name opens it. */
	if (row == NULL || row->is_simulated)
		return error_set(
			error, ERROR_INVALID,
			"there is no clock '%s': it is auto, monotonic, raw, tsc or coarse", name);
	error_clear(&inner);
	if (open_row(clock, row, &inner) < 0)
		return error_set(error, ERROR_INVALID,
				 "the clock %s cannot be used: %s; --clock monotonic can", name,
				 inner.text);
	measure(clock, facts);
	if (!is_auto)
		REASON(facts, "asked for by --clock");
	else if (!clock_is_fine_enough(facts, 0))
		try_counter(clock, rows, 0, facts);
	else
		REASON(facts, "it steps by %s, far below any round trip, and no call is needed",
		       format_duration((double)facts->step_ns, step));
	add_pinning(facts);
	return 0;
}

void clock_reconsider(struct clock_source *clock, const struct clock_row *const *rows,
		      int64_t trial_rtt_ns, uint32_t trial_requests, struct result_clock *facts)
{
	char step[FORMAT_LENGTH], rtt[FORMAT_LENGTH];
	size_t used;

	if (trial_rtt_ns <= 0)
		REASON(facts, "it steps by %s; a trial had no reply",
		       format_duration((double)facts->step_ns, step));
	else if (clock_is_fine_enough(facts, trial_rtt_ns))
		REASON(facts, "it steps by %s, at most a tenth of a round trip of %s",
		       format_duration((double)facts->step_ns, step),
		       format_duration((double)trial_rtt_ns, rtt));
	else
		try_counter(clock, rows, trial_rtt_ns, facts);
	used = strlen(facts->reason);
	(void)snprintf(facts->reason + used, sizeof(facts->reason) - used,
		       " (after a trial of %u requests)", trial_requests);
}

double clock_finish(struct clock_source *clock, struct result_clock *facts)
{
	struct result_clock again = *facts;

	/* On a busy machine a look of a few steps may have missed every other one. */
	if (facts->is_coarse) {
		measure(clock, &again);
		facts->step_ns = min_i64(facts->step_ns, again.step_ns);
	}
	if (clock->row == NULL || clock->row->finish == NULL)
		return 1.0;
	return clock->row->finish(clock->context, facts);
}

void clock_close(struct clock_source *clock)
{
	if (clock->row != NULL && clock->row->close != NULL)
		clock->row->close(clock->context);
	*clock = (struct clock_source){0};
}

int64_t clock_wall_ns(const struct clock_source *clock)
{
	return clock->row->is_simulated ? clock_now(clock) : system_clock_ns(CLOCK_REALTIME);
}

void clock_wall_text(char text[static 40])
{
	int64_t now = system_clock_ns(CLOCK_REALTIME) / NANOSECONDS_PER_SECOND;
	int64_t day = now / 86400;
	int second = (int)(now % 86400);
	/*
	 * gmtime would open the time zone file. The days are counted from 1 March of year 0, so
	 * that the leap day ends its year: 146,097 days are 400 years, and 153 days are five months
	 * of 31, 30, 31, 30, 31 days.
	 */
	int64_t days = day + 719468;
	int64_t era = days / 146097;
	int64_t of_era = days % 146097;
	int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t month_from_march = (5 * of_year + 2) / 153;
	int day_of_month = (int)(of_year - (153 * month_from_march + 2) / 5) + 1;
	int month = (int)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
	int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);

	(void)snprintf(text, 40, "%04lld-%02d-%02dT%02d:%02d:%02dZ", (long long)year, month,
		       day_of_month, second / 3600, second / 60 % 60, second % 60);
}
