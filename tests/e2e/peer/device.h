/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TUN device: opened, and set up by hand with ioctl and rtnetlink, because a test that runs
 * six ip(8) commands per peer spends more time in them than in its own work.
 */
#ifndef FPING_BENCH_PEER_DEVICE_H
#define FPING_BENCH_PEER_DEVICE_H

#include "packet.h"

#include <stdbool.h>

enum {
	DEVICE_NAME_ROOM = 16,
	DEVICE_QUEUE =
		8192, /* the kernel's own 500 would drop bursts that a test means to be seen */
	DEVICE_ROUTES_MAX = 16,
	DEVICE_ERROR_TEXT = 160,
};

struct device_settings {
	char name[DEVICE_NAME_ROOM];
	struct address address4, address6; /* family 0: none */
	unsigned int prefix4, prefix6;
	int mtu;	    /* 0: the kernel's */
	int transmit_queue; /* packets; 0: DEVICE_QUEUE if the peer brings the device up */
	bool up;
	int routes;
	struct {
		struct address net;
		unsigned int prefix;
	} route[DEVICE_ROUTES_MAX];
	char error[DEVICE_ERROR_TEXT];
};

/*
 * Open the device, not blocking; name becomes the one the kernel chose. The descriptor, or -1
 * with error set.
 */
int device_open(struct device_settings *settings);

/* Addresses, MTU, queue, up, routes: whatever the settings say. 0, or -1 with error set. */
int device_configure(struct device_settings *settings);

/* Packets that the kernel dropped because the peer did not read them in time; -1: unknown. */
int64_t device_drops(const struct device_settings *settings);

/* The MTU that the device has. */
int device_mtu(const struct device_settings *settings);

#endif
