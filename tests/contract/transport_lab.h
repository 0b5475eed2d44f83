/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One transport, opened on loopback with everything that it wants to be given: what the contracts
 * of the transports share.
 */
#ifndef FPING_BENCH_TESTS_CONTRACT_TRANSPORT_LAB_H
#define FPING_BENCH_TESTS_CONTRACT_TRANSPORT_LAB_H

#include "core/payload.h"
#include "core/wire_format.h"
#include "os/real_time.h"
#include "os/transport.h"
#include "os/waiter.h"

#define PAYLOAD_BYTES 56u
#define PACKET_BYTES (WIRE_ECHO_HEADER_BYTES + PAYLOAD_BYTES)
#define CAPACITY 256u
#define IDENTIFIER 0x4711
#define PATIENCE_NS (2 * NANOSECONDS_PER_SECOND)

struct transport_lab {
	const struct transport_row *row;
	const struct wire_format *format;
	struct configuration configuration;
	int64_t simulated_ns;
	struct clock_source clock;
	struct real_time real_time;
	struct waiter waiter;
	struct transport_settings settings;
	struct transport transport;
	struct address host;
	struct payload_plan plan;
	uint8_t requests[TRANSPORT_BATCH][PACKET_BYTES];
	struct transport_outgoing outgoing[TRANSPORT_BATCH];
	uint8_t replies[TRANSPORT_BATCH][CAPACITY];
	struct transport_incoming incoming[TRANSPORT_BATCH];
};

/* Fills the lab in, with the receive stamps of --stamps rx; what it holds can be changed then. */
void lab_prepare(struct transport_lab *lab, const struct transport_row *row, uint8_t family);

/* The socket that the row wants to be given, -1 if none. */
int lab_descriptor(const struct transport_lab *lab);

/*
 * Opens the row with the settings, and loopback as destination 0; false, with the test skipped or
 * failed, if it cannot be.
 */
bool lab_open(struct transport_lab *lab);

void lab_close(struct transport_lab *lab);

/* Writes requests with the sequences from `first` on into `outgoing`. */
void lab_write(struct transport_lab *lab, uint16_t first, uint32_t count);

/* Sends what was written; how many the transport took. */
uint32_t lab_send_written(struct transport_lab *lab, uint32_t count);

/* Both. */
uint32_t lab_send(struct transport_lab *lab, uint16_t first, uint32_t count);

/* Waits for up to `count` packets; the time of the last receive call. */
uint32_t lab_receive(struct transport_lab *lab, uint32_t count, int64_t *now_ns);

#endif
