/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any samples into two histograms that are merged, against a sorted array of the same samples.
 */
#include <math.h>

#include "core/histogram.h"
#include "fuzz/require.h"

#define SAMPLES_MAX 1024u

static struct histogram left, right;

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void check_moments(const int64_t *sorted, size_t n, int64_t first)
{
	int128 sum = 0;
	long double mean, squares = 0.0L, deviation;

	for (size_t i = 0; i < n; i++)
		sum += sorted[i] - first;
	mean = (long double)sum / (long double)n + (long double)first;
	for (size_t i = 0; i < n; i++)
		squares += ((long double)sorted[i] - mean) * ((long double)sorted[i] - mean);
	deviation = sqrtl(squares / (long double)n);
	REQUIRE(fabsl(histogram_mean(&left) - mean) <= mean * 1e-14L, "mean %g, not %Lg",
		histogram_mean(&left), mean);
	REQUIRE(fabsl(histogram_deviation(&left) - deviation) <= deviation * 1e-9L + mean * 1e-15L,
		"deviation %.17g, not %.17Lg", histogram_deviation(&left), deviation);
	REQUIRE(sorted[0] != sorted[n - 1] || !(histogram_deviation(&left) > 0.0), "equal samples");
	REQUIRE(histogram_weighted_mean(&left) >= histogram_mean(&left), "weighted mean");
}

static void check_quantiles(const int64_t *sorted, size_t n)
{
	static const uint64_t percents[] = {1, 7, 25, 50, 75, 90, 99, 100};

	for (size_t i = 0; i < ARRAY_LENGTH(percents); i++) {
		uint64_t percent = percents[i];
		int64_t exact = sorted[(percent * n + 99) / 100 - 1];
		int64_t found = histogram_quantile(&left, (double)percent / 100.0);

		REQUIRE(histogram_bucket(found) == histogram_bucket(exact), "p%llu: %lld, not %lld",
			(unsigned long long)percent, (long long)found, (long long)exact);
		REQUIRE(found >= sorted[0] && found <= sorted[n - 1],
			"outside minimum and maximum");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int64_t samples[SAMPLES_MAX];
	struct input input = {data, size};
	uint64_t counted = 0;
	size_t n = 0;
	int64_t first_left = -1, first_right = -1;

	histogram_init(&left);
	histogram_init(&right);
	while (input.left > 0 && n < SAMPLES_MAX) {
		uint64_t how = input_take(&input, 1);
		/* 1 to 6 bytes: samples of every size are equally cheap to make, up to 3 days */
		int64_t value = (int64_t)input_take(&input, 1 + (unsigned int)(how >> 1) % 6);

		histogram_record(how & 1 ? &left : &right, value);
		if (how & 1 && first_left < 0)
			first_left = value;
		else if (!(how & 1) && first_right < 0)
			first_right = value;
		samples[n++] = value;
	}
	histogram_merge(&left, &right);
	REQUIRE(left.samples == n, "%llu samples", (unsigned long long)left.samples);
	for (uint32_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
		counted += left.counts[bucket];
	REQUIRE(counted == n, "the buckets hold %llu", (unsigned long long)counted);
	if (n == 0)
		return 0;
	qsort(samples, n, sizeof(samples[0]), compare);
	REQUIRE(left.min_ns == samples[0] && left.max_ns == samples[n - 1], "minimum and maximum");
	check_moments(samples, n, first_left < 0 ? first_right : first_left);
	check_quantiles(samples, n);
	return 0;
}
