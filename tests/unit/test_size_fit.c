/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fit of sizes and what it stands on: the solver against lines that can be seen and against
 * every possible basis, the design against sizes whose gaps are known, the fit against exact
 * round trips. How often the intervals hold the truth is for the simulations.
 */
#include "unit/unit.h"

#include <math.h>
#include <string.h>

#include "core/boundary_step.h"
#include "core/median.h"
#include "core/size_design.h"
#include "core/size_fit.h"

#define BLOCKS 6
#define POINTS_MAX 40

static void test_median(void)
{
	double three[] = {5.0, -1.0, 3.0}, four[] = {4.0, 1.0, 3.0, 2.0}, many[1000];
	struct random_state random;
	bool sorted = true;

	UNIT_NEAR("none", median_sorting(NULL, 0), 0.0, 0.0);
	UNIT_NEAR("of three", median_sorting(three, 3), 3.0, 0.0);
	UNIT_NEAR("of four", median_sorting(four, 4), 2.5, 0.0);
	random_seed(&random, 1);
	for (size_t i = 0; i < ARRAY_LENGTH(many); i++)
		many[i] = random_unit(&random);
	median_sort(many, ARRAY_LENGTH(many));
	for (size_t i = 1; i < ARRAY_LENGTH(many); i++)
		sorted = sorted && many[i - 1] <= many[i];
	UNIT_CHECK(sorted, "not sorted");
}

/* ---- least deviations ---- */

static double sum_of_deviations(const struct least_deviations_row *rows, size_t count,
				size_t columns, const double *coefficients)
{
	double sum = 0.0;

	for (size_t i = 0; i < count; i++) {
		double off = rows[i].value;

		for (size_t j = 0; j < columns; j++)
			off -= rows[i].terms[j] * coefficients[j];
		sum += rows[i].weight * fabs(off);
	}
	return sum;
}

static void test_deviations_by_hand(void)
{
	/* y = 1 + 2x but for one wild value; then a column of ones alone: a weighted median. */
	struct least_deviations_row line[] = {
		{{1, 0}, 1, 1, 0, 0}, {{1, 1}, 3, 1, 0, 0},  {{1, 2}, 500, 1, 0, 0},
		{{1, 3}, 7, 1, 0, 0}, {{1, 4}, 9, 1, 0, 0},
	};
	struct least_deviations_row level[] = {
		{{1}, 10, 1, 0, 0}, {{1}, 20, 1, 0, 0}, {{1}, 30, 5, 0, 0}, {{1}, 99, 0, 0, 0}};
	struct least_deviations_row alike[] = {{{1, 2}, 1, 1, 0, 0}, {{2, 4}, 2, 1, 0, 0},
					       {{1, 3}, 7, 0, 0, 0}};
	struct least_deviations_basis basis = {.valid = false};
	double found[4] = {-1.0, -1.0, -1.0, -1.0};

	UNIT_CHECK(least_deviations_fit(line, 5, 2, &basis, found), "no fit");
	UNIT_NEAR("level", found[0], 1.0, 1e-12);
	UNIT_NEAR("slope", found[1], 2.0, 1e-12);
	basis.valid = false;
	UNIT_CHECK(least_deviations_fit(level, 4, 1, &basis, found), "no fit");
	UNIT_NEAR("weighted median", found[0], 30.0, 1e-12);
	basis.valid = false;
	found[0] = -1.0;
	UNIT_CHECK(!least_deviations_fit(alike, 3, 2, &basis, found), "a fit of dependent rows");
	UNIT_CHECK(!least_deviations_fit(alike, 3, 0, &basis, found), "a fit of nothing");
	UNIT_CHECK(!least_deviations_fit(alike, 3, 5, &basis, found), "a fit that is too wide");
	UNIT_CHECK(!least_deviations_fit(alike, 0, 1, &basis, found), "a fit of no rows");
	UNIT_NEAR("untouched", found[0], -1.0, 0.0);
}

/* The least sum among the fits that meet three rows each: one of them is a best fit. */
static double best_of_all(const struct least_deviations_row *rows, size_t count)
{
	double best = INFINITY;

	for (size_t a = 0; a < count; a++)
		for (size_t b = 0; b < a; b++)
			for (size_t c = 0; c < b; c++) {
				struct least_deviations_row three[] = {rows[a], rows[b], rows[c]};
				struct least_deviations_basis basis = {.valid = false};
				double met[4] = {0.0};

				if (least_deviations_fit(three, 3, 3, &basis, met))
					best = fmin(best, sum_of_deviations(rows, count, 3, met));
			}
	return best;
}

/* Values in coarse steps too, where many rows are met at once. */
static void test_deviations_at_random(void)
{
	struct random_state random;

	random_seed(&random, 1);
	for (int run = 0; run < 200; run++) {
		struct least_deviations_row rows[12];
		struct least_deviations_basis basis = {.valid = false};
		double found[4] = {0.0}, again[4] = {0.0}, sum, best;

		for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
			rows[i] = (struct least_deviations_row){
				.terms = {1.0, (double)random_below(&random, 9),
					  random_unit(&random) * 5.0},
				.value = run % 2 == 0 ? (double)random_below(&random, 4)
						      : 1e6 * random_unit(&random),
				.weight = 0.5 + random_unit(&random)};
			if (run % 2 == 0)
				rows[i].terms[2] = floor(rows[i].terms[2]);
		}
		UNIT_CHECK(least_deviations_fit(rows, 12, 3, &basis, found), "run %d: none", run);
		sum = sum_of_deviations(rows, 12, 3, found);
		best = best_of_all(rows, 12);
		UNIT_CHECK(sum <= best * (1.0 + 1e-9) + 1e-9, "run %d: %g, but there is %g", run,
			   sum, best);
		UNIT_CHECK(least_deviations_fit(rows, 12, 3, &basis, again) &&
				   memcmp(found, again, 3 * sizeof(*found)) == 0,
			   "run %d: another answer from where it ended", run);
	}
}

/* ---- what sizes can tell ---- */

static void test_design(void)
{
	static const struct {
		const char *label;
		uint32_t sizes[8][2]; /* bytes, fragments; ended by no fragments */
		uint32_t rank;
		bool base, byte, fragment, first;
	} rows[] = {
		{"nothing", {{0, 0}}, 0, false, false, false, false},
		{"one size", {{56, 1}, {56, 1}}, 1, false, false, false, false},
		{"an empty payload", {{0, 1}}, 1, true, false, false, false},
		{"none cut", {{56, 1}, {800, 1}, {1472, 1}}, 2, true, true, false, false},
		{"one count above 1", {{56, 1}, {800, 1}, {2000, 2}, {2500, 2}}, 3, true, true,
		 false, false},
		{"all cut", {{2000, 2}, {2500, 2}, {3000, 3}, {5000, 4}}, 3, false, true, true,
		 false},
		{"everything", {{56, 1}, {800, 1}, {2000, 2}, {3000, 3}}, 4, true, true, true,
		 true},
		{"in step", {{56, 1}, {1536, 2}, {3016, 3}, {4496, 4}}, 3, false, false, false,
		 true},
		{"in step but one", {{56, 1}, {1536, 2}, {3016, 3}, {4497, 4}}, 4, true, true,
		 true, true},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct size_design design;
		uint32_t terms = 0;

		size_design_init(&design);
		for (size_t j = 0; j < 8 && rows[i].sizes[j][1] > 0; j++) {
			int64_t factors[SIZE_TERMS];

			size_design_factors(rows[i].sizes[j][0], rows[i].sizes[j][1], factors);
			size_design_add(&design, factors);
		}
		for (int term = 0; term < SIZE_TERMS; term++)
			terms += size_design_has(&design, (enum size_term)term);
		UNIT_UNSIGNED(rows[i].label, design.rank, rows[i].rank);
		UNIT_UNSIGNED(rows[i].label, terms, rows[i].rank);
		UNIT_CHECK(size_design_determines(&design, SIZE_TERM_BASE) == rows[i].base &&
				   size_design_determines(&design, SIZE_TERM_BYTE) == rows[i].byte,
			   "%s: base or byte", rows[i].label);
		UNIT_CHECK(size_design_determines(&design, SIZE_TERM_FRAGMENT) ==
					   rows[i].fragment &&
				   size_design_determines(&design, SIZE_TERM_FIRST) ==
					   rows[i].first,
			   "%s: fragment or first", rows[i].label);
	}
}

/* ---- the fit ---- */

struct table {
	struct size_fit_point points[POINTS_MAX];
	struct size_fit_cell cells[POINTS_MAX][BLOCKS];
	struct least_deviations_row rows[POINTS_MAX];
	double numbers[3 * POINTS_MAX];
	uint32_t count;
};

static void add_size(struct table *table, uint32_t bytes, uint32_t fragments, double rtt_ns)
{
	uint32_t i = table->count++;

	table->points[i] = (struct size_fit_point){bytes, fragments, 0.0, table->cells[i]};
	for (uint32_t b = 0; b < BLOCKS; b++)
		table->cells[i][b] = (struct size_fit_cell){rtt_ns, 100};
}

static double model(uint32_t bytes, uint32_t fragments)
{
	return 200000.0 + 2.5 * bytes + 150000.0 * (fragments - 1) +
	       (fragments > 1 ? 120000.0 : 0.0);
}

static void fill_sweep(struct table *table)
{
	static const uint32_t sizes[][2] = {{56, 1},   {800, 1},  {1472, 1}, {1473, 2}, {2000, 2},
					    {2952, 2}, {2953, 3}, {3600, 3}, {4432, 3}, {4433, 4}};

	memset(table, 0, sizeof(*table));
	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++)
		add_size(table, sizes[i][0], sizes[i][1], model(sizes[i][0], sizes[i][1]));
}

static struct size_fit fit_table(struct table *table, enum size_fit_kind kind, uint32_t blocks)
{
	struct size_fit_input input = {kind, table->points, table->count, blocks};
	struct size_fit_memory memory = {table->rows, table->numbers};
	struct random_state random;
	struct size_fit fit;

	random_seed(&random, 7);
	UNIT_UNSIGNED("memory", size_fit_numbers(&input), 3 * (size_t)table->count);
	size_fit(&input, &memory, &random, &fit);
	return fit;
}

static void check_estimate(const char *label, const struct estimate *estimate, double value,
			   double tolerance)
{
	UNIT_CHECK(estimate->known, "%s: unknown", label);
	UNIT_NEAR(label, estimate->value, value, tolerance);
	UNIT_CHECK(estimate->low <= estimate->value && estimate->value <= estimate->high,
		   "%s: %g is not within %g..%g", label, estimate->value, estimate->low,
		   estimate->high);
}

static void test_exact(void)
{
	static struct table table;
	struct size_fit fit;

	fill_sweep(&table);
	fit = fit_table(&table, SIZE_FIT_SWEEP, BLOCKS);
	check_estimate("base", &fit.base_ns, 200000.0, 1e-3);
	check_estimate("byte", &fit.per_byte_ns, 2.5, 1e-6);
	check_estimate("fragment", &fit.per_fragment_ns, 150000.0, 1e-3);
	check_estimate("first", &fit.first_fragmentation_ns, 120000.0, 1e-3);
	UNIT_CHECK(fit.base_ns.high - fit.base_ns.low < 1e-3, "an interval without noise");
	UNIT_UNSIGNED("points", fit.points, 10);
	UNIT_UNSIGNED("blocks", fit.blocks, BLOCKS);
	UNIT_TEXT("all known", fit.why_not, "");
}

/* One block in which everything takes longer, one size that is wild throughout, some missing. */
static void test_robust(void)
{
	static struct table table;
	struct size_fit fit;

	fill_sweep(&table);
	for (uint32_t i = 0; i < table.count; i++) {
		table.cells[i][2].median_ns += 500000.0;
		table.cells[4][i % BLOCKS].median_ns = 9e6;
	}
	/* Without the slow block a size is no faster than the others; NaN shows who reads it. */
	table.cells[7][2] = (struct size_fit_cell){NAN, 0};
	table.cells[1][0] = (struct size_fit_cell){NAN, 0};
	fit = fit_table(&table, SIZE_FIT_SWEEP, BLOCKS);
	check_estimate("base", &fit.base_ns, 200000.0, 1e-3);
	check_estimate("byte", &fit.per_byte_ns, 2.5, 1e-6);
	check_estimate("fragment", &fit.per_fragment_ns, 150000.0, 1e-3);
	check_estimate("first", &fit.first_fragmentation_ns, 120000.0, 1e-3);
}

/* Every other block is slow, and four of the sizes were measured in none of those. */
static void test_slow_blocks(void)
{
	static struct table table;
	struct size_fit fit;

	fill_sweep(&table);
	for (uint32_t i = 0; i < table.count; i++)
		for (uint32_t b = 0; b < BLOCKS; b += 2) {
			table.cells[i][b].median_ns += 80000.0;
			table.cells[i][b].samples = i >= 3 && i <= 6 ? 0 : 100;
		}
	fit = fit_table(&table, SIZE_FIT_SWEEP, BLOCKS);
	check_estimate("byte", &fit.per_byte_ns, 2.5, 1e-6);
	check_estimate("fragment", &fit.per_fragment_ns, 150000.0, 1e-3);
	check_estimate("first", &fit.first_fragmentation_ns, 120000.0, 1e-3);
}

static void test_resolution(void)
{
	static struct table table;
	struct size_fit fit;

	fill_sweep(&table);
	for (uint32_t i = 0; i < table.count; i++)
		table.points[i].grain_ns = 4000.0;
	fit = fit_table(&table, SIZE_FIT_SWEEP, BLOCKS);
	UNIT_CHECK(fit.base_ns.high - fit.base_ns.low > 1000.0 &&
			   fit.base_ns.high - fit.base_ns.low < 16000.0,
		   "a coarse clock: %g wide", fit.base_ns.high - fit.base_ns.low);
}

/* The same seed, the same answer; and blocks or sizes without anything change nothing. */
static void test_repeatable(void)
{
	static struct table table, other;
	struct size_fit fit, again;

	fill_sweep(&table);
	for (uint32_t i = 0; i < table.count; i++)
		for (uint32_t b = 0; b < BLOCKS; b++)
			table.cells[i][b].median_ns += (i * 7919 + b * 104729) % 5000;
	fit = fit_table(&table, SIZE_FIT_SWEEP, BLOCKS);
	again = fit_table(&table, SIZE_FIT_SWEEP, BLOCKS);
	UNIT_CHECK(memcmp(&fit.base_ns, &again.base_ns, sizeof(fit.base_ns)) == 0, "it moves");
	other = table;
	for (uint32_t i = 0; i < table.count; i++) {
		other.points[i].blocks = other.cells[i];
		other.cells[i][BLOCKS - 1].samples = 0;
	}
	add_size(&other, 60000, 41, NAN);
	for (uint32_t b = 0; b < BLOCKS; b++)
		other.cells[table.count][b].samples = 0;
	fit = fit_table(&table, SIZE_FIT_SWEEP, BLOCKS - 1);
	again = fit_table(&other, SIZE_FIT_SWEEP, BLOCKS);
	UNIT_NEAR("byte", again.per_byte_ns.value, fit.per_byte_ns.value, 0.0);
	UNIT_NEAR("its end", again.per_byte_ns.high, fit.per_byte_ns.high, 0.0);
	UNIT_UNSIGNED("blocks", again.blocks, BLOCKS - 1);
	UNIT_UNSIGNED("points", again.points, table.count);
}

static void test_pieces(void)
{
	static struct table table;
	struct size_fit fit;

	memset(&table, 0, sizeof(table));
	for (uint32_t n = 1; n <= 30; n++)
		add_size(&table, 1400, n, 90000.0 + 2800.0 * (n - 1));
	fit = fit_table(&table, SIZE_FIT_PIECES, BLOCKS);
	check_estimate("base", &fit.base_ns, 90000.0, 1e-3);
	check_estimate("fragment", &fit.per_fragment_ns, 2800.0, 1e-3);
	check_estimate("no extra for the first", &fit.first_fragmentation_ns, 0.0, 1e-3);
	UNIT_CHECK(!fit.per_byte_ns.known, "out of nothing");
	UNIT_TEXT("what pieces can tell", fit.why_not, "");
	table.count = 1;
	fit = fit_table(&table, SIZE_FIT_PIECES, BLOCKS);
	UNIT_CHECK(fit.base_ns.known && !fit.per_fragment_ns.known, "of one piece");
	UNIT_TEXT("one", fit.why_not, "every datagram was cut into the same number of pieces");
}

static void test_open(void)
{
	static const struct {
		const char *why_not;
		uint32_t sizes[5][2];
		uint32_t blocks;
		bool base, byte, fragment, first;
	} rows[] = {
		{"nothing came back", {{0, 0}}, BLOCKS, false, false, false, false},
		{"there are fewer than three blocks", {{56, 1}, {800, 1}}, 2, false, false, false,
		 false},
		{"there is only one size", {{56, 1}}, BLOCKS, false, false, false, false},
		{"no size was fragmented", {{56, 1}, {800, 1}}, BLOCKS, true, true, false, false},
		{"every size was fragmented", {{2000, 2}, {2500, 2}, {3000, 3}}, BLOCKS, false,
		 true, true, false},
		{"there is only one number of fragments above 1", {{56, 1}, {800, 1}, {2000, 2}},
		 BLOCKS, true, true, false, false},
		{"bytes and fragments grow together in these sizes",
		 {{56, 1}, {1536, 2}, {3016, 3}, {4496, 4}}, BLOCKS, false, false, false, true},
		{"", {{56, 1}, {800, 1}, {2000, 2}, {3000, 3}}, 3, true, true, true, true},
		{"there are too many blocks", {{56, 1}}, SIZE_FIT_BLOCKS_MAX + 1, false, false,
		 false, false},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		static struct table table;
		struct size_fit fit;

		memset(&table, 0, sizeof(table));
		for (size_t j = 0; j < 5 && rows[i].sizes[j][1] > 0; j++)
			add_size(&table, rows[i].sizes[j][0], rows[i].sizes[j][1],
				 model(rows[i].sizes[j][0], rows[i].sizes[j][1]));
		fit = fit_table(&table, SIZE_FIT_SWEEP, rows[i].blocks);
		UNIT_TEXT(rows[i].why_not, fit.why_not, rows[i].why_not);
		UNIT_CHECK(fit.base_ns.known == rows[i].base &&
				   fit.per_byte_ns.known == rows[i].byte &&
				   fit.per_fragment_ns.known == rows[i].fragment &&
				   fit.first_fragmentation_ns.known == rows[i].first,
			   "%s: known are others", rows[i].why_not);
		if (rows[i].byte)
			check_estimate(rows[i].why_not, &fit.per_byte_ns, 2.5, 1e-6);
		if (rows[i].fragment)
			check_estimate(rows[i].why_not, &fit.per_fragment_ns, 150000.0, 1e-3);
	}
}

/* Each size in one block only: no draw of blocks has them all, and none is invented. */
static void test_scattered(void)
{
	static struct table table;
	struct size_fit fit;

	fill_sweep(&table);
	table.count = 4;
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t b = 0; b < BLOCKS; b++)
			table.cells[i][b].samples = i == b;
	fit = fit_table(&table, SIZE_FIT_SWEEP, BLOCKS);
	UNIT_CHECK(!fit.base_ns.known && !fit.per_byte_ns.known, "known all the same");
	UNIT_TEXT("scattered", fit.why_not, "too many sizes are missing from too many blocks");
}

/* ---- the step at a boundary ---- */

static void test_step(void)
{
	static const double below[] = {100, 200, 300, 400, 500, 600, 700, 800, 900};
	static const double steps[] = {5, 3, 9, 1, 7, 2, 8, 4, 6};
	struct size_fit_cell lower[9], upper[9];
	struct size_fit_point points[] = {{1472, 1, 0.0, lower}, {1473, 2, 0.0, upper}};
	struct estimate step;

	for (size_t b = 0; b < 9; b++) {
		lower[b] = (struct size_fit_cell){below[b], 10};
		upper[b] = (struct size_fit_cell){below[b] + steps[b], 10};
	}
	UNIT_CHECK(!boundary_step(&points[0], &points[1], 2).known, "of two blocks");
	UNIT_CHECK(!boundary_step(&points[0], &points[1], 10000).known, "of too many");
	/* Three: 5, 3, 9 with s = 3.0551; t = 4.3027, so +- 4.3027 * 1.25331 * s / sqrt(3). */
	step = boundary_step(&points[0], &points[1], 3);
	check_estimate("three", &step, 5.0, 1e-12);
	UNIT_NEAR("its end", step.high - 5.0, 9.5116, 1e-3);
	/* Up to eight: from the least to the greatest; nine: one fewer on either side (96.1 %). */
	step = boundary_step(&points[0], &points[1], 6);
	check_estimate("six", &step, 4.0, 1e-12);
	UNIT_NEAR("low", step.low, 1.0, 1e-12);
	UNIT_NEAR("high", step.high, 9.0, 1e-12);
	step = boundary_step(&points[0], &points[1], 8);
	check_estimate("eight", &step, 4.5, 1e-12);
	UNIT_NEAR("low", step.low, 1.0, 1e-12);
	UNIT_NEAR("high", step.high, 9.0, 1e-12);
	step = boundary_step(&points[0], &points[1], 9);
	check_estimate("nine", &step, 5.0, 1e-12);
	UNIT_NEAR("low", step.low, 2.0, 1e-12);
	UNIT_NEAR("high", step.high, 8.0, 1e-12);
	/* A block without one of them does not count; resolution widens. */
	lower[0].samples = upper[1].samples = 0;
	lower[0].median_ns = upper[1].median_ns = NAN;
	points[0].grain_ns = 1.0;
	points[1].grain_ns = 3.0;
	step = boundary_step(&points[0], &points[1], 8);
	check_estimate("six of eight", &step, 5.5, 1e-12);
	UNIT_NEAR("low", step.low, -1.0, 1e-12);
	UNIT_NEAR("high", step.high, 11.0, 1e-12);
}

const struct unit_suite suite_size_fit = {
	"size_fit",
	(const struct unit_test[]){
		{"median", test_median},
		{"least deviations by hand", test_deviations_by_hand},
		{"least deviations at random", test_deviations_at_random},
		{"what sizes can tell", test_design},
		{"exact round trips", test_exact},
		{"wild sizes and slow blocks", test_robust},
		{"sizes that lack the slow blocks", test_slow_blocks},
		{"resolution", test_resolution},
		{"repeatable", test_repeatable},
		{"pieces", test_pieces},
		{"what stays open", test_open},
		{"scattered sizes", test_scattered},
		{"step at a boundary", test_step},
		{NULL, NULL},
	},
};
