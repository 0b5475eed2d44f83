/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log-linear histogram. A value below 2^7 has a bucket of its own; above, the position of
 * the highest bit picks an octave and the seven bits below it pick one of its 128 buckets, so a
 * bucket's width is at most 1/128 of its low end and finding it is a shift, not a logarithm.
 *
 * Mean and deviation do not come from the buckets: they are computed from integer sums of the
 * distances to the first sample. All subtractions that could cancel are done in integers, so
 * equal samples deviate by exactly zero and no rounding can make a variance negative. The sums
 * are exact while samples x (largest distance)^2 stays below 2^128, that is for 10^12 samples
 * of 4.9 hours; they are kept as unsigned numbers, so that not even nonsense is undefined.
 */
#include "core/histogram.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/wide.h"

#define SUB_BUCKETS (1u << HISTOGRAM_SUB_BITS)
#define LAST_BUCKET ((uint32_t)HISTOGRAM_BUCKETS - 1u)

void histogram_init(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
}

uint32_t histogram_bucket(int64_t value_ns)
{
	uint32_t octave;

	if (value_ns < (int64_t)SUB_BUCKETS)
		return value_ns < 0 ? 0 : (uint32_t)value_ns;
	if (value_ns >> HISTOGRAM_TOP_BITS != 0)
		return LAST_BUCKET;
	octave = 63u - (uint32_t)__builtin_clzll((unsigned long long)value_ns) - HISTOGRAM_SUB_BITS;
	return (octave << HISTOGRAM_SUB_BITS) + (uint32_t)(value_ns >> octave);
}

int64_t histogram_bucket_low(uint32_t bucket)
{
	uint32_t octave = bucket >> HISTOGRAM_SUB_BITS;

	if (octave == 0)
		return bucket;
	octave--;
	return (int64_t)(bucket - (octave << HISTOGRAM_SUB_BITS)) << octave;
}

int64_t histogram_bucket_high(uint32_t bucket)
{
	return bucket >= LAST_BUCKET ? INT64_MAX : histogram_bucket_low(bucket + 1);
}

/* b - a for values of the domain (>= 0), without undefined behaviour for any other. */
static int64_t distance(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)b - (uint64_t)a);
}

void histogram_record(struct histogram *histogram, int64_t value_ns)
{
	int64_t from_first;

	if (histogram->samples == 0) {
		histogram->first_ns = value_ns;
		histogram->min_ns = value_ns;
		histogram->max_ns = value_ns;
	} else if (value_ns < histogram->min_ns) {
		histogram->min_ns = value_ns;
	} else if (value_ns > histogram->max_ns) {
		histogram->max_ns = value_ns;
	}
	from_first = distance(histogram->first_ns, value_ns);
	histogram->samples++;
	histogram->sum += from_first;
	histogram->sum_squares += (uint128)((int128)from_first * from_first);
	histogram->counts[histogram_bucket(value_ns)]++;
}

/*
 * The sums of `from` are about its own first sample, f. With d = f - F, where F is the first of
 * `into`, (x - F) = (x - f) + d, and its square is (x - f)^2 + 2d(x - f) + d^2. Computed modulo
 * 2^128, which is exact whenever the result fits.
 */
void histogram_merge(struct histogram *into, const struct histogram *from)
{
	uint128 shift, samples = from->samples;

	if (from->samples == 0)
		return;
	if (into->samples == 0) {
		*into = *from;
		return;
	}
	shift = (uint128)(int128)distance(into->first_ns, from->first_ns);
	into->sum_squares +=
		from->sum_squares + 2 * shift * (uint128)from->sum + shift * shift * samples;
	into->sum = (int128)((uint128)into->sum + (uint128)from->sum + shift * samples);
	into->samples += from->samples;
	into->min_ns = min_i64(into->min_ns, from->min_ns);
	into->max_ns = max_i64(into->max_ns, from->max_ns);
	for (uint32_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
		into->counts[bucket] += from->counts[bucket];
}

/* By how much a number that is multiplied by 1 + change grows, to the nearest whole one. */
static int128 growth(uint128 size, double change)
{
	return wide_from_double(wide_to_double(size) * change);
}

static int128 rescaled(int128 value, double change)
{
	return value < 0 ? value - growth(-(uint128)value, change)
			 : value + growth((uint128)value, change);
}

/*
 * S^2/n: its whole part, and what is left of it in units of 1/n. With S = m n + r it is m^2 n + 2 m
 * r + r^2/n, where every term is an integer but the last. Division truncates towards zero, so m and
 * r have the same sign and only sizes matter.
 */
static uint128 squared_sum_share(const struct histogram *histogram, uint128 *part)
{
	uint128 samples = histogram->samples;
	uint128 sum = histogram->sum < 0 ? -(uint128)histogram->sum : (uint128)histogram->sum;
	uint128 mean = sum / samples;
	uint128 rest = sum % samples;

	*part = rest * rest % samples;
	return mean * mean * samples + 2 * mean * rest + rest * rest / samples;
}

/* The counts beyond the buckets of minimum and maximum move into them. */
static void gather_ends(struct histogram *histogram)
{
	uint32_t low = histogram_bucket(histogram->min_ns);
	uint32_t high = histogram_bucket(histogram->max_ns);

	for (uint32_t bucket = 0; bucket < low; bucket++) {
		histogram->counts[low] += histogram->counts[bucket];
		histogram->counts[bucket] = 0;
	}
	for (uint32_t bucket = high + 1; bucket < HISTOGRAM_BUCKETS; bucket++) {
		histogram->counts[high] += histogram->counts[bucket];
		histogram->counts[bucket] = 0;
	}
}

/*
 * The first sample is rounded to a whole number, and everything else is scaled as a distance to it:
 * equal samples stay equal, and the mean is off by that rounding alone. No rounding may take the
 * mean out of the range of the samples, or the sum of squares below the least that any samples with
 * this sum have.
 */
void histogram_rescale(struct histogram *histogram, double factor)
{
	int128 samples = histogram->samples;
	double change = factor - 1.0;
	int128 below, above;
	uint128 least, part;

	if (samples == 0)
		return;
	below = rescaled(distance(histogram->first_ns, histogram->min_ns), change);
	above = rescaled(distance(histogram->first_ns, histogram->max_ns), change);
	histogram->first_ns = (int64_t)rescaled(histogram->first_ns, change);
	histogram->min_ns = (int64_t)(histogram->first_ns + below);
	histogram->max_ns = (int64_t)(histogram->first_ns + above);
	histogram->sum = rescaled(histogram->sum, change);
	if (histogram->sum < samples * below)
		histogram->sum = samples * below;
	if (histogram->sum > samples * above)
		histogram->sum = samples * above;
	histogram->sum_squares += (uint128)growth(histogram->sum_squares, (2.0 + change) * change);
	least = squared_sum_share(histogram, &part);
	least += part > 0 ? 1 : 0;
	if (histogram->sum_squares < least)
		histogram->sum_squares = least;
	gather_ends(histogram);
}

double histogram_mean(const struct histogram *histogram)
{
	int128 samples = histogram->samples;
	int64_t whole, rest;

	if (samples == 0)
		return 0.0;
	whole = (int64_t)(histogram->sum / samples);
	rest = (int64_t)(histogram->sum % samples);
	whole = (int64_t)((uint64_t)histogram->first_ns + (uint64_t)whole);
	return (double)whole + (double)rest / (double)histogram->samples;
}

/*
 * Sum of the squared distances to the mean: sum_squares - S^2/n, with S the sum and n the samples.
 * No part of S^2/n exceeds sum_squares (Cauchy-Schwarz).
 */
static double squared_distances(const struct histogram *histogram)
{
	uint128 part;
	uint128 share = squared_sum_share(histogram, &part);

	return wide_to_double(histogram->sum_squares - share) -
	       wide_to_double(part) / (double)histogram->samples;
}

double histogram_deviation(const struct histogram *histogram)
{
	if (histogram->samples == 0)
		return 0.0;
	return sqrt(squared_distances(histogram) / (double)histogram->samples);
}

/* E[x^2] is variance + mean^2, so E[x^2]/E[x] is the mean plus variance / mean. */
double histogram_weighted_mean(const struct histogram *histogram)
{
	double mean = histogram_mean(histogram);

	if (!(mean > 0.0))
		return 0.0;
	return mean + squared_distances(histogram) / (double)histogram->samples / mean;
}

/*
 * ceil(q x n), where a product that misses a whole number by rounding only (0.07 x 100) is that
 * number.
 */
static uint64_t rank_of(uint64_t samples, double q)
{
	double exact = q * (double)samples;
	double nearest = floor(exact + 0.5);
	double rank = fabs(exact - nearest) <= exact * 4.0 * DBL_EPSILON ? nearest : ceil(exact);

	if (!(rank > 1.0))
		return 1;
	return rank >= (double)samples ? samples : (uint64_t)rank;
}

/* The bucket of the sample of this rank; before receives how many samples lie below the bucket. */
static uint32_t bucket_of_rank(const struct histogram *histogram, uint64_t rank, uint64_t *before)
{
	uint32_t bucket = histogram_bucket(histogram->min_ns);

	*before = 0;
	while (bucket < LAST_BUCKET && *before + histogram->counts[bucket] < rank)
		*before += histogram->counts[bucket++];
	return bucket;
}

int64_t histogram_quantile(const struct histogram *histogram, double q)
{
	uint64_t rank, before;
	uint32_t bucket;
	int64_t low, high;

	if (histogram->samples == 0)
		return 0;
	rank = rank_of(histogram->samples, q);
	bucket = bucket_of_rank(histogram, rank, &before);
	low = histogram_bucket_low(bucket);
	/* The last bucket has no end of its own: the largest sample is one. */
	high = bucket == LAST_BUCKET ? histogram->max_ns : histogram_bucket_high(bucket) - 1;
	return min_i64(max_i64(low + (high - low) / 2, histogram->min_ns), histogram->max_ns);
}

bool histogram_supports(uint64_t samples, double q)
{
	if (samples == 0 || !(q > 0.0) || !(q < 1.0))
		return false;
	return q <= 0.5 || pow(q, (double)samples) <= 0.05;
}
