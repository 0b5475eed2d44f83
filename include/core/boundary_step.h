/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much the one byte costs that makes a further fragment necessary: the round trip of the
 * smallest size with n + 1 fragments less that of the largest with n. The two are measured in the
 * same blocks and compared within each, so that whatever a block has in common cancels.
 */
#ifndef FPING_BENCH_CORE_BOUNDARY_STEP_H
#define FPING_BENCH_CORE_BOUNDARY_STEP_H

#include "core/size_fit.h"

/*
 * The median over the blocks of the differences, in ns, and its interval. Unknown if fewer than
 * SIZE_FIT_BLOCKS_MIN blocks (or more than SIZE_FIT_BLOCKS_MAX) have both sizes.
 *
 * From six blocks on the ends are order statistics (H. A. David, "Order Statistics"): the
 * innermost pair that holds the median of any distribution in at least 95 % of cases, by the
 * binomial distribution; for six that is the smallest and the largest. Fewer values cannot
 * promise that, so there normal ones are assumed: value +- t sqrt(pi / 2) s / sqrt(blocks),
 * with their standard deviation s and Student's t. To either is added what the two medians may be
 * off by their resolution.
 */
struct estimate boundary_step(const struct size_fit_point *below,
			      const struct size_fit_point *above, uint32_t block_count);

#endif
