/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the diagnosis share: diagnosis.c (what is sent next), diagnosis_bucket.c and
 * diagnosis_again.c (two phases of it), diagnosis_kinds.c (the kinds of requests and what became of
 * them), diagnosis_verdict.c (what the first round means) and diagnosis_conclude.c (what the others
 * mean). Nobody else includes this.
 */
#ifndef FPING_BENCH_CORE_DIAGNOSIS_INTERNAL_H
#define FPING_BENCH_CORE_DIAGNOSIS_INTERNAL_H

#include "base/error.h"
#include "core/diagnosis.h"
#include "core/fragments.h"

#include <string.h>

#define BURST_REQUESTS 16u /* of the largest kind */
#define BURST_ROUNDS   3u

/* From then on no more is sent of anything than it takes; a host far away takes long. */
#define HURRY_NS (40 * NANOSECONDS_PER_SECOND)

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

/* Those for the path MTU that an ICMP error told, below that of the interface. */
void diagnosis_make_told_kinds(struct diagnosis *diagnosis, uint32_t told_mtu);

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

/* Whether each burst of a row lost much: what comes and goes spares one of them. */
bool diagnosis_burst_loses(const struct diagnosis *diagnosis, const struct account_target *rows,
			   uint32_t row);

/* The same with `loss` of the requests themselves in the place of what their packets imply. */
enum diagnosis_finding diagnosis_judge_against(const struct account_target *rows, uint32_t row,
					       double loss);

/* The least loss that so many lost leave possible: the lower end of a wide interval. */
double diagnosis_least_loss(uint64_t lost, uint64_t sent);

/* Whether the row's loss can be what independent loss of packets makes of that of small echoes. */
bool diagnosis_is_plain_loss(const struct diagnosis *diagnosis, const struct account_target *rows,
			     uint32_t row);

/* The answer is this. False, so that a conductor can return it. */
bool diagnosis_end(struct diagnosis *diagnosis, enum diagnosis_verdict verdict);

/* There is none, since two fit; what would decide. */
bool diagnosis_leave_open(struct diagnosis *diagnosis, const char *decide_by);

/* Names the next turn: so many requests of this row. */
void diagnosis_ask(struct diagnosis *diagnosis, const struct account_target *rows,
		   struct series_point *points, uint32_t row, uint32_t requests,
		   struct series_turn *turn);

/* Phases that diagnosis.c hands on: true if there is a turn, false if another phase goes on. */
bool diagnosis_plateau(struct diagnosis *diagnosis, const struct account_target *rows,
		       struct series_point *points, struct series_turn *turn);
bool diagnosis_slower(struct diagnosis *diagnosis, const struct account_target *rows,
		      struct series_point *points, struct series_turn *turn);
bool diagnosis_second_look(struct diagnosis *diagnosis, const struct account_target *rows,
			   struct series_point *points, int64_t now_ns, struct series_turn *turn);

/* Small echoes lose: how, is seen from this many more of them. */
void diagnosis_start_plateau(struct diagnosis *diagnosis, uint64_t until_sent);

/* A sentence of evidence: how many of a row were answered. */
void diagnosis_say_answers(struct diagnosis *diagnosis, const struct account_target *rows,
			   uint32_t row);

static inline bool diagnosis_passes(const struct diagnosis *diagnosis, uint32_t row)
{
	return diagnosis->findings[row] == DIAGNOSIS_CLEAN;
}

static inline bool diagnosis_is_dead(const struct diagnosis *diagnosis, uint32_t row)
{
	return diagnosis->findings[row] == DIAGNOSIS_DEAD;
}

/* What the first round means: the next phase, or the answer (DIAGNOSIS_OVER). */
void diagnosis_classify(struct diagnosis *diagnosis, const struct account_target *rows);

/* What the other phases have brought. */
void diagnosis_conclude_slow(struct diagnosis *diagnosis, const struct account_target *rows);
void diagnosis_conclude_told(struct diagnosis *diagnosis, const struct account_target *rows);
void diagnosis_conclude_search(struct diagnosis *diagnosis, const struct account_target *rows);
void diagnosis_conclude_wait(struct diagnosis *diagnosis, const struct account_target *rows);
void diagnosis_conclude_bursts(struct diagnosis *diagnosis, const struct account_target *rows);

/* An error of the host that its timer for the pieces of a datagram ran out. */
bool diagnosis_has_timeout_error(const struct diagnosis *diagnosis,
				 const struct account_target *rows);

/* The MTU that a router, or this host itself, told for packets of the row; 0: none did. */
uint32_t diagnosis_told_mtu(const struct account_target *rows, uint32_t row);

#endif
