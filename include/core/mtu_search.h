/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The path MTU by probing (RFC 4821 7, RFC 8899 5): echoes of chosen lengths that nobody on the way
 * may cut. A length passes with one right answer. That it does not pass is concluded only from
 * several that stay unanswered while short echoes between them are answered, so that plain loss is
 * not taken for an MTU; what an ICMP error says is a hint which length to try next, and no more,
 * since it can be forged, wrong, or not come at all. The answer is confirmed at both its sides.
 */
#ifndef FPING_BENCH_CORE_MTU_SEARCH_H
#define FPING_BENCH_CORE_MTU_SEARCH_H

#include "core/series.h"

#define MTU_SEARCH_ROWS 96u        /* lengths that can be tried, the short echo included */
#define MTU_SEARCH_CONTROL_BYTES 56u /* data of the short echo */
#define MTU_SEARCH_ERROR 1e-3      /* of taking loss for an MTU */

enum mtu_search_state {
	MTU_SEARCH_ALIVE,   /* are short echoes answered? */
	MTU_SEARCH_LENGTH,  /* a length, first once, then until it is clear */
	MTU_SEARCH_CONTROL, /* short echoes after one that failed */
	MTU_SEARCH_OVER,
};

struct mtu_search {
	struct conductor conductor; /* hand this to the engine */
	uint8_t family;
	uint32_t interface_mtu;
	int64_t timeout_ns;
	/* kept here */
	enum mtu_search_state state;
	uint32_t rows;              /* in use: 0 is the short echo */
	uint32_t lengths[MTU_SEARCH_ROWS]; /* IP bytes of each row's packets */
	uint32_t row;               /* being tried */
	uint32_t passes, fails;     /* longest that passed, shortest that failed; 0: none yet */
	uint32_t repeats;           /* so many unanswered are a failure */
	uint32_t restarts;          /* the path has changed under the search */
	uint64_t control_before;    /* answered short echoes when the length was tried */
	bool is_confirming;
	/* the answer */
	bool known;
	uint32_t mtu;
	bool was_told;              /* an ICMP error named the same value */
	const char *why_not;        /* why there is none; "" */
};

extern const struct conductor_row conductor_find_mtu;

/* Prepares a search; the series has MTU_SEARCH_ROWS points. interface_mtu must be known. */
void mtu_search_init(struct mtu_search *search, uint8_t family, uint32_t interface_mtu,
		     int64_t timeout_ns);

/*
 * The MTU of an ICMP error as it may be used: 0 if it is below what the protocol allows or not
 * below what was sent, since then it is no reason for the error.
 */
uint32_t mtu_search_clamp(uint8_t family, uint32_t told, uint32_t sent_bytes);

#endif
