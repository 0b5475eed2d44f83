/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The equations are kept in reduced echelon form (Gauss and Jordan). A term is determined if one of
 * them is about this term alone. Whole numbers make this a fact and not a question of how small is
 * small: sizes go to 65,535 and fragments to 8,191, so no number here exceeds 2^40 by much, and
 * products are taken in 128 bits.
 */
#include "core/size_design.h"

#include <string.h>

void size_design_init(struct size_design *design)
{
	memset(design, 0, sizeof(*design));
}

void size_design_factors(uint32_t payload_bytes, uint32_t fragments, int64_t factors[static 4])
{
	factors[SIZE_TERM_BASE] = 1;
	factors[SIZE_TERM_BYTE] = payload_bytes;
	factors[SIZE_TERM_FRAGMENT] = (int64_t)fragments - 1;
	factors[SIZE_TERM_FIRST] = fragments > 1;
}

static int128 common_divisor(int128 a, int128 b)
{
	while (b != 0) {
		int128 rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

/* Takes a term out of an equation with the help of the one whose pivot it is. */
static void eliminate(int64_t equation[static SIZE_TERMS], const int64_t with[static SIZE_TERMS],
		      uint32_t term)
{
	int128 wide[SIZE_TERMS], divisor = 0;
	int64_t own = equation[term];

	if (own == 0)
		return;
	for (uint32_t i = 0; i < SIZE_TERMS; i++) {
		wide[i] = (int128)equation[i] * with[term] - (int128)with[i] * own;
		divisor = common_divisor(divisor, wide[i]);
	}
	for (uint32_t i = 0; i < SIZE_TERMS; i++)
		equation[i] = divisor == 0 ? 0 : (int64_t)(wide[i] / divisor);
}

void size_design_add(struct size_design *design, const int64_t factors[static 4])
{
	int64_t equation[SIZE_TERMS];
	uint32_t pivot = 0;

	memcpy(equation, factors, sizeof(equation));
	for (uint32_t i = 0; i < design->rank; i++)
		eliminate(equation, design->equations[i], design->pivots[i]);
	while (pivot < SIZE_TERMS && equation[pivot] == 0)
		pivot++;
	if (pivot == SIZE_TERMS)
		return;
	for (uint32_t i = 0; i < design->rank; i++)
		eliminate(design->equations[i], equation, pivot);
	memcpy(design->equations[design->rank], equation, sizeof(equation));
	design->pivots[design->rank++] = pivot;
}

bool size_design_determines(const struct size_design *design, enum size_term term)
{
	for (uint32_t i = 0; i < design->rank; i++) {
		uint32_t terms = 0;

		for (uint32_t j = 0; j < SIZE_TERMS; j++)
			terms += design->equations[i][j] != 0;
		if (design->pivots[i] == term && terms == 1)
			return true;
	}
	return false;
}

bool size_design_has(const struct size_design *design, enum size_term term)
{
	for (uint32_t i = 0; i < design->rank; i++)
		if (design->pivots[i] == term)
			return true;
	return false;
}
