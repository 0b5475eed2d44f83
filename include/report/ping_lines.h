/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the text report that is ping's own, for the text report.
 */
#ifndef FPING_BENCH_REPORT_PING_LINES_H
#define FPING_BENCH_REPORT_PING_LINES_H

#include <stdio.h>

#include "core/result.h"

/*
 * Ping's closing block for a target, from the empty line before "--- name ping statistics ---"
 * to the end of the rtt line (iputils 20221126, ping_common.c, finish()). Where ping prints an
 * empty last line because it has no times to tell, so does this, and returns true.
 */
bool ping_statistics(FILE *stream, const struct result *result, const struct result_target *target);

#endif
