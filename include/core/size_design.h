/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a set of sizes can tell about the cost model of a fragmented datagram, before anything is
 * measured: which of its terms the sizes determine, and which they leave open however exact the
 * round trips are. Sizes that are all sent whole, say, tell nothing about fragments.
 */
#ifndef FPING_BENCH_CORE_SIZE_DESIGN_H
#define FPING_BENCH_CORE_SIZE_DESIGN_H

#include "base/base.h"

/* The terms of the model; also the order of everything that has one element for each of them. */
enum size_term {
	SIZE_TERM_BASE,         /* 1 */
	SIZE_TERM_BYTE,         /* payload bytes */
	SIZE_TERM_FRAGMENT,     /* fragments - 1 */
	SIZE_TERM_FIRST,        /* 1 where there are several fragments, else 0 */
	SIZE_TERMS
};

struct size_design {
	uint32_t rank;                   /* independent equations so far, 0..SIZE_TERMS */
	uint32_t pivots[SIZE_TERMS];     /* of each equation the term that no other one contains */
	int64_t equations[SIZE_TERMS][SIZE_TERMS]; /* in whole numbers without common divisor */
};

/* No equation yet: every term is open. */
void size_design_init(struct size_design *design);

/* The factors of the terms in the round trip of a datagram; fragments >= 1. */
void size_design_factors(uint32_t payload_bytes, uint32_t fragments, int64_t factors[static 4]);

/* Adds one equation, in whole numbers below 2^31. Exact: nothing is lost in rounding. */
void size_design_add(struct size_design *design, const int64_t factors[static 4]);

/* Whether the equations determine this term, whatever the values of the others. */
bool size_design_determines(const struct size_design *design, enum size_term term);

/*
 * Whether the term is one of those (rank in number) to which the model can be cut down without
 * changing anything that the sizes can tell: the others may be taken for 0.
 */
bool size_design_has(const struct size_design *design, enum size_term term);

#endif
