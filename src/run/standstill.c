/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that is stopped (SIGSTOP, Ctrl-Z, a debugger) and goes on later finds the world
 * changed:
 * replies that waited for it look slow, and a schedule was not kept. The kernel tells when it goes
 * on, by SIGCONT, but not since when it stood; so the time told is the shortest that it can have
 * been, from the moment at which the loop should have been back at work.
 */
#include <string.h>

#include "os/signals.h"
#include "run/engine_internal.h"

static const char stopped_text[] = "this process was stopped";

static void add_outage(struct engine_pace *pace, int64_t from_ns, int64_t to_ns)
{
	struct result_outage *outage;

	if (pace->outage_count == RESULT_OUTAGES_MAX)
		return;
	outage = &pace->outages[pace->outage_count++];
	outage->from_ns = from_ns;
	outage->to_ns = to_ns;
	memcpy(outage->what, stopped_text, sizeof(stopped_text));
}

void engine_watch_standstill(struct engine *engine)
{
	int64_t from_ns = engine->awake_ns;
	int64_t now_ns;

	if (!signals_take_continued())
		return;
	now_ns = clock_now(engine->setup.clock);
	/* SIGCONT also comes to processes that were not stopped, or slept all the while. */
	if (now_ns - from_ns < ENGINE_STANDSTILL_MIN_NS)
		return;
	engine->stops++;
	engine->stopped_ns += now_ns - from_ns;
	for (uint32_t i = 0; i < engine->setup.target_count; i++)
		if (!engine->paces[i].finished)
			add_outage(&engine->paces[i], from_ns - engine->start_ns,
				   now_ns - engine->start_ns);
}
