/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report for programs: one document, schema "fping-bench/1", with every key of the schema
 * in its order. Numbers are numbers with their unit in the key, and what is not known is null.
 * The document and each of its targets are broken into one line a member, so that it can be
 * read, searched and compared by line; the values themselves stay on their line.
 */
#include "report/report.h"

#include <string.h>

#include "report/json_parts.h"

#define SCHEMA	    "fping-bench/1"
#define PROGRAM	    "fping-bench"
/* Counts up when the way of measuring changes so that results must not be compared. */
#define METHOD	    "echo/2"
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
	json_put(document, root, "elapsed_ns", json_from_time(document, result->elapsed_ns));
	json_put(document, root, "warmup_ns",
		 result->warmup_ns > 0 ? json_from_time(document, result->warmup_ns) : json_null());
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
	struct json_document document = {.result = result};
	json_t *root = json_object(), *targets = json_array();
	int status;

	put_head(&document, root, result);
	json_put_host(&document, root);
	json_put(&document, root, "mode", json_from_text(result->mode));
	json_put_settings(&document, root);
	for (uint32_t i = 0; i < result->target_count; i++)
		json_append(&document, targets, json_from_target(&document, &result->targets[i]));
	json_put(&document, root, "targets", targets);
	json_put_processor(&document, root);
	put_verdict(&document, root, result);
	put_ending(&document, root, result);
	json_put(&document, root, "disturbance", json_from_disturbance(&document));
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
