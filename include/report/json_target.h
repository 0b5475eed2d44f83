/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The object of one target in the JSON report.
 */
#ifndef FPING_BENCH_REPORT_JSON_TARGET_H
#define FPING_BENCH_REPORT_JSON_TARGET_H

#include "report/json_value.h"

/* Every key of the schema, in its order, and behind them our own. */
json_t *json_from_target(struct json_document *document, const struct result *result,
			 const struct result_target *target);

#endif
