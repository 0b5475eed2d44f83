/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Depth: a fixed number of requests in flight. Whatever frees a slot brings the next request,
 * and nothing else does; how fast that is, is what the run finds out.
 */
#include "core/pacer.h"

static int validate(const struct pacer_settings *settings, struct error *error)
{
	if (settings->slots == 0)
		return error_set(error, ERROR_INVALID, "a depth of at least 1 is needed");
	return 0;
}

static void next(struct pacer *pacer, int64_t now_ns, uint32_t slots_used,
		 struct pacer_decision *decision)
{
	uint32_t slots = pacer->settings.slots;

	if (slots_used < slots) {
		decision->action = PACER_SEND;
		decision->count = slots - slots_used;
		decision->intended_ns = now_ns;
	} else {
		decision->action = PACER_WAIT;
		decision->until_ns = TIME_NEVER_NS;
	}
}

const struct pacer_row pacer_depth = {
	.name = "depth",
	.summary = "a fixed number in flight, a slot refilled at once when it becomes free",
	.has_schedule = false,
	.validate = validate,
	.next = next,
};
