/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distributions as JSON, "D" of the schema. All are histograms; that of the delay variation is one
 * as well, of which the least sample is taken off. On a coarse clock every figure is a multiple of
 * its step, and so are the bounds of the buckets: what it read may stand for anything up to the
 * next step, so buckets that its readings cannot tell apart are one.
 */
#include "report/json_value.h"

struct view {
	const struct histogram *histogram;
	int64_t base_ns; /* what is taken off every sample */
};

static json_t *from_quantile(struct json_document *document, const struct view *view, double q)
{
	if (!histogram_supports(view->histogram->samples, q))
		return json_null();
	/* Never below its minimum, so that no variation is below 0. */
	return json_from_time(document, histogram_quantile(view->histogram, q) - view->base_ns);
}

static void append_bucket(struct json_document *document, json_t *buckets, int64_t low_ns,
			  int64_t high_ns, uint64_t count)
{
	json_t *bucket = json_array();

	json_append(document, bucket, json_integer(low_ns));
	json_append(document, bucket, json_integer(high_ns));
	json_append(document, bucket, json_from_count(count));
	json_append(document, buckets, bucket);
}

static json_t *from_buckets(struct json_document *document, const struct view *view)
{
	const struct result *result = document->result;
	int64_t least_ns =
		result->clock.is_coarse ? result_shown_ns(result, result->clock.step_ns) : 1;
	int64_t low_ns = 0, high_ns = 0;
	json_t *buckets = json_array();
	uint64_t count = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		int64_t from_ns, to_ns;

		if (view->histogram->counts[i] == 0)
			continue;
		from_ns = max_i64(histogram_bucket_low(i) - view->base_ns, 0);
		from_ns = result_shown_ns(result, from_ns);
		to_ns = result_shown_ns(result, histogram_bucket_high(i) - view->base_ns);
		to_ns = max_i64(to_ns, from_ns + least_ns);
		if (count > 0 && from_ns != low_ns) {
			append_bucket(document, buckets, low_ns, high_ns, count);
			count = 0;
		}
		low_ns = from_ns;
		high_ns = to_ns;
		count += view->histogram->counts[i];
	}
	if (count > 0)
		append_bucket(document, buckets, low_ns, high_ns, count);
	return buckets;
}

static json_t *from_view(struct json_document *document, const struct view *view)
{
	static const struct {
		const char *key;
		double q;
	} quantiles[] = {
		{"p50_ns", 0.5},
		{"p90_ns", 0.9},
		{"p99_ns", 0.99},
		{"p999_ns", 0.999},
	};
	const struct histogram *histogram = view->histogram;
	bool has_any = histogram->samples > 0;
	json_t *object = json_object();

	json_put(document, object, "samples", json_from_count(histogram->samples));
	json_put(document, object, "min_ns",
		 has_any ? json_from_time(document, histogram->min_ns - view->base_ns)
			 : json_null());
	json_put(document, object, "mean_ns",
		 has_any ? json_from_mean_time(document,
					       histogram_mean(histogram) - (double)view->base_ns)
			 : json_null());
	json_put(document, object, "stddev_ns",
		 has_any ? json_from_mean_time(document, histogram_deviation(histogram))
			 : json_null());
	for (size_t i = 0; i < ARRAY_LENGTH(quantiles); i++)
		json_put(document, object, quantiles[i].key,
			 has_any ? from_quantile(document, view, quantiles[i].q) : json_null());
	json_put(document, object, "max_ns",
		 has_any ? json_from_time(document, histogram->max_ns - view->base_ns)
			 : json_null());
	json_put(document, object, "histogram", from_buckets(document, view));
	return object;
}

json_t *json_from_histogram(struct json_document *document, const struct histogram *histogram)
{
	const struct view view = {histogram, 0};

	return histogram == NULL ? json_null() : from_view(document, &view);
}

json_t *json_from_variation(struct json_document *document, const struct histogram *histogram)
{
	if (histogram == NULL)
		return json_null();
	const struct view view = {histogram, histogram->samples > 0 ? histogram->min_ns : 0};

	return from_view(document, &view);
}
