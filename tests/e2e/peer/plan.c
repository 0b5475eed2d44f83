/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a request to its events: the first rule that matches decides, with the words of earlier
 * "continue" rules in front. Here every time is worked out: limit and queue first (they may
 * refuse the request), then service, delays and stalls, and whether the answer has to wait for a
 * later request.
 */
#include "peer.h"

#include <stdlib.h>

enum {
	PLANNED_MAX = 4 * ANSWER_OPERATIONS_MAX,
};

/* The operations of one answer, and what they say about time. */
struct planned {
	int count;
	struct operation *operation[PLANNED_MAX];
	const struct operation *kind;
	const struct operation *repeat;
	struct operation *limit;
	bool drop;
	int64_t service_ns, queue, burst, delay_ns, spacing_ns, pause_ns, hold;
	int64_t stall_from_ns, stall_to_ns;
};

static void add_words(struct planned *planned, struct answer *answer)
{
	for (int i = 0; i < answer->count && planned->count < PLANNED_MAX; i++)
		planned->operation[planned->count++] = &answer->operation[i];
}

static void wait_for(struct planned *planned, const struct request *request,
		     const struct operation *operation)
{
	int64_t number = operation->a + (operation->relative ? request->number : 0);

	if (number > planned->hold)
		planned->hold = number;
}

static void read_kind(struct planned *planned, const struct operation *operation)
{
	if (operation->kind == OPERATION_DROP)
		planned->drop = true;
	else if (operation->kind < OPERATION_STUCK)
		planned->kind = operation;
}

static void read_word(struct peer *peer, struct planned *planned, struct operation *operation,
		      const struct request *request, int64_t now_ns)
{
	read_kind(planned, operation);
	switch (operation->kind) {
	case OPERATION_STUCK:
		peer->stuck_until_ns = now_ns + operation->a;
		break;
	case OPERATION_DELAY:
		planned->delay_ns += operation->a +
				     (int64_t)random_below(&peer->maker.random,
							   (uint64_t)(operation->b - operation->a));
		break;
	case OPERATION_SERVICE:
		planned->service_ns = operation->a;
		break;
	case OPERATION_QUEUE:
		planned->queue = operation->a;
		break;
	case OPERATION_LIMIT:
		planned->limit = operation;
		break;
	case OPERATION_BURST:
		planned->burst = operation->a;
		break;
	case OPERATION_HOLD:
	case OPERATION_MIX:
		wait_for(planned, request, operation);
		break;
	case OPERATION_STALL:
		planned->stall_from_ns = operation->a;
		planned->stall_to_ns = operation->b;
		break;
	case OPERATION_REPEAT:
	case OPERATION_REPEAT_AT:
		planned->repeat = operation;
		break;
	case OPERATION_SPACING:
		planned->spacing_ns = operation->a;
		break;
	case OPERATION_PAUSE:
		planned->pause_ns = operation->a;
		break;
	default:
		break;
	}
}

/*
 * A token bucket, kept as the time at which it was empty; burst tokens at most, and a full one to
 * start with.
 */
static bool within_limit(struct planned *planned, int64_t now_ns)
{
	struct operation *limit = planned->limit;
	int64_t each, most;

	if (!limit)
		return true;
	each = 1000000000 / limit->a;
	most = each * planned->burst;
	if (!limit->bucket_used || limit->bucket_ns < now_ns - most)
		limit->bucket_ns = now_ns - most;
	limit->bucket_used = true;
	if (limit->bucket_ns + each > now_ns)
		return false;
	limit->bucket_ns += each;
	return true;
}

/* The single server: when it is done with this request, or -1 if its queue is full. */
static int64_t serve(struct peer *peer, const struct planned *planned, int64_t now_ns)
{
	int64_t begin = peer->server_free_ns > now_ns ? peer->server_free_ns : now_ns;

	if (planned->service_ns == 0)
		return now_ns;
	if (planned->queue >= 0 && begin - now_ns > planned->queue * planned->service_ns)
		return -1;
	peer->server_free_ns = begin + planned->service_ns;
	return peer->server_free_ns;
}

static void hold_event(struct peer *peer, struct event *event)
{
	if (peer->held_count == peer->held_room) {
		peer->held_room = peer->held_room ? peer->held_room * 2 : 64;
		peer->held = need(realloc(peer->held, peer->held_room * sizeof(*peer->held)));
	}
	peer->held[peer->held_count++] = event;
}

static void schedule(struct peer *peer, struct event *event, int64_t due_ns, int64_t now_ns)
{
	event->wanted_ns = due_ns;
	event->time_ns = due_ns + (event->times ? event->times[0] : 0);
	event->delayed = event->time_ns > now_ns;
	queue_push(&peer->queue, event);
}

static void make_event(struct peer *peer, struct rule *rule, struct request *request,
		       const struct planned *planned, int64_t due_ns, int64_t now_ns)
{
	struct event *event = event_new(request, rule, planned->count);

	event->kind = planned->kind;
	event->operations = planned->count;
	for (int i = 0; i < planned->count; i++)
		event->operation[i] = planned->operation[i];
	event->spacing_ns = planned->spacing_ns;
	event->pause_ns = planned->pause_ns;
	event->hold_number = planned->hold;
	if (planned->repeat) {
		event->times = planned->repeat->times;
		event->copies = event->times ? planned->repeat->count : planned->repeat->a;
	}
	if (request->answers++ == 0)
		statistics_outstanding(&peer->statistics, 1, now_ns);
	if (planned->hold > peer->statistics.requests) {
		event->wanted_ns = due_ns - now_ns; /* counted from the release */
		hold_event(peer, event);
		return;
	}
	schedule(peer, event, due_ns, now_ns);
}

/* One answer; base holds the words of the "continue" rules. */
static void plan_answer(struct peer *peer, struct rule *rule, struct answer *answer,
			const struct planned *base, struct request *request, int64_t now_ns)
{
	static const struct operation plain = {.kind = OPERATION_REPLY};
	struct planned planned = *base;
	int64_t due_ns;

	planned.queue = -1;
	planned.burst = 1;
	planned.kind = rule && rule->kind != RULE_REQUEST ? NULL : &plain;
	if (answer)
		add_words(&planned, answer);
	for (int i = 0; i < planned.count; i++)
		read_word(peer, &planned, planned.operation[i], request, now_ns);
	if (!planned.kind || (planned.drop && planned.kind->kind == OPERATION_REPLY))
		return;
	if (!within_limit(&planned, now_ns))
		return;
	due_ns = serve(peer, &planned, now_ns);
	if (due_ns < 0)
		return;
	due_ns += planned.delay_ns;
	if (due_ns >= peer->started_ns + planned.stall_from_ns &&
	    due_ns < peer->started_ns + planned.stall_to_ns)
		due_ns = peer->started_ns + planned.stall_to_ns;
	make_event(peer, rule, request, &planned, due_ns, now_ns);
}

void plan_rule(struct peer *peer, struct rule *rule, struct request *request, int64_t now_ns)
{
	static const struct planned nothing;

	for (int i = 0; i < rule->answers; i++)
		plan_answer(peer, rule, &rule->answer[i], &nothing, request, now_ns);
}

/* Answers that waited for this request: behind its own, which were planned before. */
static void release_held(struct peer *peer, int64_t number, int64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < peer->held_count; i++) {
		struct event *event = peer->held[i];

		if (event->hold_number > number)
			peer->held[kept++] = event;
		else
			schedule(peer, event, now_ns + event->wanted_ns, now_ns);
	}
	peer->held_count = kept;
}

static void plan_first_match(struct peer *peer, struct request *request, int64_t now_ns)
{
	static struct planned base;

	base.count = 0;
	for (int i = 0; i < peer->script.count; i++) {
		struct rule *rule = peer->script.rule[i];

		if (rule->kind != RULE_REQUEST || !match_rule(peer, rule, request, now_ns))
			continue;
		rule->hits++;
		if (rule->goes_on) {
			add_words(&base, &rule->answer[0]);
			continue;
		}
		for (int j = 0; j < rule->answers; j++)
			plan_answer(peer, rule, &rule->answer[j], &base, request, now_ns);
		return;
	}
	plan_answer(peer, NULL, NULL, &base, request, now_ns);
}

void plan_request(struct peer *peer, struct request *request, int64_t now_ns)
{
	make_keep(&peer->maker, request);
	plan_first_match(peer, request, now_ns);
	if (request->answers == 0)
		peer->statistics.dropped++;
	release_held(peer, request->number, now_ns);
}
