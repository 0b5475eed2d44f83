/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The send stamps of the simulated interface: those of a request become known when it has left, and
 * are kept until somebody takes them, as in the error queue of a socket.
 */
#ifndef FPING_BENCH_OS_SIMULATED_STAMPS_H
#define FPING_BENCH_OS_SIMULATED_STAMPS_H

#include "base/random.h"
#include "os/transport.h"

/* Most requests whose stamps are kept; further ones get none, as where an error queue is full. */
#define SIMULATED_STAMPS_MAX 65536u

/* What is known of one request. */
struct simulated_departure {
	uint32_t id;
	bool has[2];      /* by enum transport_stamp_kind, queue and driver: not lost on its way */
	int64_t at_ns[2];
};

struct simulated_stamps {
	double loss;      /* probability that a stamp never comes */
	struct random_state random;
	struct simulated_departure *ring; /* in the order in which the requests leave */
	uint64_t mask;
	uint64_t head, tail;
};

/* loss: the probability that a stamp is lost. -ERROR_NO_MEMORY. */
int simulated_stamps_open(struct simulated_stamps *stamps, double loss, uint64_t seed,
			  struct error *error) MUST_CHECK;

/* A request was put into the queue at queue_ns, and leaves it at driver_ns, never earlier than the
 * one before it. */
void simulated_stamps_put(struct simulated_stamps *stamps, uint32_t id, int64_t queue_ns,
			  int64_t driver_ns);

/* When the next stamps can be taken, or could have been; TIME_NEVER_NS: none are out. */
int64_t simulated_stamps_next(const struct simulated_stamps *stamps);

/* Takes up to count stamps of requests that have left by now_ns: how many. count >= 2. */
uint32_t simulated_stamps_take(struct simulated_stamps *stamps, int64_t now_ns,
			       struct transport_stamp *taken, uint32_t count);

void simulated_stamps_close(struct simulated_stamps *stamps);

#endif
