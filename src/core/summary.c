/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From tallies, histograms and integrals to the figures of the report. Each figure is made here
 * once, by the one function that knows its formula, so that two reports cannot disagree; what
 * lacks a measurement stays unknown.
 *
 * Two spans of time are at work: what was sent is divided by the time from the first send to the
 * last event, and what was received by the window in which the depth was integrated, since the
 * rate of replies must meet that integral in Little's law.
 */
#include "core/summary_internal.h"

#include <math.h>

#include "core/clock_quality.h"
#include "core/statistics.h"
#include "core/summary.h"
#include "core/throughput.h"

#define ROUNDING 1e-9

static const double bits_per_byte = 8.0;

static void set(struct maybe *maybe, double value)
{
	maybe->known = true;
	maybe->value = value;
}

/* How many of the target's losses are known to be the socket's, at most: its share of the drops. */
static uint64_t share_until(uint64_t drops, uint64_t losses, uint64_t losses_before)
{
	return (uint64_t)((uint128)drops * losses_before / losses);
}

/*
 * The socket of a family counts its drops for all targets together, so the losses without a
 * cause are taken from them in proportion. Rounding the running total, not each share, keeps
 * the sum exact and needs no memory; and since no more is shared out than there are losses, no
 * share exceeds its target's.
 */
static void share_drops(struct result_target *targets, uint32_t count, uint8_t family)
{
	uint64_t losses = 0, drops = 0, before = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct result_target *target = &targets[i];

		if (target->family != family)
			continue;
		losses += target->tally.lost_unknown;
		drops = max_u64(drops, target->tally.local_drops);
	}
	drops = min_u64(drops, losses);
	if (drops == 0)
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct tally *tally = &targets[i].tally;
		uint64_t after = before + tally->lost_unknown;
		uint64_t share;

		if (targets[i].family != family)
			continue;
		share = share_until(drops, losses, after) - share_until(drops, losses, before);
		tally->lost_unknown -= share;
		tally->lost_local_receive_drop += share;
		before = after;
	}
}

static void complete_loss(struct result_target *target)
{
	const struct tally *tally = &target->tally;
	uint64_t settled = tally->sent - min_u64(tally->sent, tally->in_flight_at_end);
	struct statistics_interval interval;

	target->loss.known = statistics_ratio(tally->lost, settled, &target->loss.value);
	target->loss_ci95.known = statistics_loss_interval(tally->lost, settled, &interval);
	if (target->loss_ci95.known) {
		target->loss_ci95.low = interval.low;
		target->loss_ci95.high = interval.high;
	}
}

static void complete_rates(struct result_target *target, uint64_t frame_bytes)
{
	const struct tally *tally = &target->tally;
	double wire_bytes_per_s;

	target->sent_per_s.known =
		throughput_per_second(tally->sent, target->elapsed_ns, &target->sent_per_s.value);
	target->received_per_s.known = throughput_per_second(tally->received, target->window_ns,
							     &target->received_per_s.value);
	target->payload_bytes_per_s.known =
		throughput_bytes_per_s(tally->received, target->payload_bytes, target->window_ns,
				       &target->payload_bytes_per_s.value);
	if (!target->fragments.known || !target->received_per_s.known)
		return;
	wire_bytes_per_s = target->received_per_s.value * (double)target->fragments.wire_bytes;
	set(&target->wire_bits_per_s, wire_bytes_per_s * bits_per_byte);
	set(&target->frame_bytes_per_s, target->received_per_s.value * (double)frame_bytes);
	target->link_share.known = throughput_link_share(wire_bytes_per_s, target->link_bits_per_s,
							 &target->link_share.value);
}

/*
 * Mean times of sending and on the network. Few requests are sampled, one slow one among them
 * weighs 64 times what it does among all, and from send call to receive stamp the mean of all is
 * known. By how much the sampled differ there is taken out of both along the lines that the samples
 * themselves draw (regression estimate: W. G. Cochran, Sampling Techniques, 1977, chapter 7). What
 * a stamp tells wrongly of a part stays in it: only the sampled are compared with each other.
 */
static void estimate_parts(const struct result_target *target, double *sending_ns,
			   double *network_ns)
{
	double off_ns, sending, network;

	*sending_ns = target->sending_held_ns / (double)target->sending_samples;
	*network_ns = histogram_mean(target->rtt_kernel);
	if (!target->sampled_ping_mean_ns.known)
		return;
	off_ns = histogram_mean(target->rtt_ping) - target->sampled_ping_mean_ns.value;
	sending = *sending_ns + target->sending_slope * off_ns;
	network = *network_ns + target->network_slope * off_ns;
	if (sending < 0 || network < 0) /* the lines do not reach that far */
		return;
	*sending_ns = sending;
	*network_ns = network;
}

/* Where the requests were: each place from its own stamps, whatever is left unexplained. */
static void complete_places(struct result_target *target)
{
	double rate = target->received_per_s.value;
	double sending_ns = 0.0, network_ns, mean_queue_ns, unexplained;

	if (!target->received_per_s.known || target->rtt_ping == NULL ||
	    target->rtt_ping->samples == 0 || target->receive_queue_samples == 0)
		return;
	mean_queue_ns = target->receive_queue_held_ns / (double)target->receive_queue_samples;
	network_ns = histogram_mean(target->rtt_ping);
	if (target->rtt_kernel != NULL && target->rtt_kernel->samples > 0 &&
	    target->sending_samples > 0) {
		estimate_parts(target, &sending_ns, &network_ns);
		set(&target->in_flight_sending, throughput_in_flight(rate, sending_ns));
	}
	set(&target->in_flight_network, throughput_in_flight(rate, network_ns));
	set(&target->in_flight_receive_queue, throughput_in_flight(rate, mean_queue_ns));
	unexplained = target->in_flight_mean.value - throughput_in_flight(rate, sending_ns) -
		      target->in_flight_network.value - target->in_flight_receive_queue.value;
	/* What is left of equal sums by rounding is nothing. */
	if (fabs(unexplained) < ROUNDING * target->in_flight_mean.value)
		unexplained = 0.0;
	set(&target->in_flight_unexplained, unexplained);
}

static void complete_depth(struct result_target *target)
{
	double held_ns = target->given_up_held_ns - target->given_up_answered_rtt_ns;
	double mean_rtt_ns = 0.0;

	if (target->rtt_user != NULL && target->rtt_user->samples > 0) {
		mean_rtt_ns = histogram_mean(target->rtt_user);
		set(&target->time_weighted_rtt_ns, histogram_weighted_mean(target->rtt_user));
	}
	if (target->depth == NULL || target->window_ns <= 0)
		return;
	set(&target->in_flight_mean, depth_mean(target->depth));
	target->in_flight_max = target->depth->max;
	target->littles_law.known =
		throughput_littles_law(target->tally.received, mean_rtt_ns, held_ns,
				       target->window_ns, &target->littles_law.value);
	complete_places(target);
}

/* The largest median counts: the error of a clock's rate grows with the time that it measures. */
static void complete_clock(struct result *result)
{
	uint32_t count;
	const struct result_target *targets = result_rows(result, &count);
	int64_t median_ns = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct histogram *rtt = targets[i].rtt_user;

		if (rtt != NULL && rtt->samples > 0)
			median_ns = max_i64(median_ns, histogram_quantile(rtt, 0.5));
	}
	result->clock.error_ns = clock_error(&result->clock, median_ns);
}

static void complete_targets(const struct result *result, struct result_target *targets,
			     uint32_t count, const struct kernel_counters *before,
			     const struct kernel_counters *after)
{
	share_drops(targets, count, 4);
	share_drops(targets, count, 6);
	for (uint32_t i = 0; i < count; i++) {
		struct result_target *target = &targets[i];
		uint64_t frame_bytes = 0;

		summary_plan(result->configuration, target, &frame_bytes);
		complete_loss(target);
		complete_rates(target, frame_bytes);
		complete_depth(target);
		summary_fragments(target, before, after);
	}
}

/* The host of a series: what its points add up to. */
static void complete_series(const struct result *result, struct result_target *target,
			    const struct kernel_counters *before,
			    const struct kernel_counters *after)
{
	/* The kernel counts the fragments of all of them together. */
	complete_targets(result, target->points, target->point_count, NULL, NULL);
	summary_add_points(result, target);
	complete_loss(target);
	summary_fragments(target, before, after);
	summary_sweep(result, target);
}

void summary_complete(struct result *result, const struct kernel_counters *before,
		      const struct kernel_counters *after)
{
	bool has_series = result->target_count == 1 && result->targets[0].point_count > 0;

	if (has_series)
		complete_series(result, &result->targets[0], before, after);
	else
		complete_targets(result, result->targets, result->target_count, before, after);
	complete_clock(result);
	summary_judge(result);
}
