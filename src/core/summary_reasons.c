/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the measurement can be trusted. Every reason is a finding that the figures themselves
 * give away; they stand in the order of cause and effect, so that the first one is the one to
 * look at: what disturbed the run from outside (summary_disturbance.c), what failed to leave, what
 * this host threw away, a schedule that was not kept, sums that do not meet, and last a run that
 * found no steady state.
 */
#include "core/summary_internal.h"

#include <math.h>

#include "base/format.h"

#define LITTLE_TOLERANCE   0.01 /* of the integral */
#define LATENESS_TOLERANCE 0.1	/* of the interval */

struct result_reason *summary_reason(struct result *result, const char *code)
{
	struct result_reason *reason;

	if (result->reason_count == RESULT_REASONS_MAX)
		return NULL;
	reason = &result->reasons[result->reason_count++];
	reason->code = code;
	return reason;
}

static bool was_probed(const struct result_target *target)
{
	return target->error[0] == '\0';
}

static void judge_sends(struct result *result)
{
	uint64_t failed = 0, sent = 0;
	struct result_reason *reason;

	for (uint32_t i = 0; i < result->target_count; i++) {
		failed += result->targets[i].tally.send_errors;
		sent += result->targets[i].tally.sent;
	}
	if (failed == 0 || (reason = summary_reason(result, "send-errors")) == NULL)
		return;
	SUMMARY_FORMAT(reason->text, "%llu requests could not be sent, %llu were",
		       (unsigned long long)failed, (unsigned long long)sent);
}

static void judge_drops(struct result *result)
{
	uint64_t drops[2] = {0, 0};
	uint64_t lost = 0;
	struct result_reason *reason;

	for (uint32_t i = 0; i < result->target_count; i++) {
		const struct result_target *target = &result->targets[i];
		uint64_t *drop = &drops[target->family == 6];

		*drop = max_u64(*drop, target->tally.local_drops);
		lost += target->tally.lost_local_receive_drop;
	}
	if (drops[0] + drops[1] == 0 ||
	    (reason = summary_reason(result, "local-receive-drops")) == NULL)
		return;
	SUMMARY_FORMAT(
		reason->text,
		"our socket dropped %llu packets, at most %llu of them replies that are lost",
		(unsigned long long)(drops[0] + drops[1]), (unsigned long long)lost);
}

/* The highest quantile up to p99 that the sample supports. */
static double judged_quantile(uint64_t samples)
{
	if (histogram_supports(samples, 0.99))
		return 0.99;
	return histogram_supports(samples, 0.9) ? 0.9 : 0.5;
}

/* How far the schedule was kept. */
struct schedule_finding {
	uint64_t skipped;  /* requests left out */
	int64_t latest_ns; /* the worst of the targets' latenesses at that quantile */
	double latest_quantile;
	bool is_held;
};

static struct schedule_finding look_at_schedule(const struct result *result)
{
	struct schedule_finding finding = {.is_held = true};
	uint32_t count;
	const struct result_target *targets = result_rows(result, &count);

	if (result->interval_ns <= 0 || result_is_search(result))
		return finding;
	for (uint32_t i = 0; i < count; i++) {
		const struct histogram *lateness = targets[i].lateness;
		double quantile;

		finding.skipped += targets[i].tally.skipped;
		if (lateness == NULL || lateness->samples == 0)
			continue;
		quantile = judged_quantile(lateness->samples);
		if (histogram_quantile(lateness, quantile) > finding.latest_ns) {
			finding.latest_ns = histogram_quantile(lateness, quantile);
			finding.latest_quantile = quantile;
		}
	}
	finding.is_held =
		finding.skipped == 0 &&
		(double)finding.latest_ns <= LATENESS_TOLERANCE * (double)result->interval_ns;
	return finding;
}

static void judge_schedule(struct result *result, const struct schedule_finding *finding)
{
	struct result_reason *reason;
	char late[FORMAT_LENGTH], interval[FORMAT_LENGTH];

	if (finding->is_held || (reason = summary_reason(result, "rate-not-held")) == NULL)
		return;
	if (finding->skipped > 0)
		SUMMARY_FORMAT(reason->text, "%llu scheduled requests were left out after a stall",
			       (unsigned long long)finding->skipped);
	else
		SUMMARY_FORMAT(reason->text,
			       "sends were late by %s (p%.0f), above 10 %% of the interval of %s",
			       format_duration(
				       (double)result_shown_ns(result, finding->latest_ns), late),
			       finding->latest_quantile * 100.0,
			       format_duration((double)result->interval_ns, interval));
}

/*
 * By how much the law and the integral miss each other beyond what is allowed; 0 for not at all.
 * Both are sums over the same window of the same readings of the clock, slots still held at its
 * end included, so that even a run of one request has no edge to allow for.
 */
static double little_gap(const struct result_target *target)
{
	double gap, allowed;

	if (!target->in_flight_mean.known || !target->littles_law.known)
		return 0.0;
	gap = fabs(target->littles_law.value - target->in_flight_mean.value);
	allowed = LITTLE_TOLERANCE * target->in_flight_mean.value;
	return fmax(gap - allowed, 0.0);
}

static void judge_little(struct result *result)
{
	uint32_t count;
	const struct result_target *targets = result_rows(result, &count);
	const struct result_target *widest = NULL;
	struct result_reason *reason;
	char law[FORMAT_LENGTH], mean[FORMAT_LENGTH];
	const char *meaning;
	double gap = 0.0;

	for (uint32_t i = 0; i < count; i++) {
		if (little_gap(&targets[i]) > gap) {
			widest = &targets[i];
			gap = little_gap(widest);
		}
	}
	if (widest == NULL || (reason = summary_reason(result, "littles-law-open")) == NULL)
		return;
	if (result->clock.is_coarse)
		meaning = "the clock is too coarse for these times";
	else if (widest->littles_law.value > widest->in_flight_mean.value)
		meaning = "times are too long, or replies counted twice";
	else if (widest->given_up > 0)
		meaning = "losses held slots for a time that is not accounted";
	else
		meaning = "slots were held by what is not counted";
	SUMMARY_FORMAT(reason->text, "%.60s: rate x rtt gives %s in flight, the integral %s: %s",
		       widest->name, format_significant(widest->littles_law.value, 4, law),
		       format_significant(widest->in_flight_mean.value, 4, mean), meaning);
}

static void judge_account(struct result *result)
{
	struct result_reason *reason;
	uint32_t count;
	const struct result_target *targets = result_rows(result, &count);

	for (uint32_t i = 0; i < count; i++) {
		const struct result_target *target = &targets[i];
		const struct tally *tally = &target->tally;
		uint64_t samples =
			target->rtt_user == NULL ? tally->received : target->rtt_user->samples;

		if (result_tally_balances(tally) && samples == tally->received)
			continue;
		reason = summary_reason(result, "unbalanced");
		if (reason == NULL)
			return;
		SUMMARY_FORMAT(
			reason->text,
			"%.80s: %llu sent, but %llu received (%llu timed), %llu lost, %llu in "
			"flight",
			target->name, (unsigned long long)tally->sent,
			(unsigned long long)tally->received, (unsigned long long)samples,
			(unsigned long long)tally->lost,
			(unsigned long long)tally->in_flight_at_end);
		return;
	}
}

static void judge_sample(struct result *result)
{
	struct result_reason *reason;
	bool has_probed = false;

	for (uint32_t i = 0; i < result->target_count; i++) {
		if (result->targets[i].tally.received > 0)
			return;
		has_probed = has_probed || was_probed(&result->targets[i]);
	}
	reason = summary_reason(result, "too-few-samples");
	if (reason == NULL)
		return;
	SUMMARY_FORMAT(reason->text, "%s",
		       has_probed ? "no reply arrived" : "no target could be probed");
}

static void judge_steadiness(struct result *result)
{
	char first[FORMAT_LENGTH], rest[FORMAT_LENGTH];
	struct result_reason *reason;
	uint32_t count;
	const struct result_target *targets = result_rows(result, &count);

	for (uint32_t i = 0; i < count; i++) {
		const struct result_steady *steady = &targets[i].steady;

		if (!steady->known || steady->is_steady)
			continue;
		reason = summary_reason(result, "no-steady-state");
		if (reason == NULL)
			return;
		SUMMARY_FORMAT(
			reason->text,
			"%.60s: the first %llu replies (%.0f %%) took %s, the others %s: more "
			"than half would have to go; measure longer",
			targets[i].name, (unsigned long long)steady->cut_replies,
			steady->cut_share * 100.0, format_duration(steady->cut_mean_ns, first),
			format_duration(steady->rest_mean_ns, rest));
		return;
	}
}

/* The run was ended for the other host's sake. */
static void judge_harm(struct result *result)
{
	struct result_reason *reason;

	if (result->harm_bytes == 0 ||
	    (reason = summary_reason(result, "harm-budget")) == NULL)
		return;
	SUMMARY_FORMAT(reason->text,
		       "lost fragments may hold %.1f MB of the other host's reassembly memory: it "
		       "was ended early, and what it had lost may come of that",
		       (double)result->harm_bytes / 1e6);
}

void summary_judge(struct result *result)
{
	struct schedule_finding schedule = look_at_schedule(result);

	judge_harm(result);
	summary_judge_disturbance(result, schedule.is_held);
	judge_sends(result);
	judge_drops(result);
	judge_schedule(result, &schedule);
	judge_little(result);
	judge_account(result);
	judge_steadiness(result);
	judge_sample(result);
}
