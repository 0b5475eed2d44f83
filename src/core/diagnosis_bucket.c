/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small echoes lose: by a limit, or as packets do? A token bucket lets through one rate, turn by
 * turn, whatever is sent, and everything at less than that rate. Both are looked at: loss in bursts
 * passes the second by luck, and independent loss the first.
 */
#include "core/diagnosis_internal.h"

#include <math.h>

#define PLATEAU_REQUESTS 25u  /* a turn */
#define PLATEAU_SLACK	 2.5  /* answers of a turn more or less than the rate implies */
#define TURN_REQUESTS	 20u
#define SLOW_TURN	 5u
#define SLOW_RATE_MIN	 1.0
#define LIMITED_INTERVAL_MAX_NS (250 * NANOSECONDS_PER_MILLISECOND)

void diagnosis_start_plateau(struct diagnosis *diagnosis, uint64_t until_sent)
{
	diagnosis->findings[DIAGNOSIS_SMALL] = DIAGNOSIS_LOSSY;
	diagnosis->plateau_until = until_sent;
	diagnosis->phase = DIAGNOSIS_PLATEAU;
}

static double seconds(const struct diagnosis *diagnosis, uint32_t from, uint32_t to)
{
	return (double)(diagnosis->last_sent_ns[to] - diagnosis->last_sent_ns[from]) / 1e9;
}

static double answers(const struct diagnosis *diagnosis, uint32_t from, uint32_t to)
{
	return (double)(diagnosis->answered[to] - diagnosis->answered[from]);
}

/* Whether each turn from `from` on lost, and none got more or less than the rate. */
static bool is_plateau(const struct diagnosis *diagnosis, uint32_t from, double rate)
{
	for (uint32_t i = from + 1; i < diagnosis->history; i++) {
		double got = answers(diagnosis, i - 1, i);

		if (diagnosis->answered[i] - diagnosis->answered[i - 1] ==
			    diagnosis->asked[i] - diagnosis->asked[i - 1] ||
		    fabs(got - rate * seconds(diagnosis, i - 1, i)) > PLATEAU_SLACK)
			return false;
	}
	return true;
}

/*
 * A full bucket lets so many through and refills meanwhile; the first turn that loses tells when it
 * was empty. Whole requests come of it, so half of one is missing on average. How full it was is
 * known only if it had been left alone before.
 */
static void measure_burst(struct diagnosis *diagnosis, double rate)
{
	uint32_t first = 0;

	while (first + 1 < diagnosis->history &&
	       diagnosis->answered[first] == diagnosis->asked[first])
		first++;
	double span_s = (double)(diagnosis->last_sent_ns[first] - diagnosis->started_ns) / 1e9;
	diagnosis->has_burst = !diagnosis->is_late;
	if (diagnosis->has_burst)
		diagnosis->bucket_burst =
			fmax((double)diagnosis->answered[first] - rate * span_s + 0.5, 1.0);
}

/* At which rate answers come in the second half of what was sent, when a bucket is empty. */
static void measure_plateau(struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint32_t last = diagnosis->history - 1;
	uint32_t middle = diagnosis->history / 2;
	double span_s = seconds(diagnosis, middle, last);
	double rate = span_s > 0.0 ? answers(diagnosis, middle, last) / span_s : 0.0;

	diagnosis->is_plateau = last > middle && is_plateau(diagnosis, middle, rate);
	diagnosis->bucket_rate_per_s = rate;
	measure_burst(diagnosis, rate);
	/* The second look's are the reason to be here, where there was one. */
	diagnosis->loss = (double)(diagnosis_lost(rows, DIAGNOSIS_SMALL) +
				   diagnosis_lost(rows, DIAGNOSIS_SMALL_AGAIN)) /
			  (double)(diagnosis_sent(rows, DIAGNOSIS_SMALL) +
				   diagnosis_sent(rows, DIAGNOSIS_SMALL_AGAIN));
	/* Half of what passes, so that a bucket fills while it is used. */
	diagnosis->intervals_ns[DIAGNOSIS_SMALL_SLOW] = rate > SLOW_RATE_MIN
								? (int64_t)(2e9 / rate)
								: 2 * NANOSECONDS_PER_SECOND;
}

bool diagnosis_plateau(struct diagnosis *diagnosis, const struct account_target *rows,
		       struct series_point *points, struct series_turn *turn)
{
	if (diagnosis_sent(rows, DIAGNOSIS_SMALL) < diagnosis->plateau_until &&
	    diagnosis->history < DIAGNOSIS_HISTORY) {
		diagnosis_ask(diagnosis, rows, points, DIAGNOSIS_SMALL, PLATEAU_REQUESTS, turn);
		return true;
	}
	measure_plateau(diagnosis, rows);
	diagnosis->phase = DIAGNOSIS_SLOWER;
	return false;
}

/* All passed at the lower rate. */
static void conclude_slower(struct diagnosis *diagnosis, const struct account_target *rows,
			    bool is_slow)
{
	diagnosis->loss = 0.0;
	if (!diagnosis->is_plateau) {
		diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
		diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_SMALL_SLOW);
		DIAGNOSIS_SAY(diagnosis, "what was lost was lost at times, not by the rate");
		(void)diagnosis_leave_open(diagnosis, "the same again: the loss comes and goes");
		return;
	}
	diagnosis->has_bucket = true;
	for (uint32_t column = 0; column < DIAGNOSIS_COLUMNS; column++)
		diagnosis->intervals_ns[column] =
			max_i64(diagnosis->intervals_ns[column],
				diagnosis->intervals_ns[DIAGNOSIS_SMALL_SLOW]);
	if (is_slow)
		(void)diagnosis_end(diagnosis, DIAGNOSIS_ICMP_RATE_LIMIT);
}

bool diagnosis_slower(struct diagnosis *diagnosis, const struct account_target *rows,
		      struct series_point *points, struct series_turn *turn)
{
	uint32_t row = DIAGNOSIS_SMALL_SLOW;
	bool is_slow = diagnosis->intervals_ns[row] >= LIMITED_INTERVAL_MAX_NS;
	enum diagnosis_finding finding = diagnosis_judge_against(rows, row, diagnosis->loss);

	if (finding == DIAGNOSIS_OPEN && diagnosis->elapsed_ns < HURRY_NS &&
	    (!is_slow || diagnosis_sent(rows, row) < DIAGNOSIS_LEAST)) {
		diagnosis_ask(diagnosis, rows, points, row, is_slow ? SLOW_TURN : TURN_REQUESTS,
			      turn);
		if (diagnosis_sent(rows, row) == 0) /* one place in the bucket, at least */
			turn->start_ns = diagnosis->ended_ns[diagnosis->history - 1] +
					 diagnosis->intervals_ns[row];
		return true;
	}
	diagnosis->findings[row] = finding == DIAGNOSIS_OPEN ? DIAGNOSIS_LOSSY : finding;
	diagnosis->phase = DIAGNOSIS_FIRST_ROUND;
	if (diagnosis->findings[row] == DIAGNOSIS_CLEAN)
		conclude_slower(diagnosis, rows, is_slow);
	return false;
}
