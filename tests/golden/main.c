/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares reports byte for byte with the files in tests/golden/expected, and holds every report
 * to what no expected file should have to be read for: the text is at most 80 columns wide and
 * has no blank at the end of a line, and the JSON is strict and has every key of the schema.
 *
 * usage: golden [--update]   (from the top of the tree; --update writes the files anew)
 */
#include "golden/golden.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

#define EXPECTED "tests/golden/expected/"

static bool is_updating;
static bool has_failed;

static void outcome(bool passed, const char *name, const char *part, const char *reason)
{
	has_failed = has_failed || !passed;
	if (passed)
		printf("ok golden/%s%s\n", name, part);
	else
		printf("not ok golden/%s%s: %s\n", name, part, reason);
}

/* The whole of a file, ended by a NUL; NULL if it cannot be read. */
static char *read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0;
	ssize_t length;

	if (file == NULL)
		return NULL;
	length = getdelim(&text, &size, '\0', file);
	(void)fclose(file);
	if (length < 0) {
		free(text);
		return strdup("");
	}
	return text;
}

static void compare(const char *name, const char *suffix, const char *actual)
{
	char path[256], reason[512];
	char *expected;
	FILE *file;
	size_t same = 0, line = 1;

	(void)snprintf(path, sizeof(path), EXPECTED "%s%s", name, suffix);
	if (is_updating) {
		file = fopen(path, "wb");
		if (file == NULL || fputs(actual, file) < 0 || fclose(file) != 0) {
			outcome(false, name, suffix, "cannot write the expected file");
			return;
		}
	}
	expected = read_file(path);
	if (expected == NULL) {
		outcome(false, name, suffix, "there is no expected file");
		return;
	}
	while (expected[same] != '\0' && expected[same] == actual[same])
		line += expected[same++] == '\n';
	(void)snprintf(reason, sizeof(reason), "differs in line %zu: \"%.60s\"", line,
		       actual + same);
	reason[strcspn(reason, "\n")] = '\0';
	outcome(strcmp(expected, actual) == 0, name, suffix, reason);
	free(expected);
}

/* ---- what holds for every report ---- */

static bool is_ping_line(const char *line, size_t length)
{
	return strncmp(line, "--- ", 4) == 0 || strncmp(line, "rtt min/", 8) == 0 ||
	       memmem(line, length, " packets transmitted, ", 22) != NULL;
}

static void check_layout(const char *name, const char *text)
{
	const char *reason = NULL;

	while (*text != '\0') {
		size_t length = strcspn(text, "\n"), columns = 0;

		for (size_t i = 0; i < length; i++)
			columns += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (columns > 80 && !is_ping_line(text, length))
			reason = "wider than 80 columns";
		if (length > 0 && text[length - 1] == ' ')
			reason = "blanks at the end of a line";
		if (text[length] != '\n')
			reason = "the last line has no end";
		text += length + (text[length] == '\n');
	}
	outcome(reason == NULL, name, "/layout", reason);
}

/* Whether the members of object start with these keys, in this order. */
static bool has_keys(json_t *object, const char *const *keys)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		if (*keys == NULL)
			return true;
		if (strcmp(key, *keys++) != 0)
			return false;
	}
	return *keys == NULL;
}

static void check_json(const char *name, const char *text)
{
	static const char *const root_keys[] = {
		"schema",   "program", "command", "started",  "environment", "clock",	"mode",
		"settings", "targets", "cpu",	  "counters", "valid",	     "refused", NULL};
	static const char *const target_keys[] = {"name",
						  "address",
						  "family",
						  "interface",
						  "source",
						  "mtu",
						  "path_mtu",
						  "link_bits_per_s",
						  "error",
						  "elapsed_ns",
						  "reply_ttl",
						  "sent",
						  "received",
						  "lost",
						  "in_flight_at_end",
						  "lost_by_cause",
						  "duplicates",
						  "reordered",
						  "late",
						  "corrupt",
						  "truncated",
						  "mixed",
						  "forged",
						  "wrong_source",
						  "bad_checksum",
						  "short",
						  "bad_header",
						  "clock_errors",
						  "foreign",
						  "icmp_errors",
						  "send_errors",
						  "local_drops",
						  "warmup",
						  "loss",
						  "loss_ci95",
						  "loss_runs",
						  "rate",
						  "throughput",
						  "rtt",
						  "lateness",
						  "delay_variation",
						  "reordering",
						  "in_flight",
						  "budget",
						  "fragments",
						  "errors",
						  "outages",
						  "points",
						  "fit",
						  "diagnosis",
						  "find_rate",
						  "find_mtu",
						  "runs",
						  NULL};
	static const char *const settings_keys[] = {
		"count",	 "interval_ns", "rate_per_s", "depth",	"payload_bytes",
		"timeout_ns",	 "warmup",	"transport",  "stamps", "stamp_every",
		"path_mtu_mode", "threads",	"repeat",     NULL};
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error), *target;
	bool good = root != NULL;
	size_t i;

	if (good) {
		good = has_keys(root, root_keys) &&
		       has_keys(json_object_get(root, "settings"), settings_keys);
		json_array_foreach(json_object_get(root, "targets"), i, target) good =
			good && has_keys(target, target_keys);
	}
	outcome(good, name, "/schema", root == NULL ? error.text : "keys are missing or misplaced");
	json_decref(root);
}

/* ---- running ---- */

static char *render(const struct report_row *report, const struct result *result)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	struct error error;

	if (stream == NULL)
		return NULL;
	if (report->write(stream, result, &error) != 0)
		(void)fprintf(stream, "error: %s\n", error.text);
	(void)fclose(stream);
	return text;
}

static void run_case(const struct golden_case *golden)
{
	static struct golden_run run;
	char *text, *json;

	golden->build(&run);
	text = render(&report_text, &run.result);
	json = render(&report_json, &run.result);
	if (text != NULL && json != NULL) {
		compare(golden->name, ".txt", text);
		compare(golden->name, ".json", json);
		check_layout(golden->name, text);
		check_json(golden->name, json);
	} else {
		outcome(false, golden->name, "", "no memory");
	}
	free(text);
	free(json);
}

static void run_lines(const char *name, void (*print)(FILE *stream))
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (stream == NULL) {
		outcome(false, name, "", "no memory");
		return;
	}
	print(stream);
	(void)fclose(stream);
	compare(name, ".txt", text);
	free(text);
}

/* A report that cannot be written says so. */
static void run_full_disk(void)
{
	static struct golden_run run;

	golden_cases[0].build(&run);
	for (size_t i = 0; report_rows[i] != NULL; i++) {
		FILE *full = fopen("/dev/full", "w");
		struct error error;
		int status;

		if (full == NULL) {
			printf("skip golden/full-disk/%s: no /dev/full\n", report_rows[i]->name);
			continue;
		}
		(void)setvbuf(full, NULL, _IONBF, 0);
		status = report_rows[i]->write(full, &run.result, &error);
		(void)fclose(full);
		outcome(status < 0 && report_find(report_rows[i]->name) == report_rows[i],
			"full-disk/", report_rows[i]->name, "the failed write went unnoticed");
	}
}

int main(int argc, char **argv)
{
	is_updating = argc == 2 && strcmp(argv[1], "--update") == 0;
	if (argc > 1 && !is_updating) {
		(void)fprintf(stderr, "usage: golden [--update]\n");
		return 2;
	}
	for (const struct golden_case *golden = golden_cases; golden->name != NULL; golden++)
		run_case(golden);
	for (const struct golden_case *golden = golden_time_cases; golden->name != NULL; golden++)
		run_case(golden);
	for (const struct golden_case *golden = golden_series_cases; golden->name != NULL; golden++)
		run_case(golden);
	run_lines("banners", golden_print_banners);
	run_lines("observations", golden_print_observations);
	run_lines("live", golden_print_live);
	run_lines("status", golden_print_status);
	run_full_disk();
	return has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
