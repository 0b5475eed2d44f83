/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sockets themselves, for privilege.c, which holds the rights while these functions run. Nobody
 * else includes this.
 */
#ifndef FPING_BENCH_OS_PRIVILEGE_SOCKETS_H
#define FPING_BENCH_OS_PRIVILEGE_SOCKETS_H

#include "os/privilege.h"

/* Opens what is wanted, receiving nothing yet. What cannot be had is no error: see raw_errno. */
int privilege_sockets_open(struct privilege *privilege, unsigned wanted,
			   struct error *error) MUST_CHECK;

/*
 * Buffers larger than net.core.rmem_max and wmem_max allow, and the mark. A kernel that refuses the
 * buffers (in a user namespace it does) is no error, one that refuses the mark is.
 */
int privilege_sockets_set_up(struct privilege *privilege, const uint32_t *mark,
			     struct error *error) MUST_CHECK;

/* Whether one of them can still be had: says so, or NULL. */
const char *privilege_sockets_regained(void);

#endif
