/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was measured of one target's round trips, as JSON: how long, how evenly, in which order,
 * where the requests were meanwhile, and whether all that was steady.
 */
#include "report/json_parts.h"

#include "core/throughput.h"

/* ---- round trips ---- */

static json_t *from_round_trips(struct json_document *document, const struct result_target *target)
{
	bool has_schedule = document->result->interval_ns > 0;
	json_t *rtt = json_object();

	json_put(document, rtt, "user", json_from_histogram(document, target->rtt_user));
	json_put(document, rtt, "ping", json_from_histogram(document, target->rtt_ping));
	json_put(document, rtt, "kernel", json_from_histogram(document, target->rtt_kernel));
	json_put(document, rtt, "intended",
		 json_from_histogram(document, has_schedule ? target->rtt_intended : NULL));
	json_put(document, rtt, "hardware", json_from_histogram(document, target->rtt_hardware));
	return rtt;
}

static json_t *from_delay_variation(struct json_document *document,
				    const struct result_target *target)
{
	json_t *variation = json_object();

	json_put(document, variation, "pdv", json_from_variation(document, target->rtt_user));
	json_put(document, variation, "rfc3550_ns",
		 json_from_maybe_time(document, &target->rfc3550_ns));
	json_put(document, variation, "ipdv_mean_ns",
		 json_from_maybe_time(document, &target->ipdv_mean_ns));
	return variation;
}

static json_t *from_reordering(struct json_document *document, const struct result_target *target)
{
	bool known = target->reordered_ratio.known;
	json_t *reordering = json_object();

	json_put(document, reordering, "ratio", json_from_maybe(&target->reordered_ratio));
	json_put(document, reordering, "extent_max",
		 known ? json_from_count(target->reorder_extent_max) : json_null());
	json_put(document, reordering, "extent_p99",
		 json_from_maybe_count(&target->reorder_extent_p99));
	json_put(document, reordering, "count", json_from_count(target->tally.reordered));
	return reordering;
}

void json_put_times(struct json_document *document, json_t *object,
		    const struct result_target *target)
{
	bool has_schedule = document->result->interval_ns > 0;

	json_put(document, object, "rtt", from_round_trips(document, target));
	json_put(document, object, "lateness",
		 json_from_histogram(document, has_schedule ? target->lateness : NULL));
	json_put(document, object, "delay_variation", from_delay_variation(document, target));
	json_put(document, object, "reordering", from_reordering(document, target));
}

/* ---- places ---- */

/* The part of the time that was spent at each depth; the last one stands for all above it. */
static json_t *from_shares(struct json_document *document, const struct depth *depth)
{
	json_t *shares;
	double span_ns;

	if (depth == NULL || depth->last_ns <= depth->start_ns)
		return json_null();
	span_ns = (double)(depth->last_ns - depth->start_ns);
	shares = json_array();
	for (uint32_t i = 0; i < DEPTH_SHARES; i++) {
		json_t *share;

		if (depth->time_at[i] == 0)
			continue;
		share = json_array();
		json_append(document, share, json_integer(i));
		json_append(document, share, json_from_number((double)depth->time_at[i] / span_ns));
		json_append(document, shares, share);
	}
	return shares;
}

static json_t *from_in_flight(struct json_document *document, const struct result_target *target)
{
	json_t *object = json_object();

	json_put(document, object, "mean", json_from_maybe(&target->in_flight_mean));
	json_put(document, object, "max",
		 target->tally.sent > 0 ? json_from_count(target->in_flight_max) : json_null());
	json_put(document, object, "littles_law", json_from_maybe(&target->littles_law));
	json_put(document, object, "sending", json_from_maybe(&target->in_flight_sending));
	json_put(document, object, "network", json_from_maybe(&target->in_flight_network));
	json_put(document, object, "receive_queue",
		 json_from_maybe(&target->in_flight_receive_queue));
	json_put(document, object, "unexplained", json_from_maybe(&target->in_flight_unexplained));
	json_put(document, object, "time_weighted_rtt_ns",
		 json_from_maybe_time(document, &target->time_weighted_rtt_ns));
	json_put(document, object, "shares", from_shares(document, target->depth));
	json_put(document, object, "given_up", json_from_count(target->given_up));
	json_put(document, object, "window_ns", json_from_time(document, target->window_ns));
	return object;
}

static json_t *from_budget(struct json_document *document, const struct result_target *target)
{
	static const char *const keys[BUDGET_PARTS] = {
		[BUDGET_CALL_TO_QUEUE] = "call_to_queue",
		[BUDGET_QUEUE_TO_DRIVER] = "queue_to_driver",
		[BUDGET_DRIVER_TO_DRIVER] = "driver_to_driver",
		[BUDGET_DRIVER_TO_SOCKET] = "driver_to_socket",
		[BUDGET_SOCKET_TO_US] = "socket_to_us",
	};
	json_t *budget;

	if (document->result->stamps != STAMPS_SPLIT)
		return json_null();
	budget = json_object();
	for (size_t i = 0; i < BUDGET_PARTS; i++)
		json_put(document, budget, keys[i],
			 json_from_histogram(document, target->budget[i]));
	return budget;
}

void json_put_places(struct json_document *document, json_t *object,
		     const struct result_target *target)
{
	json_put(document, object, "in_flight", from_in_flight(document, target));
	json_put(document, object, "budget", from_budget(document, target));
}

/* ---- our own ---- */

static json_t *from_stamps(struct json_document *document, const struct result_stamps *stamps)
{
	json_t *object;

	if (document->result->stamps != STAMPS_SPLIT)
		return json_null();
	object = json_object();
	json_put(document, object, "sampled", json_from_count(stamps->sampled));
	json_put(document, object, "complete", json_from_count(stamps->complete));
	json_put(document, object, "missing_queue", json_from_count(stamps->missing_queue));
	json_put(document, object, "missing_driver", json_from_count(stamps->missing_driver));
	json_put(document, object, "missing_receive", json_from_count(stamps->missing_receive));
	json_put(document, object, "voided", json_from_count(stamps->voided));
	return object;
}

/* How long a request and its reply occupy our link together. */
static json_t *from_wire(const struct result_target *target)
{
	double ns;

	if (!target->fragments.known ||
	    !throughput_link_ns(target->fragments.wire_bytes + target->fragments.reply_wire_bytes,
				target->link_bits_per_s, &ns))
		return json_null();
	return json_from_number(ns);
}

static json_t *from_steady(struct json_document *document, const struct result_steady *steady)
{
	bool has_cut = steady->cut_replies > 0;
	json_t *object;

	if (!steady->known)
		return json_null();
	object = json_object();
	json_put(document, object, "is_steady", json_boolean(steady->is_steady));
	json_put(document, object, "cut_replies", json_from_count(steady->cut_replies));
	json_put(document, object, "cut_share", json_from_number(steady->cut_share));
	json_put(document, object, "cut_mean_ns",
		 has_cut ? json_from_mean_time(document, steady->cut_mean_ns) : json_null());
	json_put(document, object, "rest_mean_ns",
		 json_from_mean_time(document, steady->rest_mean_ns));
	return object;
}

void json_put_own_times(struct json_document *document, json_t *object,
			const struct result_target *target)
{
	json_put(document, object, "ewma_rtt_ns",
		 json_from_maybe_time(document, &target->ewma_rtt_ns));
	json_put(document, object, "stamps", from_stamps(document, &target->stamps));
	json_put(document, object, "wire_ns", from_wire(target));
	json_put(document, object, "steady", from_steady(document, &target->steady));
}
