/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where packets leave: the interface, VRF and addresses that -I names, and what the kernel says
 * about the way to each target. Judged before anything is sent, so that a run never leaves by
 * another way than the one asked for.
 */
#ifndef FPING_BENCH_APPS_PROBE_WAY_H
#define FPING_BENCH_APPS_PROBE_WAY_H

#include "core/configuration.h"
#include "core/result.h"
#include "os/route.h"

struct way {
	char device[16];           /* interface or VRF, "" none */
	uint32_t device_index;
	struct address sources[2]; /* IPv4 and IPv6; family 0: none */
	const char *source_names[2];
};

/* Index of a family (4 or 6) in arrays of two. */
static inline uint32_t way_family_index(uint8_t family)
{
	return family == 6;
}

/*
 * Reads the -I options: each is an address of this host, or an interface. -ERROR_INVALID for
 * what is neither, names too long, and two of a kind.
 */
int way_open(struct way *way, const struct configuration *configuration,
	     struct error *error) MUST_CHECK;

/* The scope for link-local targets that name none; 0: there is none. */
uint32_t way_default_scope(const struct way *way);

/*
 * Judges one target and fills the facts about its way into facts (and route): -ERROR_INVALID
 * when the run must not start (-I of the other family, broadcast without -b, more data than the
 * family carries), -ERROR_NOT_FOUND when this target cannot be used. is_simulated: there are no
 * routes to ask.
 */
int way_look_up(const struct way *way, const struct configuration *configuration,
		bool is_simulated, const struct address *address, struct result_target *facts,
		struct route *route, struct error *error) MUST_CHECK;

#endif
