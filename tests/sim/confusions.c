/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Networks that look like another one for a while or from one side: what comes and goes, what is
 * limited in one direction only, what two explanations fit. The diagnosis may leave those open;
 * what it must not do is name the wrong culprit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/network.h"
#include "sim/sim.h"

#define VERDICT(name) (1u << DIAGNOSIS_##name)
#define LONGEST_NS    (75 * NANOSECONDS_PER_SECOND)
#define MS	      NANOSECONDS_PER_MILLISECOND

/* How many of the runs come to one of the verdicts in time; *other is one that they must not. */
static uint32_t diagnose(struct scene *scene, const struct world *world, uint32_t runs,
			 uint32_t verdicts, struct diagnosis *diagnosis,
			 enum diagnosis_verdict *other)
{
	uint32_t right = 0;

	for (uint32_t run = 0; run < runs; run++) {
		network_start(scene, world, 9000 + run);
		diagnosis_init(diagnosis, scene->world.family, NETWORK_MTU, NANOSECONDS_PER_SECOND);
		if (network_conduct(scene, &diagnosis->conductor) &&
		    network_elapsed_ns(scene) <= LONGEST_NS &&
		    (verdicts & 1u << diagnosis->verdict) != 0 &&
		    (diagnosis->verdict != DIAGNOSIS_UNDETERMINED ||
		     diagnosis->decide_by[0] != '\0'))
			right++;
		else
			*other = diagnosis->verdict;
	}
	return right;
}

static void test_worlds(struct scene *scene, struct diagnosis *diagnosis)
{
	static const struct {
		const char *name;
		uint32_t verdicts, runs, least;
		struct world world;
	} rows[] = {
		{"far away", VERDICT(HEALTHY), 20, 20, {.rtt_ns = 250 * MS}},
		{"far away, loss", VERDICT(PACKET_LOSS), 200, 199,
		 {.rtt_ns = 250 * MS, .loss = 0.05}},
		{"far away, rest dropped", VERDICT(NON_FIRST_DROPPED), 20, 20,
		 {.rtt_ns = 250 * MS, .drops_rest = true}},
		{"away, rest dropped, IPv6", VERDICT(NON_FIRST_DROPPED), 20, 20,
		 {.rtt_ns = 20 * MS, .family = 6, .drops_rest = true}},
		{"away, policer", VERDICT(FRAGMENT_POLICER), 20, 20,
		 {.rtt_ns = 100 * MS, .fragment_rate = 20.0, .fragment_burst = 10.0}},
		{"away, limit", VERDICT(SIZE_LIMIT), 20, 20,
		 {.rtt_ns = 100 * MS, .size_limit = 1000}},
		{"away, reply fragments", VERDICT(REPLY_DIRECTION), 20, 20,
		 {.rtt_ns = 100 * MS, .drops_reply_fragments = true}},
		{"away, echoes limited", VERDICT(ICMP_RATE_LIMIT), 20, 20,
		 {.rtt_ns = 30 * MS, .echo_rate = 10.0, .echo_burst = 5.0}},
		{"short first fragments dropped",
		 VERDICT(UNDETERMINED),
		 20,
		 20,
		 {.shortest_first = 100}},
		{"memory full for 1.5 s",
		 VERDICT(UNDETERMINED) | VERDICT(REASSEMBLY_FULL),
		 20,
		 20,
		 {.memory_full_until_ns = 1700 * MS}},
		{"memory full for 2 s",
		 VERDICT(UNDETERMINED) | VERDICT(REASSEMBLY_FULL),
		 20,
		 20,
		 {.memory_full_until_ns = 2000 * MS}},
		{"memory full for 3 s",
		 VERDICT(UNDETERMINED) | VERDICT(REASSEMBLY_FULL),
		 20,
		 20,
		 {.memory_full_until_ns = 3000 * MS}},
		{"loss in bursts",
		 VERDICT(UNDETERMINED) | VERDICT(PACKET_LOSS) | VERDICT(HEALTHY),
		 500,
		 495,
		 {.out_every_ns = 2000 * MS, .out_for_ns = 120 * MS}},
		{"loss in rare bursts",
		 VERDICT(UNDETERMINED) | VERDICT(PACKET_LOSS) | VERDICT(HEALTHY),
		 500,
		 495,
		 {.out_every_ns = 8000 * MS, .out_for_ns = 300 * MS}},
		{"many fragments at once are policed",
		 VERDICT(FRAGMENT_POLICER) | VERDICT(UNDETERMINED),
		 20,
		 20,
		 {.fragment_rate = 1000.0, .fragment_burst = 50.0}},
		{"many fragments of replies are policed",
		 VERDICT(FRAGMENT_POLICER) | VERDICT(REPLY_DIRECTION) | VERDICT(UNDETERMINED),
		 20,
		 20,
		 {.reply_fragment_rate = 1000.0, .reply_fragment_burst = 60.0}},
		{"fragments of replies are policed",
		 VERDICT(FRAGMENT_POLICER) | VERDICT(REPLY_DIRECTION),
		 20,
		 20,
		 {.reply_fragment_rate = 20.0, .reply_fragment_burst = 10.0}},
		{"fragments of replies, 400/s",
		 VERDICT(FRAGMENT_POLICER) | VERDICT(REPLY_DIRECTION),
		 20,
		 20,
		 {.reply_fragment_rate = 400.0, .reply_fragment_burst = 10.0}},
		{"a few fragments a second",
		 VERDICT(FRAGMENT_POLICER) | VERDICT(UNDETERMINED),
		 20,
		 20,
		 {.fragment_rate = 2.0, .fragment_burst = 5.0}},
		{"a policer of 400/s",
		 VERDICT(FRAGMENT_POLICER),
		 20,
		 20,
		 {.fragment_rate = 400.0, .fragment_burst = 20.0}},
		{"told path MTU, IPv6",
		 VERDICT(HEALTHY),
		 20,
		 20,
		 {.family = 6, .path_mtu = 1400, .tells_mtu = true}},
		{"black hole both ways, IPv6",
		 VERDICT(PATH_MTU_BLACK_HOLE) | VERDICT(UNDETERMINED),
		 20,
		 20,
		 {.family = 6, .path_mtu = 1400, .is_narrow_back = true}},
		{"limit above 1280, IPv6",
		 VERDICT(SIZE_LIMIT) | VERDICT(UNDETERMINED),
		 20,
		 20,
		 {.family = 6, .size_limit = 1300}},
		{"limit below 1280, IPv6",
		 VERDICT(SIZE_LIMIT),
		 20,
		 20,
		 {.family = 6, .size_limit = 1000}},
		{"limit at the boundary",
		 VERDICT(REPLY_DIRECTION) | VERDICT(UNDETERMINED),
		 20,
		 20,
		 {.size_limit = 1472}},
		{"limit at another boundary", VERDICT(UNDETERMINED), 20, 20, {.size_limit = 2952}},
		{"much in the bucket",
		 VERDICT(ICMP_RATE_LIMIT) | VERDICT(UNDETERMINED),
		 20,
		 20,
		 {.echo_rate = 30.0, .echo_burst = 200.0}},
		{"more in the bucket",
		 VERDICT(ICMP_RATE_LIMIT) | VERDICT(UNDETERMINED) | VERDICT(HEALTHY),
		 20,
		 20,
		 {.echo_rate = 20.0, .echo_burst = 400.0}},
		{"this host refuses to send pieces",
		 VERDICT(UNDETERMINED),
		 20,
		 20,
		 {.refuses_cuts = true}},
		{"loss of 5 %", VERDICT(PACKET_LOSS) | VERDICT(UNDETERMINED), 2000, 1999,
		 {.loss = 0.05}},
		{"loss of 40 %", VERDICT(PACKET_LOSS), 200, 198, {.loss = 0.4}},
		{"loss of 2 %",
		 VERDICT(PACKET_LOSS) | VERDICT(HEALTHY) | VERDICT(UNDETERMINED),
		 500,
		 498,
		 {.loss = 0.02}},
		{"loss of 1 %",
		 VERDICT(PACKET_LOSS) | VERDICT(HEALTHY) | VERDICT(UNDETERMINED),
		 500,
		 498,
		 {.loss = 0.01}},
		{"loss and no fragments",
		 VERDICT(FRAGMENTS_DROPPED) | VERDICT(UNDETERMINED),
		 200,
		 200,
		 {.loss = 0.05, .drops_all = true}},
		{"loss and a limit",
		 VERDICT(SIZE_LIMIT) | VERDICT(UNDETERMINED),
		 200,
		 200,
		 {.loss = 0.05, .size_limit = 1000}},
		{"loss and a policer",
		 VERDICT(FRAGMENT_POLICER) | VERDICT(UNDETERMINED),
		 200,
		 199,
		 {.loss = 0.05, .fragment_rate = 20.0, .fragment_burst = 10.0}},
		{"echoes and fragments limited",
		 VERDICT(UNDETERMINED),
		 20,
		 20,
		 {.echo_rate = 20.0, .echo_burst = 5.0, .drops_all = true}},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		enum diagnosis_verdict other = DIAGNOSIS_UNDETERMINED;
		uint32_t right = diagnose(scene, &rows[i].world, rows[i].runs, rows[i].verdicts,
					  diagnosis, &other);
		char name[64];

		(void)snprintf(name, sizeof(name), "confusions/%s", rows[i].name);
		judge(name, right >= rows[i].least, "right in %u of %u, another was %s", right,
		      rows[i].runs, diagnosis_word(other));
	}
}

/* Nothing passes for a while, at any time of a healthy network. */
static void test_outages(struct scene *scene, struct diagnosis *diagnosis)
{
	uint32_t may_be = VERDICT(HEALTHY) | VERDICT(UNDETERMINED) | VERDICT(PACKET_LOSS);

	for (int64_t length_ns = 20 * MS; length_ns <= 640 * MS; length_ns *= 2) {
		enum diagnosis_verdict other = DIAGNOSIS_HEALTHY;
		uint32_t runs = 0, right = 0;
		char name[64];

		for (int64_t from_ns = 0; from_ns < 9000 * MS; from_ns += 37 * MS, runs++) {
			struct world world = {.out_from_ns = from_ns,
					      .out_until_ns = from_ns + length_ns};

			right += diagnose(scene, &world, 1, may_be, diagnosis, &other);
		}
		(void)snprintf(name, sizeof(name), "confusions/out for %d ms",
			       (int)(length_ns / MS));
		judge(name, right == runs, "right in %u of %u, another was %s", right, runs,
		      diagnosis_word(other));
	}
}

void test_confusions(void)
{
	struct scene *scene = network_open();
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));

	if (scene == NULL || diagnosis == NULL) {
		judge("confusions", false, "no memory");
	} else {
		test_worlds(scene, diagnosis);
		test_outages(scene, diagnosis);
	}
	free(diagnosis);
	network_close(scene);
}
