/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A log-linear histogram of durations: 128 buckets per power of two, so that a bucket is at
 * most 1/128 = 0.78 % of its value wide, and exact below 128 ns. Minimum, maximum and the sums
 * behind mean and standard deviation are exact: they are kept as integers of 128 bits, relative
 * to the first sample, so that equal samples have a deviation of exactly zero and slow ones
 * cannot overflow. Merging is addition.
 */
#ifndef FPING_BENCH_CORE_HISTOGRAM_H
#define FPING_BENCH_CORE_HISTOGRAM_H

#include "base/base.h"

#define HISTOGRAM_SUB_BITS 7
#define HISTOGRAM_TOP_BITS 44 /* values from 2^44 ns (4.9 hours) on share the last bucket */
#define HISTOGRAM_BUCKETS ((HISTOGRAM_TOP_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

struct histogram {
	uint64_t samples;
	int64_t min_ns; /* meaningless while samples == 0 */
	int64_t max_ns;
	int64_t first_ns;
	int128 sum;          /* of (value - first_ns) */
	uint128 sum_squares; /* of (value - first_ns)^2 */
	uint64_t counts[HISTOGRAM_BUCKETS];
};

/* Empties a histogram. */
void histogram_init(struct histogram *histogram);

/* The bucket of a value (negative values: bucket 0). */
uint32_t histogram_bucket(int64_t value_ns);

/* The values of a bucket: low <= value < high, in ns. */
int64_t histogram_bucket_low(uint32_t bucket);
int64_t histogram_bucket_high(uint32_t bucket);

/* Adds one sample, >= 0. Constant time. */
void histogram_record(struct histogram *histogram, int64_t value_ns);

/* Adds all samples of from to into. */
void histogram_merge(struct histogram *into, const struct histogram *from);

/*
 * Multiplies all samples by a factor that is near 1 (within a few hundred ppm): minimum, maximum
 * and mean follow to the nanosecond, the deviation to eight digits, and equal samples stay equal.
 * The counts stay in their buckets, which are 4,000 to 8,000 ppm wide: what would move over an edge
 * was nearer to it than any reading is exact. Only none is left beyond the buckets of minimum and
 * maximum.
 */
void histogram_rescale(struct histogram *histogram, double factor);

/* Mean and population standard deviation in ns; 0 when there is no sample. */
double histogram_mean(const struct histogram *histogram);
double histogram_deviation(const struct histogram *histogram);

/* Mean of the samples weighted by themselves, E[x^2]/E[x], in ns; 0 when there is no sample. */
double histogram_weighted_mean(const struct histogram *histogram);

/*
 * The q-quantile, 0 < q <= 1: the middle of the smallest bucket with a cumulative count of at
 * least ceil(q x samples), never outside the exact minimum and maximum. 0 when empty.
 */
int64_t histogram_quantile(const struct histogram *histogram, double q);

/*
 * Whether a sample of this size supports the q-quantile: 1 - q^n >= 0.95, the least n for which
 * its upper 95 % confidence limit is finite (order statistics; n >= 29, 299, 2,995 for p90,
 * p99, p99.9). The median of any sample that is not empty counts as supported, as a statistic
 * of the sample itself.
 */
bool histogram_supports(uint64_t samples, double q);

#endif
