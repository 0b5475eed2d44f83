/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network for conductors: a function that says what becomes of one request, broken in as many
 * ways as its members say, with a conductor's turns played on it.
 */
#ifndef FPING_BENCH_TESTS_SIM_NETWORK_H
#define FPING_BENCH_TESTS_SIM_NETWORK_H

#include "base/random.h"
#include "core/diagnosis.h"
#include "core/mtu_search.h"

#define NETWORK_MTU 1500u

/* A network and the host behind it; all zero is a healthy one. Times count from the start. */
struct world {
	uint8_t family;
	int64_t rtt_ns;                  /* 0: that of a cable */
	double loss;                     /* of each packet on the way there */
	bool drops_all, drops_first, drops_rest; /* fragments on the way there */
	uint32_t shortest_first;         /* bytes; a shorter first fragment is dropped */
	bool drops_reply_fragments;
	double reply_fragment_rate, reply_fragment_burst; /* tokens; 0: no limit */
	uint32_t size_limit;             /* data bytes; 0: none */
	double echo_rate, echo_burst;
	double fragment_rate, fragment_burst;
	uint32_t path_mtu;               /* 0: that of the interface */
	bool is_narrow_back;             /* the replies meet it as well */
	bool tells_mtu;
	uint32_t told_mtu;               /* what it says instead; 0: the truth */
	int64_t memory_full_until_ns;
	uint32_t frames_queued;          /* replies that wait in a burst; 0: no limit */
	int64_t out_from_ns, out_until_ns; /* nothing passes */
	int64_t out_every_ns, out_for_ns;  /* the same now and then: after so long, on average */
	bool refuses_cuts;               /* this host cannot send hand-made pieces */
	bool is_dead;
	/* kept here */
	struct random_state random;
	double echo_tokens, fragment_tokens, reply_tokens;
	int64_t echo_at_ns, fragment_at_ns, reply_at_ns;
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

/* NULL: no memory. */
struct scene *network_open(void);
void network_close(struct scene *scene);

/* A run over this world begins. */
void network_start(struct scene *scene, const struct world *world, uint64_t seed);

/* How long it has been going on. */
int64_t network_elapsed_ns(const struct scene *scene);

/* Turns until the conductor has its answer; false: it did not come to one. */
bool network_conduct(struct scene *scene, struct conductor *conductor);

#endif
