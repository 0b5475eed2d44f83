/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report for programs: one document, schema "fping-bench/1", with every key of the schema
 * in its order. Numbers are numbers with their unit in the key, and what is not known is null.
 * The document and each of its targets are broken into one line a member, so that it can be
 * read, searched and compared by line; the values themselves stay on their line.
 */
#include "report/report.h"

#include <string.h>

#include "core/flight.h"
#include "core/pacer.h"
#include "report/json_target.h"

#define SCHEMA	    "fping-bench/1"
#define PROGRAM	    "fping-bench"
/* Counts up when the way of measuring changes so that results must not be compared. */
#define METHOD	    "echo/1"
#define VALUE_FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(12))

/* ---- the parts of the document ---- */

static void put_head(struct json_document *document, json_t *root, const struct result *result)
{
	json_t *program = json_object(), *command = json_array();

	json_put(document, root, "schema", json_string(SCHEMA));
	json_put(document, program, "name", json_string(PROGRAM));
	json_put(document, program, "version", json_from_text(result->version));
	json_put(document, program, "build", json_from_text(result->build));
	json_put(document, program, "method", json_string(METHOD));
	json_put(document, program, "sandbox", json_from_text(result->sandbox));
	json_put(document, root, "program", program);
	for (int i = 0; i < result->argument_count; i++)
		json_append(document, command, json_from_argument(result->arguments[i]));
	json_put(document, root, "command", command);
	json_put(document, root, "started", json_from_text(result->started));
}

static void put_host(struct json_document *document, json_t *root, const struct result *result)
{
	const struct environment *facts = &result->environment;
	json_t *environment = json_object(), *clock = json_object();

	json_put(document, environment, "kernel", json_from_text(facts->kernel));
	json_put(document, environment, "machine", json_from_text(facts->machine));
	json_put(document, environment, "cpu", json_from_text(facts->cpu));
	json_put(document, environment, "cpus", json_from_count_unless_zero(facts->cpus));
	json_put(document, environment, "clocksource", json_from_text(facts->clocksource));
	json_put(document, environment, "governor", json_from_text(facts->governor));
	json_put(document, environment, "driver", json_from_text(facts->driver));
	json_put(document, environment, "offloads", json_null());
	json_put(document, environment, "coalescing", json_null());
	json_put(document, root, "environment", environment);
	json_put(document, clock, "source", json_from_text(result->clock.source));
	json_put(document, clock, "step_ns", json_null());
	json_put(document, clock, "read_ns", json_null());
	json_put(document, clock, "error_ns", json_null());
	json_put(document, clock, "hiccup_ns", json_null());
	json_put(document, clock, "reason", json_from_text(result->clock.reason));
	json_put(document, root, "clock", clock);
	json_put(document, root, "mode", json_from_text(result->mode));
}

static json_t *from_simulation(struct json_document *document, const struct simulation *simulation)
{
	json_t *object = json_object();

	json_put(document, object, "seed", json_from_count(simulation->seed));
	json_put(document, object, "delay_ns", json_integer(simulation->delay_ns));
	json_put(document, object, "jitter_ns", json_integer(simulation->jitter_ns));
	json_put(document, object, "service_ns", json_integer(simulation->service_ns));
	json_put(document, object, "send_ns", json_integer(simulation->send_ns));
	json_put(document, object, "loss", json_from_number(simulation->loss));
	json_put(document, object, "fragment_loss", json_from_number(simulation->fragment_loss));
	json_put(document, object, "reply_fragment_loss",
		 json_from_number(simulation->reply_fragment_loss));
	json_put(document, object, "duplicate", json_from_number(simulation->duplicate));
	json_put(document, object, "reorder", json_from_number(simulation->reorder));
	json_put(document, object, "corrupt", json_from_number(simulation->corrupt));
	json_put(document, object, "drop_every", json_from_count(simulation->drop_every));
	json_put(document, object, "stall_every_ns", json_integer(simulation->stall_every_ns));
	json_put(document, object, "stall_ns", json_integer(simulation->stall_ns));
	json_put(document, object, "mtu", json_integer(simulation->mtu));
	return object;
}

static json_t *from_path_mtu_mode(enum configuration_path_mtu mode)
{
	static const char *const names[] = {
		[PATH_MTU_DEFAULT] = "default", [PATH_MTU_DO] = "do",
		[PATH_MTU_WANT] = "want",	[PATH_MTU_DONT] = "dont",
		[PATH_MTU_PROBE] = "probe",	[PATH_MTU_INTERFACE] = "interface",
		[PATH_MTU_OMIT] = "omit",
	};

	return json_string(names[mode]);
}

/* What was asked for in all, over the targets that could be asked: --rate, or from the interval. */
static json_t *from_asked_rate(const struct result *result)
{
	uint32_t probed = 0;

	for (uint32_t i = 0; i < result->target_count; i++)
		probed += result->targets[i].error[0] == '\0';
	if (result->interval_ns <= 0)
		return json_null();
	if (result->configuration->rate_per_s > 0.0)
		return json_from_number(result->configuration->rate_per_s);
	return json_from_number((double)probed * (double)NANOSECONDS_PER_SECOND /
				(double)result->interval_ns);
}

/* Settings that the schema does not name. */
static void put_own_settings(struct json_document *document, json_t *settings,
			     const struct result *result)
{
	static const char *const patterns[] = {[PAYLOAD_DISTINCT] = "distinct",
					       [PAYLOAD_FIXED] = "fixed",
					       [PAYLOAD_RANDOM] = "random"};
	const struct configuration *configuration = result->configuration;
	bool is_simulated = result->transport != NULL && strcmp(result->transport, "sim") == 0;

	json_put(document, settings, "deadline_ns",
		 json_from_ns_unless_zero(configuration->deadline_ns));
	json_put(document, settings, "preload",
		 json_from_count_unless_zero(configuration->preload));
	json_put(document, settings, "give_up_after", json_integer(FLIGHT_GIVE_UP_AFTER));
	json_put(document, settings, "catch_up",
		 result->interval_ns > 0 ? json_integer(pacer_catch_up(result->interval_ns))
					 : json_null());
	json_put(document, settings, "pattern", json_string(patterns[configuration->pattern]));
	json_put(document, settings, "tagged", json_boolean(result->tagged));
	json_put(document, settings, "transport_note", json_from_text(result->transport_note));
	json_put(document, settings, "simulation",
		 is_simulated ? from_simulation(document, &configuration->simulation)
			      : json_null());
}

static void put_settings(struct json_document *document, json_t *root, const struct result *result)
{
	const struct configuration *configuration = result->configuration;
	json_t *settings = json_object();

	json_put(document, settings, "count", json_from_count_unless_zero(configuration->count));
	json_put(document, settings, "interval_ns", json_from_ns_unless_zero(result->interval_ns));
	json_put(document, settings, "rate_per_s", from_asked_rate(result));
	json_put(document, settings, "depth", json_from_count_unless_zero(result->depth));
	json_put(document, settings, "payload_bytes", json_integer(configuration->payload_bytes));
	json_put(document, settings, "timeout_ns", json_integer(configuration->timeout_ns));
	json_put(document, settings, "warmup", json_null());
	json_put(document, settings, "transport", json_from_text(result->transport));
	json_put(document, settings, "stamps",
		 json_string(configuration->stamps == STAMPS_USER ? "user" : "rx"));
	json_put(document, settings, "stamp_every", json_null());
	json_put(document, settings, "path_mtu_mode", from_path_mtu_mode(configuration->path_mtu));
	json_put(document, settings, "threads", json_integer(1));
	json_put(document, settings, "repeat", json_integer(1));
	put_own_settings(document, settings, result);
	json_put(document, root, "settings", settings);
}

static void put_processor(struct json_document *document, json_t *root, const struct result *result)
{
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
	json_put(document, cpu, "steal_s", json_null());
	json_put(document, cpu, "softnet_drops", json_null());
	json_put(document, root, "cpu", cpu);
	for (uint32_t i = 0; i < result->counter_count; i++)
		json_put(document, counters, result->counters[i].name,
			 json_integer(result->counters[i].change));
	json_put(document, root, "counters", counters);
}

static void put_verdict(struct json_document *document, json_t *root, const struct result *result)
{
	json_t *valid = json_object(), *reasons = json_array(), *refused = json_array();

	json_put(document, valid, "ok", json_boolean(result->reason_count == 0));
	for (uint32_t i = 0; i < result->reason_count; i++) {
		json_t *reason = json_object();

		json_put(document, reason, "code", json_string(result->reasons[i].code));
		json_put(document, reason, "text", json_from_text(result->reasons[i].text));
		json_append(document, reasons, reason);
	}
	json_put(document, valid, "reasons", reasons);
	json_put(document, root, "valid", valid);
	for (uint32_t i = 0; i < result->refusal_count; i++) {
		const struct refusal *refusal = &result->refusals[i];
		json_t *object = json_object();

		json_put(document, object, "rule", json_from_text(refusal->rule));
		json_put(document, object, "asked", json_from_text(refusal->asked));
		json_put(document, object, "limit", json_from_text(refusal->limit));
		json_put(document, object, "source", json_string("built-in"));
		json_put(document, object, "text", json_from_text(refusal->text));
		json_append(document, refused, object);
	}
	json_put(document, root, "refused", refused);
}

static void put_ending(struct json_document *document, json_t *root, const struct result *result)
{
	static const char *const endings[] = {[ENDING_COMPLETE] = "complete",
					      [ENDING_DEADLINE] = "deadline",
					      [ENDING_INTERRUPTED] = "interrupted",
					      [ENDING_FAULT] = "fault"};

	json_put(document, root, "ending", json_string(endings[result->ending]));
	json_put(document, root, "fault",
		 result->ending == ENDING_FAULT ? json_from_text(result->fault) : json_null());
	json_put(document, root, "elapsed_ns", json_integer(result->elapsed_ns));
}

/* ---- writing ---- */

static int write_value(FILE *stream, const json_t *value)
{
	return json_dumpf(value, stream, VALUE_FLAGS);
}

/* An object with one line a member, `depth` tabs in; "targets" is broken up once more. */
static int write_object(FILE *stream, json_t *object, int depth)
{
	const char *key, *comma = "";
	json_t *value;
	int status = fputs("{", stream) < 0 ? -1 : 0;

	json_object_foreach(object, key, value)
	{
		json_t *name = json_string(key);
		size_t i;
		json_t *element;

		(void)fprintf(stream, "%s\n%.*s", comma, depth, "\t\t\t\t");
		status |= name == NULL ? -1 : write_value(stream, name);
		json_decref(name);
		(void)fputs(": ", stream);
		comma = ",";
		if (depth > 1 || strcmp(key, "targets") != 0) {
			status |= write_value(stream, value);
			continue;
		}
		(void)fputs("[", stream);
		json_array_foreach(value, i, element)
		{
			(void)fputs(i > 0 ? ", " : "", stream);
			status |= write_object(stream, element, depth + 1);
		}
		(void)fputs("]", stream);
	}
	(void)fprintf(stream, "\n%.*s}", depth - 1, "\t\t\t\t");
	return status;
}

static int write_json(FILE *stream, const struct result *result, struct error *error)
{
	struct json_document document = {false};
	json_t *root = json_object(), *targets = json_array();
	int status;

	put_head(&document, root, result);
	put_host(&document, root, result);
	put_settings(&document, root, result);
	for (uint32_t i = 0; i < result->target_count; i++)
		json_append(&document, targets,
			    json_from_target(&document, result, &result->targets[i]));
	json_put(&document, root, "targets", targets);
	put_processor(&document, root, result);
	put_verdict(&document, root, result);
	put_ending(&document, root, result);
	if (document.has_failed) {
		json_decref(root);
		return error_set(error, ERROR_NO_MEMORY, "no memory for the JSON report");
	}
	status = write_object(stream, root, 1);
	json_decref(root);
	(void)fputc('\n', stream);
	if (status != 0 || ferror(stream))
		return error_set(error, ERROR_SYSTEM, "cannot write the JSON report");
	return 0;
}

const struct report_row report_json = {
	.name = "json",
	.summary = "one JSON document, schema " SCHEMA,
	.write = write_json,
};
