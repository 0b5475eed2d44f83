/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sending what is due. The packets of an event are made either just before or, while the main
 * loop spins for its time, ahead of it; how late the first packet of a delayed answer was is a
 * part of the report, because a test that believes in a delay must be able to see whether it was
 * kept.
 */
#include "peer.h"

#include <unistd.h>

static void write_packet(struct peer *peer, const struct packets *packets, int index)
{
	struct statistics *statistics = &peer->statistics;
	const struct packet_place *place = &packets->place[index];
	const uint8_t *bytes = packets->bytes + place->at;
	struct packet_view view;

	if (peer->log)
		report_log(peer->log, false, bytes, place->length, clock_ns());
	if (write(peer->device, bytes, place->length) != (ssize_t)place->length) {
		statistics->write_errors++;
		return;
	}
	statistics->packets_out++;
	statistics->bytes_out += (int64_t)place->length;
	if (packet_parse(bytes, place->length, &view) == 0 && view.fragmented)
		statistics->fragments_out++;
}

static void count_copy(struct statistics *statistics, const struct event *event)
{
	struct family_count *family = &statistics->family[event->request->source.family == 6];
	struct destination *destination;

	switch (event->kind->kind) {
	case OPERATION_REPLY:
		statistics->replies++;
		family->replies++;
		destination = statistics_destination(statistics, &event->request->destination);
		if (destination)
			destination->replies++;
		break;
	case OPERATION_ERROR:
		statistics->errors++;
		family->errors++;
		break;
	default:
		statistics->injected++;
		break;
	}
}

static void finish_event(struct peer *peer, struct event *event, int64_t now_ns)
{
	if (--event->request->answers == 0)
		statistics_outstanding(&peer->statistics, -1, now_ns);
	event_free(event);
}

/* Send one copy, or one packet of it if there is to be a pause between them. */
static void send_event(struct peer *peer, struct event *event)
{
	int64_t now_ns;

	if (!event->packets)
		event->packets = make_packets(&peer->maker, event);
	now_ns = clock_ns();
	if (event->next_packet == 0 && event->delayed)
		samples_add(&peer->statistics.lateness, now_ns - event->time_ns);
	while (event->next_packet < event->packets->count) {
		write_packet(peer, event->packets, event->next_packet++);
		if (event->pause_ns > 0 && event->next_packet < event->packets->count) {
			event->time_ns += event->pause_ns;
			queue_push(&peer->queue, event);
			return;
		}
	}
	count_copy(&peer->statistics, event);
	packets_release(event->packets);
	event->packets = NULL;
	event->next_packet = 0;
	if (++event->copy == event->copies) {
		finish_event(peer, event, now_ns);
		return;
	}
	event->time_ns = event->wanted_ns + (event->times ? event->times[event->copy]
							  : event->spacing_ns * event->copy);
	event->delayed = event->times || event->spacing_ns > 0;
	queue_push(&peer->queue, event);
}

bool send_due(struct peer *peer, int64_t now_ns, int limit)
{
	struct event *event;
	int sent = 0;

	while (sent < limit && (event = queue_top(&peer->queue)) && event->time_ns <= now_ns) {
		queue_pop(&peer->queue);
		sent++;
		if (event->request) {
			send_event(peer, event);
			continue;
		}
		event->rule->hits++;
		plan_rule(peer, event->rule, peer->last, now_ns);
		event_free(event);
	}
	return sent > 0;
}

void send_prepare(struct peer *peer)
{
	struct event *event = queue_top(&peer->queue);

	if (event && event->request && !event->packets)
		event->packets = make_packets(&peer->maker, event);
}
