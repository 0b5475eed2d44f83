/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends datagrams in fragments made by hand, and whole ones that nobody may cut, on sockets of
 * their own (raw(7), ip(7), ipv6(7)). No source address is ever written by us: an IPv4 header
 * leaves it 0, and for IPv6 the kernel writes the whole header before our fragment header.
 */
#ifndef FPING_BENCH_OS_FRAGMENT_SENDER_H
#define FPING_BENCH_OS_FRAGMENT_SENDER_H

#include "os/transport.h"

struct fragment_sender;

/*
 * Takes over the sockets (also on failure): pieces for IPPROTO_RAW (IPv4) or next header 44 (IPv6),
 * whole for ICMPv6 messages in one packet; -1 for IPv4, where the first serves for both. settings:
 * as for the transport that receives.
 */
int fragment_sender_open(struct fragment_sender **sender, int pieces, int whole,
			 const struct transport_settings *settings, struct error *error) MUST_CHECK;

/* A destination, of the sender's family; to be added in the order of the transport's. */
int fragment_sender_add_destination(struct fragment_sender *sender, const struct address *address,
				    struct error *error) MUST_CHECK;

/*
 * Sends one packet, which must have a cut. Returns 1, or -errno. Where the kernel has no room for
 * a further piece it waits up to 100 ms for it: half a datagram helps nobody. If that is not enough
 * the datagram was not sent.
 */
int fragment_sender_send(struct fragment_sender *sender, const struct transport_outgoing *packet);

void fragment_sender_close(struct fragment_sender *sender);

#endif
