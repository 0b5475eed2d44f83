/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's filter on a raw socket, as a classic BPF program: every raw socket is handed
 * every other process's replies and errors, and copying those to us would cost as much as our own.
 * The builders are pure; socket_options.c puts the program on a socket.
 */
#ifndef FPING_BENCH_OS_SOCKET_FILTER_H
#define FPING_BENCH_OS_SOCKET_FILTER_H

#include <linux/filter.h>

#include "base/base.h"

#define SOCKET_FILTER_MAX 48u

struct socket_filter {
	struct sock_filter instructions[SOCKET_FILTER_MAX];
	uint16_t count;
};

/*
 * For an IPv4 raw socket (the packet starts with its IP header, of any length). Lets through
 * echo replies with the identifier, and errors (types 3, 4, 5, 11, 12) whose quote is an echo
 * request with it or is too short, too odd or too late a fragment to tell. Replies that are too
 * short to hold an identifier pass as well, so that they can be counted.
 */
void socket_filter_build_icmp4(struct socket_filter *filter, uint16_t identifier);

/*
 * The same for an IPv6 raw socket (the packet starts with the ICMPv6 header): types 129 and 1 to
 * 4. A quote with extension headers passes: walking them needs a loop, which a filter has not.
 */
void socket_filter_build_icmp6(struct socket_filter *filter, uint16_t identifier);

/*
 * For a packet socket whose packets start with their IP header: fragments of ICMP, and IPv6 packets
 * with a fragment header, or with one behind which it may stand. Of each the first `kept` bytes are
 * delivered.
 */
void socket_filter_build_fragments(struct socket_filter *filter, uint32_t kept);

#endif
