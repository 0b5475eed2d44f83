/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This host and what it did to the run, as JSON: facts about it, the clock and what that was
 * measured to be, processor time, the kernel's counters, and what disturbed.
 */
#include "report/json_parts.h"

/* ---- facts ---- */

static json_t *from_offloads(struct json_document *document, const struct environment *facts)
{
	json_t *names;

	if (!facts->offloads_known)
		return json_null();
	names = json_array();
	for (uint32_t i = 0; i < facts->offload_count; i++)
		json_append(document, names, json_from_text(facts->offloads[i]));
	return names;
}

static json_t *from_coalescing(struct json_document *document,
			       const struct result_coalescing *coalescing)
{
	json_t *object;

	if (!coalescing->known)
		return json_null();
	object = json_object();
	json_put(document, object, "adaptive_receive", json_boolean(coalescing->adaptive_receive));
	json_put(document, object, "adaptive_send", json_boolean(coalescing->adaptive_send));
	json_put(document, object, "receive_us", json_integer(coalescing->receive_us));
	json_put(document, object, "receive_frames", json_integer(coalescing->receive_frames));
	json_put(document, object, "send_us", json_integer(coalescing->send_us));
	json_put(document, object, "send_frames", json_integer(coalescing->send_frames));
	return object;
}

static json_t *from_environment(struct json_document *document, const struct environment *facts)
{
	json_t *environment = json_object();

	json_put(document, environment, "kernel", json_from_text(facts->kernel));
	json_put(document, environment, "machine", json_from_text(facts->machine));
	json_put(document, environment, "cpu", json_from_text(facts->cpu));
	json_put(document, environment, "cpus", json_from_count_unless_zero(facts->cpus));
	json_put(document, environment, "clocksource", json_from_text(facts->clocksource));
	json_put(document, environment, "governor", json_from_text(facts->governor));
	json_put(document, environment, "driver", json_from_text(facts->driver));
	json_put(document, environment, "offloads", from_offloads(document, facts));
	json_put(document, environment, "coalescing",
		 from_coalescing(document, &facts->coalescing));
	return environment;
}

/* ---- the clock ---- */

/* A figure of the clock that only a measurement can give. */
static json_t *from_measured(const struct result_clock *clock, double value)
{
	return clock->is_measured ? json_from_number(value) : json_null();
}

static json_t *from_calibrated(const struct result_clock *clock, double value)
{
	return clock->is_calibrated ? json_from_number(value) : json_null();
}

static json_t *from_clock(struct json_document *document, const struct result_clock *clock)
{
	json_t *object = json_object();

	json_put(document, object, "source", json_from_text(clock->source));
	json_put(document, object, "step_ns",
		 clock->is_measured ? json_integer(clock->step_ns) : json_null());
	json_put(document, object, "read_ns", from_measured(clock, clock->read_ns));
	json_put(document, object, "error_ns", json_from_maybe(&clock->error_ns));
	json_put(document, object, "hiccup_ns",
		 clock->is_measured ? json_from_maybe(&clock->hiccup_ns) : json_null());
	json_put(document, object, "reason", json_from_text(clock->reason));
	json_put(document, object, "zero_share", from_measured(clock, clock->zero_share));
	json_put(document, object, "grain_ns",
		 clock->is_measured ? json_from_maybe(&clock->grain_ns) : json_null());
	json_put(document, object, "rate_error", from_measured(clock, clock->rate_error));
	json_put(document, object, "counts_per_s", from_calibrated(clock, clock->counts_per_s));
	json_put(document, object, "calibration_bound",
		 from_calibrated(clock, clock->calibration_bound));
	json_put(document, object, "drift", from_calibrated(clock, clock->drift));
	json_put(document, object, "fault", json_from_text(clock->fault));
	json_put(document, object, "is_coarse",
		 clock->is_measured ? json_boolean(clock->is_coarse) : json_null());
	return object;
}

void json_put_host(struct json_document *document, json_t *root)
{
	const struct result *result = document->result;

	json_put(document, root, "environment", from_environment(document, &result->environment));
	json_put(document, root, "clock", from_clock(document, &result->clock));
}

/* ---- the load ---- */

void json_put_processor(struct json_document *document, json_t *root)
{
	const struct result *result = document->result;
	const struct result_processor *processor = &result->processor;
	bool known = processor->known;
	json_t *cpu = json_object(), *counters = json_object();

	json_put(document, cpu, "user_s",
		 known ? json_from_number(processor->user_s) : json_null());
	json_put(document, cpu, "system_s",
		 known ? json_from_number(processor->system_s) : json_null());
	json_put(document, cpu, "wall_s",
		 known ? json_from_number(processor->wall_s) : json_null());
	json_put(document, cpu, "per_round_trip_ns",
		 known && processor->has_round_trips
			 ? json_from_number(processor->per_round_trip_ns)
			 : json_null());
	json_put(document, cpu, "accounting",
		 known ? json_from_text(processor->accounting) : json_null());
	json_put(document, cpu, "steal_s", json_from_maybe(&processor->steal_s));
	json_put(document, cpu, "softnet_drops", json_from_maybe_count(&processor->softnet_drops));
	json_put(document, cpu, "run_delay_s", json_from_maybe(&result->disturbance.run_delay_s));
	json_put(document, root, "cpu", cpu);
	for (uint32_t i = 0; i < result->counter_count; i++)
		json_put(document, counters, result->counters[i].name,
			 json_integer(result->counters[i].change));
	json_put(document, root, "counters", counters);
}

json_t *json_from_disturbance(struct json_document *document)
{
	const struct result_disturbance *disturbance = &document->result->disturbance;
	bool is_unknown = disturbance->clock_steps > 0 && disturbance->largest_step_ns == 0;
	json_t *object = json_object();

	json_put(document, object, "clock_steps", json_integer(disturbance->clock_steps));
	json_put(document, object, "largest_step_ns",
		 is_unknown ? json_null() : json_integer(disturbance->largest_step_ns));
	json_put(document, object, "stops", json_integer(disturbance->stops));
	json_put(document, object, "stopped_ns", json_from_time(document, disturbance->stopped_ns));
	json_put(document, object, "suspended_ns",
		 json_from_maybe_count(&disturbance->suspended_ns));
	return object;
}
