/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a socket transport, shared by the file that opens it (transport_socket.c) and the
 * one that moves its packets (transport_socket_packets.c), and by nothing else.
 */
#ifndef FPING_BENCH_OS_TRANSPORT_SOCKET_INTERNAL_H
#define FPING_BENCH_OS_TRANSPORT_SOCKET_INTERNAL_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "os/control_message.h"
#include "os/transport.h"

#define SOCKET_ERRORS_MAX 8u

union socket_address {
	struct sockaddr any;
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
};

struct transport_socket {
	int descriptor;
	uint8_t family;
	bool is_raw;
	bool errors_suspected;   /* the error queue may hold something */
	uint32_t empty_receives;
	struct clock_source *clock;
	struct clock_pair pair;
	int64_t flow_label;      /* -1: none */
	socklen_t address_bytes;
	union socket_address *destinations;
	uint32_t destination_count, destination_room;
	uint32_t last_drops;     /* the kernel's count, which wraps, when last seen */
	uint64_t drops;
	uint32_t error_count;    /* errors that were taken off the kernel's queue already */
	struct transport_error errors[SOCKET_ERRORS_MAX];
	struct mmsghdr send_headers[TRANSPORT_BATCH];
	struct iovec send_vectors[TRANSPORT_BATCH];
	struct mmsghdr receive_headers[TRANSPORT_BATCH];
	struct iovec receive_vectors[TRANSPORT_BATCH];
	union socket_address receive_names[TRANSPORT_BATCH];
	_Alignas(struct cmsghdr) uint8_t controls[TRANSPORT_BATCH][CONTROL_MESSAGE_BYTES];
};

#endif
