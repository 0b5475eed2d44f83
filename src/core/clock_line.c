/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All sums are taken relative to the first mark, so that doubles hold them without loss: the
 * marks of one calibration lie within a second, 2^33 counts.
 */
#include "core/clock_line.h"

#include <math.h>
#include <string.h>

#define SHIFT	     40
#define WIDE	     4u /* marks so many times wider than the narrowest were interrupted */
#define JUMP_MIN_NS  1000.0
#define JUMP_OF_STEP 0.05

void clock_marks_init(struct clock_marks *marks)
{
	memset(marks, 0, sizeof(*marks));
}

void clock_marks_read(struct clock_marks *marks, uint64_t before, int64_t reference_ns,
		      uint64_t after)
{
	uint64_t since = marks->last_count;
	int64_t change_ns = reference_ns - marks->last_reference_ns;
	bool has_earlier = marks->has_reading;

	marks->has_reading = true;
	marks->last_count = before;
	marks->last_reference_ns = reference_ns;
	if (!has_earlier) {
		marks->went_back = marks->went_back || after < before;
		return;
	}
	if (after < before || before < since || change_ns < 0) {
		marks->went_back = true;
		return;
	}
	if (change_ns == 0)
		return;
	if (marks->step_ns == 0 || change_ns < marks->step_ns)
		marks->step_ns = change_ns;
	if (marks->narrowest.width == 0 || after - since < marks->narrowest.width)
		marks->narrowest = (struct clock_mark){.count = since,
						       .width = max_u64(after - since, 1),
						       .reference_ns = reference_ns};
}

void clock_marks_end_window(struct clock_marks *marks)
{
	if (marks->narrowest.width > 0 && marks->count < CLOCK_MARKS_MAX)
		marks->marks[marks->count++] = marks->narrowest;
	marks->narrowest.width = 0;
	/* The next reading is far from this one: a change between them is no mark. */
	marks->has_reading = false;
}

static uint64_t narrowest_width(const struct clock_marks *marks)
{
	uint64_t width = UINT64_MAX / WIDE;

	for (uint32_t i = 0; i < marks->count; i++)
		width = min_u64(width, marks->marks[i].width);
	return width;
}

uint32_t clock_marks_usable(const struct clock_marks *marks)
{
	uint64_t width_max = narrowest_width(marks) * WIDE;
	uint32_t usable = 0;

	for (uint32_t i = 0; i < marks->count; i++)
		usable += marks->marks[i].width <= width_max;
	return usable;
}

/* The marks that are used, as points relative to an origin. */
struct points {
	const struct clock_marks *marks;
	uint64_t width_max;
	uint64_t count; /* the origin */
	int64_t ns;
	uint32_t used;
	double mean_x, mean_y;
	double width; /* of the widest used one, counts */
	double span;  /* from first to last, counts */
};

static bool is_used(const struct points *points, uint32_t i)
{
	return points->marks->marks[i].width <= points->width_max;
}

static double x_of(const struct points *points, uint32_t i)
{
	const struct clock_mark *mark = &points->marks->marks[i];

	return (double)(mark->count - points->count) + (double)mark->width / 2.0;
}

static double y_of(const struct points *points, uint32_t i)
{
	return (double)(points->marks->marks[i].reference_ns - points->ns);
}

static void take_means(struct points *points)
{
	double first = -1.0, last = 0.0;

	for (uint32_t i = 0; i < points->marks->count; i++) {
		if (!is_used(points, i))
			continue;
		points->used++;
		points->mean_x += x_of(points, i);
		points->mean_y += y_of(points, i);
		points->width = fmax(points->width, (double)points->marks->marks[i].width);
		if (first < 0.0)
			first = x_of(points, i);
		last = x_of(points, i);
	}
	if (points->used == 0)
		return;
	points->mean_x /= points->used;
	points->mean_y /= points->used;
	points->span = last - first;
}

static double slope_of(const struct points *points)
{
	double xx = 0.0, xy = 0.0;

	for (uint32_t i = 0; i < points->marks->count; i++) {
		double x = x_of(points, i) - points->mean_x;

		if (!is_used(points, i))
			continue;
		xx += x * x;
		xy += x * (y_of(points, i) - points->mean_y);
	}
	return xx > 0.0 ? xy / xx : 0.0;
}

static void set_rate(struct clock_line *line, double ns_per_count)
{
	line->ns_per_count = ns_per_count;
	line->multiplier = (uint64_t)(ns_per_count * (double)(UINT64_C(1) << SHIFT) + 0.5);
}

int clock_line_fit(const struct clock_marks *marks, struct clock_line *line, struct error *error)
{
	struct points points = {.marks = marks};
	double slope, worst_ns = 0.0, allowed_ns;

	memset(line, 0, sizeof(*line));
	if (marks->went_back)
		return error_set(error, ERROR_INVALID, "the counter or its reference went back");
	if (marks->count > 0) {
		points.width_max = narrowest_width(marks) * WIDE;
		points.count = marks->marks[0].count;
		points.ns = marks->marks[0].reference_ns;
		take_means(&points);
	}
	if (points.used < CLOCK_MARKS_MIN)
		return error_set(error, ERROR_INVALID,
				 "only %u undisturbed readings of the reference, %u are needed",
				 points.used, CLOCK_MARKS_MIN);
	slope = slope_of(&points);
	/* 1 kHz to 1 THz: nothing else counts. */
	if (!(slope > 1e-3 && slope < 1e6) || points.span <= 0.0)
		return error_set(error, ERROR_INVALID, "the counter does not count");
	allowed_ns = fmax(JUMP_MIN_NS, JUMP_OF_STEP * (double)marks->step_ns);
	for (uint32_t i = 0; i < marks->count; i++) {
		double off_ns;

		if (!is_used(&points, i))
			continue;
		off_ns = fabs(y_of(&points, i) - points.mean_y -
			      slope * (x_of(&points, i) - points.mean_x));
		worst_ns = fmax(worst_ns, off_ns);
		if (off_ns > slope * (double)marks->marks[i].width / 2.0 + allowed_ns)
			return error_set(error, ERROR_INVALID,
					 "counter and reference are off each other by %.0f ns: one "
					 "of them jumps or changes its rate",
					 off_ns);
	}
	line->count = points.count;
	line->ns = points.ns;
	set_rate(line, slope);
	line->mean_count = (uint64_t)(points.mean_x + 0.5);
	line->mean_ns = points.mean_y;
	line->mean_error_ns = slope * points.width / 2.0 + worst_ns / sqrt((double)points.used);
	line->bound = (slope * points.width + 2.0 * worst_ns) / (slope * points.span);
	/* The line goes through the means, not through its first mark. */
	line->ns += (int64_t)(points.mean_y - slope * points.mean_x);
	line->mean_ns -= (double)(int64_t)(points.mean_y - slope * points.mean_x);
	return 0;
}

int clock_line_join(const struct clock_line *start, const struct clock_line *end, double tolerance,
		    struct clock_line *joined, double *drift, struct error *error)
{
	/* Whole numbers first: the two may be days apart. */
	double counts = (double)(end->count - start->count) + (double)end->mean_count -
			(double)start->mean_count;
	double ns = (double)(end->ns - start->ns) + end->mean_ns - start->mean_ns;

	*joined = *start;
	*drift = 0.0;
	if (end->count < start->count || counts <= 0.0)
		return error_set(error, ERROR_INVALID, "the counter went back");
	set_rate(joined, ns / counts);
	joined->bound = (start->mean_error_ns + end->mean_error_ns) / ns;
	*drift = joined->ns_per_count / start->ns_per_count - 1.0;
	if (fabs(*drift) > tolerance + start->bound + joined->bound)
		return error_set(
			error, ERROR_INVALID,
			"its rate over the whole run is %.3g ppm off the one at the start, "
			"more than %.3g ppm",
			*drift * 1e6, (tolerance + start->bound + joined->bound) * 1e6);
	return 0;
}

int64_t clock_line_at(const struct clock_line *line, uint64_t count)
{
	if (count < line->count)
		return line->ns -
		       (int64_t)((uint128)(line->count - count) * line->multiplier >> SHIFT);
	return line->ns + (int64_t)((uint128)(count - line->count) * line->multiplier >> SHIFT);
}
