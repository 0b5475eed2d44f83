/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the loss of datagrams grows with the number of their fragments, and what that says of what
 * loses them. If fragments are lost independently of each other, each with probability p_f, then
 *
 *	ln(-ln(1 - loss)) = ln(-ln(1 - p_f)) + slope * ln(n)	with slope = 1;
 *
 * a smaller slope says that fragments of one datagram are lost together, a greater one that many
 * fragments are worse off than few. So the slope is left free and fitted to what was lost of each
 * size: a binomial model with complementary log-log link (P. McCullagh and J. A. Nelder,
 * "Generalized Linear Models", 1989). What n counts is for the caller to choose: the fragments of
 * one direction, if only that loses.
 */
#ifndef FPING_BENCH_CORE_LOSS_MODEL_H
#define FPING_BENCH_CORE_LOSS_MODEL_H

#include "core/estimate.h"

#define LOSS_MODEL_SLOPE_MAX 50.0 /* steeper (or falling so fast) is a jump, and no slope */

enum loss_model_verdict {
	LOSS_MODEL_UNKNOWN,     /* too few losses or sizes, or no model fits */
	LOSS_MODEL_NONE,        /* nothing was lost */
	LOSS_MODEL_INDEPENDENT, /* 1 is inside the slope's interval, 0 and 2 are not, it fits */
	LOSS_MODEL_BURSTY,      /* slope below 1 */
	LOSS_MODEL_POLICED      /* slope above 1 */
};

/* What became of the datagrams of one size. */
struct loss_model_point {
	uint32_t fragments; /* n >= 1 */
	uint64_t sent;      /* without those whose fate is open */
	uint64_t lost;      /* <= sent */
	/*
	 * Runs of successive losses among these datagrams, in order of sending; 0: not known.
	 * Losses that follow on losses say less than as many single ones: wider intervals.
	 */
	uint64_t loss_runs;
};

struct loss_model {
	enum loss_model_verdict verdict;
	const char *why_unknown; /* "" unless the verdict is LOSS_MODEL_UNKNOWN */
	/*
	 * Its ends are where the likelihood, the best level for each slope taken, has fallen by
	 * as much as it does by chance in one of 20 cases. Unknown where the losses set no limit
	 * to one side, as with a loss of nothing below some size and of everything above.
	 */
	struct estimate slope;
	/*
	 * p_f, from all sizes together. Known only where it describes them: with the verdicts
	 * INDEPENDENT, and NONE (where it is 0, and the upper end one-sided).
	 */
	struct estimate loss_per_fragment;
	double deviance;    /* of the sizes from the fitted line; meaningless with degrees 0 */
	uint32_t degrees;   /* of freedom of the deviance: sizes with datagrams sent less 2 */
};

/*
 * Fits and judges. The verdict INDEPENDENT is missed in about 6 of 100 cases where it is true: the
 * interval in 5, and the test of the deviance (at 99 %) in 1.
 */
void loss_model_fit(const struct loss_model_point *points, size_t count, struct loss_model *model);

/* "independent" and so on, as it stands in reports for machines; "unknown" for any other number. */
const char *loss_model_name(enum loss_model_verdict verdict);

/* One sentence for people, without a stop at its end. */
const char *loss_model_sentence(enum loss_model_verdict verdict);

#endif
