/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel with other manners than the one that runs the tests. The system calls of this program go
 * through functions of its own, which do what the kernel does unless they are told to be older, to
 * refuse, or to have an interface with hardware stamps.
 */
#ifndef FPING_BENCH_TESTS_CONTRACT_OTHER_KERNEL_H
#define FPING_BENCH_TESTS_CONTRACT_OTHER_KERNEL_H

#include "base/base.h"

struct other_kernel {
	bool lacks_stamps;      /* SO_TIMESTAMPING is refused */
	bool lacks_filter;      /* SOF_TIMESTAMPING_OPT_RX_FILTER is, as before Linux 6.12 */
	bool lacks_ids;         /* SCM_TS_OPT_ID is, as before Linux 6.13 */
	bool lacks_messages;    /* any control message with a packet is */
	int refuses_sends;      /* errno of sendmmsg, 0: it does not */
	unsigned refuses_from;  /* with the packet at this place of a batch */
	bool has_hardware;      /* every interface stamps every packet */
	int64_t hardware_ns;    /* which is the time that its clock shows */
	unsigned stamped_sends; /* counted: packets with control messages that were let through */
};

/* All zero: the kernel as it is. */
extern struct other_kernel other_kernel;

#endif
