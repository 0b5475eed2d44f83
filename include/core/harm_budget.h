/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What we do to the other host. A datagram that loses a fragment stays in its reassembly memory
 * until a timer runs out, and that memory is shared by all who send fragments to it: a flood over a
 * path that loses one fragment in a hundred fills it within seconds and then every fragmented
 * datagram from everybody is lost. So the bytes that our own losses of the last 30 s (IPv4; 60 s
 * for IPv6) may hold there are estimated while the run goes on, and it ends before they get many.
 */
#ifndef FPING_BENCH_CORE_HARM_BUDGET_H
#define FPING_BENCH_CORE_HARM_BUDGET_H

#include "base/base.h"

#define HARM_BUDGET_BYTES UINT64_C(1048576) /* a quarter of what Linux lets all senders hold */
#define HARM_BUDGET_CELLS 64u               /* of one second each: more than any timer */
/* How long a Linux receiver keeps the pieces of a datagram (ip-sysctl: ipfrag_time,
 * ip6frag_time; RFC 8200 4.5). */
#define HARM_KEPT_IP4_NS (30 * NANOSECONDS_PER_SECOND)
#define HARM_KEPT_IP6_NS (60 * NANOSECONDS_PER_SECOND)

struct harm_budget {
	int64_t kept_ns;
	uint64_t cells[HARM_BUDGET_CELLS]; /* bytes by the second of their loss, a ring */
	int64_t newest;                    /* second of the newest cell */
	uint64_t most;                     /* that were held at once so far */
};

/* Empty. kept_ns: how long the host keeps what is incomplete, up to 62 s. */
void harm_budget_init(struct harm_budget *budget, int64_t kept_ns);

/* So many bytes were found lost at now_ns; time does not go back. Returns all that are held. */
uint64_t harm_budget_add(struct harm_budget *budget, int64_t now_ns, uint64_t bytes);

/* Bytes that are held at now_ns, at most; a whole second is let go at once. */
uint64_t harm_budget_held(const struct harm_budget *budget, int64_t now_ns);

/* When no more than `bytes` will be held, at the latest. */
int64_t harm_budget_free_at(const struct harm_budget *budget, int64_t now_ns, uint64_t bytes);

#endif
