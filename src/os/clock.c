/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of the clock table. CLOCK_MONOTONIC is the default: the vDSO reads it in about 25 ns,
 * it never steps, and ppoll counts in it. CLOCK_MONOTONIC_RAW is the same counter without the
 * rate corrections of a time service. Kernel stamps are CLOCK_REALTIME, which may step: how they
 * are brought over is in real_time.c.
 */
#include "os/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define PAIR_ATTEMPTS 4
#define PAIR_CLOSE_NS 250 /* a reading takes 25 to 60 ns; more was an interruption */

static int64_t read_clock(clockid_t id)
{
	struct timespec now;

	/* It cannot fail for the clocks used here: they exist on every kernel since 2.6.28. */
	(void)clock_gettime(id, &now);
	return (int64_t)now.tv_sec * NANOSECONDS_PER_SECOND + now.tv_nsec;
}

/*
 * Clock `id` minus real time. The real time is read between two readings of the clock and taken
 * for the middle of them; of a few attempts the one with the closest bracket counts.
 */
static int64_t offset_of(clockid_t id)
{
	int64_t closest_ns = INT64_MAX;
	int64_t offset_ns = 0;
	int64_t before_ns = read_clock(id);

	for (int attempt = 0; attempt < PAIR_ATTEMPTS && closest_ns > PAIR_CLOSE_NS; attempt++) {
		int64_t real_ns = read_clock(CLOCK_REALTIME);
		int64_t after_ns = read_clock(id);

		if (after_ns - before_ns < closest_ns) {
			closest_ns = after_ns - before_ns;
			offset_ns = before_ns + closest_ns / 2 - real_ns;
		}
		before_ns = after_ns;
	}
	return offset_ns;
}

static int64_t monotonic_now(void *context)
{
	(void)context;
	return read_clock(CLOCK_MONOTONIC);
}

static int64_t monotonic_offset(void *context)
{
	(void)context;
	return offset_of(CLOCK_MONOTONIC);
}

static int64_t raw_now(void *context)
{
	(void)context;
	return read_clock(CLOCK_MONOTONIC_RAW);
}

static int64_t raw_offset(void *context)
{
	(void)context;
	return offset_of(CLOCK_MONOTONIC_RAW);
}

static int64_t simulated_now(void *context)
{
	return *(const int64_t *)context;
}

/* In a simulation real time is the simulated time. */
static int64_t simulated_offset(void *context)
{
	(void)context;
	return 0;
}

const struct clock_row clock_monotonic = {
	.name = "monotonic",
	.summary = "CLOCK_MONOTONIC: never steps, its rate follows the time service",
	.is_simulated = false,
	.now = monotonic_now,
	.offset_from_real = monotonic_offset,
};

const struct clock_row clock_raw = {
	.name = "raw",
	.summary = "CLOCK_MONOTONIC_RAW: the bare counter, nobody corrects its rate",
	.is_simulated = false,
	.now = raw_now,
	.offset_from_real = raw_offset,
};

const struct clock_row clock_simulated = {
	.name = "sim",
	.summary = "the virtual time of the simulated transport",
	.is_simulated = true,
	.now = simulated_now,
	.offset_from_real = simulated_offset,
};

const struct clock_row *const clock_rows[] = {&clock_monotonic, &clock_raw, &clock_simulated, NULL};

int clock_open(struct clock_source *clock, const char *name, char reason[static CLOCK_REASON],
	       struct error *error)
{
	bool is_auto = strcmp(name, "auto") == 0;
	const char *wanted = is_auto ? clock_monotonic.name : name;

	for (size_t i = 0; clock_rows[i] != NULL; i++) {
		const struct clock_row *row = clock_rows[i];

		/* A simulated clock needs memory that holds its time: no name opens it. */
		if (row->is_simulated || strcmp(row->name, wanted) != 0)
			continue;
		clock->row = row;
		clock->context = NULL;
		(void)snprintf(reason, CLOCK_REASON, "%s",
			       is_auto ? "the default: it never steps and costs no system call"
				       : "asked for by --clock");
		return 0;
	}
	return error_set(error, ERROR_INVALID,
			 "there is no clock '%s': it is auto, monotonic or raw", name);
}

void clock_wall_text(char text[static 40])
{
	int64_t now = read_clock(CLOCK_REALTIME) / NANOSECONDS_PER_SECOND;
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
