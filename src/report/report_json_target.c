/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One target as JSON. Every key of the schema is always there, so that a reader never has to
 * ask whether it is; what is not measured is null. Our own keys follow the schema's.
 */
#include "report/json_parts.h"

static void put_facts(struct json_document *document, json_t *object,
		      const struct result_target *target)
{
	json_t *ttls = json_array();

	json_put(document, object, "name", json_from_argument(target->name));
	json_put(document, object, "address", json_from_text(target->address));
	json_put(document, object, "family", json_from_count_unless_zero(target->family));
	json_put(document, object, "interface", json_from_text(target->interface));
	json_put(document, object, "source", json_from_text(target->source));
	json_put(document, object, "mtu", json_from_count_unless_zero(target->mtu));
	json_put(document, object, "path_mtu", json_from_count_unless_zero(target->path_mtu));
	json_put(document, object, "link_bits_per_s",
		 json_from_count_unless_zero(target->link_bits_per_s));
	json_put(document, object, "error", json_from_text(target->error));
	json_put(document, object, "elapsed_ns", json_from_time(document, target->elapsed_ns));
	for (uint32_t i = 0; i < target->reply_ttl_count; i++)
		json_append(document, ttls, json_integer(target->reply_ttl[i]));
	json_put(document, object, "reply_ttl", ttls);
}

static json_t *from_causes(struct json_document *document, const struct tally *tally)
{
	json_t *causes = json_object();

	json_put(document, causes, "error_reply", json_from_count(tally->lost_error_reply));
	json_put(document, causes, "damaged_reply", json_from_count(tally->lost_damaged_reply));
	json_put(document, causes, "late_reply", json_from_count(tally->lost_late_reply));
	json_put(document, causes, "local_receive_drop",
		 json_from_count(tally->lost_local_receive_drop));
	json_put(document, causes, "unknown", json_from_count(tally->lost_unknown));
	return causes;
}

static void put_tally(struct json_document *document, json_t *object, const struct tally *tally)
{
	const struct {
		const char *key;
		uint64_t count;
	} arrivals[] = {
		{"duplicates", tally->duplicates},
		{"reordered", tally->reordered},
		{"late", tally->late},
		{"corrupt", tally->corrupt},
		{"truncated", tally->truncated},
		{"mixed", tally->mixed},
		{"forged", tally->forged},
		{"wrong_source", tally->wrong_source},
		{"bad_checksum", tally->bad_checksum},
		{"short", tally->short_packets},
		{"bad_header", tally->bad_header},
		{"clock_errors", tally->clock_errors},
		{"foreign", tally->foreign},
		{"icmp_errors", tally->icmp_errors},
		{"send_errors", tally->send_errors},
		{"local_drops", tally->local_drops},
	};

	json_put(document, object, "sent", json_from_count(tally->sent));
	json_put(document, object, "received", json_from_count(tally->received));
	json_put(document, object, "lost", json_from_count(tally->lost));
	json_put(document, object, "in_flight_at_end", json_from_count(tally->in_flight_at_end));
	json_put(document, object, "lost_by_cause", from_causes(document, tally));
	for (size_t i = 0; i < ARRAY_LENGTH(arrivals); i++)
		json_put(document, object, arrivals[i].key, json_from_count(arrivals[i].count));
}

/* What came before the measurement; null where no warm-up was asked for. */
static json_t *from_warmup(struct json_document *document, const struct tally *tally)
{
	const struct configuration *configuration = document->result->configuration;
	json_t *warmup;

	if (configuration->warmup_requests == 0 && configuration->warmup_ns == 0)
		return json_null();
	warmup = json_object();
	json_put(document, warmup, "sent", json_from_count(tally->sent));
	json_put(document, warmup, "received", json_from_count(tally->received));
	json_put(document, warmup, "lost", json_from_count(tally->lost));
	json_put(document, warmup, "in_flight_at_end", json_from_count(tally->in_flight_at_end));
	return warmup;
}

static json_t *from_loss_runs(struct json_document *document, const struct result_target *target)
{
	json_t *runs = json_array();

	for (uint32_t i = 0; i < target->loss_run_count; i++) {
		json_t *run = json_array();

		json_append(document, run, json_from_count(target->loss_runs[i].length));
		json_append(document, run, json_from_count(target->loss_runs[i].count));
		json_append(document, runs, run);
	}
	return runs;
}

static void put_loss(struct json_document *document, json_t *object,
		     const struct result_target *target)
{
	json_put(document, object, "warmup", from_warmup(document, &target->warmup));
	json_put(document, object, "loss", json_from_maybe(&target->loss));
	json_put(document, object, "loss_ci95", json_from_interval(document, &target->loss_ci95));
	json_put(document, object, "loss_runs", from_loss_runs(document, target));
}

static void put_rates(struct json_document *document, json_t *object,
		      const struct result_target *target)
{
	json_t *rate = json_object(), *throughput = json_object();

	json_put(document, rate, "sent_per_s", json_from_maybe(&target->sent_per_s));
	json_put(document, rate, "received_per_s", json_from_maybe(&target->received_per_s));
	json_put(document, object, "rate", rate);
	json_put(document, throughput, "payload_bytes_per_s",
		 json_from_maybe(&target->payload_bytes_per_s));
	json_put(document, throughput, "wire_bits_per_s",
		 json_from_maybe(&target->wire_bits_per_s));
	json_put(document, throughput, "frame_bytes_per_s",
		 json_from_maybe(&target->frame_bytes_per_s));
	json_put(document, throughput, "link_share", json_from_maybe(&target->link_share));
	json_put(document, object, "throughput", throughput);
}

static json_t *from_fragment_loss(struct json_document *document,
				  const struct result_fragments *fragments)
{
	json_t *object = json_object();

	json_put(document, object, "one_way", json_from_maybe(&fragments->loss_one_way));
	json_put(document, object, "one_way_ci95",
		 json_from_interval(document, &fragments->loss_one_way_ci95));
	json_put(document, object, "both_ways", json_from_maybe(&fragments->loss_both_ways));
	json_put(document, object, "both_ways_ci95",
		 json_from_interval(document, &fragments->loss_both_ways_ci95));
	return object;
}

static json_t *from_fragments(struct json_document *document, const struct result_target *target)
{
	const struct result_fragments *fragments = &target->fragments;
	bool is_counted = fragments->counters_known;
	json_t *object = json_object(), *sizes = json_array();

	for (uint32_t i = 0; fragments->known && i < fragments->per_request; i++)
		json_append(document, sizes, json_integer(fragments->sizes[i]));
	json_put(document, object, "per_request",
		 fragments->known ? json_integer(fragments->per_request) : json_null());
	json_put(document, object, "sizes", sizes);
	json_put(document, object, "wire_bytes",
		 fragments->known ? json_from_count(fragments->wire_bytes) : json_null());
	json_put(document, object, "overhead",
		 fragments->known && target->payload_bytes > 0
			 ? json_from_number(fragments->overhead)
			 : json_null());
	json_put(document, object, "created",
		 is_counted && !target->has_cut ? json_from_count(fragments->created)
						: json_null());
	json_put(document, object, "reassembled",
		 is_counted ? json_from_count(fragments->reassembled) : json_null());
	json_put(document, object, "largest_in_reply",
		 json_from_count_unless_zero(fragments->largest_in_reply));
	json_put(document, object, "loss_per_fragment", from_fragment_loss(document, fragments));
	json_put(document, object, "id_repeat_ns", json_from_maybe(&fragments->id_repeat_ns));
	json_put(document, object, "pinned_bytes_estimate",
		 json_from_maybe(&fragments->pinned_bytes_estimate));
	json_put(document, object, "fragments_received",
		 is_counted ? json_from_count(fragments->reassembled_fragments) : json_null());
	json_put(document, object, "reassembly_failures",
		 is_counted ? json_from_count(fragments->reassembly_failures) : json_null());
	json_put(document, object, "capture", json_from_capture(document, target));
	return object;
}

static json_t *from_error(struct json_document *document, const struct result_error *error)
{
	json_t *object = json_object();

	json_put(document, object, "type",
		 error->type >= 0 ? json_integer(error->type) : json_null());
	json_put(document, object, "code",
		 error->type >= 0 ? json_integer(error->code) : json_null());
	json_put(document, object, "text", json_from_text(error->text));
	json_put(document, object, "from", json_from_text(error->from));
	json_put(document, object, "mtu", json_from_count_unless_zero(error->mtu));
	json_put(document, object, "count", json_from_count(error->count));
	json_put(document, object, "errno",
		 error->system_errno != 0 ? json_integer(error->system_errno) : json_null());
	return object;
}

static void put_troubles(struct json_document *document, json_t *object,
			 const struct result_target *target)
{
	json_t *errors = json_array(), *outages = json_array();

	for (uint32_t i = 0; i < target->error_count; i++)
		json_append(document, errors, from_error(document, &target->errors[i]));
	json_put(document, object, "errors", errors);
	for (uint32_t i = 0; i < target->outage_count; i++) {
		const struct result_outage *outage = &target->outages[i];
		json_t *span = json_object();

		json_put(document, span, "from_ns", json_from_time(document, outage->from_ns));
		json_put(document, span, "to_ns", json_from_time(document, outage->to_ns));
		json_put(document, span, "what", json_from_text(outage->what));
		json_append(document, outages, span);
	}
	json_put(document, object, "outages", outages);
}

/* A series has points; what other kinds of measurement fill is null. */
static void put_series(struct json_document *document, json_t *object,
		       const struct result_target *target)
{
	json_put(document, object, "points", json_from_points(document, target));
	json_put(document, object, "fit", json_from_fit(document, target));
	json_put(document, object, "diagnosis", json_from_diagnosis(document, target));
	json_put(document, object, "find_rate", json_null());
	json_put(document, object, "find_mtu", json_from_mtu_search(document, target));
	json_put(document, object, "runs", json_null());
}

/* Which requests the pieces of mixed replies belong to, by their number; null: not known. */
static json_t *from_mixed(struct json_document *document, const struct result_target *target)
{
	json_t *pairs = json_array();

	for (uint32_t i = 0; i < target->mixed_count; i++) {
		json_t *pair = json_array();

		json_append(document, pair, json_from_count(target->mixed[i].request));
		json_append(document, pair, json_from_count_unless_zero(target->mixed[i].other));
		json_append(document, pairs, pair);
	}
	return pairs;
}

static void put_own(struct json_document *document, json_t *object,
		    const struct result_target *target)
{
	const struct tally *tally = &target->tally;

	json_put(document, object, "other_responders", json_from_count(tally->other_responders));
	json_put(document, object, "send_retries", json_from_count(tally->send_retries));
	json_put(document, object, "skipped", json_from_count(tally->skipped));
	json_put(document, object, "shortest_reply_bytes",
		 tally->truncated > 0 ? json_integer(tally->shortest_reply) : json_null());
	json_put(document, object, "reply_ttl_changes", json_from_count(target->reply_ttl_changes));
	json_put(document, object, "loss_runs_left_out",
		 json_from_count(target->loss_runs_left_out));
	json_put_own_times(document, object, target);
	json_put(document, object, "payload_bytes",
		 target->point_count == 0 ? json_from_count(target->payload_bytes) : json_null());
	json_put(document, object, "mixed_requests", from_mixed(document, target));
	json_put(document, object, "loss_model", json_from_loss_model(document, target));
	json_put_estimate(document, object, "boundary_step_ns", &target->boundary_step_ns);
}

json_t *json_from_target(struct json_document *document, const struct result_target *target)
{
	json_t *object = json_object();

	put_facts(document, object, target);
	put_tally(document, object, &target->tally);
	put_loss(document, object, target);
	put_rates(document, object, target);
	json_put_times(document, object, target);
	json_put_places(document, object, target);
	json_put(document, object, "fragments", from_fragments(document, target));
	put_troubles(document, object, target);
	put_series(document, object, target);
	put_own(document, object, target);
	return object;
}
