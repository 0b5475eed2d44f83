/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sum of deviations is convex and linear between the places where a row is met exactly, so a
 * best fit meets as many rows as there are columns (the basis; P. Bloomfield and W. Steiger, "Least
 * Absolute Deviations", 1983). From any such fit the search gives up one of its rows for as long as
 * that pays, walking along the line on which the other rows are still met, past one row after the
 * other, to the one where the sum would grow again; that row comes into the basis.
 *
 * A fit that happens to meet more rows than it must could make the search go in circles. Times are
 * whole steps of some clock, so that does happen. Hence the search looks at values that are shifted
 * by less than anything measured, each by another amount, and only the last step, the coefficients
 * of the basis found, takes the values themselves.
 */
#include "core/least_deviations.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

#define COLUMNS	   LEAST_DEVIATIONS_COLUMNS
#define SHIFT	   0x1p-32 /* of the largest value: 0.2 ns of a second */
#define DEPENDENT  1e-9    /* what is left of a row of length 1 that adds nothing to others */
#define SLOPE_LEFT 1e-9    /* of the sum of weights: less is rounding */

struct search {
	struct least_deviations_row *rows;
	size_t count, columns;
	size_t basis[COLUMNS];
	double inverse[COLUMNS][COLUMNS]; /* column k: the line that gives up row k of the basis */
	double coefficients[COLUMNS];
};

static double dot(const double *a, const double *b, size_t columns)
{
	double sum = 0.0;

	for (size_t i = 0; i < columns; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Takes out of a row what the directions found so far say of it; returns the length left. */
static double reduce(double row[static COLUMNS], double (*directions)[COLUMNS], size_t known,
		     size_t columns)
{
	for (size_t i = 0; i < known; i++) {
		double share = dot(row, directions[i], columns);

		for (size_t j = 0; j < columns; j++)
			row[j] -= share * directions[i][j];
	}
	return sqrt(dot(row, row, columns));
}

/* A first basis: each time the row that the rows chosen so far say least about. */
static bool choose_basis(struct search *search)
{
	double directions[COLUMNS][COLUMNS] = {{0.0}};

	for (size_t known = 0; known < search->columns; known++) {
		double longest = DEPENDENT;
		bool found = false;

		for (size_t i = 0; i < search->count; i++) {
			double row[COLUMNS] = {0.0}, length;

			if (search->rows[i].weight <= 0.0)
				continue;
			memcpy(row, search->rows[i].terms, search->columns * sizeof(*row));
			length = reduce(row, directions, known, search->columns);
			if (length <= longest)
				continue;
			longest = length;
			found = true;
			search->basis[known] = i;
			for (size_t j = 0; j < search->columns; j++)
				directions[known][j] = row[j] / length;
		}
		if (!found)
			return false;
	}
	return true;
}

/* Adds to one row a multiple of another. */
static void add_row(double (*matrix)[2 * COLUMNS], size_t to, size_t from, double factor,
		    size_t columns)
{
	for (size_t j = 0; j < 2 * columns; j++)
		matrix[to][j] += factor * matrix[from][j];
}

static void divide_row(double (*matrix)[2 * COLUMNS], size_t row, double divisor, size_t columns)
{
	for (size_t j = 0; j < 2 * columns; j++)
		matrix[row][j] /= divisor;
}

/* Inverts the basis by elimination with pivots; false if it is singular. */
static bool invert(struct search *search)
{
	double matrix[COLUMNS][2 * COLUMNS] = {{0.0}};
	size_t n = search->columns;

	for (size_t i = 0; i < n; i++) {
		memcpy(matrix[i], search->rows[search->basis[i]].terms, n * sizeof(**matrix));
		matrix[i][n + i] = 1.0;
	}
	for (size_t i = 0; i < n; i++) {
		size_t pivot = i;

		for (size_t k = i + 1; k < n; k++)
			if (fabs(matrix[k][i]) > fabs(matrix[pivot][i]))
				pivot = k;
		if (!(fabs(matrix[pivot][i]) > 0.0))
			return false;
		/* Instead of a swap, which would upset the order: the pivot's row is added. */
		if (pivot != i)
			add_row(matrix, i, pivot,
				matrix[i][i] * matrix[pivot][i] < 0.0 ? -1.0 : 1.0, n);
		divide_row(matrix, i, matrix[i][i], n);
		for (size_t k = 0; k < n; k++)
			if (k != i)
				add_row(matrix, k, i, -matrix[k][i], n);
	}
	for (size_t i = 0; i < n; i++)
		memcpy(search->inverse[i], matrix[i] + n, n * sizeof(**matrix));
	return true;
}

/* The coefficients that meet the basis, and how far off they leave every row. */
static bool meet_basis(struct search *search)
{
	if (!invert(search))
		return false;
	for (size_t i = 0; i < search->columns; i++) {
		search->coefficients[i] = 0.0;
		for (size_t j = 0; j < search->columns; j++)
			search->coefficients[i] += search->inverse[i][j] *
						   search->rows[search->basis[j]].shifted;
	}
	for (size_t i = 0; i < search->count; i++) {
		struct least_deviations_row *row = &search->rows[i];

		row->deviation =
			row->shifted - dot(row->terms, search->coefficients, search->columns);
	}
	for (size_t j = 0; j < search->columns; j++)
		search->rows[search->basis[j]].deviation = 0.0;
	return true;
}

/* How fast the deviation of a row shrinks along a line; rows of the basis stay where they are. */
static double approach(const struct search *search, size_t row, const double *line)
{
	for (size_t j = 0; j < search->columns; j++)
		if (search->basis[j] == row)
			return 0.0;
	return dot(search->rows[row].terms, line, search->columns);
}

/*
 * The row at which a walk along the line ends, which starts with the sum shrinking at this rate.
 * Each row that is passed takes twice its own rate from that; the count is returned if the sum
 * shrinks for ever, which only rounding can make it seem to do.
 */
static size_t walk(const struct search *search, const double *line, double rate)
{
	size_t last = search->count;
	double last_at = 0.0;

	while (rate > 0.0) {
		size_t next = search->count;
		double next_at = INFINITY, next_speed = 0.0;

		for (size_t i = 0; i < search->count; i++) {
			double speed = approach(search, i, line), at;

			if (search->rows[i].weight <= 0.0 ||
			    search->rows[i].deviation * speed <= 0.0)
				continue;
			at = search->rows[i].deviation / speed;
			/* Of rows met at the same place, in order. */
			if (at < last_at || (at <= last_at && last < search->count && i <= last) ||
			    at >= next_at)
				continue;
			next = i;
			next_at = at;
			next_speed = fabs(speed);
		}
		if (next == search->count)
			return search->count;
		rate -= 2.0 * search->rows[next].weight * next_speed;
		last = next;
		last_at = next_at;
	}
	return last;
}

/* Gives up row k of the basis if that pays. */
static bool improve(struct search *search, size_t k)
{
	double line[COLUMNS] = {0.0}, gain = 0.0, all = 0.0;
	double loss = search->rows[search->basis[k]].weight;
	size_t entering;

	for (size_t j = 0; j < search->columns; j++)
		line[j] = search->inverse[j][k];
	for (size_t i = 0; i < search->count; i++) {
		double speed = approach(search, i, line);

		if (search->rows[i].weight <= 0.0)
			continue;
		all += search->rows[i].weight * fabs(speed);
		gain += search->rows[i].weight *
			(search->rows[i].deviation < 0.0 ? -speed : speed);
	}
	if (fabs(gain) <= loss + SLOPE_LEFT * all)
		return false;
	for (size_t j = 0; j < search->columns && gain < 0.0; j++)
		line[j] = -line[j];
	entering = walk(search, line, fabs(gain) - loss);
	if (entering == search->count)
		return false;
	search->basis[k] = entering;
	return true;
}

static void shift_values(struct search *search)
{
	struct random_state state;
	double largest = 0.0;

	random_seed(&state, 1); /* the same shifts every time */
	for (size_t i = 0; i < search->count; i++)
		if (search->rows[i].weight > 0.0)
			largest = fmax(largest, fabs(search->rows[i].value));
	for (size_t i = 0; i < search->count; i++)
		search->rows[i].shifted =
			search->rows[i].value + SHIFT * largest * random_unit(&state);
}

/* A basis of an earlier fit will do if it has no row that is left out now. */
static bool take_basis(struct search *search, const struct least_deviations_basis *basis)
{
	if (!basis->valid)
		return false;
	for (size_t j = 0; j < search->columns; j++) {
		if (basis->rows[j] >= search->count || search->rows[basis->rows[j]].weight <= 0.0)
			return false;
		search->basis[j] = basis->rows[j];
	}
	return meet_basis(search);
}

bool least_deviations_fit(struct least_deviations_row *rows, size_t count, size_t columns,
			  struct least_deviations_basis *basis,
			  double coefficients[static COLUMNS])
{
	struct search search = {.rows = rows, .count = count, .columns = columns};
	/* The search ends by itself; this is in case rounding should make it go on. */
	size_t left = 100 + 20 * count, kept = 0;

	if (columns == 0 || columns > COLUMNS)
		return false;
	shift_values(&search);
	if (!take_basis(&search, basis) && !(choose_basis(&search) && meet_basis(&search)))
		return false;
	for (size_t k = 0; kept < columns && left > 0; k = (k + 1) % columns, left--) {
		size_t given_up = search.basis[k];

		kept++;
		if (!improve(&search, k))
			continue;
		kept = 0;
		if (meet_basis(&search))
			continue;
		search.basis[k] = given_up;
		break;
	}
	for (size_t i = 0; i < count; i++)
		rows[i].shifted = rows[i].value;
	if (!meet_basis(&search))
		return false;
	memcpy(coefficients, search.coefficients, columns * sizeof(*coefficients));
	basis->valid = true;
	memcpy(basis->rows, search.basis, sizeof(search.basis));
	return true;
}
