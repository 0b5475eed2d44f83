/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stamps that a network interface itself puts on packets, on a clock of its own. They are used
 * where an administrator has switched them on, and never switched on from here: that needs
 * privilege, and may disturb a time service that uses the same clock.
 */
#ifndef FPING_BENCH_OS_HARDWARE_STAMPS_H
#define FPING_BENCH_OS_HARDWARE_STAMPS_H

#include "base/base.h"

/* What the kernel tells about one interface (linux/net_tstamp.h, linux/ethtool.h). */
struct hardware_stamps_interface {
	char name[16];
	int clock_index;    /* of the clock that makes its stamps (/dev/ptpN); -1: it has none */
	int send_mode;      /* enum hwtstamp_tx_types in force; -1: not known */
	int receive_filter; /* enum hwtstamp_rx_filters in force; -1: not known */
};

/*
 * Whether hardware stamps mean something to a transport that sends over these interfaces, or over
 * the one with this name if device is not "". A stamp does not say which interface made it, so all
 * that stamp must do it by one clock. An interface counts if it stamps every packet in both
 * directions: one that only looks for PTP does not see ours, and one stamp alone measures nothing.
 */
bool hardware_stamps_choose(const struct hardware_stamps_interface *interfaces, size_t count,
			    const char *device);

/* The same for the interfaces of this host. Costs a few system calls for each. */
bool hardware_stamps_are_on(const char *device);

#endif
