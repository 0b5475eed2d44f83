/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Insertion over shrinking gaps (Shell's sort, with the gaps of M. Ciura, 2001): no memory, no
 * recursion, and for a handful of values, which is what comes here most, as quick as anything.
 */
#include "core/median.h"

void median_sort(double *values, size_t count)
{
	static const size_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};

	for (size_t g = 0; g < ARRAY_LENGTH(gaps); g++) {
		size_t gap = gaps[g];

		for (size_t i = gap; i < count; i++) {
			double value = values[i];
			size_t at = i;

			for (; at >= gap && values[at - gap] > value; at -= gap)
				values[at] = values[at - gap];
			values[at] = value;
		}
	}
}

double median_sorting(double *values, size_t count)
{
	if (count == 0)
		return 0.0;
	median_sort(values, count);
	return count % 2 != 0 ? values[count / 2]
			      : (values[count / 2 - 1] + values[count / 2]) / 2.0;
}
