/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A series as JSON: each point has the keys of a target, since it was measured like one.
 */
#include "report/json_parts.h"

#include "core/sweep.h"

/* The medians of the blocks of one point, in the order in which they were measured. */
static json_t *from_blocks(struct json_document *document, const struct sweep *sweep,
			   uint32_t point)
{
	json_t *blocks = json_array();

	for (uint32_t i = 0; i < sweep->blocks; i++) {
		const struct size_fit_cell *cell = &sweep->cells[point][i];

		json_append(document, blocks,
			    cell->samples > 0 ? json_from_mean_time(document, cell->median_ns)
					      : json_null());
	}
	return blocks;
}

json_t *json_from_points(struct json_document *document, const struct result_target *target)
{
	json_t *points;

	if (target->sweep == NULL)
		return json_null();
	points = json_array();
	for (uint32_t i = 0; i < target->point_count; i++) {
		json_t *point = json_from_target(document, &target->points[i]);

		json_put(document, point, "block_p50_ns", from_blocks(document, target->sweep, i));
		json_append(document, points, point);
	}
	return points;
}

json_t *json_from_fit(struct json_document *document, const struct result_target *target)
{
	const struct size_fit *fit = &target->fit;
	json_t *object;

	if (target->sweep == NULL)
		return json_null();
	object = json_object();
	json_put_estimate(document, object, "base_ns", &fit->base_ns);
	json_put_estimate(document, object, "per_byte_ns", &fit->per_byte_ns);
	json_put_estimate(document, object, "per_fragment_ns", &fit->per_fragment_ns);
	json_put_estimate(document, object, "first_fragmentation_ns",
			  &fit->first_fragmentation_ns);
	json_put(document, object, "points", json_from_count(fit->points));
	json_put(document, object, "blocks", json_from_count(fit->blocks));
	json_put(document, object, "why_not", json_from_text(fit->why_not));
	return object;
}

json_t *json_from_loss_model(struct json_document *document, const struct result_target *target)
{
	const struct loss_model *model = &target->loss_model;
	json_t *object;

	if (target->sweep == NULL)
		return json_null();
	object = json_object();
	json_put(document, object, "verdict", json_string(loss_model_name(model->verdict)));
	json_put(document, object, "text", json_string(loss_model_sentence(model->verdict)));
	json_put_estimate(document, object, "slope", &model->slope);
	json_put_estimate(document, object, "loss_per_fragment", &model->loss_per_fragment);
	json_put(document, object, "deviance",
		 model->degrees > 0 ? json_from_number(model->deviance) : json_null());
	json_put(document, object, "degrees", json_from_count(model->degrees));
	json_put(document, object, "why_unknown", json_from_text(model->why_unknown));
	return object;
}
