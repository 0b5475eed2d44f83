/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far the header of either IP version could be read. The two failures are kept apart because
 * they mean different things: an end that came too early, and content that cannot be right.
 */
#ifndef FPING_BENCH_CORE_IP_STATUS_H
#define FPING_BENCH_CORE_IP_STATUS_H

#include "base/base.h"

enum ip_status {
	IP_OK,
	IP_SHORT, /* the bytes end before the header does */
	IP_BAD,   /* version or header lengths cannot be right */
};

#endif
