/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The likelihood of what was lost under the model of loss_model.h: with u = level + slope * ln(n),
 * a datagram of n fragments is lost with probability 1 - exp(-exp(u)). It is concave in level and
 * slope, so that every search here has one answer and a bracket to find it in.
 */
#ifndef FPING_BENCH_CORE_CLOGLOG_H
#define FPING_BENCH_CORE_CLOGLOG_H

#include "base/base.h"

/* One group of trials. */
struct cloglog_group {
	double log_fragments; /* ln(n) */
	double lost, kept;    /* trials that ended so; may be scaled down to what they are worth */
};

/* The logarithm of the likelihood, but for a constant: 0 would be certainty, more is impossible. */
double cloglog_likelihood(const struct cloglog_group *groups, size_t count, double level,
			  double slope);

/* The same of the groups' own loss ratios: what a model with one parameter for each would reach. */
double cloglog_saturated(const struct cloglog_group *groups, size_t count);

/*
 * The level at which the likelihood with this slope is greatest: Fisher's scoring steps, held in a
 * bracket. Some trial must have been lost and some kept.
 */
double cloglog_best_level(const struct cloglog_group *groups, size_t count, double slope);

/*
 * Where the likelihood with slope fixed and best level is greatest, between the limits; a limit
 * itself if it still grows there.
 */
double cloglog_best_slope(const struct cloglog_group *groups, size_t count, double limit);

/* The likelihood with this slope and its best level. */
double cloglog_profile(const struct cloglog_group *groups, size_t count, double slope);

/*
 * Where the profile has fallen to least on its way from slope `from` to slope `to`; `to` if it
 * never falls that low.
 */
double cloglog_profile_end(const struct cloglog_group *groups, size_t count, double from, double to,
			   double least);

#endif
