/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the capture of fragments has shown, as JSON. Where our own socket dropped packets, a train
 * that looks incomplete may have been whole: what is missing is null then.
 */
#include "report/json_parts.h"

#include "core/result_capture.h"

static json_t *from_pattern(struct json_document *document,
			    const struct result_capture_pattern *pattern)
{
	json_t *pair = json_array(), *sizes = json_array();

	for (uint32_t i = 0; i < pattern->run_count; i++) {
		for (uint32_t piece = 0; piece < pattern->runs[i].count; piece++)
			json_append(document, sizes, json_integer(pattern->runs[i].packet_bytes));
	}
	json_append(document, pair, sizes);
	json_append(document, pair, json_from_count(pattern->count));
	return pair;
}

static json_t *from_patterns(struct json_document *document, const struct result_capture_way *way)
{
	json_t *patterns = json_array();

	for (uint32_t i = 0; i < way->pattern_count; i++)
		json_append(document, patterns, from_pattern(document, &way->patterns[i]));
	return patterns;
}

static json_t *from_missing(struct json_document *document, const struct result_capture_way *way)
{
	json_t *missing = json_array();

	for (uint32_t i = 0; i < way->missing_count; i++) {
		json_t *pair = json_array();

		json_append(document, pair, json_integer(way->missing[i].index));
		json_append(document, pair, json_from_count(way->missing[i].count));
		json_append(document, missing, pair);
	}
	return missing;
}

/* The kernel's stamps, so not by the steps of the run's clock. */
static json_t *from_gaps(struct json_document *document, const struct result_capture_way *way)
{
	json_t *gaps;

	if (way->gap_samples == 0)
		return json_null();
	gaps = json_object();
	json_put(document, gaps, "samples", json_from_count(way->gap_samples));
	json_put(document, gaps, "min", json_integer(way->gap_min_ns));
	json_put(document, gaps, "median", json_integer(way->gap_median_ns));
	json_put(document, gaps, "max", json_integer(way->gap_max_ns));
	return gaps;
}

static json_t *from_way(struct json_document *document, const struct result_capture_way *way,
			bool holes_are_known)
{
	json_t *object = json_object();

	json_put(document, object, "trains", json_from_count(way->trains));
	json_put(document, object, "complete", json_from_count(way->complete));
	json_put(document, object, "incomplete",
		 holes_are_known ? json_from_count(way->incomplete) : json_null());
	json_put(document, object, "undecided", json_from_count(way->undecided));
	json_put(document, object, "evicted", json_from_count(way->evicted));
	json_put(document, object, "in_order", json_from_count(way->in_order));
	json_put(document, object, "reversed", json_from_count(way->reversed));
	json_put(document, object, "other_order", json_from_count(way->other_order));
	json_put(document, object, "duplicates", json_from_count(way->duplicates));
	json_put(document, object, "overlaps", json_from_count(way->overlaps));
	json_put(document, object, "patterns", from_patterns(document, way));
	json_put(document, object, "patterns_left_out", json_from_count(way->patterns_left_out));
	json_put(document, object, "missing",
		 holes_are_known ? from_missing(document, way) : json_null());
	json_put(document, object, "missing_unknown",
		 holes_are_known ? json_from_count(way->missing_unknown) : json_null());
	json_put(document, object, "gap_ns", from_gaps(document, way));
	return object;
}

json_t *json_from_capture(struct json_document *document, const struct result_target *target)
{
	const struct result_capture *capture = document->result->capture;
	json_t *object, *in;

	if (capture == NULL || target != result_capture_target(document->result))
		return json_null();
	object = json_object();
	json_put(document, object, "interface", json_from_text(capture->interface));
	json_put(document, object, "targets", json_integer(capture->targets));
	json_put(document, object, "targets_left_out", json_integer(capture->targets_left_out));
	json_put(document, object, "out",
		 from_way(document, &capture->out, capture->holes_are_known));
	/* How our own pieces leave is told by the gaps; a link on the way shows in the replies. */
	in = from_way(document, &capture->in, capture->holes_are_known);
	json_put(document, in, "dispersion_bits_per_s",
		 json_from_maybe(&capture->in.dispersion_bits_per_s));
	json_put(document, object, "in", in);
	json_put(document, object, "foreign", json_from_count(capture->foreign));
	json_put(document, object, "drops",
		 capture->drops_are_known ? json_from_count(capture->drops) : json_null());
	return object;
}
