/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the tap share: what it saw, and what it makes of it.
 */
#ifndef FPING_BENCH_TESTS_TAP_H
#define FPING_BENCH_TESTS_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PACKET_BYTES 192u /* seen of each packet, from its IP header on */

/* A packet that passed: which one, and when. */
struct sighting {
	uint64_t key;      /* the same for a request and its reply */
	int64_t stamp_ns;  /* the kernel's, CLOCK_REALTIME */
};

struct sightings {
	struct sighting *at;
	size_t count;
	size_t room;
};

/* What to look for. */
struct filter {
	uint16_t udp_port; /* requests are UDP datagrams to this port; 0: echo requests */
	size_t udp_bytes;  /* of exactly so many data bytes; 0: any */
};

enum packet_kind {
	PACKET_OTHER,
	PACKET_REQUEST,
	PACKET_REPLY,
};

/* What the packet is; *key says which one. length bytes of it are there, full_length it had. */
enum packet_kind packet_look(const struct filter *filter, const uint8_t *bytes, size_t length,
			     size_t full_length, uint64_t *key);

/* Appends one; out of memory ends the program. */
void sightings_add(struct sightings *sightings, uint64_t key, int64_t stamp_ns);

/* Writes `"rtt":{...}`: the reply's stamp minus the request's, over the pairs. */
void figures_rtt(FILE *file, const struct sightings *requests, const struct sightings *replies);

/* Writes `"schedule":{...}`: how the requests keep a schedule of one every interval_ns. */
void figures_schedule(FILE *file, const struct sightings *requests, int64_t interval_ns);

#endif
