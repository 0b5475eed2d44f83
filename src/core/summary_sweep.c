/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a sweep tells beyond its points: the steps at the fragment boundaries, and what a byte, a
 * fragment and the first fragmentation cost, and what the losses are like.
 */
#include "core/summary_internal.h"

#include "core/boundary_step.h"
#include "core/sweep.h"

static bool is_cut_by_hand(const struct result_target *target)
{
	for (uint32_t i = 0; i < target->point_count; i++)
		if (target->points[i].has_cut)
			return true;
	return false;
}

/* Whether all replies come whole, so that what pieces cost is of one direction. */
static bool replies_are_whole(const struct result_target *target)
{
	for (uint32_t i = 0; i < target->point_count; i++)
		if (target->points[i].fragments.per_reply > 1)
			return false;
	return true;
}

static bool has_one_size(const struct result_target *target)
{
	for (uint32_t i = 1; i < target->point_count; i++)
		if (target->points[i].payload_bytes != target->points[0].payload_bytes)
			return false;
	return true;
}

static bool prepare_points(const struct result *result, struct result_target *target)
{
	struct sweep *sweep = target->sweep;

	for (uint32_t i = 0; i < target->point_count; i++) {
		const struct result_target *point = &target->points[i];

		if (!point->fragments.known)
			return false;
		sweep->fit_points[i] = (struct size_fit_point){
			.payload_bytes = point->payload_bytes,
			.fragments = point->fragments.per_request,
			.grain_ns = result->clock.is_measured ? (double)result->clock.step_ns : 0.0,
			.blocks = sweep->cells[i],
		};
	}
	return true;
}

static void fit_points(struct result_target *target)
{
	struct sweep *sweep = target->sweep;
	struct size_fit_input input = {
		.kind = is_cut_by_hand(target) && has_one_size(target) ? SIZE_FIT_PIECES
								       : SIZE_FIT_SWEEP,
		.points = sweep->fit_points,
		.point_count = target->point_count,
		.block_count = sweep->blocks,
	};
	struct size_fit_memory memory = {sweep->fit_rows, sweep->fit_numbers};

	size_fit(&input, &memory, &sweep->random, &target->fit);
}

/* Runs of losses, where all lengths were kept; 0: not known. */
static uint64_t runs_of(const struct result_target *point)
{
	uint64_t runs = 0;

	if (point->loss_runs_left_out > 0)
		return 0;
	for (uint32_t i = 0; i < point->loss_run_count; i++)
		runs += point->loss_runs[i].count;
	return runs;
}

static void fit_losses(struct result_target *target)
{
	struct sweep *sweep = target->sweep;

	for (uint32_t i = 0; i < target->point_count; i++) {
		const struct result_target *point = &target->points[i];

		sweep->loss_points[i] = (struct loss_model_point){
			.fragments = point->fragments.per_request,
			.sent = point->tally.received + point->tally.lost,
			.lost = point->tally.lost,
			.loss_runs = runs_of(point),
		};
	}
	loss_model_fit(sweep->loss_points, target->point_count, &target->loss_model);
}

void summary_sweep(const struct result *result, struct result_target *target)
{
	struct sweep *sweep = target->sweep;

	if (sweep == NULL)
		return;
	if (!prepare_points(result, target)) {
		target->fit.why_not = "into how many fragments the sizes are cut is not known";
		return;
	}
	for (uint32_t i = 1; i < target->point_count; i++)
		if (sweep->fit_points[i].fragments == sweep->fit_points[i - 1].fragments + 1)
			target->points[i].boundary_step_ns =
				boundary_step(&sweep->fit_points[i - 1], &sweep->fit_points[i],
					      sweep->blocks);
	if (is_cut_by_hand(target) && !replies_are_whole(target))
		target->fit.why_not = "replies are fragmented otherwise than requests";
	else
		fit_points(target);
	fit_losses(target);
}
