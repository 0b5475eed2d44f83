/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel says about the way to a target: by rtnetlink and ethtool netlink, before the
 * first packet. Nothing here is guessed: what the kernel does not tell stays zero or empty.
 */
#ifndef FPING_BENCH_OS_ROUTE_H
#define FPING_BENCH_OS_ROUTE_H

#include "base/address.h"
#include "base/error.h"

struct route {
	char interface[32];
	uint32_t interface_index;
	struct address source;   /* that the kernel prefers, or the one asked for */
	uint32_t mtu;            /* of the interface */
	uint32_t path_mtu;       /* what the kernel holds for this destination */
	uint64_t link_bits_per_s;
	char kind[32];           /* rtnetlink link kind: "veth", "tun", "" for hardware */
	char driver[64];
	bool is_local;           /* one of this host's own addresses: the responder is this host */
	bool is_broadcast;       /* the route is of type broadcast */
	bool is_multicast;
	bool is_virtual_pair;    /* loopback or veth: the responder's work may run on this host */
};

/*
 * Looks the way to destination up; device ("" for none) and source (family 0 for none) are those
 * of -I. -ERROR_NOT_FOUND when the kernel has no route: the run goes on, sends will tell.
 */
int route_lookup(const struct address *destination, const struct address *source,
		 const char *device, struct route *route, struct error *error) MUST_CHECK;

/* Index of an interface, 0 when there is none of that name. */
uint32_t route_interface_index(const char *name);

#endif
