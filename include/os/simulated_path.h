/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One simulated path to all targets of a family: what becomes of a request is drawn from the
 * seed when it is sent, and its reply waits in a heap ordered by arrival until its time has come.
 * Time is a number that comes in; nothing here waits.
 *
 *   request is sent ... queue ... delay/2 ... server, one at a time ... delay/2 + jitter ...
 *   reply arrives
 */
#ifndef FPING_BENCH_OS_SIMULATED_PATH_H
#define FPING_BENCH_OS_SIMULATED_PATH_H

#include "base/random.h"
#include "core/fragments.h"
#include "core/wire_format.h"
#include "os/transport.h"

/* Most bytes of replies under way; what would be beyond is dropped and counted. */
#define SIMULATED_MEMORY_MAX (UINT32_C(64) << 20)

struct simulated_reply {
	int64_t arrival_ns;
	uint64_t order; /* equal arrivals come in the order of their requests */
	uint32_t slot;  /* where its bytes are */
	uint32_t length;
	uint32_t destination;
	uint32_t largest_fragment;
};

struct simulated_path {
	const struct wire_format *format;
	struct simulation settings;
	int64_t origin_ns;         /* stalls are counted from here */
	struct random_state random;
	struct fragment_plan plan; /* of the last packet */
	uint64_t requests;
	uint64_t drops;            /* replies for which there was no room */
	int64_t server_free_ns;
	/* memory: slots of slot_bytes, a stack of the free ones, the heap */
	uint32_t slot_bytes;
	uint32_t slots;
	uint32_t slots_max;
	uint8_t *storage;
	uint8_t *scratch; /* where a reply is made */
	uint32_t *free_slots;
	uint32_t free_count;
	struct simulated_reply *heap;
	uint32_t reply_count;
	uint64_t order;
};

/*
 * Prepares a path for packets of up to packet_bytes (ICMP header and data). -ERROR_INVALID when
 * the family cannot carry that over an MTU of the settings; -ERROR_NO_MEMORY.
 */
int simulated_path_open(struct simulated_path *path, uint8_t family,
			const struct simulation *settings, uint32_t packet_bytes, int64_t now_ns,
			struct error *error) MUST_CHECK;

/* IP packets that a packet of this length takes; 0 when it is too long or no echo packet. */
uint32_t simulated_path_fragments(struct simulated_path *path, uint32_t length);

/* A request is sent at now_ns. simulated_path_fragments has said that it can. */
void simulated_path_send(struct simulated_path *path, int64_t now_ns,
			 const struct transport_outgoing *request);

/* When the next reply arrives, or has arrived; TIME_NEVER_NS: none is under way. */
int64_t simulated_path_next(const struct simulated_path *path);

/*
 * Takes one reply that has arrived by now_ns: fills all of packet but its source, and the request's
 * destination. False: there is none.
 */
bool simulated_path_receive(struct simulated_path *path, int64_t now_ns,
			    struct transport_incoming *packet, uint32_t *destination) MUST_CHECK;

void simulated_path_close(struct simulated_path *path);

#endif
