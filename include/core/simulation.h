/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings of the simulated network, and their text: what --sim takes. A table of keys, so
 * that the manual page, the parser and its test tell the same.
 */
#ifndef FPING_BENCH_CORE_SIMULATION_H
#define FPING_BENCH_CORE_SIMULATION_H

#include "base/error.h"

/* How the simulated network behaves (--transport sim, --sim KEY=VALUE,...). */
struct simulation {
	uint64_t seed;
	int64_t delay_ns;          /* round trip of a request that nothing happens to */
	int64_t jitter_ns;         /* added: uniform in 0..jitter */
	int64_t service_ns;        /* one server: each request takes this long, in turn */
	int64_t send_ns;           /* virtual time that the sending of one request takes, >= 1 */
	int64_t queue_ns;          /* each request waits so long in the queue of the interface */
	double loss;               /* probability that a whole datagram is lost */
	double fragment_loss;      /* probability that one fragment of a request is lost */
	double reply_fragment_loss; /* the same for the fragments of a reply */
	double duplicate;          /* probability that a reply comes twice */
	double reorder;            /* probability that a reply takes twice the delay */
	double corrupt;            /* probability that one byte of the data changes */
	uint64_t drop_every;       /* every k-th request is lost, 0 for none */
	int64_t stall_every_ns;    /* the network stands still for the end of each of these: */
	int64_t stall_ns;          /* for this long */
	double stamp_loss;         /* probability that a send stamp never comes */
	uint32_t mtu;              /* of the simulated interface */
};

struct simulation_key {
	const char *name;    /* "delay" */
	const char *summary; /* one line, with the form of its value */
};

/* All keys, ended by a row of NULLs. */
extern const struct simulation_key simulation_keys[];

/* A quiet network: 1 ms there and back, 1 us to send, MTU 1500, seed 1, and nothing goes wrong. */
void simulation_defaults(struct simulation *simulation);

/*
 * Reads "KEY=VALUE,KEY=VALUE,..." into simulation; keys that are not named keep their values.
 * Durations are as for -i (250us, 10ms, bare seconds), probabilities 0..1 or with %. Returns 0,
 * or -ERROR_INVALID, with simulation unchanged, for an unknown or repeated key, a value out of
 * its range, or a stall that would leave no time between two of them.
 */
int simulation_parse(const char *text, struct simulation *simulation, struct error *error)
	MUST_CHECK;

#endif
