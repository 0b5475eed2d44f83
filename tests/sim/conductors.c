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
#include <string.h>

#include "base/random.h"
#include "core/diagnosis.h"
#include "core/fragments.h"
#include "core/mtu_search.h"
#include "sim/sim.h"

#define RTT_NS		(200 * NANOSECONDS_PER_MICROSECOND)
#define HEADER(family)	((family) == 4 ? 20u : 40u)
#define MTU		1500u
#define LONGEST_NS	(75 * NANOSECONDS_PER_SECOND)
#define TURNS_MAX	2000u

/* A network and the host behind it; all zero is a healthy one. */
struct world {
	uint8_t family;
	double loss;                     /* of each packet on the way there */
	bool drops_all, drops_first, drops_rest; /* fragments on the way there */
	bool drops_reply_fragments;
	uint32_t size_limit;             /* data bytes; 0: none */
	double echo_rate, echo_burst;    /* tokens; 0: no limit */
	double fragment_rate, fragment_burst;
	uint32_t path_mtu;               /* 0: that of the interface */
	bool tells_mtu;
	uint32_t told_mtu;               /* what it says instead; 0: the truth */
	int64_t memory_full_until_ns;
	uint32_t frames_queued;          /* replies that wait in a burst; 0: no limit */
	bool is_dead;
	/* kept here */
	struct random_state random;
	double echo_tokens, fragment_tokens;
	int64_t echo_at_ns, fragment_at_ns;
	int64_t first_fragment_ns; /* of those that wait for their others; 0: none do */
	int64_t now_ns;
	uint32_t burst_frames;
};

struct scene {
	struct world world;
	struct account_target rows[DIAGNOSIS_ROWS > MTU_SEARCH_ROWS ? DIAGNOSIS_ROWS
								    : MTU_SEARCH_ROWS];
	struct histogram *times;
	struct series_point points[SERIES_POINTS_MAX];
};

static bool takes_token(double *tokens, int64_t *at_ns, double rate, double burst, int64_t now_ns)
{
	if (rate <= 0.0)
		return true;
	*tokens = fmin(burst, *tokens + (double)(now_ns - *at_ns) / 1e9 * rate);
	*at_ns = now_ns;
	if (*tokens < 1.0)
		return false;
	*tokens -= 1.0;
	return true;
}

/* Whether one fragment of a request arrives. */
static bool fragment_arrives(struct world *world, uint32_t index)
{
	if (world->drops_all || (index == 0 && world->drops_first) ||
	    (index > 0 && world->drops_rest))
		return false;
	if (!takes_token(&world->fragment_tokens, &world->fragment_at_ns, world->fragment_rate,
			 world->fragment_burst, world->now_ns))
		return false;
	return random_unit(&world->random) >= world->loss;
}

static bool request_arrives(struct world *world, uint32_t packets)
{
	bool all = true, first = false;

	if (packets == 1)
		return random_unit(&world->random) >= world->loss;
	for (uint32_t i = 0; i < packets; i++) {
		bool arrives = fragment_arrives(world, i);

		first = first || (i == 0 && arrives);
		all = all && arrives;
	}
	if (first && !all && world->first_fragment_ns == 0)
		world->first_fragment_ns = world->now_ns;
	return all && world->now_ns >= world->memory_full_until_ns;
}

static void add_error(struct account_target *row, int type, int code, uint32_t mtu)
{
	row->error_count = 1;
	row->errors[0] = (struct result_error){
		.type = type, .code = code, .mtu = mtu, .count = row->errors[0].count + 1};
}

/* How many packets a request is, and the longest of them, with its header. */
static uint32_t packets_of(const struct world *world, const struct series_point *point,
			   uint32_t *longest)
{
	uint32_t bytes = point->payload_bytes + FRAGMENT_ECHO_HEADER_BYTES;
	struct fragment_plan plan;
	struct fragment fragment;

	if (point->has_cut ? !fragment_plan_make_cut(&plan, world->family, MTU, bytes,
						     point->cut.piece_bytes)
			   : !fragment_plan_make(&plan, world->family, MTU, bytes))
		return 0;
	if (!fragment_at(&plan, 0, &fragment))
		return 0;
	*longest = fragment.packet_bytes;
	return plan.count;
}

/* Whether the path lets a packet of this length through, and says so if not. */
static bool path_passes(const struct world *world, struct account_target *row,
			const struct series_point *point, uint32_t longest)
{
	bool may_be_cut = world->family == 4 && !(point->has_cut && point->cut.dont_fragment);

	if (world->path_mtu == 0 || longest <= world->path_mtu || may_be_cut)
		return true;
	if (world->tells_mtu)
		add_error(row, world->family == 4 ? 3 : 2, world->family == 4 ? 4 : 0,
			  world->told_mtu != 0 ? world->told_mtu : world->path_mtu);
	return false;
}

/* One request: answered or not. */
static bool is_answered(struct world *world, struct account_target *row,
			const struct series_point *point)
{
	struct series_point as_sent = {.payload_bytes = point->payload_bytes};
	uint32_t longest = 0, whole = 0;
	uint32_t packets = packets_of(world, point, &longest);
	uint32_t back = packets_of(world, &as_sent, &whole);

	if (packets == 0 || world->is_dead || !path_passes(world, row, point, longest) ||
	    !request_arrives(world, packets))
		return false;
	if (world->size_limit != 0 && point->payload_bytes > world->size_limit)
		return false;
	if (!takes_token(&world->echo_tokens, &world->echo_at_ns, world->echo_rate,
			 world->echo_burst, world->now_ns))
		return false;
	world->burst_frames += back;
	if (world->frames_queued != 0 && world->burst_frames > world->frames_queued)
		return false;
	return back == 1 || !world->drops_reply_fragments;
}

static void play_turn(struct scene *scene, const struct series_turn *turn)
{
	struct world *world = &scene->world;
	struct account_target *row = &scene->rows[turn->row];
	int64_t due_ns = max_i64(world->now_ns, turn->start_ns);
	bool all = true;

	for (uint64_t i = 0; i < turn->requests; i++) {
		bool answered;

		world->now_ns = due_ns;
		if (i >= turn->burst)
			world->burst_frames = 0;
		answered = is_answered(world, row, &scene->points[turn->row]);
		row->tally.sent++;
		row->tally.received += answered;
		all = all && answered;
		if (answered)
			histogram_record(row->rtt_user, RTT_NS);
		if (i + 1 >= max_u64(turn->burst, 1))
			due_ns += turn->interval_ns;
	}
	world->burst_frames = 0;
	world->now_ns += all ? RTT_NS : turn->patience_ns;
	/* The host's own timer for what is incomplete; one error stands for all. */
	if (world->first_fragment_ns != 0 && world->memory_full_until_ns == 0 &&
	    world->now_ns - world->first_fragment_ns >
		    (world->family == 4 ? 30 : 60) * NANOSECONDS_PER_SECOND)
		add_error(&scene->rows[DIAGNOSIS_PIECES_2], world->family == 4 ? 11 : 3, 1, 0);
}

static void start(struct scene *scene, const struct world *world, uint64_t seed)
{
	/* Most rows are never used, and there are thousands of runs. */
	for (size_t i = 0; i < ARRAY_LENGTH(scene->rows); i++) {
		if (scene->rows[i].tally.sent > 0 || scene->rows[i].error_count > 0) {
			memset(&scene->rows[i], 0, sizeof(scene->rows[i]));
			histogram_init(&scene->times[i]);
		}
		scene->rows[i].rtt_user = &scene->times[i];
	}
	scene->world = *world;
	scene->world.family = world->family == 0 ? 4 : world->family;
	scene->world.now_ns = NANOSECONDS_PER_SECOND;
	scene->world.echo_tokens = world->echo_burst;
	scene->world.fragment_tokens = world->fragment_burst;
	if (world->memory_full_until_ns != 0)
		scene->world.memory_full_until_ns += scene->world.now_ns;
	random_seed(&scene->world.random, seed);
}

/* Turns until the conductor has its answer; false: it did not come to one. */
static bool conduct(struct scene *scene, struct conductor *conductor)
{
	for (uint32_t turns = 0; turns < TURNS_MAX; turns++) {
		struct series_turn turn = {.requests = 1};

		if (!conductor->row->next(conductor, scene->rows, scene->points,
					  scene->world.now_ns, &turn))
			return true;
		play_turn(scene, &turn);
	}
	return false;
}

/* How many of the runs come to the verdict, in time. */
static uint32_t diagnose(struct scene *scene, const struct world *world, uint32_t runs,
			 enum diagnosis_verdict verdict, struct diagnosis *last)
{
	uint32_t right = 0;

	for (uint32_t run = 0; run < runs; run++) {
		start(scene, world, 1000 + run);
		diagnosis_init(last, scene->world.family, MTU, NANOSECONDS_PER_SECOND);
		if (conduct(scene, &last->conductor) &&
		    scene->world.now_ns - NANOSECONDS_PER_SECOND <= LONGEST_NS)
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
		{"rest dropped, IPv6", DIAGNOSIS_NON_FIRST_DROPPED, 20, 20,
		 {.family = 6, .drops_rest = true}},
		{"limit of 500", DIAGNOSIS_SIZE_LIMIT, 20, 20, {.size_limit = 500}},
		{"limit of 1000", DIAGNOSIS_SIZE_LIMIT, 20, 20, {.size_limit = 1000}},
		{"limit of 5000", DIAGNOSIS_SIZE_LIMIT, 20, 20, {.size_limit = 5000}},
		{"limit of 1800, IPv6", DIAGNOSIS_SIZE_LIMIT, 20, 20,
		 {.family = 6, .size_limit = 1800}},
		{"policer of 20/s", DIAGNOSIS_FRAGMENT_POLICER, 1000, 995,
		 {.fragment_rate = 20.0, .fragment_burst = 10.0}},
		{"policer of 100/s", DIAGNOSIS_FRAGMENT_POLICER, 200, 198,
		 {.fragment_rate = 100.0, .fragment_burst = 20.0}},
		{"echoes, 10/s", DIAGNOSIS_ICMP_RATE_LIMIT, 1000, 995,
		 {.echo_rate = 10.0, .echo_burst = 5.0}},
		{"echoes, 50/s", DIAGNOSIS_ICMP_RATE_LIMIT, 50, 50,
		 {.echo_rate = 50.0, .echo_burst = 10.0}},
		{"echoes, 2/s", DIAGNOSIS_ICMP_RATE_LIMIT, 50, 50,
		 {.echo_rate = 2.0, .echo_burst = 6.0}},
		{"memory full", DIAGNOSIS_REASSEMBLY_FULL, 20, 20,
		 {.memory_full_until_ns = 25 * NANOSECONDS_PER_SECOND}},
		{"reply fragments", DIAGNOSIS_REPLY_DIRECTION, 20, 20,
		 {.drops_reply_fragments = true}},
		{"reply fragments, IPv6", DIAGNOSIS_REPLY_DIRECTION, 20, 20,
		 {.family = 6, .drops_reply_fragments = true}},
		{"black hole", DIAGNOSIS_PATH_MTU_BLACK_HOLE, 20, 20, {.path_mtu = 1400}},
		{"black hole, IPv6", DIAGNOSIS_PATH_MTU_BLACK_HOLE, 20, 20,
		 {.family = 6, .path_mtu = 1400}},
		{"told path MTU", DIAGNOSIS_HEALTHY, 20, 20,
		 {.path_mtu = 1400, .tells_mtu = true}},
		{"responder's queue", DIAGNOSIS_RESPONDER_QUEUE, 20, 20, {.frames_queued = 60}},
		{"no answers", DIAGNOSIS_UNDETERMINED, 20, 20, {.is_dead = true}},
	};
	struct diagnosis *diagnosis = calloc(1, sizeof(*diagnosis));

	for (size_t i = 0; i < ARRAY_LENGTH(rows) && diagnosis != NULL; i++) {
		uint32_t right = diagnose(scene, &rows[i].world, rows[i].runs, rows[i].verdict,
					  diagnosis);
		char name[64];

		(void)snprintf(name, sizeof(name), "diagnosis/%s", rows[i].name);
		judge(name, right >= rows[i].least, "right in %u of %u, the last was %s", right,
		      rows[i].runs, diagnosis_word(diagnosis->verdict));
		if (rows[i].world.echo_rate > 0.0 && diagnosis->has_bucket)
			judge(name,
			      fabs(diagnosis->bucket_rate_per_s / rows[i].world.echo_rate - 1.0) <
					      0.1 &&
				      fabs(diagnosis->bucket_burst - rows[i].world.echo_burst) < 2.0,
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

		start(scene, world, 5000 + run);
		mtu_search_init(&found, scene->world.family, MTU, NANOSECONDS_PER_SECOND);
		if (!conduct(scene, &found.conductor))
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

	for (uint32_t mtu = 68; mtu <= MTU; mtu += 7) {
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
		struct world world = {
			.path_mtu = 1400, .tells_mtu = true, .told_mtu = lies[i]};

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
	struct scene *scene = calloc(1, sizeof(*scene));
	struct histogram *times = calloc(ARRAY_LENGTH(scene->rows), sizeof(*times));

	if (scene == NULL || times == NULL) {
		judge("conductors", false, "no memory");
	} else {
		scene->times = times;
		test_diagnosis(scene);
		test_mtu_search(scene);
	}
	free(times);
	free(scene);
}
