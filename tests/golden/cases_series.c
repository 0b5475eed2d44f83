/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of several kinds of requests: the conversations of the helpers' targets become the points of
 * the first one.
 */
#include "golden/golden.h"

#include <string.h>

#include "core/diagnosis.h"
#include "core/mtu_search.h"
#include "core/sweep.h"

static struct result_target points[GOLDEN_TARGETS];
static struct sweep sweep;
static struct mtu_search mtu_search;
static struct diagnosis diagnosis;

/* What the first `count` targets have measured becomes points; the first one is their host. */
static void gather(struct golden_run *run, uint32_t count)
{
	struct result_target *host = &run->targets[0];
	struct result_target facts = run->targets[0];

	for (uint32_t i = 0; i < count; i++) {
		points[i] = run->targets[i];
		points[i].name = facts.name;
		memcpy(points[i].address, facts.address, sizeof(points[i].address));
		points[i].window_ns = run->depth[i].last_ns - run->depth[i].start_ns;
		points[i].elapsed_ns = points[i].window_ns;
		run->result.elapsed_ns += points[i].window_ns;
	}
	memset(&host->tally, 0, sizeof(host->tally));
	host->rtt_user = host->rtt_ping = NULL;
	host->depth = NULL;
	host->error_count = 0;
	host->points = points;
	host->point_count = count;
	run->result.target_count = 1;
}

/* Four sizes on both sides of a boundary, ten blocks that differ a little, some loss. */
static void build_sweep(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "-f",	   "-c",       "1000",
						"--sweep-size", "56,1472,1473,2952", "10.9.0.2",
						NULL};
	static const uint32_t sizes[] = {56, 1472, 1473, 2952};
	static const struct golden_trip trips[][2] = {
		{{995, 8600, 3000, 400}, {5, 0, -1, 700}},
		{{995, 9100, 3000, 400}, {5, 0, -1, 700}},
		{{990, 15300, 3500, 400}, {10, 0, -1, 700}},
		{{990, 15850, 3500, 400}, {10, 0, -1, 700}},
	};

	golden_begin(run, ARRAY_LENGTH(sizes), arguments);
	run->configuration.count = 1000;
	run->configuration.sweep_sizes = "56,1472,1473,2952";
	run->configuration.payload_bytes = 2952;
	run->result.mode = configuration_name(&run->configuration);
	sweep_init(&sweep, ARRAY_LENGTH(sizes), 100, 1000 * MS, 1);
	for (uint32_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
		run->targets[i].payload_bytes = sizes[i];
		golden_converse(run, i, trips[i], ARRAY_LENGTH(trips[i]));
		run->targets[i].loss_runs[0] =
			(struct result_loss_run){1, run->targets[i].tally.lost};
		run->targets[i].loss_run_count = 1;
		for (uint32_t block = 0; block < sweep.blocks; block++)
			sweep.cells[i][block] = (struct size_fit_cell){
				.median_ns = (double)trips[i][0].rtt_ns + 10.0 * (block % 3),
				.samples = 99};
	}
	gather(run, ARRAY_LENGTH(sizes));
	run->targets[0].sweep = &sweep;
	golden_processor(run, 0.004, 0.05, 3970, "");
	golden_finish(run);
}

static void build_find_mtu(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "--find-mtu", "10.9.0.2", NULL};
	static const uint32_t lengths[] = {84, 1500, 1400, 1401};
	static const struct golden_trip answered[] = {{12, 300 * US, 20 * US, 9700 * US}};
	static const struct golden_trip lost[] = {{8, 0, -1, 10 * MS}};

	golden_begin(run, ARRAY_LENGTH(lengths), arguments);
	run->configuration.flood = false;
	run->configuration.find_mtu = true;
	run->result.mode = configuration_name(&run->configuration);
	run->result.depth = 0;
	mtu_search_init(&mtu_search, 4, 1500, 1000 * MS);
	mtu_search.rows = ARRAY_LENGTH(lengths);
	memcpy(mtu_search.lengths, lengths, sizeof(lengths));
	mtu_search.state = MTU_SEARCH_OVER;
	mtu_search.known = mtu_search.was_told = true;
	mtu_search.mtu = 1400;
	for (uint32_t i = 0; i < ARRAY_LENGTH(lengths); i++) {
		bool passes = lengths[i] <= 1400;

		run->targets[i].payload_bytes = lengths[i] - 28;
		run->targets[i].has_cut = i > 0;
		run->targets[i].cut.dont_fragment = i > 0;
		golden_converse(run, i, passes ? answered : lost, 1);
		if (!passes)
			golden_error(run, i, 3, 4, "Frag needed and DF set", "10.9.0.254", 8)->mtu =
				1400;
	}
	gather(run, ARRAY_LENGTH(lengths));
	run->targets[0].mtu_search = &mtu_search;
	golden_finish(run);
}

static void build_diagnosis(struct golden_run *run)
{
	static const char *const arguments[] = {"fping-bench", "--diagnose-fragments", "10.9.0.2",
						NULL};
	static const struct golden_trip answered[] = {{140, 300 * US, 20 * US, 9700 * US}};
	static const struct golden_trip lost[] = {{20, 0, -1, 10 * MS}};

	golden_begin(run, GOLDEN_TARGETS, arguments);
	run->configuration.flood = false;
	run->configuration.diagnose_fragments = true;
	run->result.mode = configuration_name(&run->configuration);
	run->result.depth = 0;
	diagnosis_init(&diagnosis, 4, 1500, 1000 * MS);
	diagnosis.phase = DIAGNOSIS_OVER;
	diagnosis.verdict = DIAGNOSIS_FRAGMENTS_DROPPED;
	(void)snprintf(diagnosis.evidence[0], sizeof(diagnosis.evidence[0]),
		       "small, 2 hand-made pieces (88 bytes of data): 0 of 20 answered");
	(void)snprintf(diagnosis.evidence[1], sizeof(diagnosis.evidence[1]),
		       "no report of a reassembly that timed out came: first fragments do not "
		       "arrive either");
	diagnosis.evidence_count = 2;
	for (uint32_t i = 0; i < GOLDEN_TARGETS; i++) {
		run->targets[i].payload_bytes = diagnosis.kinds[i].payload_bytes;
		run->targets[i].has_cut = diagnosis.kinds[i].has_cut;
		run->targets[i].cut = diagnosis.kinds[i].cut;
		golden_converse(run, i, i == DIAGNOSIS_SMALL ? answered : lost, 1);
	}
	gather(run, GOLDEN_TARGETS);
	run->targets[0].diagnosis = &diagnosis;
	golden_finish(run);
}

/* The same, not determined, and limited to a rate. */
static void build_undetermined(struct golden_run *run)
{
	build_diagnosis(run);
	diagnosis.verdict = DIAGNOSIS_UNDETERMINED;
	diagnosis.has_bucket = diagnosis.has_burst = true;
	diagnosis.bucket_rate_per_s = 9.98;
	diagnosis.bucket_burst = 5.2;
	(void)snprintf(diagnosis.decide_by, sizeof(diagnosis.decide_by),
		       "echoes are limited to a rate, and there is more than that: lift the limit, "
		       "or run it from where there is none");
}

const struct golden_case golden_series_cases[] = {
	{"sweep", build_sweep},
	{"find-mtu", build_find_mtu},
	{"diagnosis", build_diagnosis},
	{"undetermined", build_undetermined},
	{NULL, NULL},
};
