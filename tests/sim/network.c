/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of a request in a world, packet by packet where it is cut: none of this knows what
 * the conductors make of it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fragments.h"
#include "sim/network.h"

#define RTT_NS	  (200 * NANOSECONDS_PER_MICROSECOND)
#define START_NS  NANOSECONDS_PER_SECOND
#define TURNS_MAX 2000u

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

static bool is_out(struct world *world)
{
	int64_t now_ns = world->now_ns;

	if (world->out_every_ns > 0 && now_ns >= world->out_until_ns) {
		double wait = -log(1.0 - random_unit(&world->random)) * (double)world->out_every_ns;

		world->out_from_ns = now_ns + (int64_t)wait;
		world->out_until_ns = world->out_from_ns + world->out_for_ns;
	}
	return now_ns >= world->out_from_ns && now_ns < world->out_until_ns;
}

static bool request_arrives(struct world *world, uint32_t packets, uint32_t longest)
{
	bool all = true, first = false;

	if (is_out(world))
		return false;
	if (packets == 1)
		return random_unit(&world->random) >= world->loss;
	for (uint32_t i = 0; i < packets; i++) {
		bool arrives =
			fragment_arrives(world, i) && (i > 0 || longest >= world->shortest_first);

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

	if (point->has_cut ? !fragment_plan_make_cut(&plan, world->family, NETWORK_MTU, bytes,
						     point->cut.piece_bytes)
			   : !fragment_plan_make(&plan, world->family, NETWORK_MTU, bytes))
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
	bool all = true;
	uint32_t packets = packets_of(world, point, &longest);
	uint32_t back = packets_of(world, &as_sent, &whole);

	if (packets == 0 || world->is_dead || !path_passes(world, row, point, longest) ||
	    !request_arrives(world, packets, longest))
		return false;
	if (world->size_limit != 0 && point->payload_bytes > world->size_limit)
		return false;
	if (!takes_token(&world->echo_tokens, &world->echo_at_ns, world->echo_rate,
			 world->echo_burst, world->now_ns))
		return false;
	world->burst_frames += back;
	if (world->frames_queued != 0 && world->burst_frames > world->frames_queued)
		return false;
	if (back > 1 && world->drops_reply_fragments)
		return false;
	for (uint32_t i = 0; back > 1 && i < back; i++)
		all = takes_token(&world->reply_tokens, &world->reply_at_ns,
				  world->reply_fragment_rate, world->reply_fragment_burst,
				  world->now_ns) &&
		      all;
	return all && (!world->is_narrow_back || path_passes(world, row, &as_sent, whole));
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
		if (world->refuses_cuts && scene->points[turn->row].has_cut) {
			row->tally.send_errors++;
			due_ns += turn->interval_ns;
			continue;
		}
		answered = is_answered(world, row, &scene->points[turn->row]);
		row->tally.sent++;
		row->tally.received += answered;
		all = all && answered;
		if (answered)
			histogram_record(row->rtt_user, world->rtt_ns);
		if (i + 1 >= max_u64(turn->burst, 1))
			due_ns += turn->interval_ns;
	}
	world->burst_frames = 0;
	world->now_ns += all ? world->rtt_ns : turn->patience_ns;
	/* The host's own timer for what is incomplete; one error stands for all. */
	if (world->first_fragment_ns != 0 && world->memory_full_until_ns == 0 &&
	    world->now_ns - world->first_fragment_ns >
		    (world->family == 4 ? 30 : 60) * NANOSECONDS_PER_SECOND)
		add_error(&scene->rows[DIAGNOSIS_PIECES_2], world->family == 4 ? 11 : 3, 1, 0);
}

void network_start(struct scene *scene, const struct world *world, uint64_t seed)
{
	/* Most rows are never used, and there are thousands of runs. */
	for (size_t i = 0; i < ARRAY_LENGTH(scene->rows); i++) {
		if (scene->rows[i].tally.sent > 0 || scene->rows[i].tally.send_errors > 0 ||
		    scene->rows[i].error_count > 0) {
			memset(&scene->rows[i], 0, sizeof(scene->rows[i]));
			histogram_init(&scene->times[i]);
		}
		scene->rows[i].rtt_user = &scene->times[i];
	}
	scene->world = *world;
	scene->world.family = world->family == 0 ? 4 : world->family;
	scene->world.now_ns = START_NS;
	scene->world.rtt_ns = world->rtt_ns == 0 ? RTT_NS : world->rtt_ns;
	scene->world.reply_tokens = world->reply_fragment_burst;
	scene->world.out_from_ns += START_NS;
	scene->world.out_until_ns += START_NS;
	scene->world.echo_tokens = world->echo_burst;
	scene->world.fragment_tokens = world->fragment_burst;
	if (world->memory_full_until_ns != 0)
		scene->world.memory_full_until_ns += scene->world.now_ns;
	random_seed(&scene->world.random, seed);
}

bool network_conduct(struct scene *scene, struct conductor *conductor)
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

int64_t network_elapsed_ns(const struct scene *scene)
{
	return scene->world.now_ns - START_NS;
}

struct scene *network_open(void)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	if (scene == NULL)
		return NULL;
	scene->times = calloc(ARRAY_LENGTH(scene->rows), sizeof(*scene->times));
	if (scene->times == NULL) {
		free(scene);
		return NULL;
	}
	return scene;
}

void network_close(struct scene *scene)
{
	if (scene != NULL)
		free(scene->times);
	free(scene);
}
