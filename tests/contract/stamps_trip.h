/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches of packets whose send stamps are followed: what the contracts of stamps share. A trip is
 * a transport under --stamps split and the last batch that was sent over it.
 */
#ifndef FPING_BENCH_TESTS_CONTRACT_STAMPS_TRIP_H
#define FPING_BENCH_TESTS_CONTRACT_STAMPS_TRIP_H

#include "contract/transport_lab.h"

#define TRIP_BATCH 16u

/* What is known of one packet. */
struct journey {
	uint32_t id;
	bool is_sampled;
	unsigned queue_count, driver_count, hardware_count;
	int64_t queue_real_ns, driver_real_ns, queue_ns, driver_ns, hardware_ns;
};

struct trip {
	struct transport_lab lab;
	struct journey journeys[TRIP_BATCH];
	uint32_t count;
	uint32_t strangers; /* stamps of nobody here */
	int64_t start_ns;
};

/* As lab_prepare and lab_open. */
bool trip_open(struct trip *trip, const struct transport_row *row, uint8_t family);

/*
 * Sends a batch with the sequences from `first` on; every `every`th packet asks for stamps (0: none
 * does). Whether all were sent.
 */
bool trip_send(struct trip *trip, uint16_t first, uint32_t count, uint32_t every);

/* Asks for stamps until `expected` have come or none come any more; how many. */
uint32_t trip_take_stamps(struct trip *trip, uint32_t expected);

/*
 * Receives the replies; has_stamps: each must have come after its request had left. Whether all
 * came; a test ends where one did not.
 */
bool trip_take_replies(struct trip *trip, uint16_t first, bool has_stamps);

/*
 * Each packet that asked has its stamps, once and in order, no other has any. hardware: so many
 * of the hardware, in the place of the driver's.
 */
void trip_check(struct trip *trip, uint32_t hardware);

/* Poll would not return at once with POLLERR. */
void trip_check_queue_empty(struct transport_lab *lab);

/* Contracts are a table: what each is called, and whether a simulated transport is no use to it. */
struct trip_contract {
	const char *what;
	bool needs_socket;
	void (*check)(struct trip *trip, const struct transport_row *row, uint8_t family);
};

/* Runs them over all transports with send stamps and both families. */
void trip_run(const struct trip_contract *contracts, size_t count);

#endif
