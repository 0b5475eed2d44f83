/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of pacers and what all of them have in common: nothing before the start, nothing
 * beyond the count. A row only states its own rule; it may ask for more than is left, and is
 * cut here, in one place.
 */
#include "core/pacer.h"

#include <string.h>

const struct pacer_row *const pacer_rows[] = {&pacer_flood, &pacer_interval, &pacer_depth, NULL};

const struct pacer_row *pacer_find(const char *name)
{
	for (size_t row = 0; pacer_rows[row] != NULL; row++) {
		const char *wanted = name;
		const char *found = pacer_rows[row]->name;

		while (*wanted != '\0' && *wanted == *found) {
			wanted++;
			found++;
		}
		if (*wanted == *found)
			return pacer_rows[row];
	}
	return NULL;
}

int pacer_init(struct pacer *pacer, const struct pacer_row *row,
	       const struct pacer_settings *settings, struct error *error)
{
	int status = row->validate(settings, error);

	if (status < 0)
		return status;
	memset(pacer, 0, sizeof(*pacer));
	pacer->row = row;
	pacer->settings = *settings;
	pacer->last_send_ns = settings->start_ns;
	pacer->floor_from_ns = settings->start_ns;
	return 0;
}

void pacer_next(struct pacer *pacer, int64_t now_ns, uint32_t slots_used,
		struct pacer_decision *decision)
{
	const struct pacer_settings *settings = &pacer->settings;

	memset(decision, 0, sizeof(*decision));
	if (settings->count > 0 && pacer->attempts >= settings->count) {
		decision->action = PACER_DONE;
		return;
	}
	if (now_ns < settings->start_ns) {
		decision->action = PACER_WAIT;
		decision->until_ns = settings->start_ns;
		return;
	}
	pacer->row->next(pacer, now_ns, slots_used, decision);
	if (decision->action == PACER_SEND && settings->count > 0) {
		uint64_t left = settings->count - pacer->attempts;

		decision->count = (uint32_t)min_u64(decision->count, left);
	}
}

void pacer_sent(struct pacer *pacer, int64_t now_ns, uint32_t count)
{
	if (count == 0)
		return;
	pacer->attempts += count;
	pacer->last_send_ns = now_ns;
	pacer->newest_answered = false;
	/* A request of the floor that is a little late does not make the next one later. */
	uint64_t since = (uint64_t)now_ns - (uint64_t)pacer->floor_from_ns;
	if (since >= PACER_FLOOD_FLOOR_NS && since < 2 * PACER_FLOOD_FLOOR_NS)
		pacer->floor_from_ns += PACER_FLOOD_FLOOR_NS;
	else
		pacer->floor_from_ns = now_ns;
}

void pacer_limit(struct pacer *pacer, uint64_t count)
{
	pacer->settings.count = pacer->attempts + count;
}

void pacer_answered(struct pacer *pacer, bool is_newest)
{
	pacer->newest_answered = pacer->newest_answered || is_newest;
}
