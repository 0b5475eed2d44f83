/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a request is cut into fragments by hand, where the kernel's way of cutting is not what is to
 * be measured.
 */
#ifndef FPING_BENCH_CORE_FRAGMENT_CUT_H
#define FPING_BENCH_CORE_FRAGMENT_CUT_H

#include "base/base.h"

enum fragment_order { FRAGMENT_FORWARD, FRAGMENT_REVERSE, FRAGMENT_ODD_EVEN };

struct fragment_cut {
	uint32_t piece_bytes;     /* IP payload of every piece but the last; 0: sent whole */
	enum fragment_order order;
	bool dont_fragment;       /* IPv4: no router may cut it either */
};

#endif
