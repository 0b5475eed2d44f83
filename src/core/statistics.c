/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intervals for ratios, and the fair split of a number that is known for the whole only.
 */
#include "core/statistics.h"

#include <math.h>

#include "core/fragments.h"

bool statistics_ratio(uint64_t part, uint64_t whole, double *ratio)
{
	if (whole == 0)
		return false;
	*ratio = (double)part / (double)whole;
	return true;
}

bool statistics_wilson(uint64_t k, uint64_t n, double z, struct statistics_interval *interval)
{
	double trials = (double)n;
	double square, p, q, centre, reach;

	if (n == 0 || k > n)
		return false;
	square = z * z / trials;
	p = (double)k / trials;
	q = (double)(n - k) / trials;
	centre = p + square / 2.0;
	reach = sqrt(square * (p * q + square / 4.0));
	/* At the ends the formula gives 0 and 1, which rounding must not miss. */
	interval->low = k == 0 ? 0.0 : fmax((centre - reach) / (1.0 + square), 0.0);
	interval->high = k == n ? 1.0 : fmin((centre + reach) / (1.0 + square), 1.0);
	return true;
}

double statistics_none_upper(uint64_t n)
{
	return n == 0 ? 1.0 : -expm1(log(0.05) / (double)n);
}

/* Above the table the tail's expansion in 1/degrees (Cornish and Fisher) is exact enough. */
double statistics_student(uint32_t degrees)
{
	static const double quantiles[] = {
		INFINITY, 12.706205, 4.302653, 3.182446, 2.776445, 2.570582,
		2.446912, 2.364624,  2.306004, 2.262157, 2.228139,
	};
	double z = STATISTICS_Z95, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, n = degrees;

	if (degrees < ARRAY_LENGTH(quantiles))
		return quantiles[degrees];
	return z + (z3 + z) / (4.0 * n) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n) +
	       (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n * n * n);
}

bool statistics_loss_interval(uint64_t k, uint64_t n, struct statistics_interval *interval)
{
	if (n > 0 && k == 0) {
		interval->low = 0.0;
		interval->high = statistics_none_upper(n);
		return true;
	}
	return statistics_wilson(k, n, STATISTICS_Z95, interval);
}

struct statistics_interval statistics_per_fragment(struct statistics_interval datagram,
						   uint32_t fragments)
{
	struct statistics_interval fragment;

	fragment.low = fragment_loss(datagram.low, fragments);
	fragment.high = fragment_loss(datagram.high, fragments);
	return fragment;
}

static uint128 sum_of(const uint64_t *weights, size_t n)
{
	uint128 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += weights[i];
	return sum;
}

/* How many shares have a remainder of at least `least`. */
static uint64_t remainders_from(uint128 least, uint64_t total, const uint64_t *weights, size_t n,
				uint128 sum)
{
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += (uint128)total * weights[i] % sum >= least;
	return count;
}

/*
 * Largest remainders without sorting, since there is no memory to sort in: bisection finds the
 * least remainder that so few shares reach that each of them gets one more; what is left goes
 * to the shares just below it, in order.
 */
bool statistics_share(uint64_t total, const uint64_t *weights, size_t n, uint64_t *shares)
{
	uint128 sum = sum_of(weights, n);
	uint128 low = 1, high = sum; /* every remainder is below sum; those of 0 want nothing */
	uint64_t left = total;

	if (sum == 0) {
		for (size_t i = 0; i < n; i++)
			shares[i] = 0;
		return total == 0;
	}
	for (size_t i = 0; i < n; i++) {
		shares[i] = (uint64_t)((uint128)total * weights[i] / sum);
		left -= shares[i];
	}
	if (left == 0)
		return true;
	while (low < high) {
		uint128 middle = low + (high - low) / 2;

		if (remainders_from(middle, total, weights, n, sum) <= left)
			high = middle;
		else
			low = middle + 1;
	}
	left -= remainders_from(low, total, weights, n, sum);
	for (size_t i = 0; i < n; i++) {
		uint128 remainder = (uint128)total * weights[i] % sum;

		if (remainder >= low) {
			shares[i]++;
		} else if (remainder + 1 == low && left > 0) {
			shares[i]++;
			left--;
		}
	}
	return true;
}
