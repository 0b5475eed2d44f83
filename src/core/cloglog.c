/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole numbers of datagrams go wrong at both ends of a logarithm: a loss of 0 or of 100 % puts the
 * best line at infinity. Every value is therefore computed from exp(u) with expm1, and u kept where
 * that is neither 0 nor infinite.
 */
#include "core/cloglog.h"

#include <math.h>

#define LEVEL_REACH 60.0 /* exp(-60): one loss in 10^26; exp(+60): none is kept */
#define STEPS_MAX   200
#define EXACT	    1e-12

static double bounded(double u)
{
	return fmin(fmax(u, -300.0), 300.0);
}

/* a * ln(b), 0 where there is nothing to multiply. */
static double times_log(double a, double b)
{
	return a > 0.0 ? a * log(b) : 0.0;
}

double cloglog_likelihood(const struct cloglog_group *groups, size_t count, double level,
			  double slope)
{
	double sum = 0.0;

	for (size_t i = 0; i < count; i++) {
		double hazard = exp(bounded(level + slope * groups[i].log_fragments));

		sum += times_log(groups[i].lost, -expm1(-hazard)) - groups[i].kept * hazard;
	}
	return sum;
}

double cloglog_saturated(const struct cloglog_group *groups, size_t count)
{
	double sum = 0.0;

	for (size_t i = 0; i < count; i++) {
		double all = groups[i].lost + groups[i].kept;

		sum += times_log(groups[i].lost, groups[i].lost / all) +
		       times_log(groups[i].kept, groups[i].kept / all);
	}
	return sum;
}

struct score {
	double level, slope;   /* derivatives of the likelihood */
	double information;    /* expected, of the level */
};

static struct score score_at(const struct cloglog_group *groups, size_t count, double level,
			     double slope)
{
	struct score score = {0.0, 0.0, 0.0};

	for (size_t i = 0; i < count; i++) {
		double hazard = exp(bounded(level + slope * groups[i].log_fragments));
		/* hazard * kept / lost, as the model has it; at most 1, and 0 for large hazards */
		double odds = hazard < 300.0 ? hazard / expm1(hazard) : 0.0;
		double own = groups[i].lost * odds - groups[i].kept * hazard;

		score.level += own;
		score.slope += own * groups[i].log_fragments;
		score.information += (groups[i].lost + groups[i].kept) * hazard * odds;
	}
	return score;
}

double cloglog_best_level(const struct cloglog_group *groups, size_t count, double slope)
{
	double low = INFINITY, high = -INFINITY, level;

	/* The best level of one group alone is within LEVEL_REACH, and that of all among those. */
	for (size_t i = 0; i < count; i++) {
		low = fmin(low, -LEVEL_REACH - slope * groups[i].log_fragments);
		high = fmax(high, LEVEL_REACH - slope * groups[i].log_fragments);
	}
	level = low + (high - low) / 2.0;
	for (int i = 0; i < STEPS_MAX && high - low > EXACT; i++) {
		struct score score = score_at(groups, count, level, slope);
		double next = level + score.level / score.information;

		if (score.level > 0.0)
			low = level;
		else
			high = level;
		/* A step out of the bracket, or one by no number at all: its middle instead. */
		if (!(next > low && next < high))
			next = low + (high - low) / 2.0;
		if (fabs(next - level) < EXACT)
			return next;
		level = next;
	}
	return level;
}

double cloglog_profile(const struct cloglog_group *groups, size_t count, double slope)
{
	return cloglog_likelihood(groups, count, cloglog_best_level(groups, count, slope), slope);
}

/* At the best level the profile's derivative is that of the likelihood by the slope alone. */
double cloglog_best_slope(const struct cloglog_group *groups, size_t count, double limit)
{
	double low = -limit, high = limit;

	for (int i = 0; i < STEPS_MAX && high - low > EXACT * limit; i++) {
		double slope = low + (high - low) / 2.0;
		double level = cloglog_best_level(groups, count, slope);

		if (score_at(groups, count, level, slope).slope > 0.0)
			low = slope;
		else
			high = slope;
	}
	return low + (high - low) / 2.0;
}

double cloglog_profile_end(const struct cloglog_group *groups, size_t count, double from, double to,
			   double least)
{
	double inside = from, outside = to;

	if (cloglog_profile(groups, count, to) >= least)
		return to;
	for (int i = 0; i < STEPS_MAX && fabs(outside - inside) > 1e-9; i++) {
		double slope = inside + (outside - inside) / 2.0;

		if (cloglog_profile(groups, count, slope) >= least)
			inside = slope;
		else
			outside = slope;
	}
	return inside;
}
