/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must hold for every answer of every pacer, written without looking at how they do it.
 * Shared by the simulations of the unit test and by the fuzz target.
 */
#ifndef FPING_BENCH_TESTS_UNIT_PACER_RULES_H
#define FPING_BENCH_TESTS_UNIT_PACER_RULES_H

#include <string.h>

#include "core/pacer.h"

/* When the place-th request of an interval schedule is due; places of extra ones come first. */
static inline int128 pacer_rules_due(const struct pacer_settings *settings, uint64_t place)
{
	uint64_t extra = settings->preload - 1;
	uint64_t k = place > extra ? place - extra : 0;

	return settings->start_ns + (int128)k * settings->interval_ns;
}

static inline const char *pacer_rules_interval(const struct pacer *before,
					       const struct pacer *pacer, int64_t now_ns,
					       const struct pacer_decision *decision)
{
	const struct pacer_settings *settings = &pacer->settings;
	uint64_t place = pacer->attempts + pacer->skipped;
	uint64_t left = settings->count == 0 ? UINT64_MAX : settings->count - pacer->attempts;
	int128 due = pacer_rules_due(settings, place);
	bool extra = place + 1 < settings->preload;

	if (pacer->skipped < before->skipped || (extra && pacer->skipped != 0))
		return "skipped what it should not";
	if (decision->action == PACER_WAIT)
		return due > now_ns && (int128)decision->until_ns ==
					       (due < INT64_MAX ? due : INT64_MAX)
			       ? NULL
			       : "waits for another time than the next due one";
	if ((int128)decision->intended_ns != due || due > now_ns)
		return "the intended time is not the schedule's";
	if (extra)
		return decision->spacing_ns == 0 && decision->count <= settings->preload - 1 - place
			       ? NULL
			       : "wrong extra requests";
	if (decision->spacing_ns != settings->interval_ns)
		return "wrong spacing";
	if (decision->count > pacer_catch_up(settings->interval_ns))
		return "a burst beyond the stated size";
	if (pacer->skipped > before->skipped && decision->count < left &&
	    decision->count != pacer_catch_up(settings->interval_ns))
		return "skipped more than it had to";
	due = pacer_rules_due(settings, place + decision->count - 1);
	if (due > now_ns)
		return "sends before the time";
	if (decision->count < left && pacer_rules_due(settings, place + decision->count) <= now_ns)
		return "leaves out what is due";
	return NULL;
}

static inline const char *pacer_rules_slots(const struct pacer *pacer, int64_t now_ns,
					    uint32_t slots_used,
					    const struct pacer_decision *decision)
{
	const struct pacer_settings *settings = &pacer->settings;
	bool soft = pacer->row == &pacer_flood && !settings->slots_are_hard;
	int128 floor_due = (int128)pacer->floor_from_ns + PACER_FLOOD_FLOOR_NS;

	if (decision->action == PACER_WAIT) {
		if (slots_used < settings->slots)
			return "waits although a slot is free";
		if (!soft)
			return decision->until_ns == TIME_NEVER_NS ? NULL : "waits for a time";
		return now_ns >= pacer->floor_from_ns && floor_due > now_ns &&
				       (int128)decision->until_ns ==
					       (floor_due < INT64_MAX ? floor_due : INT64_MAX)
			       ? NULL
			       : "keeps not to 100 a second";
	}
	if (decision->intended_ns != now_ns || decision->spacing_ns != 0)
		return "there is no schedule";
	if (slots_used < settings->slots)
		return decision->count <= settings->slots - slots_used ? NULL
								       : "more than the slots";
	if (!soft)
		return "sends without a slot";
	if (decision->count != 1)
		return "more than one beyond the slots";
	return floor_due <= now_ns || now_ns < pacer->floor_from_ns || pacer->newest_answered
		       ? NULL
		       : "faster than 100 a second";
}

/* Asks the pacer, and again, and judges the answer. NULL, or the rule that was broken. */
static inline const char *pacer_rules_ask(struct pacer *pacer, int64_t now_ns, uint32_t slots_used,
					  struct pacer_decision *decision)
{
	const struct pacer_settings *settings = &pacer->settings;
	struct pacer before = *pacer, after;
	struct pacer_decision again;

	pacer_next(pacer, now_ns, slots_used, decision);
	after = *pacer;
	pacer_next(pacer, now_ns, slots_used, &again);
	if (after.skipped != pacer->skipped || again.action != decision->action ||
	    again.count != decision->count || again.intended_ns != decision->intended_ns ||
	    again.spacing_ns != decision->spacing_ns || again.until_ns != decision->until_ns)
		return "asking twice gives two answers";
	if (before.attempts != pacer->attempts || before.last_send_ns != pacer->last_send_ns)
		return "asking changes more than skipped";
	if (settings->count > 0 && pacer->attempts >= settings->count)
		return decision->action == PACER_DONE ? NULL : "goes on beyond the count";
	if (decision->action == PACER_DONE)
		return "ends before the count";
	if (now_ns < settings->start_ns)
		return decision->action == PACER_WAIT && decision->until_ns == settings->start_ns
			       ? NULL
			       : "begins before the start";
	if (decision->action == PACER_SEND && decision->count == 0)
		return "sends nothing";
	if (decision->action == PACER_SEND && settings->count > 0 &&
	    decision->count > settings->count - pacer->attempts)
		return "more than the count";
	if (pacer->row == &pacer_interval)
		return pacer_rules_interval(&before, pacer, now_ns, decision);
	return pacer_rules_slots(pacer, now_ns, slots_used, decision);
}

#endif
