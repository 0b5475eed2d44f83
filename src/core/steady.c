/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The series is kept at a length that does not depend on the run: when it is full, neighbours are
 * averaged and every later value stands for twice as many replies.
 */
#include "core/steady.h"

#include <math.h>
#include <string.h>

#include "core/median.h"

#define CLIP_DEVIATIONS	 6.0
#define DEVIATION_OF_MAD 1.4826 /* of a normal distribution */
#define PART_MIN	 3u	/* values on either side of a division */
#define RELEVANT_SHARE	 0.18
#define RELEVANT_ERRORS	 6.0
#define CORRELATION_MAX	 0.95

static int64_t median_of_batch(const int64_t batch[static STEADY_BATCH])
{
	int64_t sorted[STEADY_BATCH] = {0};

	for (uint32_t i = 0; i < STEADY_BATCH; i++) {
		uint32_t at = i;

		for (; at > 0 && sorted[at - 1] > batch[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = batch[i];
	}
	return sorted[STEADY_BATCH / 2];
}

static void halve(struct steady *steady)
{
	for (size_t i = 0; i < STEADY_MEANS / 2; i++)
		steady->means[i] = (steady->means[2 * i] + steady->means[2 * i + 1]) / 2.0;
	steady->count = STEADY_MEANS / 2;
	steady->medians_per_mean *= 2;
}

void steady_add(struct steady *steady, int64_t rtt_ns)
{
	steady->batch[steady->batch_count++] = rtt_ns;
	if (steady->batch_count < STEADY_BATCH)
		return;
	steady->batch_count = 0;
	if (steady->medians_per_mean == 0)
		steady->medians_per_mean = 1;
	steady->sum_ns += (double)median_of_batch(steady->batch);
	if (++steady->medians < steady->medians_per_mean)
		return;
	steady->means[steady->count++] = steady->sum_ns / (double)steady->medians;
	steady->sum_ns = 0.0;
	steady->medians = 0;
	if (steady->count == STEADY_MEANS)
		halve(steady);
}

/* ---- the verdict ---- */

static double median_of(const double *values, uint32_t count)
{
	double sorted[STEADY_MEANS];

	memcpy(sorted, values, count * sizeof(*values));
	return median_sorting(sorted, count);
}

/* What lies further from the median than hiccups explain is moved to that distance. */
static void clip(double *values, uint32_t count)
{
	double distances[STEADY_MEANS];
	double median = median_of(values, count), reach;

	for (uint32_t i = 0; i < count; i++)
		distances[i] = fabs(values[i] - median);
	reach = CLIP_DEVIATIONS * DEVIATION_OF_MAD * median_sorting(distances, count);
	/* More than half of them equal: what is relevant decides. */
	reach = fmax(reach, 2.0 * RELEVANT_SHARE * median);
	for (uint32_t i = 0; i < count; i++)
		values[i] = fmin(fmax(values[i], median - reach), median + reach);
}

/*
 * Where a step fits best: the division into two parts with the least sum of squares about their own
 * means, which is the one with the largest n1 n2 (m1 - m2)^2. 0: there is none.
 */
static uint32_t best_division(const double *values, uint32_t count)
{
	double all = 0.0, sum = 0.0, most = 0.0;
	uint32_t best = 0;

	/* Relative to the first value, which keeps the differences of sums exact. */
	for (uint32_t i = 0; i < count; i++)
		all += values[i] - values[0];
	for (uint32_t first = 1; first + PART_MIN <= count; first++) {
		double left = count - first, off, weight;

		sum += values[first - 1] - values[0];
		off = sum / first - (all - sum) / left;
		weight = first * left * off * off;
		if (first < PART_MIN || weight <= most)
			continue;
		most = weight;
		best = first;
	}
	return best;
}

/* What two parts have about their own means: squares, and products of neighbours. */
struct scatter {
	double squares;
	double products;
};

static double add_scatter(const double *values, uint32_t count, struct scatter *scatter)
{
	double sum = 0.0, mean;

	for (uint32_t i = 0; i < count; i++)
		sum += values[i];
	mean = sum / count;
	for (uint32_t i = 0; i < count; i++) {
		double off = values[i] - mean;

		scatter->squares += off * off;
		if (i > 0)
			scatter->products += off * (values[i - 1] - mean);
	}
	return mean;
}

/* Whether two parts differ by more than chance, and by enough to matter to anybody. */
static bool is_relevant(const double *values, uint32_t first, uint32_t count, double share)
{
	double before = median_of(values, first);
	double after = median_of(values + first, count - first);
	struct scatter scatter = {0.0, 0.0};
	double correlation, off, error;

	if (fabs(before - after) <= share * fmin(before, after))
		return false;
	off = add_scatter(values, first, &scatter) -
	      add_scatter(values + first, count - first, &scatter);
	correlation = scatter.squares > 0.0
			      ? fmin(fmax(scatter.products / scatter.squares, 0.0), CORRELATION_MAX)
			      : 0.0;
	error = sqrt(scatter.squares / (count - 2) * (1.0 / first + 1.0 / (count - first)) *
		     (1.0 + correlation) / (1.0 - correlation));
	return fabs(off) > RELEVANT_ERRORS * error;
}

static double mean_of(const double *values, uint32_t count)
{
	double sum = 0.0;

	for (uint32_t i = 0; i < count; i++)
		sum += values[i];
	return count > 0 ? sum / count : 0.0;
}

void steady_judge(const struct steady *steady, int64_t span_ns, struct result_steady *result)
{
	double values[STEADY_MEANS];
	uint32_t count = steady->count, cut = 0, division;

	memset(result, 0, sizeof(*result));
	if (count < STEADY_MEANS_MIN)
		return;
	memcpy(values, steady->means, count * sizeof(*values));
	clip(values, count);
	while (2 * cut < count && (division = best_division(values + cut, count - cut)) > 0 &&
	       is_relevant(values + cut, division, count - cut,
			   cut == 0 ? RELEVANT_SHARE : RELEVANT_SHARE / 3.0))
		cut += division;
	if (2 * cut >= count && span_ns < STEADY_SPAN_NS)
		return;
	result->known = true;
	result->is_steady = 2 * cut < count;
	result->rest_mean_ns = mean_of(steady->means + cut, count - cut);
	if (cut == 0)
		return;
	result->cut_replies = (uint64_t)cut * steady->medians_per_mean * STEADY_BATCH;
	result->cut_share = (double)cut / count;
	result->cut_mean_ns = mean_of(steady->means, cut);
}
