/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of several kinds of requests. The engine sees each kind as a target of its own, all with the
 * address of the one host; what was measured of them becomes the points of that host's result.
 */
#include "apps/probe/probe.h"

#include <stdlib.h>
#include <string.h>

#include "apps/probe/size_text.h"


/* ---- before the run ---- */

static int allocate(struct probe *probe)
{
	probe->points = calloc(SERIES_POINTS_MAX, sizeof(*probe->points));
	probe->rows = calloc(SERIES_POINTS_MAX, sizeof(*probe->rows));
	probe->row_facts = calloc(SERIES_POINTS_MAX, sizeof(*probe->row_facts));
	if (probe->points == NULL || probe->rows == NULL || probe->row_facts == NULL)
		return probe_fail(probe, PROBE_UNUSABLE, "no memory for %u kinds of requests",
				  SERIES_POINTS_MAX);
	return PROBE_CONTINUE;
}

/* --fragment-size with a sweep over sizes: each is cut so. */
static void cut_points(struct probe *probe)
{
	const struct configuration *configuration = probe_configuration(probe);

	for (uint32_t i = 0; configuration->fragment_size > 0 && i < probe->row_count; i++) {
		probe->points[i].has_cut = true;
		probe->points[i].cut.piece_bytes = configuration->fragment_size;
		probe->points[i].cut.order = configuration->fragment_order;
	}
}

static int prepare_sweep(struct probe *probe)
{
	struct configuration *configuration = &probe->options.configuration;
	const struct result_target *facts = &probe->result.targets[0];
	struct size_list list;
	struct error error;
	int count = size_text_parse(&list, "--sweep-size", configuration->sweep_sizes, &error);

	probe->sweep = malloc(sizeof(*probe->sweep));
	if (probe->sweep == NULL)
		return probe_fail(probe, PROBE_UNUSABLE, "no memory for the blocks of the sweep");
	if (count == 0)
		count = size_list_points(&list, facts->family, facts->mtu,
					 configuration->boundary_limit,
					 configuration->payload_bytes, probe->points, &error);
	if (count < 0)
		return probe_fail(probe, PROBE_UNUSABLE, "%s", error.text);
	probe->row_count = (uint32_t)count;
	cut_points(probe);
	configuration->payload_bytes = 0;
	for (uint32_t i = 0; i < probe->row_count; i++)
		configuration->payload_bytes = (uint32_t)max_u64(configuration->payload_bytes,
								 probe->points[i].payload_bytes);
	configuration->count = configuration_sweep_count(configuration);
	return PROBE_CONTINUE;
}

static int prepare_search(struct probe *probe)
{
	struct configuration *configuration = &probe->options.configuration;
	const struct result_target *facts = &probe->result.targets[0];

	if (facts->mtu == 0)
		return probe_fail(probe, PROBE_UNUSABLE,
				  "--find-mtu: the MTU of the interface is not known");
	probe->mtu_search = malloc(sizeof(*probe->mtu_search));
	if (probe->mtu_search == NULL)
		return probe_fail(probe, PROBE_UNUSABLE, "no memory for the search");
	mtu_search_init(probe->mtu_search, facts->family, facts->mtu, configuration->timeout_ns);
	probe->row_count = MTU_SEARCH_ROWS;
	configuration->payload_bytes =
		probe->mtu_search->interface_mtu - facts->ip_overhead_bytes;
	return PROBE_CONTINUE;
}

static int prepare_diagnosis(struct probe *probe)
{
	struct configuration *configuration = &probe->options.configuration;
	const struct result_target *facts = &probe->result.targets[0];

	if (facts->mtu == 0)
		return probe_fail(probe, PROBE_UNUSABLE,
				  "--diagnose-fragments: the MTU of the interface is not known");
	if (fragment_payload_max(facts->family, facts->mtu, 1) ==
	    fragment_payload_max(facts->family, facts->mtu, 2))
		return probe_fail(probe, PROBE_UNUSABLE,
				  "--diagnose-fragments: at an MTU of %u no request is ever cut",
				  facts->mtu);
	probe->diagnosis = malloc(sizeof(*probe->diagnosis));
	if (probe->diagnosis == NULL)
		return probe_fail(probe, PROBE_UNUSABLE, "no memory for the diagnosis");
	diagnosis_init(probe->diagnosis, facts->family, facts->mtu, configuration->timeout_ns);
	probe->row_count = DIAGNOSIS_ROWS;
	configuration->payload_bytes = diagnosis_largest(probe->diagnosis);
	return PROBE_CONTINUE;
}

static int prepare(struct probe *probe)
{
	if (probe_configuration(probe)->find_mtu)
		return prepare_search(probe);
	if (probe_configuration(probe)->diagnose_fragments)
		return prepare_diagnosis(probe);
	return prepare_sweep(probe);
}

/* What is known of the points goes to their facts. */
static void show_points(struct probe *probe)
{
	struct result_target *target = &probe->result.targets[0];

	target->points = probe->row_facts;
	target->point_count = probe->row_count;
	target->sweep = probe->sweep;
	target->mtu_search = probe->mtu_search;
	target->diagnosis = probe->diagnosis;
	for (uint32_t i = 0; i < probe->row_count; i++) {
		probe->row_facts[i].payload_bytes = probe->points[i].payload_bytes;
		probe->row_facts[i].has_cut = probe->points[i].has_cut;
		probe->row_facts[i].cut = probe->points[i].cut;
	}
}

int probe_prepare_series(struct probe *probe)
{
	int status;

	if (!configuration_has_series(probe_configuration(probe)))
		return PROBE_CONTINUE;
	status = allocate(probe);
	if (status == PROBE_CONTINUE)
		status = prepare(probe);
	if (status != PROBE_CONTINUE)
		return status;
	for (uint32_t i = 0; i < probe->row_count; i++)
		probe->row_facts[i] = probe->result.targets[0];
	show_points(probe);
	return PROBE_CONTINUE;
}

struct engine_target *probe_rows(struct probe *probe, uint32_t *count)
{
	*count = probe->rows != NULL ? probe->row_count : probe->hosts.count;
	return probe->rows != NULL ? probe->rows : probe->targets;
}

static struct conductor *start_conductor(struct probe *probe)
{
	const struct configuration *configuration = probe_configuration(probe);
	uint64_t seed;

	if (probe->mtu_search != NULL)
		return &probe->mtu_search->conductor;
	if (probe->diagnosis != NULL)
		return &probe->diagnosis->conductor;
	memcpy(&seed, probe->plan.key, sizeof(seed));
	sweep_init(probe->sweep, probe->row_count, configuration->count, configuration->timeout_ns,
		   seed);
	return &probe->sweep->conductor;
}

const struct engine_series *probe_start_series(struct probe *probe)
{
	if (probe->rows == NULL)
		return NULL;
	for (uint32_t i = 0; i < probe->row_count; i++)
		probe->rows[i] = probe->targets[0];
	probe->series = (struct engine_series){start_conductor(probe), probe->points};
	return &probe->series;
}

/* ---- after the run ---- */

void probe_end_series(struct probe *probe)
{
	if (probe->row_facts == NULL)
		return;
	/* A search has as many kinds of requests as it turned out to need. */
	if (probe->mtu_search != NULL)
		probe->row_count = probe->mtu_search->rows;
	show_points(probe);
}
