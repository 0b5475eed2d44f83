/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ends of the intervals come from the likelihood's profile and not from its curvature at the
 * top, because the cases that matter most (nothing lost of small datagrams, everything of large
 * ones) are those in which the top is flat or at infinity, while the profile still says how flat a
 * line could be.
 */
#include "core/loss_model.h"

#include <math.h>
#include <string.h>

#include "core/cloglog.h"
#include "core/statistics.h"

#define GROUPS_MAX	  1024u
#define HALF_CHI_SQUARE95 (STATISTICS_Z95 * STATISTICS_Z95 / 2.0)
#define Z99		  2.3263479 /* the normal distribution's 99 % quantile, one-sided */
#define LEVEL_LIMIT	  80.0

struct groups {
	struct cloglog_group group[GROUPS_MAX];
	size_t count;
	uint32_t fragments; /* of the first */
	bool sizes_differ, any_lost, any_kept;
	uint64_t trials; /* sent times fragments */
};

/*
 * By how much the numbers of lost datagrams vary more than those of independent losses: (1 + r) /
 * (1 - r) if losses form a chain of two states whose successive states correlate by r. Such a chain
 * has 1 - r times the runs that chance would make of as many losses, lost * kept / sent. One r is
 * taken for all sizes: one that lost nothing has no runs, but the same bursts could have met it.
 */
static double excess_variance(const struct loss_model_point *points, size_t count)
{
	double runs = 0.0, by_chance = 0.0, correlation;

	for (size_t i = 0; i < count; i++) {
		if (points[i].loss_runs == 0 || points[i].lost >= points[i].sent)
			continue;
		runs += (double)points[i].loss_runs;
		by_chance += (double)points[i].lost *
			     ((double)(points[i].sent - points[i].lost) / (double)points[i].sent);
	}
	if (runs >= by_chance)
		return 1.0;
	correlation = 1.0 - runs / by_chance;
	return (1.0 + correlation) / (1.0 - correlation);
}

/* False if there are more sizes than there is room for. */
static bool gather(const struct loss_model_point *points, size_t count, struct groups *groups)
{
	double worth = 1.0 / excess_variance(points, count);

	memset(groups, 0, sizeof(*groups));
	for (size_t i = 0; i < count; i++) {
		if (points[i].sent == 0)
			continue;
		if (groups->count == GROUPS_MAX)
			return false;
		groups->group[groups->count++] = (struct cloglog_group){
			.log_fragments = log(points[i].fragments),
			.lost = (double)points[i].lost * worth,
			.kept = (double)(points[i].sent - points[i].lost) * worth,
		};
		if (groups->fragments == 0)
			groups->fragments = points[i].fragments;
		groups->sizes_differ = groups->sizes_differ ||
				       points[i].fragments != groups->fragments;
		groups->any_lost = groups->any_lost || points[i].lost > 0;
		groups->any_kept = groups->any_kept || points[i].lost < points[i].sent;
		groups->trials += points[i].sent * points[i].fragments;
	}
	return true;
}

/* The 99 % quantile of the chi-square distribution (E. B. Wilson and M. M. Hilferty, 1931). */
static double chi_square99(uint32_t degrees)
{
	double share = 2.0 / (9.0 * degrees), root = 1.0 - share + Z99 * sqrt(share);

	return degrees * root * root * root;
}

/* p_f of a level: the loss where ln(n) is 0. */
static double loss_at(double level)
{
	return -expm1(-exp(level));
}

/* The level with slope 1, which has one parameter only: what is a slope below is a level here. */
static struct estimate pooled_loss(const struct groups *groups)
{
	double level = cloglog_best_level(groups->group, groups->count, 1.0), ends[2];
	double least = cloglog_likelihood(groups->group, groups->count, level, 1.0) -
		       HALF_CHI_SQUARE95;

	for (int side = 0; side < 2; side++) {
		double inside = level, outside = side == 0 ? -LEVEL_LIMIT : LEVEL_LIMIT;

		while (fabs(outside - inside) > 1e-9) {
			double middle = inside + (outside - inside) / 2.0;

			if (cloglog_likelihood(groups->group, groups->count, middle, 1.0) >= least)
				inside = middle;
			else
				outside = middle;
		}
		ends[side] = inside;
	}
	return (struct estimate){true, loss_at(level), loss_at(ends[0]), loss_at(ends[1])};
}

static void judge(const struct groups *groups, double low, double high, struct loss_model *model)
{
	bool fits = model->degrees == 0 || model->deviance <= chi_square99(model->degrees);

	model->why_unknown = "";
	if (high < 1.0) {
		model->verdict = LOSS_MODEL_BURSTY;
	} else if (low > 1.0) {
		model->verdict = LOSS_MODEL_POLICED;
	} else if (low <= 0.0 || high >= 2.0) {
		model->why_unknown = "too few were lost to tell how loss grows";
	} else if (!fits) {
		model->why_unknown = "loss does not follow the number of fragments";
	} else {
		model->verdict = LOSS_MODEL_INDEPENDENT;
		model->loss_per_fragment = pooled_loss(groups);
	}
}

static void fit_slope(const struct groups *groups, struct loss_model *model)
{
	const struct cloglog_group *group = groups->group;
	double best = cloglog_best_slope(group, groups->count, LOSS_MODEL_SLOPE_MAX);
	double top = cloglog_profile(group, groups->count, best);
	double least = top - HALF_CHI_SQUARE95;
	double low = cloglog_profile_end(group, groups->count, best, -LOSS_MODEL_SLOPE_MAX, least);
	double high = cloglog_profile_end(group, groups->count, best, LOSS_MODEL_SLOPE_MAX, least);

	model->degrees = groups->count > 2 ? (uint32_t)groups->count - 2 : 0;
	model->deviance = fmax(2.0 * (cloglog_saturated(group, groups->count) - top), 0.0);
	if (low > -LOSS_MODEL_SLOPE_MAX && high < LOSS_MODEL_SLOPE_MAX)
		model->slope = (struct estimate){true, best, low, high};
	judge(groups, low, high, model);
}

void loss_model_fit(const struct loss_model_point *points, size_t count, struct loss_model *model)
{
	struct groups groups;

	memset(model, 0, sizeof(*model));
	model->why_unknown = "";
	if (!gather(points, count, &groups)) {
		model->why_unknown = "there are too many sizes";
	} else if (groups.count == 0) {
		model->why_unknown = "nothing was sent";
	} else if (!groups.any_lost) {
		model->verdict = LOSS_MODEL_NONE;
		model->loss_per_fragment = (struct estimate){
			true, 0.0, 0.0, statistics_none_upper(groups.trials)};
	} else if (!groups.sizes_differ) {
		model->why_unknown = "there is only one number of fragments";
	} else if (!groups.any_kept) {
		model->why_unknown = "everything was lost";
	} else {
		fit_slope(&groups, model);
	}
}

const char *loss_model_name(enum loss_model_verdict verdict)
{
	switch (verdict) {
	case LOSS_MODEL_NONE:
		return "none";
	case LOSS_MODEL_INDEPENDENT:
		return "independent";
	case LOSS_MODEL_BURSTY:
		return "bursty";
	case LOSS_MODEL_POLICED:
		return "policed";
	case LOSS_MODEL_UNKNOWN:
		break;
	}
	return "unknown";
}

const char *loss_model_sentence(enum loss_model_verdict verdict)
{
	switch (verdict) {
	case LOSS_MODEL_NONE:
		return "nothing was lost";
	case LOSS_MODEL_INDEPENDENT:
		return "fragments are lost independently of each other";
	case LOSS_MODEL_BURSTY:
		return "loss grows less than the number of fragments: they are lost together";
	case LOSS_MODEL_POLICED:
		return "loss grows faster than the number of fragments: something limits them";
	case LOSS_MODEL_UNKNOWN:
		break;
	}
	return "how loss depends on the number of fragments is not known";
}
