/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names become addresses once, before the first packet; numeric addresses ask no name service.
 * There is no reverse look-up.
 */
#ifndef FPING_BENCH_OS_RESOLVER_H
#define FPING_BENCH_OS_RESOLVER_H

#include "base/address.h"
#include "base/error.h"

/*
 * The first usable address of the name for a family (4, 6, 0 for either). "name%zone" takes the
 * zone as interface name or index; a link-local address without a zone takes default_scope, and is
 * refused if that is 0. IPv4-mapped IPv6 addresses are taken as the IPv4 address, the unspecified
 * address as loopback (where the kernel sends it). Names above 253 bytes and empty names are
 * refused. -ERROR_NOT_FOUND: no such host, unknown zone,
 * address of the other family; the sentence says which and names the remedy.
 */
int resolver_resolve(const char *name, uint8_t family, uint32_t default_scope,
		     struct address *address, struct error *error) MUST_CHECK;

#endif
