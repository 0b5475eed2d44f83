/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What arrives on the device: packets are counted, fragments pass the rules about fragments and
 * are put together, whole echo requests get their number and are planned. Whatever else the
 * kernel sends (router solicitations, multicast reports, answers to our own noise) is counted as
 * "other" and left alone.
 */
#include "peer.h"

#include <stdlib.h>

static int family_index(int family)
{
	return family == 6;
}

static void start_timers(struct peer *peer, int64_t now_ns)
{
	peer->started_ns = now_ns;
	for (int i = 0; i < peer->script.count; i++) {
		struct rule *rule = peer->script.rule[i];
		struct event *event;

		if (rule->kind != RULE_AT)
			continue;
		event = event_new(NULL, rule, 0);
		event->time_ns = now_ns + rule->at_ns;
		queue_push(&peer->queue, event);
	}
}

/* A request whose bytes are complete; takes the reference over. */
static void accept_request(struct peer *peer, struct request *request, int64_t now_ns)
{
	struct statistics *statistics = &peer->statistics;

	request->id = get16(request->icmp + 4);
	request->sequence = get16(request->icmp + 6);
	request->arrival_ns = now_ns;
	request->number = ++statistics->requests;
	statistics->family[family_index(request->source.family)].requests++;
	statistics_request(statistics, request);
	if (!peer->started_ns)
		start_timers(peer, now_ns);
	request_release(peer->last);
	peer->last = request;
	plan_request(peer, request, now_ns);
}

/* Is it an echo request with a right checksum? Counts it where it belongs if not. */
static bool is_request(struct peer *peer, const struct packet_view *view, const uint8_t *icmp,
		       size_t length)
{
	bool six = view->family == 6;

	if (view->protocol != (six ? PROTOCOL_ICMP6 : PROTOCOL_ICMP4) || length < 8 ||
	    icmp[0] != (six ? 128 : 8)) {
		peer->statistics.other++;
		return false;
	}
	if (checksum_fold(checksum_icmp(&view->source, &view->destination, icmp, length)) !=
	    0xffff) {
		peer->statistics.bad_checksum++;
		return false;
	}
	return true;
}

static struct request *new_request(const struct packet_view *view, const uint8_t *first,
				   size_t first_length, const uint8_t *icmp, size_t length)
{
	struct request *request = request_new(first, first_length, icmp, length);

	request->source = view->source;
	request->destination = view->destination;
	request->dont_fragment = view->dont_fragment;
	request->fragments = 1;
	request->largest_packet = (int64_t)first_length;
	return request;
}

/* The rules about fragments: true if one of them takes the fragment away. */
static bool fragment_taken(struct peer *peer, const struct datagram *datagram,
			   const struct packet_view *view, const uint8_t *bytes, size_t length,
			   int64_t now_ns)
{
	for (int i = 0; i < peer->script.count; i++) {
		struct rule *rule = peer->script.rule[i];
		struct request *request;
		bool taken;

		if (!match_fragment(rule, datagram, view))
			continue;
		request = new_request(view, bytes, length, view->payload, view->payload_length);
		request->number = datagram->number;
		taken = match_rule(peer, rule, request, now_ns);
		if (taken) {
			rule->hits++;
			plan_rule(peer, rule, request, now_ns);
		}
		request_release(request);
		if (taken)
			return true;
	}
	return false;
}

static void accept_datagram(struct peer *peer, const struct datagram *datagram,
			    const struct packet_view *fragment, int64_t now_ns)
{
	struct packet_view view = *fragment;
	const uint8_t *payload = datagram->payload;
	size_t length = datagram->total;
	struct request *request;
	int walked;

	peer->statistics.reassembled++;
	view.protocol = datagram->protocol;
	if (view.family == 6) {
		walked = packet_skip_extensions(payload, length, &view.protocol);
		if (walked < 0) {
			peer->statistics.malformed++;
			return;
		}
		payload += walked;
		length -= (size_t)walked;
	}
	if (!is_request(peer, &view, payload, length))
		return;
	request = new_request(&view, datagram->first, datagram->first_length, payload, length);
	request->fragments = datagram->seen;
	request->largest_packet = datagram->largest_packet;
	accept_request(peer, request, now_ns);
}

static void receive_fragment(struct peer *peer, const struct packet_view *view,
			     const uint8_t *bytes, size_t length, int64_t now_ns)
{
	struct datagram *datagram = reassembly_find(&peer->reassembly, view, now_ns);
	struct statistics *statistics = &peer->statistics;

	statistics->fragments_in++;
	statistics->family[family_index(view->family)].fragments++;
	datagram->seen++;
	if (fragment_taken(peer, datagram, view, bytes, length, now_ns)) {
		statistics->fragments_dropped++;
		return;
	}
	switch (reassembly_insert(&peer->reassembly, &datagram, view, bytes, length, now_ns)) {
	case REASSEMBLY_WHOLE:
		accept_datagram(peer, datagram, view, now_ns);
		reassembly_remove(&peer->reassembly, datagram);
		break;
	case REASSEMBLY_REFUSED:
		statistics->malformed++;
		break;
	case REASSEMBLY_MORE:
		break;
	}
}

void receive_packet(struct peer *peer, const uint8_t *bytes, size_t length, int64_t now_ns)
{
	struct statistics *statistics = &peer->statistics;
	struct packet_view view;

	statistics->packets_in++;
	statistics->bytes_in += (int64_t)length;
	if (peer->log)
		report_log(peer->log, true, bytes, length, now_ns);
	if (packet_parse(bytes, length, &view) != 0) {
		statistics->malformed++;
		return;
	}
	statistics->family[family_index(view.family)].packets++;
	if (view.fragmented)
		receive_fragment(peer, &view, bytes, length, now_ns);
	else if (is_request(peer, &view, view.payload, view.payload_length))
		accept_request(peer,
			       new_request(&view, bytes, length, view.payload, view.payload_length),
			       now_ns);
}

/* RFC 792, RFC 4443: the host says "time exceeded" only if it has the first fragment to quote. */
static void report_incomplete(struct peer *peer, const struct datagram *datagram, int64_t now_ns)
{
	struct packet_view view;
	struct request *request;

	if (!datagram->first || packet_parse(datagram->first, datagram->first_length, &view) != 0)
		return;
	request = new_request(&view, datagram->first, datagram->first_length, view.payload,
			      view.payload_length);
	request->number = datagram->number;
	for (int i = 0; i < peer->script.count; i++) {
		struct rule *rule = peer->script.rule[i];

		if (rule->kind != RULE_INCOMPLETE || !match_rule(peer, rule, request, now_ns))
			continue;
		rule->hits++;
		plan_rule(peer, rule, request, now_ns);
		break;
	}
	request_release(request);
}

void receive_expire(struct peer *peer, int64_t now_ns)
{
	struct datagram *datagram;

	while ((datagram = reassembly_expired(&peer->reassembly, now_ns)) != NULL) {
		peer->statistics.reassembly_timeouts++;
		report_incomplete(peer, datagram, now_ns);
		reassembly_remove(&peer->reassembly, datagram);
	}
}
