/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verdict's first part: what came upon the run from outside and is the cause of whatever the
 * figures show. A process that was stopped, a host that slept, a clock that was set or cannot
 * tell these times apart, a processor that was with others or is not fast enough: each of them
 * looks like a slow network to a tool that does not ask.
 */
#include "core/summary_internal.h"

#include <math.h>

#include "base/format.h"

#define SLEEP_MIN_NS	NANOSECONDS_PER_MILLISECOND /* two pairs of readings differ by less */
#define CONTENDED_SHARE 0.05			    /* of the run's time */
#define STEAL_MIN_S	0.03			    /* the kernel counts it in ticks of 10 ms */
#define DELAY_MIN_S	0.01 /* a few turns of a daemon in a short run are no contention */
#define SATURATED_SHARE 0.9  /* of one processor */
#define STEPS_PER_RTT	10   /* a median RTT must be so many steps of the clock */

static void judge_standstill(struct result *result)
{
	const struct result_disturbance *disturbance = &result->disturbance;
	bool slept = disturbance->suspended_ns.known &&
		     disturbance->suspended_ns.value >= (double)SLEEP_MIN_NS;
	bool stopped = disturbance->stops > 0 && disturbance->stopped_ns > 0;
	struct result_reason *reason;
	char text[FORMAT_LENGTH];

	if ((!slept && !stopped) || (reason = summary_reason(result, "suspended")) == NULL)
		return;
	if (slept)
		SUMMARY_FORMAT(reason->text, "this host was suspended for %s during the run",
			       format_duration(disturbance->suspended_ns.value, text));
	else
		SUMMARY_FORMAT(reason->text,
			       "this process was stopped %s and did nothing for %s (SIGSTOP, job "
			       "control)",
			       disturbance->stops == 1 ? "once" : "several times",
			       format_duration((double)disturbance->stopped_ns, text));
}

static void judge_steps(struct result *result)
{
	const struct result_disturbance *disturbance = &result->disturbance;
	struct result_reason *reason;
	uint32_t count;
	const struct result_target *targets = result_rows(result, &count);
	char step[FORMAT_LENGTH];
	uint64_t voided = 0;

	if (result->clock.fault[0] != '\0') {
		reason = summary_reason(result, "clock-stepped");
		if (reason != NULL)
			SUMMARY_FORMAT(reason->text, "%s", result->clock.fault);
		return;
	}
	/* Our own clock never steps: only the kernel's stamps are in real time. */
	if (disturbance->clock_steps == 0 || result->stamps == STAMPS_USER ||
	    (reason = summary_reason(result, "clock-stepped")) == NULL)
		return;
	for (uint32_t i = 0; i < count; i++)
		voided += targets[i].stamps.voided;
	if (disturbance->largest_step_ns == 0)
		SUMMARY_FORMAT(reason->text,
			       "the real-time clock was set %u time(s): %llu sampled requests and "
			       "the kernel's stamps of a second around it were not used",
			       disturbance->clock_steps, (unsigned long long)voided);
	else
		SUMMARY_FORMAT(
			reason->text,
			"the real-time clock was set %u time(s), by up to %s: %llu sampled "
			"requests and the kernel's stamps of a second around it were not used",
			disturbance->clock_steps,
			format_duration((double)disturbance->largest_step_ns, step),
			(unsigned long long)voided);
}

static void judge_step_width(struct result *result)
{
	const struct result_clock *clock = &result->clock;
	uint32_t count;
	const struct result_target *targets = result_rows(result, &count);
	const struct result_target *shortest = NULL;
	char step[FORMAT_LENGTH], rtt[FORMAT_LENGTH];
	struct result_reason *reason;
	int64_t median_ns = INT64_MAX;

	if (!clock->is_measured)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct histogram *histogram = targets[i].rtt_user;

		if (histogram == NULL || histogram->samples == 0 ||
		    histogram_quantile(histogram, 0.5) >= median_ns)
			continue;
		shortest = &targets[i];
		median_ns = histogram_quantile(histogram, 0.5);
	}
	if (!clock->is_coarse && (shortest == NULL || clock->step_ns <= median_ns / STEPS_PER_RTT))
		return;
	reason = summary_reason(result, "clock-too-coarse");
	if (reason == NULL)
		return;
	if (clock->is_coarse)
		SUMMARY_FORMAT(
			reason->text,
			"the clock '%.20s' steps by %s: no time below that was measured; see "
			"--clock for another one",
			clock->source, format_duration((double)clock->step_ns, step));
	else
		SUMMARY_FORMAT(
			reason->text,
			"the clock '%.20s' steps by %s, above a tenth of the median RTT of %s",
			clock->source, format_duration((double)clock->step_ns, step),
			format_duration((double)median_ns, rtt));
}

static void judge_contention(struct result *result)
{
	const struct result_processor *processor = &result->processor;
	const struct maybe *delay = &result->disturbance.run_delay_s;
	const struct maybe *steal = &processor->steal_s;
	double limit_s = CONTENDED_SHARE * processor->wall_s;
	struct result_reason *reason;
	char lost[FORMAT_LENGTH], wall[FORMAT_LENGTH];
	bool was_stolen, has_waited;

	if (!processor->known || processor->wall_s <= 0.0)
		return;
	was_stolen = steal->known && steal->value > limit_s && steal->value >= STEAL_MIN_S;
	has_waited = delay->known && delay->value > limit_s && delay->value >= DELAY_MIN_S;
	if ((!was_stolen && !has_waited) ||
	    (reason = summary_reason(result, "cpu-contended")) == NULL)
		return;
	if (has_waited)
		SUMMARY_FORMAT(reason->text,
			       "this process waited %s of %s for a processor that others had",
			       format_duration(delay->value * 1e9, lost),
			       format_duration(processor->wall_s * 1e9, wall));
	else
		SUMMARY_FORMAT(reason->text,
			       "the hypervisor took %s of processor time from this host in %s",
			       format_duration(steal->value * 1e9, lost),
			       format_duration(processor->wall_s * 1e9, wall));
}

/*
 * A pacer that spins uses a whole processor and keeps its schedule all the same; only where the
 * schedule is not kept is a full processor the reason.
 */
static void judge_saturation(struct result *result, bool schedule_is_held)
{
	const struct result_processor *processor = &result->processor;
	double used_s = processor->user_s + processor->system_s;
	struct result_reason *reason;

	if (schedule_is_held || !processor->known || processor->wall_s <= 0.0 ||
	    used_s < SATURATED_SHARE * processor->wall_s)
		return;
	reason = summary_reason(result, "cpu-saturated");
	if (reason != NULL)
		SUMMARY_FORMAT(reason->text,
			       "this processor was busy for %.0f %% of the run and could not keep "
			       "the rate that was asked for",
			       fmin(used_s / processor->wall_s, 1.0) * 100.0);
}

void summary_judge_disturbance(struct result *result, bool schedule_is_held)
{
	judge_standstill(result);
	judge_steps(result);
	judge_step_width(result);
	judge_contention(result);
	judge_saturation(result, schedule_is_held);
}
