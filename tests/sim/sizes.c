/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost model of sizes, fitted to round trips that were made by it: medians of blocks with
 * normal noise, with wild values, with shifts of whole blocks, with sizes of unequal noise. What
 * calls itself 95 % must hold the truth about so often, with three blocks too.
 */
#include <math.h>
#include <string.h>

#include "core/boundary_step.h"
#include "core/fragments.h"
#include "core/size_fit.h"
#include "sim/sim.h"

#define RUNS 250
#define SIZES 14
#define BLOCKS_MAX 10
#define TERMS 4

static const uint32_t sizes[SIZES] = {56,   800,  1472, 1473, 2000, 2952, 2953,
				      3600, 4432, 4433, 5912, 5913, 7392, 7393};

struct scene {
	const char *name;
	double terms[TERMS]; /* base, byte, fragment, first; ns */
	double noise_ns;     /* of a median */
	double factors[3];   /* for every third size its noise's factor */
	double shift_ns;     /* of a block */
	double wild;         /* this share of the medians is off by ten times the noise */
	double missing;      /* this share of the medians is not there */
	double grain_ns;     /* medians come in such steps */
};

struct table {
	double terms[TERMS]; /* the truth */
	struct size_fit_point points[SIZES];
	struct size_fit_cell cells[SIZES][BLOCKS_MAX];
	struct least_deviations_row rows[SIZES];
	double numbers[3 * SIZES];
};

static double draw_normal(struct random_state *random)
{
	double radius = sqrt(-2.0 * log(1.0 - random_unit(random)));

	return radius * cos(2.0 * 3.14159265358979 * random_unit(random));
}

static void fill(const struct scene *scene, uint32_t blocks, struct random_state *random,
		 struct table *table)
{
	double shifts[BLOCKS_MAX];

	/* Other terms each time, or all runs would be rounded alike. */
	for (uint32_t i = 0; i < TERMS; i++)
		table->terms[i] = scene->terms[i] * (0.9 + 0.2 * random_unit(random));
	for (uint32_t b = 0; b < blocks; b++)
		shifts[b] = scene->shift_ns * draw_normal(random);
	for (uint32_t i = 0; i < SIZES; i++) {
		struct fragment_plan plan = {0};

		if (!fragment_plan_make(&plan, 4, 1500, sizes[i] + FRAGMENT_ECHO_HEADER_BYTES))
			return;
		table->points[i] = (struct size_fit_point){sizes[i], plan.count, scene->grain_ns,
							   table->cells[i]};
		for (uint32_t b = 0; b < blocks; b++) {
			struct size_fit_cell *cell = &table->cells[i][b];
			double noise = scene->noise_ns * scene->factors[i % 3] *
				       draw_normal(random);

			if (random_unit(random) < scene->wild)
				noise = 10.0 * fabs(noise);
			cell->median_ns = table->terms[0] + table->terms[1] * sizes[i] +
					  table->terms[2] * (plan.count - 1) +
					  table->terms[3] * (plan.count > 1) + shifts[b] + noise;
			if (scene->grain_ns > 0.0)
				cell->median_ns = scene->grain_ns *
						  floor(cell->median_ns / scene->grain_ns + 0.5);
			cell->samples = random_unit(random) < scene->missing ? 0 : 100;
		}
	}
}

struct coverage {
	uint32_t terms[TERMS];
	uint32_t step;
	uint32_t step_known;
	uint32_t unknown; /* terms */
	double widest; /* half of an interval by the true value, of the terms */
};

static void add_run(const struct scene *scene, uint32_t blocks, uint64_t seed,
		    struct coverage *coverage)
{
	static struct table table;
	struct size_fit_input input = {SIZE_FIT_SWEEP, table.points, SIZES, blocks};
	struct size_fit_memory memory = {table.rows, table.numbers};
	struct random_state random;
	struct estimate step;
	struct size_fit fit;
	double true_step;

	random_seed(&random, seed);
	fill(scene, blocks, &random, &table);
	size_fit(&input, &memory, &random, &fit);
	const struct estimate *terms[TERMS] = {&fit.base_ns, &fit.per_byte_ns, &fit.per_fragment_ns,
					       &fit.first_fragmentation_ns};
	for (uint32_t i = 0; i < TERMS; i++) {
		coverage->unknown += !terms[i]->known;
		coverage->terms[i] += terms[i]->low <= table.terms[i] &&
				      terms[i]->high >= table.terms[i];
		coverage->widest = fmax(coverage->widest, (terms[i]->high - terms[i]->low) /
							  table.terms[i]);
	}
	/* The third boundary: one byte and a fragment that is not the first. */
	true_step = table.terms[1] + table.terms[2];
	step = boundary_step(&table.points[8], &table.points[9], blocks);
	coverage->step_known += step.known;
	coverage->step += step.known && step.low <= true_step && step.high >= true_step;
}

/* Percent of the runs whose interval holds the truth, and the mean of the terms'. */
static double judge_scene(const struct scene *scene, uint32_t blocks)
{
	static const char *const names[TERMS] = {"base", "byte", "fragment", "first"};
	double least = blocks < 6 ? 85.0 : 90.0, share, sum = 0.0;
	struct coverage coverage;

	memset(&coverage, 0, sizeof(coverage));
	for (uint64_t seed = 1; seed <= RUNS; seed++)
		add_run(scene, blocks, seed, &coverage);
	judge(scene->name, coverage.unknown == 0, "%u terms are unknown", coverage.unknown);
	for (uint32_t i = 0; i < TERMS; i++) {
		share = 100.0 * coverage.terms[i] / RUNS;
		sum += share;
		judge(scene->name, share >= least, "%s with %u blocks: %g %% of the intervals",
		      names[i], blocks, share);
	}
	/* Known only where both sizes are; wider than it must be on a coarse clock. */
	share = 100.0 * coverage.step / coverage.step_known;
	judge(scene->name, share >= least && (share <= 99.0 || scene->grain_ns > 0.0),
	      "step with %u blocks: %g %% of the intervals", blocks, share);
	return sum / TERMS;
}

/* Terms that are large beside the noise: within a tenth of their values. */
static void test_width(void)
{
	static const struct scene scene = {
		.name = "sizes-wide-terms",
		.terms = {200e3, 100e3, 150e3, 120e3},
		.noise_ns = 2000.0,
		.factors = {1.0, 1.0, 1.0},
	};
	struct coverage coverage;

	memset(&coverage, 0, sizeof(coverage));
	for (uint64_t seed = 1; seed <= 50; seed++)
		add_run(&scene, 6, seed, &coverage);
	judge(scene.name, coverage.unknown == 0 && coverage.widest < 0.1,
	      "the widest interval is %g of its value", coverage.widest);
}

void test_sizes(void)
{
#ifdef __SANITIZE_ADDRESS__
	/* Coverage is a matter of thousands of fits, not of memory: one scene is enough here. */
	test_width();
	return;
#endif
	static const uint32_t blocks[] = {3, 6, 10};
	static const struct scene scenes[] = {
		{.name = "sizes-normal", .terms = {84e3, 0.4, 2700.0, 3300.0}, .noise_ns = 800.0,
		 .factors = {1.0, 1.0, 1.0}},
		{.name = "sizes-shifts", .terms = {84e3, 0.4, 2700.0, 3300.0}, .noise_ns = 800.0,
		 .factors = {3.0, 1.0, 0.3}, .shift_ns = 3000.0},
		{.name = "sizes-wild", .terms = {84e3, 0.4, 2700.0, 3300.0}, .noise_ns = 800.0,
		 .factors = {1.0, 1.0, 1.0}, .wild = 0.1, .shift_ns = 500.0},
		{.name = "sizes-missing", .terms = {84e3, 0.4, 2700.0, 3300.0}, .noise_ns = 800.0,
		 .factors = {1.0, 1.0, 1.0}, .shift_ns = 3000.0, .missing = 0.1},
		{.name = "sizes-coarse", .terms = {84e3, 0.4, 2700.0, 3300.0}, .noise_ns = 50.0,
		 .factors = {1.0, 1.0, 1.0}, .grain_ns = 1000.0},
	};

	for (size_t b = 0; b < ARRAY_LENGTH(blocks); b++) {
		double sum = 0.0;

		for (size_t i = 0; i < ARRAY_LENGTH(scenes); i++)
			sum += judge_scene(&scenes[i], blocks[b]);
		sum /= ARRAY_LENGTH(scenes);
		judge("sizes-coverage", sum >= 90.0 && sum <= 99.0,
		      "%g %% of all intervals with %u blocks", sum, blocks[b]);
	}
	test_width();
}
