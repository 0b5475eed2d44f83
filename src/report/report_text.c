/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report for a person: for each target ping's closing lines, which scripts read, and below
 * them what ping does not say; at the end what concerns the run as a whole. A line is printed
 * only where it has something to say, so that whatever is there deserves a look.
 */
#include "report/report.h"

#include <string.h>

#include "base/format.h"
#include "report/lines.h"
#include "report/ping_lines.h"
#include "report/text_lines.h"

#define TEXT_LENGTH 1024

static const char *safe(const char *from, char text[static TEXT_LENGTH])
{
	(void)format_escape(from, strlen(from), text, TEXT_LENGTH);
	return text;
}

/* The unit that a duration is best told in, for figures that share it. */
static enum format_unit unit_of(double ns)
{
	if (ns >= (double)NANOSECONDS_PER_SECOND)
		return FORMAT_S;
	if (ns >= (double)NANOSECONDS_PER_MILLISECOND)
		return FORMAT_MS;
	return FORMAT_US;
}

/* A part of a figure in that unit, without the unit, to a tenth or two digits. */
static const char *part_text(double ns, enum format_unit unit, char text[static FORMAT_LENGTH])
{
	static const double scales[] = {1.0, 1e3, 1e6, 1e9};
	double value = ns / scales[unit];

	return format_significant(value, value >= 10.0 ? 3 : value >= 1.0 ? 2 : 1, text);
}

static void print_processor(FILE *stream, const struct result *result)
{
	const struct result_processor *processor = &result->processor;
	double total_s = processor->user_s + processor->system_s;
	double each_ns = processor->per_round_trip_ns;
	char each[FORMAT_LENGTH], user[FORMAT_LENGTH], system[FORMAT_LENGTH];
	enum format_unit unit = unit_of(each_ns);
	struct lines lines;

	if (!processor->known || !processor->has_round_trips || total_s <= 0.0 ||
	    text_is_slow(result))
		return;
	lines_open(&lines, stream, "cpu");
	lines_prose(&lines, "", "%s per round trip (user %s, system %s%s%s)",
		    format_duration_in(each_ns, unit, 3, each),
		    part_text(each_ns * processor->user_s / total_s, unit, user),
		    part_text(each_ns * processor->system_s / total_s, unit, system),
		    processor->accounting[0] == '\0' ? "" : "; ", processor->accounting);
	lines_close(&lines);
}

static void print_notes(FILE *stream, const struct result *result)
{
	char text[TEXT_LENGTH];
	struct lines lines;

	if (result->transport_note[0] != '\0') {
		lines_open(&lines, stream, "transport");
		lines_prose(&lines, "", "%s", safe(result->transport_note, text));
		lines_close(&lines);
	}
	if (!result->tagged) {
		lines_open(&lines, stream, "note");
		lines_prose(&lines, "",
			    "payload under 16 bytes: replies matched by source, "
			    "identifier and 16-bit sequence only");
		lines_close(&lines);
	}
	if (result->ending == ENDING_FAULT) {
		lines_open(&lines, stream, "fault");
		lines_prose(&lines, "", "%s", safe(result->fault, text));
		lines_close(&lines);
	}
}

static void print_verdict(FILE *stream, const struct result *result)
{
	char text[TEXT_LENGTH];
	struct lines lines;

	lines_open(&lines, stream, "valid");
	lines_add(&lines, "", "%s", result->reason_count == 0 ? "yes" : "no");
	for (uint32_t i = 0; i < result->reason_count; i++) {
		lines_break(&lines);
		lines_add(&lines, "", "%s: %s", result->reasons[i].code,
			  safe(result->reasons[i].text, text));
	}
	lines_close(&lines);
}

/* One target. The figures of the whole run stand among those of its only target. */
static void print_target(FILE *stream, const struct result *result,
			 const struct result_target *target)
{
	char name[TEXT_LENGTH], error[TEXT_LENGTH];
	struct lines lines;

	if (target->error[0] != '\0') {
		(void)fprintf(stream, "\n--- %s ---\n", safe(target->name, name));
		lines_open(&lines, stream, "not probed");
		lines_prose(&lines, "", "%s", safe(target->error, error));
		lines_close(&lines);
		return;
	}
	/* Where ping ends with an empty line, that is the one between its block and ours. */
	if (!ping_statistics(stream, result, target))
		(void)fputc('\n', stream);
	text_sweep(stream, result, target);
	text_mtu_search(stream, target);
	text_diagnosis(stream, target);
	text_rate(stream, result, target);
	text_times(stream, result, target);
	text_variation(stream, result, target);
	text_in_flight(stream, result, target);
	text_budget(stream, result, target);
	text_schedule(stream, result, target);
	if (result->target_count == 1)
		print_processor(stream, result);
	text_fragments(stream, result, target);
	text_capture(stream, result, target);
	text_warmup(stream, result, target);
	text_steady(stream, result, target);
	text_lost(stream, result, target);
	text_order(stream, target);
	text_arrivals(stream, target);
	text_lifetimes(stream, target);
	text_errors(stream, result, target);
	text_outages(stream, result, target);
	text_still_out(stream, result, target);
}

static int write_text(FILE *stream, const struct result *result, struct error *error)
{
	for (uint32_t i = 0; i < result->target_count; i++)
		print_target(stream, result, &result->targets[i]);
	if (result->target_count != 1) {
		(void)fputc('\n', stream);
		print_processor(stream, result);
	} else if (result->targets[0].error[0] != '\0') {
		(void)fputc('\n', stream);
	}
	text_clock(stream, result);
	text_host(stream, result);
	print_notes(stream, result);
	print_verdict(stream, result);
	if (ferror(stream))
		return error_set(error, ERROR_SYSTEM, "cannot write the report");
	return 0;
}

const struct report_row report_text = {
	.name = "text",
	.summary = "ping's lines, and below them what ping does not say",
	.write = write_text,
};
