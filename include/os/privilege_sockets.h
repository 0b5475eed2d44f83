/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sockets that need a right, for privilege.c, which holds the rights while these functions run.
 * Everybody else asks privilege.h for one of them.
 */
#ifndef FPING_BENCH_OS_PRIVILEGE_SOCKETS_H
#define FPING_BENCH_OS_PRIVILEGE_SOCKETS_H

#include "base/error.h"

enum privilege_socket {
	PRIVILEGE_ICMP4,      /* raw: sends and receives echoes */
	PRIVILEGE_ICMP6,
	PRIVILEGE_FRAGMENTS4, /* sends only: whole IPv4 packets and pieces, header included */
	PRIVILEGE_FRAGMENTS6, /* sends only: what follows an IPv6 header, a fragment header first */
	PRIVILEGE_WHOLE6,     /* sends only: ICMPv6 messages that must not be cut */
	PRIVILEGE_CAPTURE,    /* packets of an interface; of none until it is bound */
	PRIVILEGE_SOCKETS,    /* how many there are */
};

/* Sets of sockets. */
#define PRIVILEGE_BIT(socket) (1u << (socket))
#define PRIVILEGE_ECHO	      (PRIVILEGE_BIT(PRIVILEGE_ICMP4) | PRIVILEGE_BIT(PRIVILEGE_ICMP6))
#define PRIVILEGE_FRAGMENTS                                                                   \
	(PRIVILEGE_BIT(PRIVILEGE_FRAGMENTS4) | PRIVILEGE_BIT(PRIVILEGE_FRAGMENTS6) |           \
	 PRIVILEGE_BIT(PRIVILEGE_WHOLE6))
#define PRIVILEGE_ALL (PRIVILEGE_BIT(PRIVILEGE_SOCKETS) - 1u)

/*
 * Opens what is wanted, receiving nothing yet. What cannot be had is no error: its place in raw is
 * -1 and that in why_not the errno. Places of what is not wanted are left alone.
 */
int privilege_sockets_open(int raw[static PRIVILEGE_SOCKETS],
			   int why_not[static PRIVILEGE_SOCKETS], unsigned wanted,
			   struct error *error) MUST_CHECK;

/*
 * Buffers larger than net.core.rmem_max and wmem_max allow (receive_bytes: what replies take,
 * where that is known), and the mark, NULL for none. A kernel that refuses the buffers (in a user
 * namespace it does) is no error, one that refuses the mark is. forced: receives whether all of
 * the sockets, and there are some, have such buffers.
 */
int privilege_sockets_set_up(const int raw[static PRIVILEGE_SOCKETS], uint64_t receive_bytes,
			     const uint32_t *mark, bool *forced, struct error *error) MUST_CHECK;

/* Whether one of them can still be had: says so, or NULL. */
const char *privilege_sockets_regained(void);

/* Closes those that are open and not in `kept`. */
void privilege_sockets_close(int raw[static PRIVILEGE_SOCKETS], unsigned kept);

#endif
