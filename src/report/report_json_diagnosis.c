/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A diagnosis of fragments as JSON: the verdict, what it rests on, and every kind of request that
 * was sent for it.
 */
#include "report/json_parts.h"

#include "core/diagnosis.h"

static json_t *from_kind(struct json_document *document, const struct diagnosis *diagnosis,
			 const struct result_target *point, uint32_t row)
{
	const struct histogram *rtt = point->rtt_user;
	bool has_times = rtt != NULL && rtt->samples > 0;
	json_t *kind = json_object();

	json_put(document, kind, "name", json_string(diagnosis_column_name(row)));
	json_put(document, kind, "payload_bytes", json_from_count(point->payload_bytes));
	json_put(document, kind, "packets", json_from_count(diagnosis->packets[row]));
	json_put(document, kind, "by_hand", json_boolean(point->has_cut));
	json_put(document, kind, "dont_fragment",
		 json_boolean(point->has_cut && point->cut.dont_fragment));
	json_put(document, kind, "interval_ns",
		 json_from_ns_unless_zero(diagnosis->intervals_ns[row]));
	json_put(document, kind, "sent", json_from_count(point->tally.sent));
	json_put(document, kind, "send_errors", json_from_count(point->tally.send_errors));
	json_put(document, kind, "received", json_from_count(point->tally.received));
	json_put(document, kind, "loss", json_from_maybe(&point->loss));
	json_put(document, kind, "loss_ci95", json_from_interval(document, &point->loss_ci95));
	json_put(document, kind, "rtt_p50_ns",
		 has_times ? json_from_time(document, histogram_quantile(rtt, 0.5)) : json_null());
	json_put(document, kind, "rtt_max_ns",
		 has_times ? json_from_time(document, rtt->max_ns) : json_null());
	return kind;
}

static json_t *from_bucket(struct json_document *document, const struct diagnosis *diagnosis)
{
	json_t *bucket;

	if (!diagnosis->has_bucket)
		return json_null();
	bucket = json_object();
	json_put(document, bucket, "rate_per_s", json_from_number(diagnosis->bucket_rate_per_s));
	json_put(document, bucket, "burst",
		 diagnosis->has_burst ? json_from_number(diagnosis->bucket_burst) : json_null());
	return bucket;
}

json_t *json_from_diagnosis(struct json_document *document, const struct result_target *target)
{
	const struct diagnosis *diagnosis = target->diagnosis;
	json_t *object, *evidence, *matrix;

	if (diagnosis == NULL)
		return json_null();
	object = json_object();
	evidence = json_array();
	matrix = json_array();
	json_put(document, object, "verdict", json_string(diagnosis_word(diagnosis->verdict)));
	json_put(document, object, "text",
		 json_string(diagnosis->phase == DIAGNOSIS_OVER
				     ? diagnosis_sentence(diagnosis->verdict)
				     : "it was ended early"));
	for (uint32_t i = 0; i < diagnosis->evidence_count; i++)
		json_append(document, evidence, json_from_text(diagnosis->evidence[i]));
	json_put(document, object, "evidence", evidence);
	for (uint32_t i = 0; i < target->point_count; i++)
		if (target->points[i].tally.sent + target->points[i].tally.send_errors > 0)
			json_append(document, matrix,
				    from_kind(document, diagnosis, &target->points[i], i));
	json_put(document, object, "matrix", matrix);
	json_put(document, object, "decide_by", json_from_text(diagnosis->decide_by));
	json_put(document, object, "bucket", from_bucket(document, diagnosis));
	json_put(document, object, "size_limit_bytes",
		 json_from_count_unless_zero(diagnosis->size_limit));
	return object;
}
