/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of the text report; report_text.c puts them in order. Each prints nothing where it
 * has nothing to say.
 */
#ifndef FPING_BENCH_REPORT_TEXT_LINES_H
#define FPING_BENCH_REPORT_TEXT_LINES_H

#include <stdio.h>

#include "base/format.h"
#include "core/result.h"

#define TEXT_STAMPED_LEAST 10 /* requests with all stamps, before a figure is made of them */

/* Whether single replies are of interest rather than rates: a schedule of 0.1 s or slower. */
bool text_is_slow(const struct result *result);

/* A time by the run's clock, with its unit and no finer than that clock could tell. */
const char *text_duration(const struct result *result, double ns, char text[static FORMAT_LENGTH]);
const char *text_quantile(const struct result *result, const struct histogram *histogram, double q,
			  char text[static FORMAT_LENGTH]);

/* Whether enough requests have all their stamps. The median of a stretch of them, in ns, if so. */
bool text_has_stamps(const struct result_target *target);
double text_budget_median(const struct result_target *target, enum result_budget_part part);

/* What the run measured. */
void text_rate(FILE *stream, const struct result *result, const struct result_target *target);
void text_times(FILE *stream, const struct result *result, const struct result_target *target);
void text_variation(FILE *stream, const struct result *result, const struct result_target *target);
void text_in_flight(FILE *stream, const struct result *result, const struct result_target *target);
void text_budget(FILE *stream, const struct result *result, const struct result_target *target);
void text_schedule(FILE *stream, const struct result *result, const struct result_target *target);
void text_fragments(FILE *stream, const struct result *result, const struct result_target *target);
void text_capture(FILE *stream, const struct result *result, const struct result_target *target);

/* The points of a sweep, and what they tell together. */
void text_sweep(FILE *stream, const struct result *result, const struct result_target *target);

/* The path MTU that was searched for. */
void text_mtu_search(FILE *stream, const struct result_target *target);

/* What is wrong with large echoes. */
void text_diagnosis(FILE *stream, const struct result_target *target);

/* What the figures leave out, and whether they are those of one state. */
void text_warmup(FILE *stream, const struct result *result, const struct result_target *target);
void text_steady(FILE *stream, const struct result *result, const struct result_target *target);

/* What went wrong. */
void text_lost(FILE *stream, const struct result *result, const struct result_target *target);
void text_order(FILE *stream, const struct result_target *target);
void text_arrivals(FILE *stream, const struct result_target *target);
void text_lifetimes(FILE *stream, const struct result_target *target);
void text_errors(FILE *stream, const struct result *result, const struct result_target *target);
void text_outages(FILE *stream, const struct result *result, const struct result_target *target);
void text_still_out(FILE *stream, const struct result *result, const struct result_target *target);

/* What concerns the run as a whole. */
void text_clock(FILE *stream, const struct result *result);
void text_host(FILE *stream, const struct result *result);

#endif
