/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the two halves of the account share: account.c (sending, expiry, the end) and
 * account_arrival.c (what comes back). Nobody else includes this.
 */
#ifndef FPING_BENCH_CORE_ACCOUNT_INTERNAL_H
#define FPING_BENCH_CORE_ACCOUNT_INTERNAL_H

#include "core/account.h"

/*
 * The number of slots in use changes at now_ns. Slots that the timeout freed before that enter
 * the integral first, at the times at which they were freed.
 */
void account_event(struct account_target *target, int64_t change, int64_t now_ns);

/* The entry leaves its slot without an answer at now_ns, if it holds one. */
void account_give_up(struct account *account, struct account_target *target,
		     struct flight_entry *entry, int64_t now_ns);

/* The entry, which is waited for and holds no slot, is lost at now_ns by the cause of its mark. */
void account_lose(struct account *account, struct flight_entry *entry, int64_t now_ns);

/*
 * The fate of a request is known: its slot is free, and nothing right is expected any more. freed
 * receives its target if it held one.
 */
void account_mark(struct account *account, struct flight_entry *entry, enum flight_mark mark,
		  int64_t now_ns, uint32_t *freed);

/* A reply with the right tag whose data is not what was sent. */
void account_take_damaged(struct account *account, struct account_target *target,
			  struct flight_entry *entry, const struct arrival *arrival,
			  const struct payload_finding *finding, struct account_outcome *outcome);

#endif
