/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any settings, and then any course of time, slots and sends: every answer of a pacer must keep
 * the rules that the unit test's simulations check.
 */
#include "fuzz/require.h"
#include "unit/pacer_rules.h"

static int64_t bounded(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

static void read_settings(struct input *input, struct pacer_settings *settings)
{
	uint64_t flags = input_take(input, 1);

	settings->count = flags & 1 ? input_take(input, 2) : 0;
	settings->slots = (uint32_t)input_take(input, 2);
	settings->slots_are_hard = flags & 2;
	/* The top bits choose the size of the interval and of the start. */
	settings->interval_ns = (int64_t)(input_take(input, 6) >> (flags >> 2 & 31));
	settings->preload = (uint32_t)input_take(input, 1);
	settings->start_ns = (int64_t)input_take(input, flags & 128 ? 8 : 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};
	const struct pacer_row *row = pacer_rows[input_take(&input, 1) % 3];
	struct pacer_settings settings = {0};
	struct pacer_decision decision;
	struct pacer pacer;
	struct error error;
	int64_t now, farthest;

	read_settings(&input, &settings);
	if (pacer_init(&pacer, row, &settings, &error) < 0) {
		REQUIRE(error.code == ERROR_INVALID && error.text[0] != '\0',
			"refused without a word");
		return 0;
	}
	now = settings.start_ns;
	/* Up to 146 years of it: a schedule of 1 ns has no more places than numbers. */
	farthest =
		settings.start_ns > INT64_MAX / 2 ? INT64_MAX : settings.start_ns + INT64_MAX / 2;
	while (input.left > 0) {
		uint64_t how = input_take(&input, 1);
		int64_t step = (int64_t)(input_take(&input, 2) << (how & 31));
		uint32_t used = (uint32_t)input_take(&input, 1) << (how >> 5 & 4);
		uint32_t accepted = (uint32_t)input_take(&input, 1);
		const char *broken;

		if (how & 32 && now > INT64_MIN + step)
			now -= step;
		else
			now = now > farthest - step ? farthest
						    : bounded(now + step, INT64_MIN, farthest);
		broken = pacer_rules_ask(&pacer, now, used, &decision);
		REQUIRE(broken == NULL, "%s: %s", row->name, broken);
		if (decision.action == PACER_SEND && accepted > 0)
			pacer_sent(&pacer, now,
				   accepted < decision.count ? accepted : decision.count);
		else if (decision.action == PACER_WAIT && how & 64 && decision.until_ns <= farthest)
			now = decision.until_ns;
	}
	return 0;
}
