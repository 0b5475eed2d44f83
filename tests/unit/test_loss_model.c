/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loss against fragments: exact points on the model's own lines, the ends at which logarithms go
 * to infinity, and what must remain unknown.
 */
#include "unit/unit.h"

#include <math.h>
#include <string.h>

#include "core/cloglog.h"
#include "core/fragments.h"
#include "core/loss_model.h"
#include "core/statistics.h"

#define MANY UINT64_C(1000000000000)

/* Points whose loss is just that of the line, but for one in 10^12. */
static void fill_line(struct loss_model_point *points, size_t count, double loss, double slope)
{
	static const uint32_t fragments[] = {1, 2, 4, 10, 45};

	for (size_t i = 0; i < count; i++) {
		double hazard = -log1p(-loss) * pow(fragments[i], slope);

		points[i] = (struct loss_model_point){
			.fragments = fragments[i],
			.sent = MANY,
			.lost = (uint64_t)((double)MANY * -expm1(-hazard) + 0.5)};
	}
}

static void test_lines(void)
{
	static const struct {
		double loss, slope;
		enum loss_model_verdict verdict;
	} rows[] = {
		{0.05, 1.0, LOSS_MODEL_INDEPENDENT}, {0.001, 1.0, LOSS_MODEL_INDEPENDENT},
		{0.05, 0.5, LOSS_MODEL_BURSTY},      {0.02, 0.0, LOSS_MODEL_BURSTY},
		{0.01, 1.5, LOSS_MODEL_POLICED},     {0.3, -0.4, LOSS_MODEL_BURSTY},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct loss_model_point points[5];
		struct loss_model model;

		fill_line(points, 5, rows[i].loss, rows[i].slope);
		loss_model_fit(points, 5, &model);
		UNIT_CHECK(model.slope.known, "row %zu: no slope", i);
		UNIT_NEAR("slope", model.slope.value, rows[i].slope, 1e-5);
		UNIT_CHECK(model.slope.low <= rows[i].slope && model.slope.high >= rows[i].slope,
			   "row %zu: %g..%g", i, model.slope.low, model.slope.high);
		UNIT_TEXT("verdict", loss_model_name(model.verdict),
			  loss_model_name(rows[i].verdict));
		UNIT_TEXT("known", model.why_unknown, "");
		UNIT_UNSIGNED("degrees", model.degrees, 3);
		UNIT_CHECK(model.deviance < 1e-3, "row %zu: deviance %g", i, model.deviance);
		UNIT_CHECK(model.loss_per_fragment.known ==
				   (rows[i].verdict == LOSS_MODEL_INDEPENDENT),
			   "row %zu: loss per fragment", i);
		if (model.loss_per_fragment.known)
			UNIT_NEAR("loss", model.loss_per_fragment.value, rows[i].loss,
				  1e-5 * rows[i].loss);
	}
}

/*
 * Two sizes are met exactly: the slope is what their logarithms say, and its interval that of a
 * likelihood which can be written down, since each slope's best level is all that is left.
 */
static void test_two_sizes(void)
{
	static const struct loss_model_point points[] = {{1, 1000, 50, 0}, {4, 1000, 200, 0}};
	struct loss_model model;

	loss_model_fit(points, 2, &model);
	UNIT_NEAR("slope", model.slope.value,
		  (log(-log1p(-0.2)) - log(-log1p(-0.05))) / log(4.0), 1e-9);
	UNIT_NEAR("deviance", model.deviance, 0.0, 1e-6);
	UNIT_UNSIGNED("degrees", model.degrees, 0);
	/* The curvature's: sqrt(p1 / (q1 n h1^2) + p2 / (q2 n h2^2)) / ln 4, h = -ln(q). */
	UNIT_NEAR("half its width", (model.slope.high - model.slope.low) / 2.0,
		  STATISTICS_Z95 * 0.11405, 2e-3);
	UNIT_SIGNED("verdict", model.verdict, LOSS_MODEL_INDEPENDENT);
}

static void test_pooled(void)
{
	/* Fragments one by one: the interval is that of a plain ratio. */
	static const struct loss_model_point points[] = {{1, 4000, 200, 0}, {2, 4000, 390, 0}};
	struct statistics_interval wilson = {0.0, 0.0};
	struct loss_model model;

	loss_model_fit(points, 2, &model);
	UNIT_CHECK(statistics_wilson(600, 12000, STATISTICS_Z95, &wilson), "no interval");
	UNIT_CHECK(model.loss_per_fragment.known, "unknown");
	UNIT_NEAR("value", model.loss_per_fragment.value, 0.05, 5e-4);
	UNIT_NEAR("low", model.loss_per_fragment.low, wilson.low, 5e-4);
	UNIT_NEAR("high", model.loss_per_fragment.high, wilson.high, 5e-4);
}

static void test_none(void)
{
	static const struct loss_model_point points[] = {{1, 100, 0, 0}, {10, 90, 0, 0}};
	struct loss_model model;

	loss_model_fit(points, 2, &model);
	UNIT_SIGNED("verdict", model.verdict, LOSS_MODEL_NONE);
	UNIT_CHECK(!model.slope.known, "a slope of nothing");
	UNIT_NEAR("value", model.loss_per_fragment.value, 0.0, 0.0);
	UNIT_NEAR("upper", model.loss_per_fragment.high, statistics_none_upper(1000), 1e-15);
	loss_model_fit(points, 1, &model);
	UNIT_SIGNED("one size is enough for that", model.verdict, LOSS_MODEL_NONE);
}

struct row {
	const char *label;
	struct loss_model_point points[5]; /* ended by no fragments */
	enum loss_model_verdict verdict;
	const char *why_unknown;
};

static const struct row rows[] = {
	{"no points", {{0}}, LOSS_MODEL_UNKNOWN, "nothing was sent"},
	{"nothing sent", {{3, 0, 0, 0}}, LOSS_MODEL_UNKNOWN, "nothing was sent"},
	{"one size", {{3, 100, 9, 0}, {3, 90, 8, 0}}, LOSS_MODEL_UNKNOWN,
	 "there is only one number of fragments"},
	{"one of two sizes not sent", {{3, 100, 9, 0}, {5, 0, 0, 0}}, LOSS_MODEL_UNKNOWN,
	 "there is only one number of fragments"},
	{"all of all lost", {{1, 100, 100, 0}, {5, 50, 50, 0}}, LOSS_MODEL_UNKNOWN,
	 "everything was lost"},
	{"one lost", {{1, 100, 0, 0}, {2, 100, 1, 0}}, LOSS_MODEL_UNKNOWN,
	 "too few were lost to tell how loss grows"},
	{"few lost", {{2, 50, 2, 0}, {6, 50, 6, 0}}, LOSS_MODEL_UNKNOWN,
	 "too few were lost to tell how loss grows"},
	{"not below 0, but perhaps 2", {{2, 100, 3, 0}, {6, 100, 12, 0}}, LOSS_MODEL_UNKNOWN,
	 "too few were lost to tell how loss grows"},
	{"not 2, but perhaps 0", {{1, 1000, 6, 0}, {3, 200, 2, 0}}, LOSS_MODEL_UNKNOWN,
	 "too few were lost to tell how loss grows"},
	{"up, down, up", {{1, 1000, 100, 0}, {2, 1000, 300, 0}, {3, 1000, 130, 0},
			  {4, 1000, 440, 0}}, LOSS_MODEL_UNKNOWN,
	 "loss does not follow the number of fragments"},
	{"no small one, every large one", {{1, 200, 0, 0}, {2, 200, 200, 0}}, LOSS_MODEL_POLICED,
	 ""},
	{"a jump", {{1, 200, 0, 0}, {2, 200, 0, 0}, {6, 200, 195, 0}, {10, 200, 200, 0}},
	 LOSS_MODEL_POLICED, ""},
	{"every small one, no large one", {{1, 200, 200, 0}, {2, 200, 0, 0}}, LOSS_MODEL_BURSTY,
	 ""},
	{"half of each", {{1, 1000, 500, 0}, {45, 1000, 500, 0}}, LOSS_MODEL_BURSTY, ""},
	{"all but one", {{1, 1000, 999, 0}, {45, 1000, 1000, 0}}, LOSS_MODEL_UNKNOWN,
	 "too few were lost to tell how loss grows"},
	{"steep, but in two runs", {{1, 1000, 20, 1}, {2, 1000, 100, 1}}, LOSS_MODEL_UNKNOWN,
	 "too few were lost to tell how loss grows"},
	{"steep, one by one", {{1, 1000, 20, 20}, {2, 1000, 100, 91}}, LOSS_MODEL_POLICED, ""},
	{"steep, runs not known", {{1, 1000, 20, 0}, {2, 1000, 100, 0}}, LOSS_MODEL_POLICED, ""},
	{"the largest numbers", {{1, UINT64_MAX, 1, 1}, {2, UINT64_MAX, UINT64_MAX, 1}},
	 LOSS_MODEL_POLICED, ""},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct loss_model model;
		size_t count = 0;

		while (count < 5 && rows[i].points[count].fragments > 0)
			count++;
		loss_model_fit(rows[i].points, count, &model);
		UNIT_TEXT(rows[i].label, loss_model_name(model.verdict),
			  loss_model_name(rows[i].verdict));
		UNIT_TEXT(rows[i].label, model.why_unknown, rows[i].why_unknown);
		UNIT_CHECK(!model.slope.known || (isfinite(model.slope.low) &&
						  isfinite(model.slope.high) &&
						  model.slope.low <= model.slope.value &&
						  model.slope.value <= model.slope.high),
			   "%s: slope %g in %g..%g", rows[i].label, model.slope.value,
			   model.slope.low, model.slope.high);
	}
}

static void test_too_many(void)
{
	static struct loss_model_point points[5000];
	struct loss_model model;

	for (size_t i = 0; i < ARRAY_LENGTH(points); i++)
		points[i] = (struct loss_model_point){(uint32_t)i + 1, 10, 1, 0};
	loss_model_fit(points, ARRAY_LENGTH(points), &model);
	UNIT_TEXT("too many", model.why_unknown, "there are too many sizes");
}

/* The best level against a plain search, for slopes that nobody would expect. */
static void test_best_level(void)
{
	static const struct cloglog_group groups[] = {
		{0.0, 0.0, 500.0}, {0.7, 30.0, 70.0}, {2.3, 1.0, 0.0}, {3.8, 40.0, 1e-3}};

	for (double slope = -50.0; slope <= 50.0; slope += 12.5) {
		double level = cloglog_best_level(groups, 4, slope);
		double top = cloglog_likelihood(groups, 4, level, slope);

		for (double off = -1.0; off <= 1.0; off += 0.125)
			UNIT_CHECK(cloglog_likelihood(groups, 4, level + off, slope) <=
					   top + 1e-9 * fabs(top),
				   "slope %g: better %g beside %g", slope, off, level);
	}
}

static void test_words(void)
{
	for (int verdict = LOSS_MODEL_UNKNOWN; verdict <= LOSS_MODEL_POLICED; verdict++)
		UNIT_CHECK(strlen(loss_model_name((enum loss_model_verdict)verdict)) > 3 &&
				   strlen(loss_model_sentence((enum loss_model_verdict)verdict)) >
					   10,
			   "verdict %d", verdict);
	UNIT_TEXT("name", loss_model_name(LOSS_MODEL_POLICED), "policed");
	UNIT_TEXT("no verdict", loss_model_name((enum loss_model_verdict)99), "unknown");
	UNIT_TEXT("sentence", loss_model_sentence(LOSS_MODEL_INDEPENDENT),
		  "fragments are lost independently of each other");
}

const struct unit_suite suite_loss_model = {
	"loss_model",
	(const struct unit_test[]){
		{"lines", test_lines},
		{"two sizes", test_two_sizes},
		{"loss per fragment of all sizes", test_pooled},
		{"nothing lost", test_none},
		{"verdicts", test_rows},
		{"too many sizes", test_too_many},
		{"best level", test_best_level},
		{"words", test_words},
		{NULL, NULL},
	},
};
