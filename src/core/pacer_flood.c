/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flood, as ping has always meant it: a request for every slot that a reply has freed, and one
 * more whenever 10 ms have passed since the last, so that a lossy or distant host still sees
 * 100 requests a second. A reply to the newest request is the clock, too: what then still holds
 * a slot was overtaken and is probably lost, and waiting for it would turn every lost packet into
 * a pause. With hard slots that floor is off and a slot is all that counts.
 */
#include "core/pacer.h"

static int validate(const struct pacer_settings *settings, struct error *error)
{
	if (settings->slots == 0)
		return error_set(error, ERROR_INVALID, "flood needs at least 1 slot");
	return 0;
}

static void next(struct pacer *pacer, int64_t now_ns, uint32_t slots_used,
		 struct pacer_decision *decision)
{
	uint32_t slots = pacer->settings.slots;
	/* A clock that went back behind the last send makes this a huge number, so it does not
	 * silence the flood until it is there again: one request, and the rule counts from it. */
	uint64_t since = (uint64_t)now_ns - (uint64_t)pacer->floor_from_ns;

	if (slots_used < slots) {
		decision->action = PACER_SEND;
		decision->count = slots - slots_used;
		decision->intended_ns = now_ns;
	} else if (pacer->settings.slots_are_hard) {
		decision->action = PACER_WAIT;
		decision->until_ns = TIME_NEVER_NS;
	} else if (pacer->newest_answered || since >= PACER_FLOOD_FLOOR_NS) {
		decision->action = PACER_SEND;
		decision->count = 1;
		decision->intended_ns = now_ns;
	} else {
		decision->action = PACER_WAIT;
		decision->until_ns = pacer->floor_from_ns > TIME_NEVER_NS - PACER_FLOOD_FLOOR_NS
					     ? TIME_NEVER_NS
					     : pacer->floor_from_ns + PACER_FLOOD_FLOOR_NS;
	}
}

const struct pacer_row pacer_flood = {
	.name = "flood",
	.summary = "as fast as replies come back, or 100 a second, whichever is more",
	.has_schedule = false,
	.validate = validate,
	.next = next,
};
