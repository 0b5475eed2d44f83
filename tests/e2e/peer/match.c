/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Do the conditions of a rule hold? Conditions are tried in the order of the script and the first
 * that fails ends the trial, so "every 2 chance 10%" draws a number for every second request
 * only, on every run alike.
 */
#include "peer.h"

static bool holds_number(const struct condition *condition, const struct request *request)
{
	const struct ranges *ranges = &condition->ranges;

	switch (condition->kind) {
	case CONDITION_REQUEST:
		return ranges_contain(ranges, request->number, -2);
	case CONDITION_EVERY:
		return request->number % condition->a == condition->b;
	case CONDITION_SEQUENCE:
		return ranges_contain(ranges, request->sequence, -2);
	case CONDITION_ID:
		return ranges_contain(ranges, request->id, -2);
	case CONDITION_SIZE:
		return ranges_contain(ranges, (int64_t)request->icmp_length - 8, -2);
	case CONDITION_PACKET:
		return ranges_contain(ranges, request->largest_packet, -2);
	case CONDITION_FRAGMENTS:
		return ranges_contain(ranges, request->fragments, -2);
	default:
		return true;
	}
}

static bool holds(struct peer *peer, const struct condition *condition,
		  const struct request *request, int64_t now_ns)
{
	int64_t elapsed;

	switch (condition->kind) {
	case CONDITION_CHANCE:
		return (int64_t)(random_next(&peer->maker.random) >> 32) < condition->a;
	case CONDITION_DESTINATION:
		return address_within(&request->destination, &condition->address,
				      condition->prefix);
	case CONDITION_SOURCE:
		return address_within(&request->source, &condition->address, condition->prefix);
	case CONDITION_FAMILY:
		return request->source.family == condition->a;
	case CONDITION_DONT_FRAGMENT:
		return request->dont_fragment;
	case CONDITION_TIME:
		elapsed = peer->started_ns ? now_ns - peer->started_ns : 0;
		return elapsed >= condition->a && elapsed < condition->b;
	default:
		return holds_number(condition, request);
	}
}

bool match_rule(struct peer *peer, const struct rule *rule, const struct request *request,
		int64_t now_ns)
{
	for (int i = 0; i < rule->conditions; i++) {
		const struct condition *condition = &rule->condition[i];

		if (holds(peer, condition, request, now_ns) == condition->negated)
			return false;
	}
	return true;
}

bool match_fragment(const struct rule *rule, const struct datagram *datagram,
		    const struct packet_view *view)
{
	if (rule->kind != RULE_FRAGMENT)
		return false;
	if (rule->first)
		return view->offset == 0;
	if (rule->rest)
		return view->offset > 0;
	if (rule->last)
		return !view->more;
	return ranges_contain(&rule->fragments, datagram->seen, -2);
}
