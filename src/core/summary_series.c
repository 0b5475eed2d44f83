/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the points of a series add up to. Counts are added, since each request belongs to one point;
 * times are not mixed, since those of different requests have no common distribution.
 */
#include "core/summary_internal.h"

static void add_tally(struct tally *sum, const struct tally *tally)
{
	sum->sent += tally->sent;
	sum->received += tally->received;
	sum->lost += tally->lost;
	sum->in_flight_at_end += tally->in_flight_at_end;
	sum->lost_error_reply += tally->lost_error_reply;
	sum->lost_damaged_reply += tally->lost_damaged_reply;
	sum->lost_late_reply += tally->lost_late_reply;
	sum->lost_local_receive_drop += tally->lost_local_receive_drop;
	sum->lost_unknown += tally->lost_unknown;
	sum->duplicates += tally->duplicates;
	sum->other_responders += tally->other_responders;
	sum->reordered += tally->reordered;
	sum->late += tally->late;
	sum->corrupt += tally->corrupt;
	sum->mixed += tally->mixed;
	sum->forged += tally->forged;
	sum->wrong_source += tally->wrong_source;
	sum->bad_checksum += tally->bad_checksum;
	sum->short_packets += tally->short_packets;
	sum->bad_header += tally->bad_header;
	sum->clock_errors += tally->clock_errors;
	sum->foreign += tally->foreign;
	sum->icmp_errors += tally->icmp_errors;
	sum->send_errors += tally->send_errors;
	sum->send_retries += tally->send_retries;
	sum->skipped += tally->skipped;
	/* One socket served them all. */
	sum->local_drops = max_u64(sum->local_drops, tally->local_drops);
	if (tally->truncated > 0 &&
	    (sum->truncated == 0 || tally->shortest_reply < sum->shortest_reply))
		sum->shortest_reply = tally->shortest_reply;
	sum->truncated += tally->truncated;
}

static bool is_same_error(const struct result_error *one, const struct result_error *two)
{
	return one->type == two->type && one->code == two->code && one->mtu == two->mtu &&
	       one->system_errno == two->system_errno &&
	       memcmp(one->from, two->from, sizeof(one->from)) == 0;
}

static void add_errors(struct result_target *target, const struct result_target *point)
{
	for (uint32_t i = 0; i < point->error_count; i++) {
		const struct result_error *error = &point->errors[i];
		uint32_t at = 0;

		while (at < target->error_count && !is_same_error(&target->errors[at], error))
			at++;
		if (at < target->error_count) {
			target->errors[at].count += error->count;
		} else if (at < RESULT_ERRORS_MAX) {
			target->errors[at] = *error;
			target->error_count++;
		}
	}
}

static void add_lifetimes(struct result_target *target, const struct result_target *point)
{
	target->reply_ttl_changes += point->reply_ttl_changes;
	for (uint32_t i = 0; i < point->reply_ttl_count; i++) {
		uint32_t at = 0;

		while (at < target->reply_ttl_count && target->reply_ttl[at] != point->reply_ttl[i])
			at++;
		if (at == target->reply_ttl_count && at < RESULT_TTLS_MAX)
			target->reply_ttl[target->reply_ttl_count++] = point->reply_ttl[i];
	}
}

static void add_outages(struct result_target *target, const struct result_target *point)
{
	for (uint32_t i = 0; i < point->outage_count && target->outage_count < RESULT_OUTAGES_MAX;
	     i++)
		target->outages[target->outage_count++] = point->outages[i];
}

void summary_add_points(const struct result *result, struct result_target *target)
{
	target->elapsed_ns = result->elapsed_ns;
	for (uint32_t i = 0; i < target->point_count; i++) {
		const struct result_target *point = &target->points[i];

		add_tally(&target->tally, &point->tally);
		add_errors(target, point);
		add_lifetimes(target, point);
		add_outages(target, point);
		target->fragments.largest_in_reply =
			(uint32_t)max_u64(target->fragments.largest_in_reply,
					  point->fragments.largest_in_reply);
		target->in_flight_max = max_u64(target->in_flight_max, point->in_flight_max);
		/* The points share one budget of what they hold at the host. */
		target->pinned_bytes = point->pinned_bytes;
		target->pinned_bytes_most = point->pinned_bytes_most;
	}
}
