/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The diagnosis of fragments and the search for the path MTU against networks that are each broken
 * in one way, many times over: a network is a function that says what becomes of one request. None
 * of this knows how the conductors come to their answers; what is judged is how often they are
 * right.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/network.h"
#include "sim/sim.h"

#define LONGEST_NS (75 * NANOSECONDS_PER_SECOND)

/* How many of the runs come to the verdict, in time. */
static uint32_t diagnose(struct scene *scene, const struct world *world, uint32_t runs,
			 enum diagnosis_verdict verdict, struct diagnosis *last)
{
	uint32_t right = 0;

	for (uint32_t run = 0; run < runs; run++) {
		network_start(scene, world, 1000 + run);
		diagnosis_init(last, scene->world.family, NETWORK_MTU, NANOSECONDS_PER_SECOND);
		if (network_conduct(scene, &last->conductor) &&
		    network_elapsed_ns(scene) <= LONGEST_NS)
			right += last->verdict == verdict && last->evidence_count > 0;
	}
	return right;
}

static void test_diagnosis(struct scene *scene)
{
	static const struct {
		const char *name;
		enum diagnosis_verdict verdict;
		uint32_t runs, least;
		struct world world;
	} rows[] = {
		{"healthy", DIAGNOSIS_HEALTHY, 1000, 998, {.loss = 0.0}},
		{"healthy, some loss", DIAGNOSIS_HEALTHY, 1000, 980, {.loss = 0.0005}},
		{"healthy, IPv6", DIAGNOSIS_HEALTHY, 20, 20, {.family = 6}},
		{"loss of 5 %", DIAGNOSIS_PACKET_LOSS, 1000, 995, {.loss = 0.05}},
		{"loss of 15 %", DIAGNOSIS_PACKET_LOSS, 200, 198, {.loss = 0.15}},
		{"all dropped", DIAGNOSIS_FRAGMENTS_DROPPED, 20, 20, {.drops_all = true}},
		{"first dropped", DIAGNOSIS_FRAGMENTS_DROPPED, 20, 20, {.drops_first = true}},
		{"rest dropped", DIAGNOSIS_NON_FIRST_DROPPED, 20, 20, {.drops_rest = true}},
		{"rest dropped, IPv6",
		 DIAGNOSIS_NON_FIRST_DROPPED,
		 20,
		 20,
		 {.family = 6, .drops_rest = true}},
		{"limit of 500", DIAGNOSIS_SIZE_LIMIT, 20, 20, {.size_limit = 500}},
		{"limit of 1000", DIAGNOSIS_SIZE_LIMIT, 20, 20, {.size_limit = 1000}},
		{"limit of 5000", DIAGNOSIS_SIZE_LIMIT, 20, 20, {.size_limit = 5000}},
		{"limit of 1800, IPv6",
		 DIAGNOSIS_SIZE_LIMIT,
		 20,
		 20,
		 {.family = 6, .size_limit = 1800}},
		{"policer of 20/s",
		 DIAGNOSIS_FRAGMENT_POLICER,
		 1000,
		 995,
		 {.fragment_rate = 20.0, .fragment_burst = 10.0}},
		{"policer of 100/s",
		 DIAGNOSIS_FRAGMENT_POLICER,
		 200,
		 198,
		 {.fragment_rate = 100.0, .fragment_burst = 20.0}},
		{"echoes, 10/s",
		 DIAGNOSIS_ICMP_RATE_LIMIT,
		 1000,
		 995,
		 {.echo_rate = 10.0, .echo_burst = 5.0}},
		{"echoes, 50/s",
		 DIAGNOSIS_ICMP_RATE_LIMIT,
		 50,
		 50,
		 {.echo_rate = 50.0, .echo_burst = 10.0}},
		{"echoes, 2/s",
		 DIAGNOSIS_ICMP_RATE_LIMIT,
		 50,
		 50,
		 {.echo_rate = 2.0, .echo_burst = 6.0}},
		{"memory full",
		 DIAGNOSIS_REASSEMBLY_FULL,
		 20,
		 20,
		 {.memory_full_until_ns = 25 * NANOSECONDS_PER_SECOND}},
		{"reply fragments",
		 DIAGNOSIS_REPLY_DIRECTION,
		 20,
		 20,
		 {.drops_reply_fragments = true}},
		{"reply fragments, IPv6",
		 DIAGNOSIS_REPLY_DIRECTION,
		 20,
		 20,
		 {.family = 6, .drops_reply_fragments = true}},
		{"black hole", DIAGNOSIS_PATH_MTU_BLACK_HOLE, 20, 20, {.path_mtu = 1400}},
		{"black hole, IPv6",
		 DIAGNOSIS_PATH_MTU_BLACK_HOLE,
		 20,
		 20,
		 {.family = 6, .path_mtu = 1400}},
		{"told path MTU", DIAGNOSIS_HEALTHY, 20, 20, {.path_mtu = 1400, .tells_mtu = true}},
		{"responder's queue", DIAGNOSIS_RESPONDER_QUEUE, 20, 20, {.frames_queued = 60}},
		{"no answers", DIAGNOSIS_UNDETERMINED, 20, 20, {.is_dead = true}},
	};
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));

	for (size_t i = 0; i < ARRAY_LENGTH(rows) && diagnosis != NULL; i++) {
		uint32_t right =
			diagnose(scene, &rows[i].world, rows[i].runs, rows[i].verdict, diagnosis);
		char name[64];

		(void)snprintf(name, sizeof(name), "diagnosis/%s", rows[i].name);
		judge(name, right >= rows[i].least, "right in %u of %u, the last was %s", right,
		      rows[i].runs, diagnosis_word(diagnosis->verdict));
		if (rows[i].world.echo_rate > 0.0 && diagnosis->has_bucket)
			judge(name,
			      fabs(diagnosis->bucket_rate_per_s / rows[i].world.echo_rate - 1.0) <
					      0.1 &&
				      fabs(diagnosis->bucket_burst - rows[i].world.echo_burst) <
					      2.0,
			      "a bucket of %.2f/s and %.1f", diagnosis->bucket_rate_per_s,
			      diagnosis->bucket_burst);
		if (rows[i].world.size_limit != 0)
			judge(name, diagnosis->size_limit == rows[i].world.size_limit,
			      "a limit of %u", diagnosis->size_limit);
	}
	free(diagnosis);
}

/* How many of the runs find the MTU; *wrong counts those that find another one. */
static uint32_t search(struct scene *scene, const struct world *world, uint32_t runs,
		       uint32_t *wrong)
{
	uint32_t right = 0;

	*wrong = 0;
	for (uint32_t run = 0; run < runs; run++) {
		struct mtu_search found;

		network_start(scene, world, 5000 + run);
		mtu_search_init(&found, scene->world.family, NETWORK_MTU, NANOSECONDS_PER_SECOND);
		if (!network_conduct(scene, &found.conductor))
			continue;
		right += found.known && found.mtu == world->path_mtu;
		*wrong += found.known && found.mtu != world->path_mtu;
	}
	return right;
}

static void test_mtu_search(struct scene *scene)
{
	static const uint32_t lies[] = {1, 67, 68, 600, 1399, 1499, 65535};
	uint32_t wrong, all_wrong = 0, missed = 0;

	for (uint32_t mtu = 68; mtu <= NETWORK_MTU; mtu += 7) {
		struct world world = {.path_mtu = mtu};

		missed += search(scene, &world, 1, &wrong) == 0;
		all_wrong += wrong;
		world.tells_mtu = true;
		missed += search(scene, &world, 1, &wrong) == 0;
		all_wrong += wrong;
	}
	judge("find-mtu/any", missed == 0 && all_wrong == 0, "%u not found, %u wrong", missed,
	      all_wrong);
	missed = 0;
	for (size_t i = 0; i < ARRAY_LENGTH(lies); i++) {
		struct world world = {.path_mtu = 1400, .tells_mtu = true, .told_mtu = lies[i]};

		missed += search(scene, &world, 1, &wrong) == 0;
	}
	judge("find-mtu/lies", missed == 0, "%u not found", missed);
	for (double loss = 0.05; loss < 0.25; loss += 0.15) {
		struct world world = {.path_mtu = 1400, .loss = loss};
		uint32_t right = search(scene, &world, 400, &wrong);

		judge("find-mtu/loss", right >= 380 && wrong <= 2,
		      "at a loss of %.0f %%: right in %u of 400, wrong in %u", loss * 100.0, right,
		      wrong);
	}
	struct world dead = {.path_mtu = 1400, .is_dead = true};
	judge("find-mtu/no answers", search(scene, &dead, 1, &wrong) == 0 && wrong == 0,
	      "an MTU out of nothing");
}

void test_conductors(void)
{
	struct scene *scene = network_open();

	if (scene == NULL) {
		judge("conductors", false, "no memory");
		return;
	}
	test_diagnosis(scene);
	test_mtu_search(scene);
	network_close(scene);
}
