/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the summary share: summary.c (one target after the other), the fragments and
 * the verdict. Nobody else includes this.
 */
#ifndef FPING_BENCH_CORE_SUMMARY_INTERNAL_H
#define FPING_BENCH_CORE_SUMMARY_INTERNAL_H

#include "core/kernel_counters.h"
#include "core/result.h"

/*
 * The plan of a request and what it puts on the wire: fills target->fragments up to `overhead`
 * and the frame bytes of one request. Needs no counts. Unknown if no MTU is known, or if this
 * path-MTU mode forbids the fragments that would be needed.
 */
void summary_plan(const struct configuration *configuration, struct result_target *target,
		  uint64_t *frame_bytes);

/* The rest of target->fragments; loss, its interval and sent_per_s must be there. */
void summary_fragments(const struct configuration *configuration, struct result_target *target,
		       const struct kernel_counters *before, const struct kernel_counters *after);

/* Adds to result->reasons; everything else of the result must be complete. */
void summary_judge(struct result *result);

#endif
