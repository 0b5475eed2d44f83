/* SPDX-License-Identifier: BSD-2-Clause */
/* Every clock: it only goes forward, and its offset from real time is right to the microsecond. */
#include "os/clock.h"

#include "contract/contract.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define READINGS 100000
#define PAIR_ERROR_NS                                                                              \
	(50 * NANOSECONDS_PER_MICROSECOND) /* a pair may be interrupted here as there */

static int64_t real_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * NANOSECONDS_PER_SECOND + now.tv_nsec;
}

static void check_opening(const struct clock_row *row)
{
	struct clock_source clock = {0};
	struct error error;
	char reason[CLOCK_REASON] = "";
	int result;

	contract_begin("clock", row->name, "row");
	contract_check_texts(row->name, row->summary);
	contract_check(row->now != NULL && row->offset_from_real != NULL, "a hook is missing");
	result = clock_open(&clock, row->name, reason, &error);
	if (row->is_simulated) {
		/* It would have no time to show. */
		contract_check(result == -ERROR_INVALID, "opened by name");
	} else {
		contract_check(result == 0 && clock.row == row, "does not open by its name");
		contract_check(reason[0] != '\0', "no reason");
	}
	contract_end();
}

static void check_running(const struct clock_row *row)
{
	struct clock_source clock = {.row = row};
	int64_t before = clock_now(&clock), first = before;
	int64_t closest_ns = INT64_MAX;

	contract_begin("clock", row->name, "rises");
	for (int i = 0; i < READINGS; i++) {
		int64_t now = clock_now(&clock);

		if (!contract_check(now >= before, "%lld after %lld", (long long)now,
				    (long long)before))
			break;
		before = now;
	}
	contract_check(before > first, "stands still");
	contract_end();

	contract_begin("clock", row->name, "offset");
	for (int i = 0; i < 20; i++) {
		int64_t offset = row->offset_from_real(NULL);
		int64_t expected = clock_now(&clock) - real_ns();
		int64_t error_ns = offset > expected ? offset - expected : expected - offset;

		closest_ns = min_i64(closest_ns, error_ns);
	}
	contract_check(closest_ns < PAIR_ERROR_NS, "off by %lld ns", (long long)closest_ns);
	contract_end();
}

static void check_simulated(void)
{
	int64_t now_ns = 42;
	const struct clock_source clock = {.row = &clock_simulated, .context = &now_ns};

	contract_begin("clock", clock_simulated.name, "shows the given time");
	contract_check(clock_now(&clock) == 42, "not the time");
	now_ns = 43;
	contract_check(clock_now(&clock) == 43, "not the new time");
	contract_check(clock.row->offset_from_real(clock.context) == 0, "an offset");
	contract_end();
}

static void check_names(void)
{
	struct clock_source clock;
	struct error error;
	char reason[CLOCK_REASON];

	contract_begin("clock", "table", "auto and unknown names");
	contract_check(clock_open(&clock, "auto", reason, &error) == 0 &&
			       clock.row == &clock_monotonic,
		       "auto is not monotonic");
	contract_check(clock_open(&clock, "sundial", reason, &error) == -ERROR_INVALID &&
			       strstr(error.text, "sundial") != NULL,
		       "an unknown name is not refused by its name");
	contract_end();
}

static void check_wall_text(void)
{
	struct tm parts = {0};
	char text[40];
	int used = 0;
	time_t shown;
	int64_t before = real_ns() / NANOSECONDS_PER_SECOND;

	contract_begin("clock", "wall", "RFC 3339");
	clock_wall_text(text);
	contract_check(sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &parts.tm_year, &parts.tm_mon,
			      &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec,
			      &used) == 6 &&
			       used == 20 && strlen(text) == 20,
		       "'%s'", text);
	parts.tm_year -= 1900;
	parts.tm_mon -= 1;
	shown = timegm(&parts);
	contract_check(shown >= before && shown <= real_ns() / NANOSECONDS_PER_SECOND,
		       "%s is not the time", text);
	contract_end();
}

void contract_clocks(void)
{
	for (size_t i = 0; clock_rows[i] != NULL; i++) {
		check_opening(clock_rows[i]);
		if (!clock_rows[i]->is_simulated)
			check_running(clock_rows[i]);
	}
	check_simulated();
	check_names();
	check_wall_text();
}
