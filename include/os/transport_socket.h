/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the raw and the ping row share: one socket, arrays of message headers that are set up once,
 * and one system call per batch in either direction. The rows differ in where their socket comes
 * from and in what the kernel does to their packets.
 */
#ifndef FPING_BENCH_OS_TRANSPORT_SOCKET_H
#define FPING_BENCH_OS_TRANSPORT_SOCKET_H

#include "os/transport.h"

/*
 * Takes the socket over (closes it on failure), sets its options, binds it to the source of the
 * settings, and fills all of transport but the row. For a ping socket (is_raw false)
 * bind_identifier is the ICMP identifier to ask the kernel for, 0 for any.
 */
int transport_socket_open(struct transport *transport, const struct transport_settings *settings,
			  int descriptor, bool is_raw, uint16_t bind_identifier,
			  struct error *error) MUST_CHECK;

/*
 * Opens the sockets of the settings for what is cut by hand beside it; closes all of it on failure.
 */
int transport_socket_open_fragments(struct transport *transport,
				    const struct transport_settings *settings,
				    struct error *error) MUST_CHECK;

/* The hooks of struct transport_row. */
int transport_socket_add_destination(struct transport *transport, const struct address *address,
				     struct error *error) MUST_CHECK;
int transport_socket_send(struct transport *transport, const struct transport_outgoing *packets,
			  uint32_t count);
int transport_socket_receive(struct transport *transport, struct transport_incoming *packets,
			     uint32_t count, int64_t *now_ns);
int transport_socket_receive_error(struct transport *transport, struct transport_error *error);
int transport_socket_receive_stamps(struct transport *transport, struct transport_stamp *stamps,
				    uint32_t count);
int transport_socket_descriptor(const struct transport *transport);
uint64_t transport_socket_drops(struct transport *transport);
void transport_socket_close(struct transport *transport);

#endif
