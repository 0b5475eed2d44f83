/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of the text report that concern one target; report_text.c puts them in order. Each
 * prints nothing where it has nothing to say.
 */
#ifndef FPING_BENCH_REPORT_TEXT_LINES_H
#define FPING_BENCH_REPORT_TEXT_LINES_H

#include <stdio.h>

#include "core/result.h"

/* Whether single replies are of interest rather than rates: a schedule of 0.1 s or slower. */
bool text_is_slow(const struct result *result);

/* What the run measured. */
void text_rate(FILE *stream, const struct result *result, const struct result_target *target);
void text_times(FILE *stream, const struct result_target *target);
void text_in_flight(FILE *stream, const struct result *result, const struct result_target *target);
void text_schedule(FILE *stream, const struct result *result, const struct result_target *target);
void text_fragments(FILE *stream, const struct result *result, const struct result_target *target);

/* What went wrong. */
void text_lost(FILE *stream, const struct result *result, const struct result_target *target);
void text_arrivals(FILE *stream, const struct result_target *target);
void text_errors(FILE *stream, const struct result *result, const struct result_target *target);
void text_outages(FILE *stream, const struct result_target *target);
void text_still_out(FILE *stream, const struct result *result, const struct result_target *target);

#endif
