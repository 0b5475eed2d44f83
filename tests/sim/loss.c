/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What loses fragments, told from how many datagrams of each size are lost: fragments lost by
 * chance, in bursts, by a policer, and by a line that fails for a while. Each is a few lines of
 * its own here that know nothing of the model which has to recognise it.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "core/fragments.h"
#include "core/loss_model.h"
#include "core/statistics.h"
#include "sim/sim.h"

#define RUNS 1000
#define DATAGRAMS 1000
#define SIZES 3
#define TRUE_LOSS 0.05

static const uint32_t counts[SIZES] = {2, 6, 10};

/* A network that is asked fragment by fragment, in order of sending. */
struct network {
	bool (*loses)(struct network *network);
	double loss;                  /* per fragment; of the bursts, that one begins */
	double ending;                /* of the bursts, that one ends */
	double tokens, bucket, refill; /* of the policer; refill for each datagram */
	bool in_burst;
	uint32_t gap; /* between datagrams pass as many fragments of others */
	struct random_state random;
};

static bool loses_by_chance(struct network *network)
{
	return random_unit(&network->random) < network->loss;
}

/* E. N. Gilbert's two states: in the bad one everything is lost. */
static bool loses_in_bursts(struct network *network)
{
	double turn = network->in_burst ? network->ending : network->loss;

	if (random_unit(&network->random) < turn)
		network->in_burst = !network->in_burst;
	return network->in_burst;
}

static bool loses_beyond_rate(struct network *network)
{
	if (network->tokens < 1.0)
		return true;
	network->tokens -= 1.0;
	return false;
}

static void send_datagrams(struct network *network, uint32_t fragments, uint32_t datagrams,
			   struct loss_model_point *point)
{
	bool was_lost = false;

	*point = (struct loss_model_point){.fragments = fragments, .sent = datagrams};
	for (uint32_t i = 0; i < datagrams; i++) {
		bool lost = false;

		for (uint32_t f = 0; f < network->gap; f++)
			(void)network->loses(network);

		network->tokens = fmin(network->tokens + network->refill, network->bucket);
		for (uint32_t f = 0; f < fragments; f++)
			lost = network->loses(network) || lost;
		point->lost += lost;
		point->loss_runs += lost && !was_lost;
		was_lost = lost;
	}
}

static void measure(struct network *network, uint64_t seed, struct loss_model *model)
{
	struct loss_model_point points[SIZES];

	random_seed(&network->random, seed);
	for (size_t i = 0; i < SIZES; i++)
		send_datagrams(network, counts[i], DATAGRAMS, &points[i]);
	loss_model_fit(points, SIZES, model);
}

static void test_independent(void)
{
	uint32_t verdicts = 0, slopes = 0, pooled = 0, known = 0, covered[SIZES] = {0};

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct network network = {.loses = loses_by_chance, .loss = TRUE_LOSS};
		struct loss_model_point points[SIZES];
		struct loss_model model;

		random_seed(&network.random, seed);
		for (size_t i = 0; i < SIZES; i++) {
			struct statistics_interval interval;

			send_datagrams(&network, counts[i], DATAGRAMS, &points[i]);
			if (!statistics_loss_interval(points[i].lost, points[i].sent, &interval))
				continue;
			interval = statistics_per_fragment(interval, counts[i]);
			covered[i] += interval.low <= TRUE_LOSS && interval.high >= TRUE_LOSS;
		}
		loss_model_fit(points, SIZES, &model);
		verdicts += model.verdict == LOSS_MODEL_INDEPENDENT;
		slopes += model.slope.known && model.slope.low <= 1.0 && model.slope.high >= 1.0;
		known += model.loss_per_fragment.known;
		pooled += model.loss_per_fragment.known &&
			  model.loss_per_fragment.low <= TRUE_LOSS &&
			  model.loss_per_fragment.high >= TRUE_LOSS;
	}
	judge("loss-independent", verdicts >= 930, "%u of %u runs say so", verdicts, RUNS);
	judge("loss-slope-coverage", slopes >= 930 && slopes <= 970, "%u of %u", slopes, RUNS);
	judge("loss-pooled-coverage", pooled >= 0.93 * known && pooled <= 0.97 * known,
	      "%u of %u", pooled, known);
	for (size_t i = 0; i < SIZES; i++)
		judge("loss-per-fragment-coverage", covered[i] >= 930 && covered[i] <= 970,
		      "%u of %u with %u fragments", covered[i], RUNS, counts[i]);
}

static void count_verdicts(const struct network *like, uint32_t verdicts[static 5])
{
	memset(verdicts, 0, 5 * sizeof(*verdicts));
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct network network = *like;
		struct loss_model model;

		measure(&network, seed, &model);
		verdicts[model.verdict]++;
	}
}

static void test_bursts(void)
{
	/* A fragment in 100 begins a burst of eight in the mean, which seldom outlasts the gap. */
	struct network network = {
		.loses = loses_in_bursts, .loss = 0.01, .ending = 0.125, .gap = 40};
	uint32_t verdicts[5];

	count_verdicts(&network, verdicts);
	judge("loss-bursty", verdicts[LOSS_MODEL_BURSTY] >= 190, "%u of 200 runs",
	      verdicts[LOSS_MODEL_BURSTY]);
	/* Now and then nothing comes through for 300 fragments, whatever their datagram's size. */
	network = (struct network){.loses = loses_in_bursts, .loss = 0.0005, .ending = 1 / 300.0};
	count_verdicts(&network, verdicts);
	judge("loss-of-a-failing-line", verdicts[LOSS_MODEL_POLICED] <= 10,
	      "%u of 200 runs call it policed", verdicts[LOSS_MODEL_POLICED]);
}

static void test_policer(void)
{
	/* So many fragments for each datagram sent: 10 exceed it by a little, or 6 do, or all. */
	static const double refills[] = {9.5, 9.0, 5.9, 5.0, 3.0, 1.9};

	for (size_t i = 0; i < ARRAY_LENGTH(refills); i++) {
		struct network network = {.loses = loses_beyond_rate, .bucket = 100.0,
					  .tokens = 100.0, .refill = refills[i]};
		struct loss_model model;

		measure(&network, 1, &model);
		judge("loss-policed", model.verdict == LOSS_MODEL_POLICED,
		      "with %g fragments for each datagram: %s", refills[i],
		      loss_model_name(model.verdict));
	}
}

void test_loss(void)
{
	test_independent();
	test_bursts();
	test_policer();
}
