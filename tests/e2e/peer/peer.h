/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The peer as a whole: what its few rooms (receive, plan, send, report) share during a run.
 * Everything that has an interface of its own (packets, scripts, events, reassembly, making
 * packets) does not see this file.
 */
#ifndef FPING_BENCH_PEER_PEER_H
#define FPING_BENCH_PEER_PEER_H

#include "event.h"
#include "make.h"
#include "reassembly.h"
#include "script.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	SAMPLES_MAX = 1 << 22,
	DESTINATION_BUCKETS = 4096,
	DESTINATIONS_SHOWN = 64,
};

/* Durations kept for exact percentiles; the first SAMPLES_MAX of them, and the maximum of all. */
struct samples {
	int64_t *ns;
	size_t count;
	size_t room;
	int64_t seen;
	int64_t maximum;
};

struct destination {
	struct destination *chain;
	struct address address;
	int64_t requests;
	int64_t replies;
	uint16_t id;
	uint16_t sequence;
};

struct family_count {
	int64_t packets, fragments, requests, replies, errors;
};

struct statistics {
	int64_t requests, dropped, replies, errors, injected;
	int64_t packets_in, packets_out, fragments_in, fragments_out, fragments_dropped;
	int64_t bytes_in, bytes_out;
	int64_t reassembled, reassembly_timeouts;
	int64_t bad_checksum, malformed, other, write_errors;
	int64_t device_drops; /* by the kernel, before we could read; -1: unknown */
	int64_t sequence_gaps, sequence_backwards, sequence_repeats;
	int64_t smallest, largest; /* data bytes of requests */
	int64_t first_ns, last_ns;
	int64_t outstanding, max_outstanding, outstanding_since_ns;
	double outstanding_area;
	struct family_count family[2]; /* IPv4, IPv6 */
	struct samples gaps, lateness;
	size_t destinations;
	struct destination **destination;
	struct destination *bucket[DESTINATION_BUCKETS];
};

struct peer {
	int device;
	FILE *log;
	struct script script;
	struct queue queue;
	struct event **held;
	size_t held_count, held_room;
	struct reassembly reassembly;
	struct maker maker;
	struct statistics statistics;
	struct request *last; /* the latest request, the subject of timed rules */
	int64_t started_ns;   /* arrival of the first request; 0 before */
	int64_t stuck_until_ns;
	int64_t server_free_ns;
};

int64_t clock_ns(void);

/* One packet from the device (receive.c). */
void receive_packet(struct peer *peer, const uint8_t *bytes, size_t length, int64_t now_ns);

/* Time out fragments of incomplete datagrams (receive.c). */
void receive_expire(struct peer *peer, int64_t now_ns);

/*
 * Do the conditions of a rule hold for a request? Draws from the generator for "chance"
 * (match.c).
 */
bool match_rule(struct peer *peer, const struct rule *rule, const struct request *request,
		int64_t now_ns);
bool match_fragment(const struct rule *rule, const struct datagram *datagram,
		    const struct packet_view *view);

/* Choose and time the answers to a whole request, and let go what waited for it (plan.c). */
void plan_request(struct peer *peer, struct request *request, int64_t now_ns);

/* All answers of one rule whose conditions are already known to hold (plan.c). */
void plan_rule(struct peer *peer, struct rule *rule, struct request *request, int64_t now_ns);

/* Send what is due, at most limit events; true if there was something (send.c). */
bool send_due(struct peer *peer, int64_t now_ns, int limit);

/* Make the packets of the next event ahead of its time (send.c). */
void send_prepare(struct peer *peer);

/* Accounts (statistics.c). */
void statistics_request(struct statistics *statistics, const struct request *request);
void statistics_outstanding(struct statistics *statistics, int change, int64_t now_ns);
struct destination *statistics_destination(struct statistics *statistics,
					   const struct address *address);
void samples_add(struct samples *samples, int64_t ns);
void statistics_free(struct statistics *statistics);

/* The JSON object and the lines of the log (report.c). */
void report_print(struct peer *peer, FILE *file);
void report_log(FILE *log, bool in, const uint8_t *bytes, size_t length, int64_t now_ns);

#endif
