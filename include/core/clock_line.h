/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast a counter counts, found against a reference clock. Both are read in turn; each change of
 * the reference is an event whose moment lies between two readings of the counter: a mark, as wide
 * as these are apart. That works for a reference of nanoseconds, which changes at every reading,
 * and for one that steps 250 times a second, of which only the steps say when they are. Of the
 * marks of a while the narrowest counts, since a wide one was interrupted.
 *
 * A line through the marks of the first half second converts counts to ns while a run goes on; at
 * its end new marks are made, and the line through both is what the run is converted by.
 */
#ifndef FPING_BENCH_CORE_CLOCK_LINE_H
#define FPING_BENCH_CORE_CLOCK_LINE_H

#include "base/error.h"

#define CLOCK_MARKS_MAX 256u
#define CLOCK_MARKS_MIN 8u

/* The reference turned to reference_ns when the counter stood between count and count + width. */
struct clock_mark {
	uint64_t count;
	uint64_t width;
	int64_t reference_ns;
};

struct clock_marks {
	struct clock_mark marks[CLOCK_MARKS_MAX];
	uint32_t count;
	struct clock_mark narrowest; /* of the current window; width 0: none */
	bool has_reading;
	uint64_t last_count;         /* the counter before the last reading of the reference */
	int64_t last_reference_ns;
	int64_t step_ns;             /* smallest change of the reference seen, 0: none */
	bool went_back;              /* counter or reference was less than before */
};

struct clock_line {
	uint64_t count;         /* a point of the line */
	int64_t ns;
	double ns_per_count;
	double bound;           /* relative, of ns_per_count */
	uint64_t multiplier;    /* ns_per_count x 2^40 */
	/* means of the marks, relative to the first one: what a second line is joined to */
	uint64_t mean_count;
	double mean_ns;         /* relative to ns */
	double mean_error_ns;   /* bound of what that mean is wrong by */
};

/* No marks yet. */
void clock_marks_init(struct clock_marks *marks);

/* One reading: counter, reference, counter. Readings follow each other closely within a window. */
void clock_marks_read(struct clock_marks *marks, uint64_t before, int64_t reference_ns,
		      uint64_t after);

/* Ends a window: its narrowest mark is kept, if there was one and there is room. */
void clock_marks_end_window(struct clock_marks *marks);

/* How many marks a line would use: those that are not much wider than the narrowest. */
uint32_t clock_marks_usable(const struct clock_marks *marks);

/*
 * The line through the marks by least squares. Its bound: the half widths of two marks and the
 * largest residual, over the span. -ERROR_INVALID, with a sentence, where there are too few marks,
 * where counter or reference went back, or where a mark lies off the line by more than its width
 * and a microsecond (or 1/20 of the reference's step, which a late interrupt may delay): one of
 * the two has jumped, or changes its rate.
 */
int clock_line_fit(const struct clock_marks *marks, struct clock_line *line,
		   struct error *error) MUST_CHECK;

/*
 * The line through the marks of the start and those of the end. drift receives the relative
 * difference of its rate to the one of the start; more than tolerance and the bounds of both is
 * -ERROR_INVALID with a sentence, and joined is the line all the same.
 */
int clock_line_join(const struct clock_line *start, const struct clock_line *end,
		    double tolerance, struct clock_line *joined, double *drift,
		    struct error *error) MUST_CHECK;

/* The time at this count, in ns of the reference; rounding costs 2 parts in 10^12. */
int64_t clock_line_at(const struct clock_line *line, uint64_t count);

#endif
