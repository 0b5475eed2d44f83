/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of --sweep-size as it is typed.
 */
#ifndef FPING_BENCH_APPS_PROBE_SIZE_TEXT_H
#define FPING_BENCH_APPS_PROBE_SIZE_TEXT_H

#include "core/size_list.h"

/*
 * Reads a list: sizes in bytes, FROM:TO:STEP (both ends, as far as the steps meet TO), FROM:TO:xF
 * (each F times the one before, F > 1, up to three decimals), the word boundaries; all may stand
 * in one list, separated by commas. Or the word pieces, perhaps pieces:N, alone. Returns 0 or
 * -ERROR_INVALID with a sentence that starts with what.
 */
int size_text_parse(struct size_list *list, const char *what, const char *text,
		    struct error *error) MUST_CHECK;

#endif
