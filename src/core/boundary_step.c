/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With hundreds of blocks binomial coefficients leave the range of numbers, so the ranks are found
 * from the tail's terms, each made of the one before.
 */
#include "core/boundary_step.h"

#include <math.h>

#include "core/median.h"
#include "core/statistics.h"

#define RANKS_FROM 6u          /* 1 - 2^(1 - n) >= 95 % */
#define TAIL 0.025
#define SQRT_HALF_PI 1.2533141 /* standard error of a median over that of a mean */

/* How many of the smallest (and of the largest) values may be left out of the interval. */
static uint32_t values_outside(uint32_t count)
{
	double term = exp2(-(double)count), tail = term; /* that none is below the median */
	uint32_t outside = 0;

	while (tail + term * (count - outside) / (outside + 1.0) <= TAIL) {
		term *= (count - outside) / (outside + 1.0);
		tail += term;
		outside++;
	}
	return outside;
}

static double standard_deviation(const double *values, uint32_t count)
{
	double sum = 0.0, squares = 0.0;

	for (uint32_t i = 0; i < count; i++)
		sum += values[i];
	for (uint32_t i = 0; i < count; i++) {
		double off = values[i] - sum / count;

		squares += off * off;
	}
	return sqrt(squares / (count - 1));
}

struct estimate boundary_step(const struct size_fit_point *below,
			      const struct size_fit_point *above, uint32_t block_count)
{
	double steps[SIZE_FIT_BLOCKS_MAX];
	double grain = (below->grain_ns + above->grain_ns) / 2.0, reach;
	struct estimate step = {.known = false};
	uint32_t count = 0;

	if (block_count > SIZE_FIT_BLOCKS_MAX)
		return step;
	for (uint32_t b = 0; b < block_count; b++)
		if (below->blocks[b].samples > 0 && above->blocks[b].samples > 0)
			steps[count++] = above->blocks[b].median_ns - below->blocks[b].median_ns;
	if (count < SIZE_FIT_BLOCKS_MIN)
		return step;
	step.known = true;
	step.value = median_sorting(steps, count);
	if (count >= RANKS_FROM) {
		uint32_t outside = values_outside(count);

		step.low = steps[outside] - grain;
		step.high = steps[count - 1 - outside] + grain;
		return step;
	}
	reach = statistics_student(count - 1) * SQRT_HALF_PI * standard_deviation(steps, count) /
			sqrt(count) + grain;
	step.low = step.value - reach;
	step.high = step.value + reach;
	return step;
}
