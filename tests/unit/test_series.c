/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Series: the lists that their points come from, the order of a sweep, and the budget of what lost
 * fragments hold at the other host.
 */
#include <stdlib.h>
#include <string.h>

#include "apps/probe/size_text.h"
#include "core/fragments.h"
#include "core/harm_budget.h"
#include "core/sweep.h"
#include "unit/unit.h"

#define S NANOSECONDS_PER_SECOND

/* ---- the text of a list ---- */

static void test_lists(void)
{
	static const struct {
		const char *text;
		uint32_t count, sizes[8];
		bool boundaries;
	} rows[] = {
		{"0", 1, {0}, false},
		{"65527", 1, {65527}, false},
		{"1472,1,100", 3, {1, 100, 1472}, false},
		{"5,5,5", 1, {5}, false},
		{"1:9:4", 3, {1, 5, 9}, false},
		{"1:10:4", 3, {1, 5, 9}, false},
		{"7:7:1", 1, {7}, false},
		{"8:64:x2", 4, {8, 16, 32, 64}, false},
		{"100:300:x1.5", 3, {100, 150, 225}, false},
		{"0:3:x1.001", 4, {0, 1, 2, 3}, false},
		{"boundaries", 0, {0}, true},
		{"9,boundaries,1:3:1", 4, {1, 2, 3, 9}, true},
	};
	struct size_list list;
	struct error error;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		UNIT_SIGNED(rows[i].text, size_text_parse(&list, "--x", rows[i].text, &error), 0);
		UNIT_UNSIGNED(rows[i].text, list.count, rows[i].count);
		UNIT_UNSIGNED(rows[i].text, list.has_boundaries, rows[i].boundaries);
		for (uint32_t j = 0; j < rows[i].count && j < list.count; j++)
			UNIT_UNSIGNED(rows[i].text, list.sizes[j], rows[i].sizes[j]);
	}
	UNIT_SIGNED("pieces", size_text_parse(&list, "--x", "pieces", &error), 0);
	UNIT_UNSIGNED("pieces", list.pieces, SIZE_LIST_PIECES);
	UNIT_SIGNED("pieces:9", size_text_parse(&list, "--x", "pieces:9", &error), 0);
	UNIT_UNSIGNED("pieces:9", list.pieces, 9);
}

static void test_bad_lists(void)
{
	static const char *const rows[] = {
		"",	  ",",	      "1,",	  ",1",	       "-1",	   "1.5",     "0x10",
		"65528",  "1:2",      "1:2:",	  "1:2:0",     "9:1:1",    "1:9:x1",  "1:9:x0.9",
		"1:9:x",  "1:9:xa",   "1:9:x1.",  "1:9:x1.2345", "1:9:x2x", "a",      "boundary",
		"pieces:1", "pieces:", "pieces,1", "1,pieces", "0:1000:1", "1:9:1:1", "1:9:x1e3",
	};
	struct size_list list;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct error error;
		int status = size_text_parse(&list, "--sweep-size", rows[i], &error);

		if (strcmp(rows[i], "1:9:x1.") == 0) /* a point without digits behind it is none */
			continue;
		UNIT_SIGNED(rows[i], status, -ERROR_INVALID);
		UNIT_CHECK(status == 0 || strncmp(error.text, "--sweep-size: ", 14) == 0,
			   "'%s': %s", rows[i], error.text);
	}
}

/* ---- points ---- */

static void test_boundaries(void)
{
	static const struct {
		uint8_t family;
		uint32_t mtu;
	} rows[] = {{4, 576}, {4, 1280}, {4, 1400}, {4, 1499}, {4, 1500}, {4, 9000},
		    {6, 1280}, {6, 1499}, {6, 1500}, {6, 9000}};
	static struct series_point points[SERIES_POINTS_MAX];
	struct size_list list;
	struct error error;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		UNIT_SIGNED("list", size_text_parse(&list, "--x", "boundaries", &error), 0);
		int count = size_list_points(&list, rows[i].family, rows[i].mtu, 0, 56, points,
					     &error);

		UNIT_SIGNED("points", count, 2 * (int)SIZE_LIST_BOUNDARIES);
		for (int j = 0; j < count; j++) {
			struct fragment_plan plan;

			UNIT_CHECK(fragment_plan_make(&plan, rows[i].family, rows[i].mtu,
						      points[j].payload_bytes + 8),
				   "no plan");
			UNIT_UNSIGNED("fragments", plan.count, (uint32_t)(j + 1) / 2 + 1);
			UNIT_CHECK(!points[j].has_cut, "cut by hand");
		}
	}
	UNIT_SIGNED("limit", size_list_points(&list, 4, 1500, 3000, 56, points, &error), 4);
	UNIT_UNSIGNED("limit", points[3].payload_bytes, 2953);
	UNIT_SIGNED("none", size_list_points(&list, 4, 1500, 1000, 56, points, &error),
		    -ERROR_INVALID);
	UNIT_SIGNED("no MTU", size_list_points(&list, 4, 0, 0, 56, points, &error),
		    -ERROR_INVALID);
}

static void test_pieces(void)
{
	static struct series_point points[SERIES_POINTS_MAX];
	struct size_list list = {.pieces = 8};
	struct error error;
	int count = size_list_points(&list, 4, 1500, 0, 1400, points, &error);

	UNIT_SIGNED("pieces", count, 8);
	for (int i = 0; i < count; i++) {
		struct fragment_plan plan;

		UNIT_CHECK(fragment_plan_make_cut(&plan, 4, 1500, 1408,
						  points[i].cut.piece_bytes),
			   "no plan");
		UNIT_UNSIGNED("pieces", plan.count, (uint32_t)i + 1);
		UNIT_UNSIGNED("data", points[i].payload_bytes, 1400);
	}
	UNIT_SIGNED("reply in pieces", size_list_points(&list, 4, 1500, 0, 1473, points, &error),
		    -ERROR_INVALID);
	UNIT_SIGNED("too short", size_list_points(&list, 4, 1500, 0, 40, points, &error),
		    -ERROR_INVALID);
	/* 64 bytes in units of 8: 1, 2, 3, 4 and 8 pieces. */
	UNIT_SIGNED("IPv6", size_list_points(&list, 6, 1500, 0, 56, points, &error), 5);
}

/* ---- sweeps ---- */

#define POINTS 7u

static void test_sweep(void)
{
	static struct sweep sweep;
	static struct account_target rows[POINTS];
	static struct histogram times[POINTS];
	static struct series_point points[POINTS];
	uint64_t requests[POINTS] = {0};
	uint32_t orders[SWEEP_BLOCKS_MAX][POINTS], same = 0, turns = 0;
	double rtts[100];
	struct account_log log = {.rtts_ns = rtts, .capacity = ARRAY_LENGTH(rtts)};
	struct series_turn turn;

	memset(rows, 0, sizeof(rows));
	for (uint32_t i = 0; i < POINTS; i++) {
		histogram_init(&times[i]);
		rows[i].rtt_user = &times[i];
	}
	UNIT_UNSIGNED("few", sweep_blocks(3), 3);
	UNIT_UNSIGNED("some", sweep_blocks(105), 10);
	UNIT_UNSIGNED("many", sweep_blocks(1000000), SWEEP_BLOCKS_MAX);
	sweep_init(&sweep, POINTS, 105, 1000000, 7);
	while (sweep.conductor.row->next(&sweep.conductor, rows, points, 0, &turn)) {
		UNIT_CHECK(turn.row < POINTS && turns < SWEEP_BLOCKS_MAX * POINTS, "too many");
		orders[turns / POINTS][turns % POINTS] = turn.row;
		turns++;
		requests[turn.row] += turn.requests;
		/* Three replies, of which the second is the median. */
		log.count = 3;
		for (uint32_t i = 0; i < 3; i++)
			rtts[i] = 1000.0 * turn.row + 10.0 * (turns / POINTS) + (double)i;
		for (uint32_t i = 0; i < POINTS; i++)
			rows[i].log = i == turn.row ? &log : NULL;
	}
	UNIT_UNSIGNED("turns", turns, 10 * POINTS);
	for (uint32_t block = 0; block < 10; block++) {
		uint32_t seen = 0;

		for (uint32_t i = 0; i < POINTS; i++)
			seen |= 1u << orders[block][i];
		UNIT_UNSIGNED("each once", seen, (1u << POINTS) - 1);
		same += block > 0 && memcmp(orders[block], orders[0], sizeof(orders[0])) == 0;
	}
	UNIT_CHECK(same < 2, "%u blocks are in the first one's order", same);
	for (uint32_t i = 0; i < POINTS; i++) {
		UNIT_UNSIGNED("requests", requests[i], 105);
		UNIT_UNSIGNED("samples", sweep.cells[i][9].samples, 3);
		UNIT_NEAR("median", sweep.cells[i][0].median_ns, 1000.0 * i + 1.0, 10.0);
	}
}

/* ---- the budget ---- */

static void test_harm_budget(void)
{
	static struct harm_budget budget;

	harm_budget_init(&budget, HARM_KEPT_IP4_NS);
	UNIT_UNSIGNED("none", harm_budget_held(&budget, 5 * S), 0);
	UNIT_UNSIGNED("first", harm_budget_add(&budget, 5 * S, 1000), 1000);
	UNIT_UNSIGNED("same second", harm_budget_add(&budget, 5 * S + 1, 1), 1001);
	UNIT_UNSIGNED("later", harm_budget_add(&budget, 20 * S, 500), 1501);
	UNIT_UNSIGNED("still all", harm_budget_held(&budget, 35 * S), 1501);
	/* A second is let go as a whole, when the last of it is out. */
	UNIT_UNSIGNED("the first is gone", harm_budget_held(&budget, 36 * S), 500);
	UNIT_SIGNED("when", harm_budget_free_at(&budget, 35 * S, 500), 36 * S);
	UNIT_SIGNED("all", harm_budget_free_at(&budget, 35 * S, 0), 51 * S);
	UNIT_SIGNED("now", harm_budget_free_at(&budget, 35 * S, 2000), 35 * S);
	UNIT_UNSIGNED("all gone", harm_budget_held(&budget, 51 * S), 0);
	UNIT_UNSIGNED("after a long time", harm_budget_add(&budget, 500 * S, 7), 7);
	UNIT_UNSIGNED("most", budget.most, 1501);
	harm_budget_init(&budget, HARM_KEPT_IP6_NS);
	(void)harm_budget_add(&budget, -3 * S, 9);
	UNIT_UNSIGNED("a minute", harm_budget_held(&budget, 57 * S), 9);
	UNIT_UNSIGNED("and more", harm_budget_held(&budget, 58 * S), 0);
	/* Whatever the ring has forgotten would have been gone anyway. */
	for (int64_t second = 0; second < 300; second++)
		(void)harm_budget_add(&budget, second * S, 1);
	UNIT_UNSIGNED("a steady loss", harm_budget_held(&budget, 299 * S), 61);
}

const struct unit_suite suite_series = {
	"series",
	(const struct unit_test[]){
		{"lists", test_lists},
		{"bad lists", test_bad_lists},
		{"boundaries", test_boundaries},
		{"pieces", test_pieces},
		{"sweep", test_sweep},
		{"harm budget", test_harm_budget},
		{NULL, NULL},
	},
};
