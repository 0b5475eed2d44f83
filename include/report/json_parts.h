/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the JSON report, each of which has a file of its own. Every key of the schema is
 * always there, in the schema's order; our own keys follow it.
 */
#ifndef FPING_BENCH_REPORT_JSON_PARTS_H
#define FPING_BENCH_REPORT_JSON_PARTS_H

#include "report/json_value.h"

/* "environment" and "clock". */
void json_put_host(struct json_document *document, json_t *root);

/* "settings". */
void json_put_settings(struct json_document *document, json_t *root);

/* "cpu" and "counters". */
void json_put_processor(struct json_document *document, json_t *root);

/* What disturbed the run, our own. */
json_t *json_from_disturbance(struct json_document *document);

/* One element of "targets". */
json_t *json_from_target(struct json_document *document, const struct result_target *target);

/* ---- its parts ---- */

/* "rtt", "lateness", "delay_variation" and "reordering". */
void json_put_times(struct json_document *document, json_t *object,
		    const struct result_target *target);

/* "in_flight" and "budget". */
void json_put_places(struct json_document *document, json_t *object,
		     const struct result_target *target);

/* "points" and "fit" of a series; null where there is none. */
json_t *json_from_points(struct json_document *document, const struct result_target *target);
json_t *json_from_fit(struct json_document *document, const struct result_target *target);

/* "loss_model", our own: what the losses of a sweep are like. */
json_t *json_from_loss_model(struct json_document *document, const struct result_target *target);

/* "find_mtu": null but for a search for it. */
json_t *json_from_mtu_search(struct json_document *document, const struct result_target *target);

/* "capture" of "fragments"; null without one, and for all targets but the first that it is of. */
json_t *json_from_capture(struct json_document *document, const struct result_target *target);
/* "diagnosis": null but for one. */
json_t *json_from_diagnosis(struct json_document *document, const struct result_target *target);

/* Our own keys about stamps, the wire and steadiness. */
void json_put_own_times(struct json_document *document, json_t *object,
			const struct result_target *target);

#endif
