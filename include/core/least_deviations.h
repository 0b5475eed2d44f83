/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A linear model fitted by least absolute deviations: the coefficients that make the weighted sum
 * of |value - row . coefficients| least. One wild value moves such a fit no more than one that is
 * just on the same side, which is why round trips are fitted so and not by squares.
 */
#ifndef FPING_BENCH_CORE_LEAST_DEVIATIONS_H
#define FPING_BENCH_CORE_LEAST_DEVIATIONS_H

#include "base/base.h"

#define LEAST_DEVIATIONS_COLUMNS 4u /* of the widest model */

struct least_deviations_row {
	double terms[LEAST_DEVIATIONS_COLUMNS]; /* those from the model's width on are not read */
	double value;
	double weight;             /* 0: the row is left out; never negative */
	double shifted, deviation; /* for the solver's own use */
};

/* The rows on which the best fit lies exactly, one for each column. All zero at the start. */
struct least_deviations_basis {
	bool valid;
	size_t rows[LEAST_DEVIATIONS_COLUMNS];
};

/*
 * Fits a model of 1 to 4 columns, which should be of like magnitude. The answer is exact but for
 * rounding and depends on nothing but the rows: where several fits are equally good, always the
 * same one is taken. A valid basis is where the search begins; the one found comes back in it.
 * False, and the coefficients untouched, if the rows with a weight do not determine every column.
 */
bool least_deviations_fit(struct least_deviations_row *rows, size_t count, size_t columns,
			  struct least_deviations_basis *basis,
			  double coefficients[static LEAST_DEVIATIONS_COLUMNS]) MUST_CHECK;

#endif
