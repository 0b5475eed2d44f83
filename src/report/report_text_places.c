/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the requests to one target were, in number and in time: at which depth on the average, in
 * our send calls, on the network, in our socket; and what each stretch of a round trip took.
 */
#include "report/text_lines.h"

#include <math.h>

#include "core/throughput.h"
#include "report/lines.h"

#define UNEXPLAINED_WORTH_TELLING 0.02 /* of the mean depth */
#define STAMPING_WORTH_TELLING	  0.2  /* of the median round trip */

/* ---- in flight ---- */

/* A depth: three digits, below 1 two. */
static const char *depth_text(double depth, char text[static FORMAT_LENGTH])
{
	return format_significant(depth, fabs(depth) < 1.0 ? 2 : 3, text);
}

/* What a part of the depth that no stamp accounts for can mean, by what else is known. */
static const char *unexplained_text(const struct result *result, const struct result_target *target,
				    double rest)
{
	if (result->clock.is_coarse)
		return "the clock is too coarse to tell the places apart";
	if (rest < 0.0)
		return "the places hold more than there was: stamps and our clock disagree";
	if (target->in_flight_sending.known && result->stamp_every > 1)
		return "the requests that were stamped do not stand for all";
	return "replies without a stamp of the kernel, or time is miscounted";
}

/* What is left of the mean beside the places: slots that lost requests held, and the rest. */
static void add_unexplained(struct lines *lines, const struct result *result,
			    const struct result_target *target)
{
	double held_ns = target->given_up_held_ns - target->given_up_answered_rtt_ns;
	double least = UNEXPLAINED_WORTH_TELLING * target->in_flight_mean.value;
	double rest = target->in_flight_unexplained.value, held = 0.0;
	char text[FORMAT_LENGTH], share[FORMAT_LENGTH];

	if (!target->in_flight_unexplained.known || fabs(rest) <= least)
		return;
	if (target->given_up > 0 && target->window_ns > 0)
		held = held_ns / (double)target->window_ns;
	if (fabs(held) > least) {
		lines_add(lines, ", ", "held by requests given up %s", depth_text(held, text));
		rest -= held;
	}
	if (fabs(rest) <= least)
		return;
	lines_add(lines, ", ", "unexplained %s (%s):", depth_text(rest, text),
		  format_ratio(rest / target->in_flight_mean.value, share));
	lines_prose(lines, " ", "%s", unexplained_text(result, target, rest));
}

static void add_places(struct lines *lines, const struct result *result,
		       const struct result_target *target)
{
	const struct maybe *sending = &target->in_flight_sending;
	char text[FORMAT_LENGTH];

	lines_break(lines);
	if (sending->known)
		lines_add(lines, "", "sending %s", depth_text(sending->value, text));
	lines_add(lines, ", ", "%s %s",
		  sending->known ? "on the network" : "sending and on the network",
		  depth_text(target->in_flight_network.value, text));
	lines_add(lines, ", ", "waiting in our socket %s",
		  depth_text(target->in_flight_receive_queue.value, text));
	add_unexplained(lines, result, target);
}

void text_in_flight(FILE *stream, const struct result *result, const struct result_target *target)
{
	char text[FORMAT_LENGTH];
	struct lines lines;

	if (!target->in_flight_mean.known || target->in_flight_max == 0 ||
	    (text_is_slow(result) && target->in_flight_max < 2))
		return;
	lines_open(&lines, stream, "in flight");
	lines_add(&lines, "", "mean %s", depth_text(target->in_flight_mean.value, text));
	lines_add(&lines, "   ", "max %llu", (unsigned long long)target->in_flight_max);
	if (target->littles_law.known)
		lines_add(&lines, "   ", "rate x rtt %s",
			  depth_text(target->littles_law.value, text));
	if (target->in_flight_network.known && target->in_flight_receive_queue.known)
		add_places(&lines, result, target);
	lines_close(&lines);
}

/* ---- the budget ---- */

static const char *share_text(double share, char text[static FORMAT_LENGTH])
{
	if (share < 0.01)
		return format_ratio(share, text);
	(void)snprintf(text, FORMAT_LENGTH, "%.0f %%", share * 100.0);
	return text;
}

static void add_parts(struct lines *lines, const struct result *result,
		      const struct result_target *target, double sum_ns)
{
	static const char *const names[BUDGET_PARTS] = {
		[BUDGET_CALL_TO_QUEUE] = "call to queue",
		[BUDGET_QUEUE_TO_DRIVER] = "queue to driver",
		[BUDGET_DRIVER_TO_DRIVER] = "driver to driver",
		[BUDGET_DRIVER_TO_SOCKET] = "driver to socket",
		[BUDGET_SOCKET_TO_US] = "socket to us",
	};
	char text[FORMAT_LENGTH], share[FORMAT_LENGTH];

	for (int part = 0; part < BUDGET_PARTS; part++) {
		double ns = text_budget_median(target, (enum result_budget_part)part);

		lines_add(lines, part == 0 ? "" : ", ", "%s %s (%s)", names[part],
			  text_duration(result, ns, text), share_text(ns / sum_ns, share));
	}
}

/* How much of driver to driver the link takes, for the request and for the reply. */
static void add_wire(struct lines *lines, const struct result *result,
		     const struct result_target *target, double sum_ns)
{
	char text[FORMAT_LENGTH], link[FORMAT_LENGTH], share[FORMAT_LENGTH];
	double ns;

	if (!target->fragments.known ||
	    !throughput_link_ns(target->fragments.wire_bytes + target->fragments.reply_wire_bytes,
				target->link_bits_per_s, &ns)) {
		lines_add(lines, "; ", "wire unknown: the link tells no speed");
		return;
	}
	lines_add(lines, "; ", "wire %s (%s) at %s", text_duration(result, ns, text),
		  share_text(ns / sum_ns, share),
		  format_bits_per_s((double)target->link_bits_per_s, link));
	if (ns > text_budget_median(target, BUDGET_DRIVER_TO_DRIVER))
		lines_prose(lines, ": ", "more than it took, so that speed is only nominal");
}

/* Stamps of sending come by a way of their own, which the requests that asked for them pay. */
static void add_stamping(struct lines *lines, const struct result *result,
			 const struct result_target *target, double sum_ns)
{
	const struct histogram *rtt = target->rtt_user;
	char sum[FORMAT_LENGTH], median[FORMAT_LENGTH];

	if (rtt == NULL ||
	    sum_ns <= (1.0 + STAMPING_WORTH_TELLING) * (double)histogram_quantile(rtt, 0.5))
		return;
	lines_break(lines);
	lines_prose(lines, "", "in sum %s, where the median of all requests is %s:",
		    text_duration(result, sum_ns, sum), text_quantile(result, rtt, 0.5, median));
	lines_prose(lines, " ", "being stamped takes time");
}

static void add_missing(struct lines *lines, const struct result_stamps *stamps)
{
	const struct {
		uint64_t count;
		const char *what;
	} missing[] = {
		{stamps->missing_queue, "without the queue's stamp"},
		{stamps->missing_driver, "without the driver's stamp"},
		{stamps->missing_receive, "without the reply's stamp"},
		{stamps->voided, "void: the real-time clock was set"},
	};
	lines_break(lines);
	lines_add(lines, "", "of %llu requests to be stamped", (unsigned long long)stamps->sampled);
	for (size_t i = 0; i < ARRAY_LENGTH(missing); i++) {
		if (missing[i].count > 0)
			lines_add(lines, ", ", "%llu %s", (unsigned long long)missing[i].count,
				  missing[i].what);
	}
}

void text_budget(FILE *stream, const struct result *result, const struct result_target *target)
{
	const struct result_stamps *stamps = &target->stamps;
	bool has_missing = stamps->missing_queue + stamps->missing_driver +
				   stamps->missing_receive + stamps->voided >
			   0;
	bool has_parts = text_has_stamps(target) && result->target_count == 1;
	double sum_ns = 0.0;
	struct lines lines;

	for (int part = 0; part < BUDGET_PARTS && has_parts; part++)
		sum_ns += text_budget_median(target, (enum result_budget_part)part);
	has_parts = has_parts && sum_ns > 0.0;
	if (!has_parts && !has_missing)
		return;
	lines_open(&lines, stream, has_parts ? "budget" : "stamps");
	if (has_parts) {
		add_parts(&lines, result, target, sum_ns);
		add_wire(&lines, result, target, sum_ns);
		add_stamping(&lines, result, target, sum_ns);
	}
	if (has_missing)
		add_missing(&lines, stamps);
	lines_close(&lines);
}
