/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the diagnosis share: diagnosis.c (what is sent next), diagnosis_kinds.c (the
 * kinds of requests and what became of them), diagnosis_verdict.c (what it means). Nobody else
 * includes this.
 */
#ifndef FPING_BENCH_CORE_DIAGNOSIS_INTERNAL_H
#define FPING_BENCH_CORE_DIAGNOSIS_INTERNAL_H

#include "base/error.h"
#include "core/diagnosis.h"

#include <string.h>

/* Adds a sentence of evidence; base's error carries the only formatter that core has. */
#define DIAGNOSIS_SAY(diagnosis, ...)                                                              \
	do {                                                                                       \
		struct error said;                                                                 \
		(void)error_set(&said, ERROR_INTERNAL, __VA_ARGS__);                               \
		diagnosis_add_evidence((diagnosis), said.text);                                    \
	} while (0)

void diagnosis_add_evidence(struct diagnosis *diagnosis, const char *sentence);

/* The kinds of the first round and those that follow from them, for the family and the MTU. */
void diagnosis_make_kinds(struct diagnosis *diagnosis);

/* The longest data of an echo that is sent in `packets` packets. */
uint32_t diagnosis_data_max(const struct diagnosis *diagnosis, uint32_t packets);

/* Requests of a row that were dealt with, and those that are not answered. */
uint64_t diagnosis_sent(const struct account_target *rows, uint32_t row);
uint64_t diagnosis_lost(const struct account_target *rows, uint32_t row);

/*
 * Whether a row loses more than DIAGNOSIS_LOSS of its packets or as good as none: A. Wald's
 * sequential test (1945) with DIAGNOSIS_ERROR on both sides, at least DIAGNOSIS_LEAST requests.
 */
enum diagnosis_finding diagnosis_judge(const struct diagnosis *diagnosis,
				       const struct account_target *rows, uint32_t row);

/* The same with `loss` of the requests themselves in the place of what their packets imply. */
enum diagnosis_finding diagnosis_judge_against(const struct account_target *rows, uint32_t row,
					       double loss);

/* Whether the row's loss can be what independent loss of packets makes of that of small echoes. */
bool diagnosis_is_plain_loss(const struct diagnosis *diagnosis, const struct account_target *rows,
			     uint32_t row);

/* The answer is this. False, so that a conductor can return it. */
bool diagnosis_end(struct diagnosis *diagnosis, enum diagnosis_verdict verdict);

/* There is none, since two fit; what would decide. */
bool diagnosis_leave_open(struct diagnosis *diagnosis, const char *decide_by);

/* What the first round means: the next phase, or the answer (DIAGNOSIS_OVER). */
void diagnosis_classify(struct diagnosis *diagnosis, const struct account_target *rows);

/* What the other phases have brought. */
void diagnosis_conclude_slow(struct diagnosis *diagnosis, const struct account_target *rows);
void diagnosis_conclude_search(struct diagnosis *diagnosis, const struct account_target *rows);
void diagnosis_conclude_wait(struct diagnosis *diagnosis, const struct account_target *rows);
void diagnosis_conclude_bursts(struct diagnosis *diagnosis, const struct account_target *rows);

/* An error of the host that its timer for the pieces of a datagram ran out. */
bool diagnosis_has_timeout_error(const struct diagnosis *diagnosis,
				 const struct account_target *rows);

/* Some router told the MTU that whole packets are too long for; 0: none did. */
uint32_t diagnosis_told_mtu(const struct account_target *rows, uint32_t row);

#endif
