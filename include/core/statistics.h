/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ratios and how sure one can be of them. All intervals assume independent trials, which loss in
 * bursts is not; the report shows the runs of losses beside them.
 */
#ifndef FPING_BENCH_CORE_STATISTICS_H
#define FPING_BENCH_CORE_STATISTICS_H

#include "base/base.h"

#define STATISTICS_Z95 1.959963984540054 /* the normal distribution's 97.5 % quantile */

struct statistics_interval {
	double low;
	double high;
};

/* part / whole. False, and *ratio untouched, if whole is 0: there is no such ratio. */
bool statistics_ratio(uint64_t part, uint64_t whole, double *ratio) MUST_CHECK;

/*
 * Wilson's score interval for k of n (E. B. Wilson, 1927), within 0..1:
 * (p + z^2/2n +- z sqrt(p (1-p)/n + z^2/4n^2)) / (1 + z^2/n). False if n is 0 or k > n.
 */
bool statistics_wilson(uint64_t k, uint64_t n, double z,
		       struct statistics_interval *interval) MUST_CHECK;

/*
 * Exact upper 95 % limit (one-sided) of a probability that showed itself in none of n trials:
 * 1 - 0.05^(1/n), the exact form of the rule of three. 1 if n is 0.
 */
double statistics_none_upper(uint64_t n);

/*
 * The 97.5 % quantile of Student's distribution with this many degrees of freedom, to three
 * decimals: how many standard errors a two-sided 95 % interval reaches if the error itself was
 * estimated from degrees + 1 values. Infinite for 0.
 */
double statistics_student(uint32_t degrees);

/*
 * The interval that loss_ci95 reports for k lost of n: Wilson's at 95 %; but if none was lost,
 * 0 up to statistics_none_upper(n). False if n is 0 or k > n.
 */
bool statistics_loss_interval(uint64_t k, uint64_t n,
			      struct statistics_interval *interval) MUST_CHECK;

/*
 * The interval of the loss per fragment, from that of the loss per datagram: its ends are mapped
 * by fragment_loss, which keeps their coverage since it is monotone.
 */
struct statistics_interval statistics_per_fragment(struct statistics_interval datagram,
						   uint32_t fragments);

/*
 * Splits total over n shares in proportion to the weights, in whole numbers that add up to it
 * exactly (largest remainders; equal remainders in order of index). If total is at most the sum
 * of the weights, no share exceeds its weight. False, and all shares 0, if total cannot be
 * split because every weight is 0 (or n is). weights and shares must not overlap.
 */
bool statistics_share(uint64_t total, const uint64_t *weights, size_t n, uint64_t *shares)
	MUST_CHECK;

#endif
