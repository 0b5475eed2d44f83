/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the summary share: summary.c (one target after the other), the fragments and
 * the verdict. Nobody else includes this.
 */
#ifndef FPING_BENCH_CORE_SUMMARY_INTERNAL_H
#define FPING_BENCH_CORE_SUMMARY_INTERNAL_H

#include <string.h>

#include "base/error.h"
#include "core/kernel_counters.h"
#include "core/result.h"

/* Formats into an array member; base's error carries the only formatter that core has. */
#define SUMMARY_FORMAT(member, ...)                                                                \
	do {                                                                                       \
		struct error formatted;                                                            \
		(void)error_set(&formatted, ERROR_INTERNAL, __VA_ARGS__);                          \
		memcpy((member), formatted.text, sizeof(member) - 1);                              \
		(member)[sizeof(member) - 1] = '\0';                                               \
	} while (0)

/*
 * The plan of a request and what it puts on the wire: fills target->fragments up to `overhead`
 * and the frame bytes of one request. Needs no counts. Unknown if no MTU is known, or if this
 * path-MTU mode forbids the fragments that would be needed.
 */
void summary_plan(const struct configuration *configuration, struct result_target *target,
		  uint64_t *frame_bytes);

/* The rest of target->fragments; loss, its interval and sent_per_s must be there. */
void summary_fragments(struct result_target *target,
		       const struct kernel_counters *before, const struct kernel_counters *after);

/*
 * The sums over the points of a series, and what only all of them together tell; the points must be
 * complete but for that.
 */
void summary_add_points(const struct result *result, struct result_target *target);

/* The steps and the fit of a sweep; its points must be complete. */
void summary_sweep(const struct result *result, struct result_target *target);

/* Room for one more reason, NULL where the list is full: it keeps its causes, not the effects. */
struct result_reason *summary_reason(struct result *result, const char *code) MUST_CHECK;

/*
 * The reasons that come from outside of the measurement: the process or the host stood still, a
 * clock was set or is too coarse, others had the processor, the processor was not enough. Whether
 * the sends of a schedule left when they should is told by schedule_is_held.
 */
void summary_judge_disturbance(struct result *result, bool schedule_is_held);

/* Adds to result->reasons; everything else of the result must be complete. */
void summary_judge(struct result *result);

#endif
