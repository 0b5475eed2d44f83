/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sweep as two tables with a row for each kind of request: what it took, and what was lost and
 * moved. Every column has one unit, in its head, so that a column can be read from top to bottom.
 */
#include "report/text_lines.h"

#include <string.h>

#include "base/format.h"
#include "report/lines.h"

#define CELL_LENGTH 40
#define US	    1e3
#define MS	    1e6

/* The unit that the times of a table are told in: that of the fastest median. */
struct table_unit {
	const char *name;
	double ns;
};

static struct table_unit choose_unit(const struct result_target *target)
{
	for (uint32_t i = 0; i < target->point_count; i++) {
		const struct histogram *rtt = target->points[i].rtt_user;

		if (rtt != NULL && rtt->samples > 0 && (double)histogram_quantile(rtt, 0.5) < MS)
			return (struct table_unit){"us", US};
	}
	return (struct table_unit){"ms", MS};
}

/* A time in the unit of the table, no finer than the clock could tell. */
static const char *time_cell(const struct result *result, struct table_unit unit, double ns,
			     char cell[static CELL_LENGTH])
{
	double shown = (double)result_shown_ns(result, (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5));
	double value = shown / unit.ns;
	double size = value < 0.0 ? -value : value;
	int decimals = size < 10.0 ? 2 : size < 1000.0 ? 1 : 0;

	(void)snprintf(cell, CELL_LENGTH, "%.*f", decimals, value);
	return cell;
}

static const char *quantile_cell(const struct result *result, struct table_unit unit,
				 const struct histogram *rtt, double q,
				 char cell[static CELL_LENGTH])
{
	if (rtt == NULL || rtt->samples == 0 || (q > 0.0 && !histogram_supports(rtt->samples, q)))
		return "-";
	return time_cell(result, unit,
			 (double)(q > 0.0 ? histogram_quantile(rtt, q) : rtt->min_ns), cell);
}

static const char *pieces_cell(const struct result_target *point, char cell[static CELL_LENGTH])
{
	const struct result_fragments *fragments = &point->fragments;

	if (!fragments->known)
		return "?";
	if (point->has_cut && fragments->per_request > 1)
		(void)snprintf(cell, CELL_LENGTH, "%u/1", fragments->per_request);
	else
		(void)snprintf(cell, CELL_LENGTH, "%u", fragments->per_request);
	return cell;
}

static const char *step_cell(const struct result *result, struct table_unit unit,
			     const struct estimate *step, char cell[static CELL_LENGTH])
{
	char value[CELL_LENGTH], low[CELL_LENGTH], high[CELL_LENGTH];

	if (!step->known)
		return "";
	(void)snprintf(cell, CELL_LENGTH, "%.12s [%.10s, %.10s]",
		       time_cell(result, unit, step->value, value),
		       time_cell(result, unit, step->low, low),
		       time_cell(result, unit, step->high, high));
	return cell;
}

/* Replies whose pieces are not those of the requests. */
static void print_times(FILE *stream, const struct result *result,
			const struct result_target *target)
{
	struct table_unit unit = choose_unit(target);
	char p50[CELL_LENGTH], p99[CELL_LENGTH], min[CELL_LENGTH], pieces[CELL_LENGTH];
	char step[CELL_LENGTH];

	(void)fprintf(stream, "%7s %6s %7s %7s %7s %7s %7s  %s\n", "payload", "pieces", "wire",
		      "samples", "p50", "p99", "min", "step at the boundary");
	(void)fprintf(stream, "%7s %6s %7s %7s %7s %7s %7s  %s [95 %%]\n", "bytes", "", "bytes", "",
		      unit.name, unit.name, unit.name, unit.name);
	for (uint32_t i = 0; i < target->point_count; i++) {
		const struct result_target *point = &target->points[i];
		const struct histogram *rtt = point->rtt_user;
		const char *last = step_cell(result, unit, &point->boundary_step_ns, step);

		(void)fprintf(stream, "%7u %6s %7llu %7llu %7s %7s %7s%s%s\n",
			      point->payload_bytes, pieces_cell(point, pieces),
			      (unsigned long long)point->fragments.wire_bytes,
			      (unsigned long long)point->tally.received,
			      quantile_cell(result, unit, rtt, 0.5, p50),
			      quantile_cell(result, unit, rtt, 0.99, p99),
			      quantile_cell(result, unit, rtt, 0.0, min), *last == '\0' ? "" : "  ",
			      last);
	}
}

/* "5.2 [4.1, 6.6]" in per cent. */
static const char *loss_cell(const struct maybe *loss, const struct maybe_interval *interval,
			     char cell[static CELL_LENGTH])
{
	char value[FORMAT_LENGTH], low[FORMAT_LENGTH], high[FORMAT_LENGTH];

	if (!loss->known || !interval->known)
		return "-";
	(void)snprintf(cell, CELL_LENGTH, "%.10s [%.8s, %.8s]",
		       format_significant(loss->value * 100.0, 2, value),
		       format_significant(interval->low * 100.0, 2, low),
		       format_significant(interval->high * 100.0, 2, high));
	return cell;
}

static const char *number_cell(const struct maybe *value, double unit, unsigned digits,
			       char cell[static FORMAT_LENGTH])
{
	return value->known ? format_significant(value->value / unit, digits, cell) : "-";
}

static void print_losses(FILE *stream, const struct result_target *target)
{
	char loss[CELL_LENGTH], each[CELL_LENGTH], rate[FORMAT_LENGTH], bytes[FORMAT_LENGTH];

	(void)fprintf(stream, "\n%8s %8s %8s %20s %20s %10s\n", "payload", "lost", "round",
		      "loss", "per fragment", "goodput");
	(void)fprintf(stream, "%8s %8s %8s %20s %20s %10s\n", "bytes", "", "trips/s",
		      "% [95 %]", "if one way loses", "MB/s");
	for (uint32_t i = 0; i < target->point_count; i++) {
		const struct result_target *point = &target->points[i];
		const struct result_fragments *fragments = &point->fragments;

		(void)fprintf(stream, "%8u %8llu %8s %20s %20s %10s\n", point->payload_bytes,
			      (unsigned long long)point->tally.lost,
			      number_cell(&point->received_per_s, 1.0, 4, rate),
			      loss_cell(&point->loss, &point->loss_ci95, loss),
			      loss_cell(&fragments->loss_one_way, &fragments->loss_one_way_ci95,
					each),
			      number_cell(&point->payload_bytes_per_s, 1e6, 4, bytes));
	}
}

static enum format_unit unit_of(double ns)
{
	double size = ns < 0 ? -ns : ns;

	if (size >= (double)NANOSECONDS_PER_MILLISECOND)
		return FORMAT_MS;
	return size >= US ? FORMAT_US : FORMAT_NS;
}

/* "a fragment costs 2.8 us [2.3, 3.2]". */
static void add_term(struct lines *lines, const char *separator, const char *words,
		     const struct estimate *estimate)
{
	static const double scales[] = {[FORMAT_NS] = 1.0, [FORMAT_US] = US, [FORMAT_MS] = MS};
	enum format_unit unit = unit_of(estimate->value);
	char value[FORMAT_LENGTH], low[FORMAT_LENGTH], high[FORMAT_LENGTH];

	if (!estimate->known)
		return;
	lines_prose(lines, separator, "%s %s [%s, %s]", words,
		    format_duration_in(estimate->value, unit, 3, value),
		    format_significant(estimate->low / scales[unit], 3, low),
		    format_significant(estimate->high / scales[unit], 3, high));
}

static void print_fit(FILE *stream, const struct result_target *target)
{
	const struct size_fit *fit = &target->fit;
	const char *separator = "";
	struct lines lines;
	char text[FORMAT_LENGTH];

	lines_open(&lines, stream, "costs");
	if (fit->per_fragment_ns.known) {
		double first_ns = fit->per_fragment_ns.value + fit->first_fragmentation_ns.value;

		add_term(&lines, "",
			 target->points[0].has_cut ? "a fragment of the request costs"
						   : "a fragment each way costs",
			 &fit->per_fragment_ns);
		if (fit->first_fragmentation_ns.known)
			lines_prose(&lines, ", ", "the first one %s",
				    format_duration_in(first_ns, unit_of(first_ns), 3, text));
		separator = "; ";
	}
	if (fit->per_byte_ns.known) {
		add_term(&lines, separator, "a byte", &fit->per_byte_ns);
		separator = "; ";
	}
	add_term(&lines, separator, "all the rest", &fit->base_ns);
	if (fit->why_not != NULL && fit->why_not[0] != '\0') {
		lines_break(&lines);
		lines_prose(&lines, "", "%s cannot be told: %s",
			    fit->base_ns.known || fit->per_byte_ns.known ? "what else it costs"
									 : "what it costs",
			    fit->why_not);
	}
	lines_close(&lines);
}

static void print_loss_model(FILE *stream, const struct result_target *target)
{
	const struct loss_model *model = &target->loss_model;
	char value[FORMAT_LENGTH], low[FORMAT_LENGTH], high[FORMAT_LENGTH];
	struct lines lines;

	if (model->verdict == LOSS_MODEL_NONE)
		return;
	lines_open(&lines, stream, "losses");
	lines_prose(&lines, "", "%s", loss_model_sentence(model->verdict));
	if (model->why_unknown[0] != '\0')
		lines_prose(&lines, ": ", "%s", model->why_unknown);
	if (model->slope.known)
		lines_prose(&lines, " ", "(slope %s [%s, %s], 1 is independent)",
			    format_significant(model->slope.value, 2, value),
			    format_significant(model->slope.low, 2, low),
			    format_significant(model->slope.high, 2, high));
	if (model->loss_per_fragment.known) {
		lines_break(&lines);
		lines_prose(&lines, "", "each with %s %% [%s, %s], if one way loses",
			    format_significant(model->loss_per_fragment.value * 100.0, 3, value),
			    format_significant(model->loss_per_fragment.low * 100.0, 3, low),
			    format_significant(model->loss_per_fragment.high * 100.0, 3, high));
	}
	lines_close(&lines);
}

void text_sweep(FILE *stream, const struct result *result, const struct result_target *target)
{
	if (target->sweep == NULL)
		return;
	print_times(stream, result, target);
	print_losses(stream, target);
	(void)fputc('\n', stream);
	print_fit(stream, target);
	print_loss_model(stream, target);
}
