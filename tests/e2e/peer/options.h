/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of the peer. */
#ifndef FPING_BENCH_PEER_OPTIONS_H
#define FPING_BENCH_PEER_OPTIONS_H

#include "device.h"
#include "script.h"

#include <stdbool.h>
#include <stdint.h>

struct options {
	struct device_settings device;
	const char *log;
	const char *ready;
	int64_t run_ns; /* 0: until a signal */
	int64_t count;	/* 0: any number of requests */
	int64_t spin_ns;
	bool seed_given;
	int64_t seed;
	bool check_only;
	bool die_with_parent;
	bool realtime;
};

/*
 * Read the command line and the scripts it names. Prints what is wrong and returns -1 (exit
 * status 2).
 */
int options_read(struct options *options, struct script *script, int argc, char **argv);

#endif
