/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks by script: fine ones, ticks, ones that stand still, and what the figures say of them.
 */
#include "core/clock_quality.h"

#include "unit/unit.h"

#define MS NANOSECONDS_PER_MILLISECOND

/* `count` readings of a clock that steps by step_ns, made every cost_ns; returns the span. */
static int64_t read_all(struct clock_quality *quality, uint32_t count, int64_t cost_ns,
			int64_t step_ns)
{
	clock_quality_init(quality);
	for (uint32_t i = 0; i < count; i++)
		clock_quality_read(quality, 1000000007 / step_ns * step_ns +
						    (int64_t)i * cost_ns / step_ns * step_ns);
	return (int64_t)count * cost_ns;
}

static void test_steps(void)
{
	static const struct {
		const char *label;
		int64_t cost_ns, step_ns;
		bool is_coarse;
		int64_t wanted_step_ns;
		double zero_share, read_ns;
	} rows[] = {
		{"every reading another", 25, 1, false, 25, 0, 25},
		{"a counter of 100 MHz", 24, 10, false, 20, 0, 20},
		{"hpet", 1000, 70, false, 980, 0, 980},
		{"acpi_pm, just fine enough", 900, 279, false, 837, 0, 837},
		{"1 us", 25, 1000, false, 1000, 0.975, 25},
		{"half of them stand still", 250, 500, false, 500, 0.5, 250},
		{"2 us", 1500, 2000, true, 2000, 0.25, 1500},
		{"a tick of 4 ms", 5, 4 * MS, true, 4 * MS, 1, 5},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		static struct clock_quality quality;
		struct result_clock facts = {0};
		int64_t span_ns = read_all(&quality, rows[i].step_ns == 4 * MS ? 4000000 : 20000,
					   rows[i].cost_ns, rows[i].step_ns);

		clock_quality_result(&quality, span_ns, &facts);
		UNIT_CHECK(facts.is_measured, "%s: measured", rows[i].label);
		UNIT_SIGNED(rows[i].label, facts.step_ns, rows[i].wanted_step_ns);
		UNIT_SIGNED(rows[i].label, facts.is_coarse, rows[i].is_coarse);
		UNIT_NEAR(rows[i].label, facts.zero_share, rows[i].zero_share, 0.01);
		UNIT_NEAR(rows[i].label, facts.read_ns, rows[i].read_ns, 0.05 * rows[i].read_ns);
		UNIT_SIGNED(rows[i].label, facts.hiccup_ns.known, !rows[i].is_coarse);
	}
}

static void test_odd(void)
{
	static struct clock_quality quality;
	struct result_clock facts = {0};

	clock_quality_init(&quality);
	clock_quality_result(&quality, 0, &facts);
	UNIT_CHECK(!facts.is_measured, "no reading is no measurement");
	clock_quality_read(&quality, 5);
	clock_quality_result(&quality, 0, &facts);
	UNIT_CHECK(!facts.is_measured, "nor is one");

	(void)read_all(&quality, 1000, 0, 1);
	clock_quality_result(&quality, 16 * MS, &facts);
	UNIT_CHECK(facts.is_coarse && facts.step_ns == 16 * MS, "a clock that stands: %lld",
		   (long long)facts.step_ns);

	clock_quality_init(&quality);
	for (int64_t i = 0; i < 1000; i++)
		clock_quality_read(&quality, i * 25 + (i >= 500 ? 90000 : 0));
	clock_quality_read(&quality, 10);
	clock_quality_result(&quality, 1000 * 25 + 90000, &facts);
	UNIT_CHECK(facts.hiccup_ns.known && facts.hiccup_ns.value == 90025, "hiccup %g",
		   facts.hiccup_ns.value);
	UNIT_NEAR("a hiccup is not in the cost", facts.read_ns, 25, 0.5);
	UNIT_UNSIGNED("it went back", quality.negatives, 1);
}

static void test_enough(void)
{
	static const struct {
		const char *label;
		int64_t step_ns, rtt_ns;
		bool is_coarse, is_enough, needs_trial;
	} rows[] = {
		{"fine, no trial", 20, 0, false, true, false},
		{"fine", 20, 300, false, true, false},
		{"100 ns", 100, 0, false, true, false},
		{"in between", 300, 0, false, true, true},
		{"in between, short round trips", 300, 2000, false, false, true},
		{"in between, long ones", 300, 50000, false, true, true},
		{"a tenth", 300, 3000, false, true, true},
		{"coarse", 4 * MS, 100 * MS, true, false, false},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct result_clock facts = {.is_measured = true,
					     .step_ns = rows[i].step_ns,
					     .is_coarse = rows[i].is_coarse};

		UNIT_SIGNED(rows[i].label, clock_is_fine_enough(&facts, rows[i].rtt_ns),
			    rows[i].is_enough);
		UNIT_SIGNED(rows[i].label, clock_needs_trial(&facts), rows[i].needs_trial);
	}
}

static void test_error(void)
{
	struct result_clock facts = {
		.is_measured = true, .step_ns = 20, .read_ns = 25, .rate_error = 5e-4};

	UNIT_NEAR("a short one", clock_error(&facts, 10000).value, 50, 1e-9);
	UNIT_NEAR("a long one", clock_error(&facts, 100 * MS).value, 50045, 1e-6);
	facts.is_measured = false;
	UNIT_CHECK(!clock_error(&facts, 10000).known, "not measured, not known");
}

const struct unit_suite suite_clock_quality = {
	"clock-quality",
	(const struct unit_test[]){
		{"steps", test_steps},
		{"odd clocks", test_odd},
		{"fine enough", test_enough},
		{"error", test_error},
		{NULL, NULL},
	},
};
