/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run and what is written of it. What the kernel counts is read as close around the run as
 * can be, and the result is frozen before the first report looks at it. A document of --json is
 * whole or not there: however the program ends after the command line was read, its one
 * document says so.
 */
#include "apps/probe/probe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/summary.h"
#include "report/report.h"

static bool writes_text(const struct configuration *configuration)
{
	return !configuration->json || configuration->json_file != NULL;
}

/* ---- what the result says of the program itself ---- */

static void describe_program(struct probe *probe)
{
	const struct configuration *configuration = probe_configuration(probe);
	struct result *result = &probe->result;

	result->version = FPING_BENCH_VERSION;
	result->build = FPING_BENCH_BUILD;
	result->sandbox = probe->privilege.dropped
				  ? "no capabilities, no new privileges, not dumpable"
				  : "none: it ended before privileges were given up";
	result->argument_count = probe->argument_count;
	result->arguments = probe->arguments;
	result->configuration = configuration;
	result->mode = configuration_name(configuration);
	result->tagged = configuration->payload_bytes >= PAYLOAD_TAGGED_BYTES;
	if (result->started[0] != '\0')
		return;
	if (probe->is_simulated)
		(void)snprintf(result->started, sizeof(result->started), "1970-01-01T00:00:00Z");
	else
		clock_wall_text(result->started);
}

/* ---- the run ---- */

static int print_banners(const struct probe *probe)
{
	const struct result *result = &probe->result;

	if (!writes_text(probe_configuration(probe)))
		return 0;
	for (uint32_t i = 0; i < result->target_count; i++) {
		if (probe->targets[i].usable && report_banner(stdout, &result->targets[i]) < 0)
			return -1;
	}
	return fflush(stdout);
}

/* One reading of the kernel's counters; NULL if they cannot be read. */
static struct kernel_counters *read_counters(const struct probe *probe)
{
	struct kernel_counters *counters = calloc(1, sizeof(*counters));

	if (counters != NULL && host_counters_read(&probe->counter_files, counters) < 0) {
		free(counters);
		return NULL;
	}
	return counters;
}

static void list_changes(struct probe *probe)
{
	const struct kernel_counters *after = probe->after;
	uint32_t count = 0;

	if (probe->before == NULL || after == NULL)
		return;
	probe->counters = calloc(KERNEL_COUNTERS_MAX, sizeof(*probe->counters));
	if (probe->counters == NULL)
		return;
	for (uint32_t i = 0; i < after->count; i++) {
		const struct kernel_counter *counter = &after->counters[i];
		struct result_counter *change = &probe->counters[count];
		uint64_t earlier;

		if (!kernel_counters_find(probe->before, counter->name, &earlier))
			continue;
		memcpy(change->name, counter->name, sizeof(change->name));
		change->change = (int64_t)(counter->value - earlier);
		count++;
	}
	probe->result.counters = probe->counters;
	probe->result.counter_count = count;
}

static void list_processor_time(struct probe *probe, int64_t user_ns, int64_t system_ns)
{
	struct result *result = &probe->result;
	struct result_processor *processor = &result->processor;
	uint32_t count;
	const struct result_target *targets = result_rows(result, &count);
	uint64_t received = 0;

	for (uint32_t i = 0; i < count; i++)
		received += targets[i].tally.received;
	user_ns -= probe->user_before_ns;
	system_ns -= probe->system_before_ns;
	processor->known = true;
	processor->user_s = (double)user_ns / 1e9;
	processor->system_s = (double)system_ns / 1e9;
	processor->wall_s = (double)result->elapsed_ns / 1e9;
	processor->has_round_trips = received > 0;
	if (received > 0)
		processor->per_round_trip_ns = (double)(user_ns + system_ns) / (double)received;
	host_accounting(processor->accounting, probe->responder_is_here);
}

void probe_measurement_starts(void *context)
{
	struct probe *probe = context;

	if (probe->capture != NULL)
		fragment_capture_restart(probe->capture);
	probe->before = read_counters(probe);
	host_load_read(&probe->load_files, &probe->load_before);
	host_processor_time(&probe->user_before_ns, &probe->system_before_ns);
}

static void freeze(struct probe *probe)
{
	engine_freeze(probe->engine, &probe->result,
		      probe->row_facts != NULL ? probe->row_facts : probe->result.targets);
	probe_end_series(probe);
}

/* Runs the engine on a host that is looked at before and after. */
static int run_observed(struct probe *probe, struct error *error)
{
	struct host_load load_after;
	int64_t user_ns, system_ns;
	int status;

	host_environment(&probe->result.environment);
	memcpy(probe->result.environment.driver, probe->driver, sizeof(probe->driver));
	host_interface(probe->interface, &probe->result.environment);
	host_counters_open(&probe->counter_files);
	host_load_open(&probe->load_files);
	/* A run that ends within its warm-up never gets to the reading at the start. */
	host_load_read(&probe->load_files, &probe->load_before);
	host_processor_time(&probe->user_before_ns, &probe->system_before_ns);
	status = engine_run(probe->engine, error);
	host_processor_time(&user_ns, &system_ns);
	host_load_read(&probe->load_files, &load_after);
	engine_rescale(probe->engine, clock_finish(&probe->clock, &probe->result.clock));
	freeze(probe);
	probe_end_capture(probe);
	list_processor_time(probe, user_ns, system_ns);
	host_load_difference(&probe->load_before, &load_after, &probe->result.processor,
			     &probe->result.disturbance);
	probe->after = read_counters(probe);
	list_changes(probe);
	host_counters_close(&probe->counter_files);
	host_load_close(&probe->load_files);
	return status;
}

int probe_measure(struct probe *probe)
{
	struct error error;
	int status;

	describe_program(probe);
	if (print_banners(probe) != 0) {
		console_say("standard output cannot be written: %s",
			    strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
		return PROBE_BROKEN;
	}
	error_clear(&error);
	if (probe->is_simulated) {
		/* Nothing of this host enters: the same command gives the same bytes. */
		status = engine_run(probe->engine, &error);
		freeze(probe);
	} else {
		status = run_observed(probe, &error);
	}
	if (status < 0) {
		probe->result.ending = ENDING_FAULT;
		(void)snprintf(probe->result.fault, sizeof(probe->result.fault), "%.*s",
			       (int)sizeof(probe->result.fault) - 1, error.text);
	}
	summary_complete(&probe->result, probe->before, probe->after);
	probe->has_run = true;
	return PROBE_CONTINUE;
}

/* ---- the reports ---- */

static int write_text(const struct probe *probe)
{
	struct error error;

	if (report_text.write(stdout, &probe->result, &error) == 0 && fflush(stdout) == 0)
		return 0;
	console_say("standard output cannot be written: the report is not complete");
	return -1;
}

static int write_json(struct probe *probe)
{
	FILE *stream = probe->has_file ? probe->file.stream : stdout;
	struct error error;
	int status = report_json.write(stream, &probe->result, &error);

	if (!probe->has_file) {
		if (status == 0 && fflush(stdout) == 0)
			return 0;
		console_say("standard output cannot be written: the document is not complete");
		return -1;
	}
	if (status < 0)
		output_file_abandon(&probe->file);
	else
		status = output_file_commit(&probe->file, &error);
	probe->has_file = false;
	if (status < 0)
		console_say("--json: %s", error.text);
	return status < 0 ? -1 : 0;
}

int probe_write(struct probe *probe, int status, bool with_text)
{
	const struct configuration *configuration = probe_configuration(probe);
	bool to_standard_output = configuration->json && configuration->json_file == NULL;

	describe_program(probe);
	if (!probe->has_run && probe->result.reason_count == 0)
		probe->result.reasons[probe->result.reason_count++] =
			(struct result_reason){"too-few-samples", "nothing was sent"};
	if (with_text && writes_text(configuration) && write_text(probe) < 0)
		status = PROBE_BROKEN;
	if ((to_standard_output || probe->has_file) && write_json(probe) < 0)
		status = PROBE_BROKEN;
	return status;
}

int probe_fail(struct probe *probe, int status, const char *format, ...)
{
	struct result *result = &probe->result;
	char text[sizeof(probe->rights_error.text)];
	va_list arguments;

	va_start(arguments, format);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is not */
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	console_say("%s", text);
	result->ending = ENDING_FAULT;
	(void)snprintf(result->fault, sizeof(result->fault), "%.*s", (int)sizeof(result->fault) - 1,
		       text);
	return probe_write(probe, status, false);
}

int probe_report(struct probe *probe)
{
	const struct result *result = &probe->result;
	int status = result_exit_status(result);
	bool with_text = console_close(&probe->console);

	if (probe_configuration(probe)->strict && result->reason_count > 0)
		status = PROBE_INVALID;
	if (!with_text) {
		console_say("standard output cannot be written: the run was ended");
		status = PROBE_BROKEN;
	}
	if (result->ending == ENDING_FAULT) {
		console_say("%s", result->fault);
		status = PROBE_BROKEN;
	}
	return probe_write(probe, status, with_text);
}

void probe_close(struct probe *probe)
{
	engine_close(probe->engine);
	fragment_capture_close(probe->capture);
	for (uint32_t i = 0; i < probe->transport_count; i++)
		probe->transports[i].row->close(&probe->transports[i]);
	if (probe->has_real_time)
		real_time_close(&probe->real_time);
	clock_close(&probe->clock);
	if (probe->has_file)
		output_file_abandon(&probe->file);
	privilege_end(&probe->privilege);
	hosts_close(&probe->hosts);
	free(probe->before);
	free(probe->after);
	free(probe->counters);
	free(probe->points);
	free(probe->rows);
	free(probe->row_facts);
	free(probe->sweep);
	free(probe->mtu_search);
	free(probe->diagnosis);
	free(probe->targets);
	free(probe->result.targets);
	free(probe->argument_hosts);
}
