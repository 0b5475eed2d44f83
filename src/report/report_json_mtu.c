/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A search for the path MTU as JSON: the answer and every length that was tried for it.
 */
#include "report/json_parts.h"

#include "core/mtu_search.h"

/* The first error that told an MTU for this length, as it was received. */
static const struct result_error *told(const struct result_target *point)
{
	for (uint32_t i = 0; i < point->error_count; i++)
		if (point->errors[i].type >= 0 && point->errors[i].mtu != 0)
			return &point->errors[i];
	return NULL;
}

static json_t *from_step(struct json_document *document, const struct mtu_search *search,
			 const struct result_target *point, uint32_t row)
{
	const struct result_error *error = told(point);
	json_t *step = json_object();

	json_put(document, step, "packet_bytes", json_from_count(search->lengths[row]));
	json_put(document, step, "sent", json_from_count(point->tally.sent));
	json_put(document, step, "received", json_from_count(point->tally.received));
	json_put(document, step, "told_mtu",
		 error != NULL ? json_from_count(error->mtu) : json_null());
	json_put(document, step, "told_by",
		 error != NULL ? json_from_text(error->from) : json_null());
	return step;
}

json_t *json_from_mtu_search(struct json_document *document, const struct result_target *target)
{
	const struct mtu_search *search = target->mtu_search;
	json_t *object, *steps;

	if (search == NULL)
		return json_null();
	object = json_object();
	steps = json_array();
	json_put(document, object, "mtu",
		 search->known ? json_from_count(search->mtu) : json_null());
	for (uint32_t i = 0; i < target->point_count; i++)
		json_append(document, steps,
			    from_step(document, search, &target->points[i], i));
	json_put(document, object, "steps", steps);
	json_put(document, object, "told",
		 search->known ? json_boolean(search->was_told) : json_null());
	json_put(document, object, "why_not", json_from_text(search->why_not));
	return object;
}
