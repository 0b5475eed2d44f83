/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The histogram against what is known of it by arithmetic: bucket borders, exact moments, and a
 * sorted array of the same samples.
 */
#include "unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "core/histogram.h"

static struct histogram subject, other; /* 39 kB each: not on the stack */

static void record_times(int64_t value_ns, uint64_t times)
{
	for (uint64_t i = 0; i < times; i++)
		histogram_record(&subject, value_ns);
}

static void test_buckets(void)
{
	static const struct {
		int64_t value;
		uint32_t bucket;
	} rows[] = {
		{INT64_MIN, 0},
		{-1, 0},
		{0, 0},
		{1, 1},
		{127, 127},
		{128, 128},
		{255, 255},
		{256, 256},
		{257, 256},
		{258, 257},
		{511, 383},
		{512, 384},
		{515, 384},
		{516, 385},
		{(INT64_C(1) << 44) - 1, HISTOGRAM_BUCKETS - 1},
		{INT64_C(1) << 44, HISTOGRAM_BUCKETS - 1},
		{INT64_MAX, HISTOGRAM_BUCKETS - 1},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_UNSIGNED("bucket of value", histogram_bucket(rows[i].value), rows[i].bucket);
}

static void test_borders(void)
{
	int64_t expected_low = 0;

	for (uint32_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		int64_t low = histogram_bucket_low(bucket);
		int64_t high = histogram_bucket_high(bucket);

		UNIT_CHECK(low == expected_low && high > low, "bucket %u is %lld..%lld", bucket,
			   (long long)low, (long long)high);
		UNIT_CHECK(histogram_bucket(low) == bucket && histogram_bucket(high - 1) == bucket,
			   "the ends of bucket %u are elsewhere", bucket);
		UNIT_CHECK(bucket == HISTOGRAM_BUCKETS - 1 || (high - low) * 128 <= low ||
				   high - low == 1,
			   "bucket %u is wider than 1/128", bucket);
		expected_low = high;
	}
	UNIT_SIGNED("end of the last bucket", expected_low, INT64_MAX);
}

static void test_empty(void)
{
	histogram_init(&subject);
	UNIT_UNSIGNED("empty", subject.samples, 0);
	UNIT_NEAR("empty", histogram_mean(&subject), 0.0, 0.0);
	UNIT_NEAR("empty", histogram_deviation(&subject), 0.0, 0.0);
	UNIT_NEAR("empty", histogram_weighted_mean(&subject), 0.0, 0.0);
	UNIT_SIGNED("empty", histogram_quantile(&subject, 0.5), 0);
	histogram_init(&other);
	histogram_merge(&subject, &other);
	UNIT_UNSIGNED("empty and empty", subject.samples, 0);
}

/* A minimum or maximum that keeps its start value (case B43). */
static void test_first_sample(void)
{
	histogram_init(&subject);
	record_times(20000000, 3);
	UNIT_SIGNED("B43: 20 ms", subject.min_ns, 20000000);
	UNIT_SIGNED("B43: 20 ms", subject.max_ns, 20000000);
	histogram_record(&subject, 20000001);
	histogram_record(&subject, 19999999);
	UNIT_SIGNED("B43: around 20 ms", subject.min_ns, 19999999);
	UNIT_SIGNED("B43: around 20 ms", subject.max_ns, 20000001);

	histogram_init(&subject);
	histogram_record(&subject, 0);
	UNIT_SIGNED("B43: zero is a value", subject.max_ns, 0);
	UNIT_SIGNED("B43: zero is a value", histogram_quantile(&subject, 0.5), 0);
	UNIT_NEAR("B43: zero is a value", histogram_weighted_mean(&subject), 0.0, 0.0);
}

/* A variance that comes out slightly negative (case B42): equal samples deviate by exactly 0. */
static void test_equal_samples(void)
{
	static const uint64_t sizes[] = {1, 2, 3, 1000000};

	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
		histogram_init(&subject);
		record_times(123456789, sizes[i]);
		UNIT_NEAR("B42: equal samples", histogram_deviation(&subject), 0.0, 0.0);
		UNIT_CHECK(!signbit(histogram_deviation(&subject)), "B42: the deviation is -0");
		UNIT_NEAR("B42: equal samples", histogram_mean(&subject), 123456789.0, 0.0);
		UNIT_NEAR("B42: equal samples", histogram_weighted_mean(&subject), 123456789.0,
			  0.0);
		UNIT_SIGNED("B42: equal samples", histogram_quantile(&subject, 0.5), 123456789);
		UNIT_SIGNED("B42: equal samples", histogram_quantile(&subject, 1.0), 123456789);
	}
}

/* The sum of squares of slow replies (case B41): 4 s, and 2^30 samples of 60 s by merging. */
static void test_slow_samples(void)
{
	int64_t minute = 60 * NANOSECONDS_PER_SECOND;

	histogram_init(&subject);
	record_times(4 * NANOSECONDS_PER_SECOND, 3);
	UNIT_NEAR("B41: 3 of 4 s", histogram_mean(&subject), 4e9, 0.0);
	UNIT_NEAR("B41: 3 of 4 s", histogram_deviation(&subject), 0.0, 0.0);

	/* A first sample that is far from all others makes the sums as large as they get. */
	histogram_init(&subject);
	histogram_record(&subject, 0);
	histogram_init(&other);
	histogram_record(&other, minute - 1);
	histogram_record(&other, minute + 1);
	for (int doubling = 0; doubling < 29; doubling++) {
		static struct histogram same;

		same = other;
		histogram_merge(&other, &same);
	}
	histogram_merge(&subject, &other);
	UNIT_UNSIGNED("B41: 2^30 of 60 s", subject.samples, (UINT64_C(1) << 30) + 1);
	UNIT_NEAR("B41: 2^30 of 60 s", histogram_mean(&other), 60e9, 0.0);
	UNIT_NEAR("B41: 2^30 of 60 s", histogram_deviation(&other), 1.0, 0.0);
	UNIT_NEAR("B41: and one of 0", histogram_mean(&subject), 60e9 - 60e9 / 1073741825.0, 1e-4);
	/* sqrt(1 + n x 60e9^2 / (n + 1)^2), n = 2^30 */
	UNIT_NEAR("B41: and one of 0", histogram_deviation(&subject), 60e9 / 32768.0, 1.0);
}

/* Counters of 32 bits (case B45): they are pushed over the edge. */
static void test_large_counts(void)
{
	uint64_t edge = (UINT64_C(1) << 32) - 5;
	uint32_t bucket = histogram_bucket(1000);

	histogram_init(&subject);
	histogram_record(&subject, 1000);
	subject.samples = edge;
	subject.counts[bucket] = edge;
	record_times(1000, 10);
	UNIT_UNSIGNED("B45: samples", subject.samples, edge + 10);
	UNIT_UNSIGNED("B45: bucket", subject.counts[bucket], edge + 10);
	histogram_init(&other);
	histogram_record(&other, 2000);
	other.samples = edge;
	other.counts[histogram_bucket(2000)] = edge;
	histogram_merge(&subject, &other);
	UNIT_UNSIGNED("B45: merged", subject.samples, 2 * edge + 10);
	UNIT_SIGNED("B45: merged", histogram_quantile(&subject, 0.25),
		    1001); /* bucket 1000..1003 */
	UNIT_SIGNED("B45: merged", histogram_quantile(&subject, 0.999), 2000);
}

static void test_moments(void)
{
	static const int64_t samples[] = {2, 4, 4, 4, 5, 5, 7, 9}; /* mean 5, variance 4 */
	static const int64_t offsets[] = {0, 1, 1000000007, INT64_C(1) << 43, INT64_C(1) << 61};

	for (size_t row = 0; row < ARRAY_LENGTH(offsets); row++) {
		double mean = 5.0 + (double)offsets[row];

		histogram_init(&subject);
		for (size_t i = 0; i < ARRAY_LENGTH(samples); i++)
			histogram_record(&subject, samples[i] + offsets[row]);
		UNIT_NEAR("moments", histogram_mean(&subject), mean, mean * 1e-16);
		UNIT_NEAR("moments", histogram_deviation(&subject), 2.0, 0.0);
		UNIT_NEAR("moments", histogram_weighted_mean(&subject), mean + 4.0 / mean,
			  mean * 3e-16);
	}
}

/* 1..100, where the q-quantile is 100 q: also where 100 x q in floating point is a hair more. */
static void test_ranks(void)
{
	histogram_init(&subject);
	for (int64_t value = 1; value <= 100; value++)
		histogram_record(&subject, value);
	for (int percent = 1; percent <= 100; percent++)
		UNIT_SIGNED("rank", histogram_quantile(&subject, percent / 100.0), percent);
	UNIT_SIGNED("just above a rank", histogram_quantile(&subject, 0.0700001), 8);
	UNIT_SIGNED("least", histogram_quantile(&subject, 1e-300), 1);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Durations of every size: a random number of random bits. */
static int64_t draw_duration(struct random_state *state)
{
	return (int64_t)(random_next(state) >> (20 + random_below(state, 44)));
}

static void check_quantiles(const int64_t *sorted, uint64_t n)
{
	static const struct {
		double q;
		uint64_t per_mille;
	} rows[] = {{0.001, 1}, {0.01, 10},  {0.07, 70},   {0.25, 250}, {0.5, 500},
		    {0.9, 900}, {0.99, 990}, {0.999, 999}, {1.0, 1000}};

	for (size_t row = 0; row < ARRAY_LENGTH(rows); row++) {
		uint64_t rank = (rows[row].per_mille * n + 999) / 1000;
		int64_t exact = sorted[rank - 1];
		int64_t found = histogram_quantile(&subject, rows[row].q);

		UNIT_CHECK(histogram_bucket(found) == histogram_bucket(exact) &&
				   llabs(found - exact) <= exact / 128,
			   "n %llu q %g: %lld, not %lld", (unsigned long long)n, rows[row].q,
			   (long long)found, (long long)exact);
	}
}

static void test_against_sorted_array(void)
{
	static const uint64_t sizes[] = {1, 2, 3, 10, 99, 100, 101, 1000, 20000};
	static int64_t samples[20000];
	struct random_state state;

	random_seed(&state, 1);
	for (size_t row = 0; row < ARRAY_LENGTH(sizes); row++) {
		uint64_t n = sizes[row];
		long double sum = 0.0L, squares = 0.0L;

		histogram_init(&subject);
		histogram_init(&other);
		for (uint64_t i = 0; i < n; i++) {
			samples[i] = draw_duration(&state);
			histogram_record(i % 3 == 0 ? &other : &subject, samples[i]);
			sum += (long double)samples[i];
		}
		histogram_merge(&subject, &other);
		for (uint64_t i = 0; i < n; i++) {
			long double distance = (long double)samples[i] - sum / (long double)n;

			squares += distance * distance;
		}
		qsort(samples, n, sizeof(samples[0]), compare);
		UNIT_UNSIGNED("sorted", subject.samples, n);
		UNIT_SIGNED("sorted", subject.min_ns, samples[0]);
		UNIT_SIGNED("sorted", subject.max_ns, samples[n - 1]);
		UNIT_NEAR("sorted", histogram_mean(&subject), (double)(sum / (long double)n),
			  (double)(sum / (long double)n) * 1e-15);
		UNIT_NEAR("sorted", histogram_deviation(&subject),
			  (double)sqrtl(squares / (long double)n), (double)sum * 1e-14);
		check_quantiles(samples, n);
	}
}

static void test_beyond_the_top(void)
{
	int64_t day = 86400 * NANOSECONDS_PER_SECOND;

	histogram_init(&subject);
	histogram_record(&subject, 1000);
	histogram_record(&subject, day);
	UNIT_SIGNED("a day", subject.max_ns, day);
	UNIT_CHECK(histogram_quantile(&subject, 1.0) <= day &&
			   histogram_quantile(&subject, 1.0) >= INT64_C(255) << 36,
		   "a day is not in the last bucket");
}

static void test_support(void)
{
	static const struct {
		double q;
		uint64_t least;
	} rows[] = {{0.5, 1}, {0.9, 29}, {0.99, 299}, {0.999, 2995}, {0.9999, 29956}};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		UNIT_CHECK(histogram_supports(rows[i].least, rows[i].q), "p%g needs more than %llu",
			   rows[i].q * 100.0, (unsigned long long)rows[i].least);
		UNIT_CHECK(!histogram_supports(rows[i].least - 1, rows[i].q),
			   "p%g needs less than %llu", rows[i].q * 100.0,
			   (unsigned long long)rows[i].least);
	}
	UNIT_CHECK(histogram_supports(UINT64_MAX, 0.999), "the largest sample supports nothing");
	UNIT_CHECK(!histogram_supports(UINT64_MAX, 1.0), "a sample shows its population's maximum");
	UNIT_CHECK(!histogram_supports(100, (double)NAN), "nan is a quantile");
}

/* What must hold of any histogram, whatever was done to it. */
static void check_sound(const char *label)
{
	uint32_t low = histogram_bucket(subject.min_ns), high = histogram_bucket(subject.max_ns);
	double mean = histogram_mean(&subject), deviation = histogram_deviation(&subject);
	uint64_t inside = 0;

	for (uint32_t bucket = low; bucket <= high; bucket++)
		inside += subject.counts[bucket];
	UNIT_UNSIGNED(label, inside, subject.samples);
	UNIT_CHECK(mean >= (double)subject.min_ns && mean <= (double)subject.max_ns,
		   "%s: a mean of %.9g from %lld to %lld", label, mean, (long long)subject.min_ns,
		   (long long)subject.max_ns);
	UNIT_CHECK(deviation >= 0 && deviation <= (double)(subject.max_ns - subject.min_ns),
		   "%s: a deviation of %g", label, deviation);
}

static const double rescale_factors[] = {1 + 1.2e-8, 1 - 1.2e-8, 1 + 3.3e-6, 1 - 3.3e-6,
					 1 + 1e-4,   1 - 1e-4};

static void test_rescale(void)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rescale_factors); i++) {
		double factor = rescale_factors[i];
		struct random_state state;
		double mean, deviation;
		int64_t max_ns;

		random_seed(&state, 3 + i);
		histogram_init(&subject);
		histogram_record(&subject, NANOSECONDS_PER_SECOND); /* the first is a stranger */
		for (int n = 0; n < 100000; n++)
			histogram_record(&subject, 5000 + (int64_t)random_below(&state, 4000000));
		mean = histogram_mean(&subject);
		deviation = histogram_deviation(&subject);
		max_ns = subject.max_ns;
		histogram_rescale(&subject, factor);
		UNIT_NEAR("mean", histogram_mean(&subject), mean * factor, 0.51);
		UNIT_NEAR("deviation", histogram_deviation(&subject), deviation * factor,
			  deviation * 1e-8);
		UNIT_NEAR("maximum", (double)subject.max_ns, (double)max_ns * factor, 1.01);
		check_sound("spread");
	}
}

/* Where rounding has the last word: equal samples, nearly equal ones, none. */
static void test_rescale_tight(void)
{
	static const int64_t values[] = {0, 1, 127, 9999, 50000000, INT64_C(3600000000000)};

	for (size_t i = 0; i < ARRAY_LENGTH(rescale_factors); i++) {
		double factor = rescale_factors[i];

		histogram_init(&subject);
		histogram_rescale(&subject, factor);
		UNIT_UNSIGNED("none", subject.samples, 0);
		for (size_t v = 0; v < ARRAY_LENGTH(values); v++) {
			for (int count = 1; count <= 1000; count *= 10) {
				histogram_init(&subject);
				for (int n = 0; n < count; n++)
					histogram_record(&subject, values[v]);
				histogram_rescale(&subject, factor);
				UNIT_NEAR("equal", histogram_mean(&subject),
					  (double)values[v] * factor, 0.51);
				UNIT_CHECK(histogram_deviation(&subject) <= 0.0,
					   "%d times %lld: they deviate by %g", count,
					   (long long)values[v], histogram_deviation(&subject));
				check_sound("equal");
				histogram_record(&subject, subject.max_ns + 1);
				histogram_rescale(&subject, factor);
				check_sound("nearly equal");
			}
		}
	}
}

/* A minimum that leaves its bucket takes the bucket along: quantiles start to count there. */
static void test_rescale_border(void)
{
	int64_t border_ns = histogram_bucket_high(histogram_bucket(1000000));

	histogram_init(&subject);
	for (int n = 0; n < 900; n++)
		histogram_record(&subject, border_ns - 1);
	for (int n = 0; n < 100; n++)
		histogram_record(&subject, 2 * border_ns);
	histogram_rescale(&subject, 1 + 2e-6);
	UNIT_CHECK(subject.min_ns >= border_ns, "the case is not the one meant");
	UNIT_CHECK(histogram_quantile(&subject, 0.5) < border_ns + border_ns / 100, "p50 is %lld",
		   (long long)histogram_quantile(&subject, 0.5));
	check_sound("border");
}

const struct unit_suite suite_histogram = {
	"histogram",
	(const struct unit_test[]){
		{"buckets", test_buckets},
		{"borders", test_borders},
		{"empty", test_empty},
		{"B43 first sample is minimum and maximum", test_first_sample},
		{"B42 equal samples deviate by zero", test_equal_samples},
		{"B41 slow samples do not overflow", test_slow_samples},
		{"B45 counts beyond 32 bits", test_large_counts},
		{"moments", test_moments},
		{"ranks", test_ranks},
		{"against a sorted array", test_against_sorted_array},
		{"beyond the top", test_beyond_the_top},
		{"support", test_support},
		{"another rate of the clock", test_rescale},
		{"another rate, where rounding decides", test_rescale_tight},
		{"another rate, over a border", test_rescale_border},
		{NULL, NULL},
	},
};
