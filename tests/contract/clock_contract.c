/* SPDX-License-Identifier: BSD-2-Clause */
/* Every clock: it is measured to be what it is, only goes forward, and a second is a second. */
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

/* Opens by its name, is measured to be what it is, and only goes forward. */
static void check_row(const struct clock_row *row)
{
	struct clock_source clock = {0};
	struct result_clock facts;
	struct error error;
	int64_t before, first;
	int result;

	contract_begin("clock", row->name, "row");
	contract_check_texts(row->name, row->summary);
	contract_check(row->now != NULL, "a hook is missing");
	result = clock_open(&clock, clock_rows, row->name, &facts, &error);
	if (row->is_simulated) {
		/* It would have no time to show. */
		contract_check(result == -ERROR_INVALID, "opened by name");
		contract_end();
		return;
	}
	if (!contract_check(result == 0 && clock.row == row, "does not open by its name: %s",
			    result < 0 ? error.text : "another row")) {
		contract_end();
		return;
	}
	contract_check(facts.reason[0] != '\0' && strcmp(facts.source, row->name) == 0,
		       "no reason or no name");
	contract_check(facts.is_measured && facts.step_ns > 0 && facts.read_ns > 0,
		       "step %lld, read %g", (long long)facts.step_ns, facts.read_ns);
	contract_check(facts.is_coarse == (row == &clock_coarse), "coarse: step %lld",
		       (long long)facts.step_ns);
	contract_check(facts.hiccup_ns.known != facts.is_coarse, "hiccup");
	contract_end();

	contract_begin("clock", row->name, "rises");
	first = before = clock_now(&clock);
	for (int i = 0; i < READINGS || before == first; i++) {
		int64_t now = clock_now(&clock);

		if (!contract_check(now >= before, "%lld after %lld", (long long)now,
				    (long long)before))
			break;
		before = now;
	}
	contract_check(before > first, "stands still");
	contract_end();
	clock_close(&clock);
}

/* A second by each clock is a second, and a calibrated one says at its end that it was. */
static void check_rate(const struct clock_row *row)
{
	struct clock_source clock;
	struct result_clock facts;
	struct error error;
	int64_t start_ns, real_start_ns, span_ns, expected_ns;
	double factor;

	contract_begin("clock", row->name, "rate");
	if (!contract_check(clock_open(&clock, clock_rows, row->name, &facts, &error) == 0, "%s",
			    error.text)) {
		contract_end();
		return;
	}
	real_start_ns = real_ns();
	start_ns = clock_now(&clock);
	(void)nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
	span_ns = clock_now(&clock) - start_ns;
	expected_ns = real_ns() - real_start_ns;
	factor = clock_finish(&clock, &facts);
	contract_check(facts.fault[0] == '\0', "%s", facts.fault);
	contract_check(factor > 1 - 1e-4 && factor < 1 + 1e-4, "factor %.9f", factor);
	span_ns = (int64_t)((double)span_ns * factor);
	/* Two steps of the coarse one, an interruption, and the slew of real time. */
	contract_check(span_ns > expected_ns - 2 * facts.step_ns - PAIR_ERROR_NS - 200000 &&
			       span_ns < expected_ns + 2 * facts.step_ns + PAIR_ERROR_NS + 200000,
		       "%lld instead of %lld", (long long)span_ns, (long long)expected_ns);
	clock_close(&clock);
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
	contract_check(clock_wall_ns(&clock) == 43, "another time of day");
	contract_end();
}

static void check_names(void)
{
	struct clock_source clock;
	struct result_clock facts;
	struct error error;

	contract_begin("clock", "table", "auto and unknown names");
	contract_check(clock_open(&clock, clock_rows, "auto", &facts, &error) == 0 &&
			       clock.row == &clock_monotonic,
		       "auto is not monotonic");
	contract_check(clock_open(&clock, clock_rows, "sundial", &facts, &error) ==
				       -ERROR_INVALID &&
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
		check_row(clock_rows[i]);
		if (!clock_rows[i]->is_simulated)
			check_rate(clock_rows[i]);
	}
	check_simulated();
	check_names();
	check_wall_text();
}
