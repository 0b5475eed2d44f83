/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long round trips took: the percentiles, what of them was the network by the kernel's
 * stamps, and how evenly they came.
 */
#include "report/text_lines.h"

#include <string.h>

#include "base/format.h"
#include "report/lines.h"

#define CELL_LENGTH	(FORMAT_LENGTH + 8)
#define GAP_WIDE	3  /* blanks between columns ... */
#define GAP_NARROW	2  /* ... and where they would not fit */
#define ROW_ROOM	67 /* columns behind the label */
#define VARIATION_LEAST 16 /* replies: what RFC 3550's average remembers */

struct column {
	double quantile; /* 0 for the maximum */
	const char *label;
};

static const struct column columns[] = {
	{0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}, {0.999, "p99.9"}, {0.0, "max"},
};

/* "p99 18 us", or "" where the sample cannot support it. */
static void cell_text(const struct result *result, const struct histogram *histogram,
		      const struct column *column, char cell[static CELL_LENGTH])
{
	char text[FORMAT_LENGTH];
	int64_t value_ns;

	cell[0] = '\0';
	if (column->quantile > 0.0 && !histogram_supports(histogram->samples, column->quantile))
		return;
	value_ns = column->quantile > 0.0 ? histogram_quantile(histogram, column->quantile)
					  : histogram->max_ns;
	(void)snprintf(cell, CELL_LENGTH, "%s %s", column->label,
		       text_duration(result, (double)value_ns, text));
}

/* One row; each cell is as wide as the wider of the two rows' cells. The line stays open. */
static void put_row(struct lines *lines, char cells[static ARRAY_LENGTH(columns)][CELL_LENGTH],
		    const size_t widths[static ARRAY_LENGTH(columns)])
{
	size_t owed = 0; /* blanks that the next cell needs before it */
	size_t gap = GAP_WIDE, all = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(columns); i++)
		all += widths[i] == 0 ? 0 : widths[i] + GAP_WIDE;
	if (all > ROW_ROOM + GAP_WIDE)
		gap = GAP_NARROW;
	for (size_t i = 0; i < ARRAY_LENGTH(columns); i++) {
		char blanks[ROW_ROOM + 2 * CELL_LENGTH];

		if (widths[i] == 0)
			continue;
		if (cells[i][0] != '\0') {
			(void)snprintf(blanks, sizeof(blanks), "%*s", (int)owed, "");
			lines_add(lines, blanks, "%s", cells[i]);
			owed = 0;
		}
		owed += widths[i] - strlen(cells[i]) + gap;
	}
}

/* ---- what a reader should know of the percentiles ---- */

/* "(+-0.04 us clock)": no unit below that of the figures it belongs to. */
static void add_clock_error(struct lines *lines, const struct result *result, const char *separator)
{
	const struct maybe *error = &result->clock.error_ns;
	char text[FORMAT_LENGTH];

	if (!error->known)
		return;
	lines_add(lines, separator, "(+-%s clock)",
		  error->value < 1000.0 ? format_duration_in(error->value, FORMAT_US, 2, text)
					: text_duration(result, error->value, text));
}

/*
 * Where a reply sends the next request, slow round trips are rare because they are slow: the
 * percentiles are those of packets. What somebody sees who looks in at any moment is the mean
 * weighted by time.
 */
static void add_circumstances(struct lines *lines, const struct result *result,
			      const struct result_target *target)
{
	char text[FORMAT_LENGTH];

	/* A sample without any percentile but the median needs no warning. */
	if (result->interval_ns > 0 || !histogram_supports(target->rtt_user->samples, 0.9)) {
		add_clock_error(lines, result, "   ");
		return;
	}
	lines_break(lines);
	lines_add(lines, "", "per packet at this load");
	if (target->time_weighted_rtt_ns.known)
		lines_add(lines, ", ", "time-weighted %s",
			  text_duration(result, target->time_weighted_rtt_ns.value, text));
	add_clock_error(lines, result, "  ");
}

/* ---- the network's part ---- */

static bool has_samples(const struct histogram *histogram, uint64_t least)
{
	return histogram != NULL && histogram->samples >= least;
}

bool text_has_stamps(const struct result_target *target)
{
	for (size_t i = 0; i < BUDGET_PARTS; i++) {
		if (!has_samples(target->budget[i], TEXT_STAMPED_LEAST))
			return false;
	}
	return has_samples(target->rtt_kernel, TEXT_STAMPED_LEAST);
}

double text_budget_median(const struct result_target *target, enum result_budget_part part)
{
	return (double)histogram_quantile(target->budget[part], 0.5);
}

/* " (p99 8.1)", the greatest percentile that is supported, its unit only if it is another. */
static const char *upper_text(const struct result *result, const struct histogram *histogram,
			      char text[static CELL_LENGTH])
{
	double q = histogram_supports(histogram->samples, 0.99) ? 0.99 : 0.9;
	char upper[FORMAT_LENGTH], median[FORMAT_LENGTH];

	text[0] = '\0';
	if (!histogram_supports(histogram->samples, q))
		return text;
	(void)text_quantile(result, histogram, q, upper);
	(void)text_quantile(result, histogram, 0.5, median);
	if (strcmp(upper + strcspn(upper, " "), median + strcspn(median, " ")) == 0)
		upper[strcspn(upper, " ")] = '\0';
	(void)snprintf(text, CELL_LENGTH, " (p%.0f %s)", q * 100.0, upper);
	return text;
}

/* Medians, of which those of two stretches are added: before and behind the network. */
static void print_network(FILE *stream, const struct result *result,
			  const struct result_target *target)
{
	double before_ns = text_budget_median(target, BUDGET_CALL_TO_QUEUE) +
			   text_budget_median(target, BUDGET_QUEUE_TO_DRIVER);
	double after_ns = text_budget_median(target, BUDGET_DRIVER_TO_SOCKET) +
			  text_budget_median(target, BUDGET_SOCKET_TO_US);
	char text[FORMAT_LENGTH], upper[CELL_LENGTH], other[FORMAT_LENGTH];
	struct lines lines;

	lines_open(&lines, stream, "  of that");
	lines_prose(&lines, "", "network %s%s by the kernel's stamps",
		    text_quantile(result, target->rtt_kernel, 0.5, text),
		    upper_text(result, target->rtt_kernel, upper));
	if (result->stamp_every > 1)
		lines_prose(&lines, " ", "on 1 in %u;", result->stamp_every);
	else
		lines_prose(&lines, " ", "on every request;");
	lines_prose(&lines, " ", "this host %s before and %s after",
		    text_duration(result, before_ns, text), text_duration(result, after_ns, other));
	if (has_samples(target->rtt_hardware, TEXT_STAMPED_LEAST))
		lines_prose(&lines, "; ", "%s by the interface's stamps",
			    text_quantile(result, target->rtt_hardware, 0.5, text));
	lines_close(&lines);
}

/* ---- the lines ---- */

/*
 * Both round-trip times side by side where the network's part is not known: from our send call to
 * our receive call, and to the moment at which the kernel had the reply. Their distance is the
 * time that replies waited for us.
 */
void text_times(FILE *stream, const struct result *result, const struct result_target *target)
{
	bool is_split = text_has_stamps(target);
	const struct histogram *rows[] = {target->rtt_user, is_split ? NULL : target->rtt_ping};
	static const char *const labels[] = {"rtt", "  to kernel"};
	char cells[ARRAY_LENGTH(rows)][ARRAY_LENGTH(columns)][CELL_LENGTH];
	size_t widths[ARRAY_LENGTH(columns)] = {0};
	struct lines lines;

	memset(cells, 0, sizeof(cells));
	for (size_t row = 0; row < ARRAY_LENGTH(rows); row++) {
		for (size_t i = 0; i < ARRAY_LENGTH(columns) && has_samples(rows[row], 1); i++) {
			cell_text(result, rows[row], &columns[i], cells[row][i]);
			widths[i] = max_u64(widths[i], strlen(cells[row][i]));
		}
	}
	for (size_t row = 0; row < ARRAY_LENGTH(rows); row++) {
		if (!has_samples(rows[row], 1))
			continue;
		lines_open(&lines, stream, labels[row]);
		put_row(&lines, cells[row], widths);
		if (row == 0)
			add_circumstances(&lines, result, target);
		lines_close(&lines);
	}
	if (is_split)
		print_network(stream, result, target);
}

/*
 * "1.2 us", how far a quantile is above the least sample. Both in one bucket: nothing more is
 * known than that they are closer than its width.
 */
static const char *variation_text(const struct result *result, const struct histogram *histogram,
				  double q, char text[static CELL_LENGTH])
{
	int64_t quantile_ns = histogram_quantile(histogram, q);
	uint32_t bucket = histogram_bucket(quantile_ns);
	int64_t above_ns = quantile_ns - histogram->min_ns;
	bool is_close = above_ns > 0 && bucket == histogram_bucket(histogram->min_ns);
	char figure[FORMAT_LENGTH];

	if (is_close)
		above_ns = histogram_bucket_high(bucket) - histogram->min_ns;
	(void)snprintf(text, CELL_LENGTH, "%s%s", is_close ? "below " : "",
		       text_duration(result, (double)above_ns, figure));
	return text;
}

void text_variation(FILE *stream, const struct result *result, const struct result_target *target)
{
	const struct histogram *rtt = target->rtt_user;
	char text[CELL_LENGTH], jitter[FORMAT_LENGTH];
	struct lines lines;

	if (result->interval_ns <= 0 || !target->rfc3550_ns.known ||
	    !has_samples(rtt, VARIATION_LEAST))
		return;
	lines_open(&lines, stream, "variation");
	lines_add(&lines, "", "p50 %s", variation_text(result, rtt, 0.5, text));
	if (histogram_supports(rtt->samples, 0.99))
		lines_add(&lines, ", ", "p99 %s", variation_text(result, rtt, 0.99, text));
	lines_add(&lines, " ", "above the least");
	lines_add(&lines, "   ", "jitter %s (RFC 3550)",
		  text_duration(result, target->rfc3550_ns.value, jitter));
	lines_close(&lines);
}
