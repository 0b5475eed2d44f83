/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What went wrong with one target, in lines: what was lost and why, what else arrived, errors,
 * outages, and what was still out when the run ended.
 */
#include "report/text_lines.h"

#include <string.h>

#include "base/format.h"
#include "report/lines.h"

#define ERRORS_SHOWN 8u
#define TEXT_LENGTH  256
#define MIXED_SHOWN 3u /* pairs of requests that are named */

static const char *safe(const char *from, char text[static TEXT_LENGTH])
{
	(void)format_escape(from, strlen(from), text, TEXT_LENGTH);
	return text;
}

/* Adds "3 duplicates" to a list, nothing for 0. */
static void add_count(struct lines *lines, uint64_t count, const char *before, const char *after)
{
	if (count > 0)
		lines_add(lines, ", ", "%s%llu %s", before, (unsigned long long)count, after);
}

/* Whether losses came together, which a mean does not show. */
static void add_loss_runs(struct lines *lines, const struct result_target *target)
{
	bool is_all = target->loss_runs_left_out == 0;
	uint64_t runs = target->loss_runs_left_out, longest;

	if (target->tally.lost < 2 || target->loss_run_count == 0)
		return;
	for (uint32_t i = 0; i < target->loss_run_count; i++)
		runs += target->loss_runs[i].count;
	longest = target->loss_runs[target->loss_run_count - 1].length;
	lines_break(lines);
	if (longest == 1 && is_all)
		lines_add(lines, "", "never two in a row");
	else if (runs == 1)
		lines_add(lines, "", "all of them in a row");
	else
		lines_add(lines, "", "in %llu runs, the longest of %s%llu",
			  (unsigned long long)runs, is_all ? "" : "at least ",
			  (unsigned long long)longest);
}

void text_lost(FILE *stream, const struct result *result, const struct result_target *target)
{
	const struct tally *tally = &target->tally;
	char loss[FORMAT_LENGTH], low[FORMAT_LENGTH], high[FORMAT_LENGTH], late[TEXT_LENGTH];
	struct lines lines;

	if (tally->lost == 0 || result_is_search(result))
		return;
	lines_open(&lines, stream, "lost");
	lines_add(
		&lines, "", "%llu of %llu", (unsigned long long)tally->lost,
		(unsigned long long)(tally->sent - min_u64(tally->sent, tally->in_flight_at_end)));
	if (target->loss.known && target->loss_ci95.known)
		lines_add(&lines, ", ", "%s (95 %% interval %s to %s)",
			  format_ratio(target->loss.value, loss),
			  format_ratio(target->loss_ci95.low, low),
			  format_ratio(target->loss_ci95.high, high));
	lines_break(&lines);
	add_count(&lines, tally->lost_unknown, "", "never answered");
	add_count(&lines, tally->lost_error_reply, "", "answered by an error");
	add_count(&lines, tally->lost_damaged_reply, "", "answered by damaged data");
	(void)snprintf(late, sizeof(late), "answered later than %s",
		       format_duration_exact(result->configuration->timeout_ns, loss));
	add_count(&lines, tally->lost_late_reply, "", late);
	add_count(&lines, tally->lost_local_receive_drop, "at most ", "dropped at our own socket");
	add_loss_runs(&lines, target);
	lines_close(&lines);
}

/* Replies that were overtaken (RFC 4737), and by how many. */
void text_order(FILE *stream, const struct result_target *target)
{
	uint64_t count = target->tally.reordered;
	char text[FORMAT_LENGTH];
	struct lines lines;

	if (count == 0)
		return;
	lines_open(&lines, stream, "order");
	lines_add(&lines, "", "%llu of %llu replies out of order", (unsigned long long)count,
		  (unsigned long long)target->tally.received);
	if (target->reordered_ratio.known)
		lines_add(&lines, " ", "(%s)", format_ratio(target->reordered_ratio.value, text));
	if (target->reorder_extent_max > 0)
		lines_add(&lines, ", ", "by up to %llu place%s",
			  (unsigned long long)target->reorder_extent_max,
			  target->reorder_extent_max == 1 ? "" : "s");
	if (target->reorder_extent_p99.known)
		lines_add(&lines, ", ", "p99 %s",
			  format_significant(target->reorder_extent_p99.value, 3, text));
	lines_close(&lines);
}

/* "mixed from two requests (1 with 2, 5 with 7)": the first ones by their numbers. */
static void mixed_text(const struct result_target *target, char text[static TEXT_LENGTH])
{
	uint32_t shown = (uint32_t)min_u64(target->mixed_count, MIXED_SHOWN);
	size_t used = (size_t)snprintf(text, TEXT_LENGTH, "mixed from two requests");

	for (uint32_t i = 0; i < shown; i++) {
		const struct result_mixed *mixed = &target->mixed[i];

		used += (size_t)snprintf(text + used, TEXT_LENGTH - used, "%s%llu with %.0llu%s",
					 i == 0 ? " (" : ", ", (unsigned long long)mixed->request,
					 (unsigned long long)mixed->other,
					 mixed->other == 0 ? "one forgotten" : "");
	}
	if (shown > 0)
		(void)snprintf(text + used, TEXT_LENGTH - used, "%s)",
			       target->tally.mixed > shown ? ", ..." : "");
}

void text_arrivals(FILE *stream, const struct result_target *target)
{
	const struct tally *tally = &target->tally;
	char truncated[TEXT_LENGTH], mixed[TEXT_LENGTH];
	const struct {
		uint64_t count;
		const char *what;
	} arrivals[] = {
		{tally->duplicates, "duplicates"},
		{tally->other_responders, "from further hosts"},
		{tally->late, "late"},
		{tally->corrupt, "corrupt"},
		{tally->truncated, truncated},
		{tally->mixed, mixed},
		{tally->forged, "forged"},
		{tally->wrong_source, "from a wrong source"},
		{tally->bad_checksum, "with a bad checksum"},
		{tally->short_packets, "too short"},
		{tally->bad_header, "with a bad header"},
		{tally->clock_errors, "older than their request"},
		{tally->foreign, "foreign"},
	};
	bool is_open = false;
	struct lines lines;

	(void)snprintf(truncated, sizeof(truncated), "truncated (shortest %u of %u bytes)",
		       tally->shortest_reply, target->payload_bytes);
	mixed_text(target, mixed);
	for (size_t i = 0; i < ARRAY_LENGTH(arrivals); i++) {
		if (arrivals[i].count == 0)
			continue;
		if (!is_open)
			lines_open(&lines, stream, "arrivals");
		is_open = true;
		add_count(&lines, arrivals[i].count, "", arrivals[i].what);
	}
	if (is_open)
		lines_close(&lines);
}

/* More than one time to live: the way back is not always the same, or not everybody's. */
void text_lifetimes(FILE *stream, const struct result_target *target)
{
	unsigned long long changes = target->reply_ttl_changes;
	struct lines lines;

	if (target->reply_ttl_count < 2)
		return;
	lines_open(&lines, stream, "ttl");
	for (uint32_t i = 0; i < target->reply_ttl_count; i++)
		lines_add(&lines, i == 0 ? "" : ", ", "%s%d", i == 0 ? "" : "then ",
			  target->reply_ttl[i]);
	if (changes > 0)
		lines_add(&lines, " ", "(%llu change%s)", changes, changes == 1 ? "" : "s");
	lines_add(&lines, ": ", "%s",
		  target->tally.other_responders > 0 ? "several hosts answer" : "the path moved");
	lines_close(&lines);
}

/* Whether requests that met this error were the price of learning the path's MTU. */
static bool is_learning(const struct result *result, const struct result_target *target,
			const struct result_error *error)
{
	enum configuration_path_mtu mode = result->configuration->path_mtu;

	return error->mtu > 0 && error->type >= 0 && target->tally.received > 0 &&
	       (mode == PATH_MTU_WANT || mode == PATH_MTU_DONT ||
		(mode == PATH_MTU_DEFAULT && target->family == 6));
}

static void add_error(struct lines *lines, const struct result *result,
		      const struct result_target *target, const struct result_error *error)
{
	char text[TEXT_LENGTH], from[TEXT_LENGTH], mtu[32] = "";

	if (error->mtu > 0)
		(void)snprintf(mtu, sizeof(mtu), " (mtu %u)", error->mtu);
	lines_break(lines);
	lines_add(lines, "", "%llu x %s%s %s%s", (unsigned long long)error->count,
		  safe(error->text, text), mtu, error->from[0] == '\0' ? "" : "from ",
		  error->from[0] == '\0' ? "on this host" : safe(error->from, from));
	if (is_learning(result, target, error))
		lines_add(lines, ", ", "lost to learning the path MTU");
}

void text_errors(FILE *stream, const struct result *result, const struct result_target *target)
{
	uint64_t all = target->tally.icmp_errors + target->tally.send_errors, shown = 0;
	struct lines lines;

	if (target->error_count == 0)
		return;
	lines_open(&lines, stream, "errors");
	for (uint32_t i = 0; i < target->error_count && i < ERRORS_SHOWN; i++) {
		add_error(&lines, result, target, &target->errors[i]);
		shown += target->errors[i].count;
	}
	if (shown < all) {
		lines_break(&lines);
		lines_add(&lines, "", "%llu of other kinds", (unsigned long long)(all - shown));
	}
	lines_close(&lines);
}

/* A time since the start, to the millisecond. */
static const char *instant_text(const struct result *result, int64_t ns,
				char text[static FORMAT_LENGTH])
{
	int64_t ms = (result_shown_ns(result, ns) + NANOSECONDS_PER_MILLISECOND / 2) /
		     NANOSECONDS_PER_MILLISECOND;

	return format_duration_in((double)(ms * NANOSECONDS_PER_MILLISECOND), FORMAT_S, 15, text);
}

void text_outages(FILE *stream, const struct result *result, const struct result_target *target)
{
	char text[TEXT_LENGTH], from[FORMAT_LENGTH], to[FORMAT_LENGTH];
	struct lines lines;

	if (target->outage_count == 0)
		return;
	lines_open(&lines, stream, "outages");
	for (uint32_t i = 0; i < target->outage_count; i++) {
		const struct result_outage *outage = &target->outages[i];

		lines_break(&lines);
		lines_add(&lines, "", "%s to %s: %s", instant_text(result, outage->from_ns, from),
			  instant_text(result, outage->to_ns, to), safe(outage->what, text));
	}
	lines_close(&lines);
}

void text_still_out(FILE *stream, const struct result *result, const struct result_target *target)
{
	static const char *const endings[] = {
		[ENDING_COMPLETE] = "when all was done",
		[ENDING_DEADLINE] = "at the deadline",
		[ENDING_INTERRUPTED] = "by a signal",
		[ENDING_FAULT] = "by a fault",
	};
	struct lines lines;

	if (target->tally.in_flight_at_end == 0)
		return;
	lines_open(&lines, stream, "ended");
	lines_add(&lines, "", "%s, %llu still waited for and not counted as lost",
		  endings[result->ending], (unsigned long long)target->tally.in_flight_at_end);
	lines_close(&lines);
}
