/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of the lengths that occurred, kept in order; there are few, whatever the number of
 * losses.
 */
#include "core/loss_runs.h"

static void count_run(struct loss_runs *runs, uint64_t length)
{
	uint32_t at = 0;

	while (at < runs->count && runs->runs[at].length < length)
		at++;
	if (at < runs->count && runs->runs[at].length == length) {
		runs->runs[at].count++;
		return;
	}
	if (runs->count == RESULT_LOSS_RUNS_MAX) {
		runs->left_out++;
		return;
	}
	for (uint32_t i = runs->count++; i > at; i--)
		runs->runs[i] = runs->runs[i - 1];
	runs->runs[at] = (struct result_loss_run){.length = length, .count = 1};
}

void loss_runs_lost(struct loss_runs *runs, uint64_t number)
{
	if (runs->length > 0 && number != runs->last + 1)
		loss_runs_end(runs);
	runs->last = number;
	runs->length++;
}

void loss_runs_end(struct loss_runs *runs)
{
	if (runs->length > 0)
		count_run(runs, runs->length);
	runs->length = 0;
}
