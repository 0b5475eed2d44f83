/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Losses in a row (RFC 3357: loss periods): one lost request in a hundred and a hundred in a row
 * are the same loss ratio and not the same network. Losses come in the order in which the requests
 * were sent, since a request is lost when its timeout has passed and not before.
 */
#ifndef FPING_BENCH_CORE_LOSS_RUNS_H
#define FPING_BENCH_CORE_LOSS_RUNS_H

#include "core/result.h"

/* All zero at the start. */
struct loss_runs {
	uint64_t last;   /* number of the request that was lost last */
	uint64_t length; /* of the run that it belongs to, which may go on; 0: none */
	struct result_loss_run runs[RESULT_LOSS_RUNS_MAX]; /* shortest first */
	uint32_t count;
	uint64_t left_out; /* runs of a further length, for which there was no room */
};

/* The request with this number (counted from 1, per target) is lost. */
void loss_runs_lost(struct loss_runs *runs, uint64_t number);

/* No more losses come: the run that goes on ends. */
void loss_runs_end(struct loss_runs *runs);

#endif
