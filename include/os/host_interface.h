/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an interface does with packets before the kernel sees them or after it let them go: the
 * offloads that are on, and how long it waits before it interrupts the host. Both can be most of
 * a round trip.
 */
#ifndef FPING_BENCH_OS_HOST_INTERFACE_H
#define FPING_BENCH_OS_HOST_INTERFACE_H

#include "core/result.h"

/*
 * Fills environment->offloads and coalescing for the interface of that name (ethtool(8): -k and
 * -c); what the driver does not tell stays unknown. "" asks nothing.
 */
void host_interface(const char *interface, struct environment *environment);

#endif
