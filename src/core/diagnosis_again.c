/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second look. Each kind of the first round is sent in one go, so that an outage of half a
 * second may fall on just one of them, and a limit that lets a few hundred echoes pass may begin to
 * bite under any. So before a failure is blamed on what makes that kind special, it is sent again,
 * twice, with small echoes in between: the failure must come both times, and they must pass.
 */
#include "core/diagnosis_internal.h"

#define ROUND_TURNS	    2u /* the kind itself, and small echoes right behind it */
#define ROUNDS		    2u
#define ROUND_PAUSE_NS	    (500 * NANOSECONDS_PER_MILLISECOND)
#define SMALL_REQUESTS	    25u
#define SMALL_LOST_MOST	    3u /* of those in all rounds */
#define LOSSY_REQUESTS_MOST 60u
#define DEAD_REQUESTS	    8u /* large ones: what is lost of them fills the host's memory */
#define LATE_REQUESTS	    200u

/*
 * As many as it took before, so that what is in a bucket for fragments is used up again; few of
 * what is dead anyway.
 */
static uint32_t requests_of(const struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint32_t row = diagnosis->decisive;

	if (diagnosis_is_dead(diagnosis, row))
		return row <= DIAGNOSIS_PIECES_8 ? DIAGNOSIS_LEAST : DEAD_REQUESTS;
	return (uint32_t)min_u64(diagnosis_sent(rows, row), LOSSY_REQUESTS_MOST);
}

/* The kind has been sent once more. */
static void note_round(struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint64_t lost = diagnosis_lost(rows, DIAGNOSIS_AGAIN);

	diagnosis->has_changed = diagnosis->has_changed || lost == diagnosis->decisive_lost;
	diagnosis->decisive_lost = lost;
}

bool diagnosis_second_look(struct diagnosis *diagnosis, const struct account_target *rows,
			   struct series_point *points, int64_t now_ns, struct series_turn *turn)
{
	uint32_t step = diagnosis->look++;
	bool is_small = step % ROUND_TURNS == 1;

	if (is_small)
		note_round(diagnosis, rows);
	if (step == 0) {
		diagnosis->kinds[DIAGNOSIS_AGAIN] = diagnosis->kinds[diagnosis->decisive];
		diagnosis->packets[DIAGNOSIS_AGAIN] = diagnosis->packets[diagnosis->decisive];
		diagnosis->intervals_ns[DIAGNOSIS_AGAIN] =
			diagnosis->intervals_ns[diagnosis->decisive];
	}
	if (step < ROUND_TURNS * ROUNDS) {
		diagnosis_ask(diagnosis, rows, points,
			      is_small ? DIAGNOSIS_SMALL_AGAIN : DIAGNOSIS_AGAIN,
			      is_small ? SMALL_REQUESTS : requests_of(diagnosis, rows), turn);
		if (!is_small)
			turn->start_ns = now_ns + ROUND_PAUSE_NS;
		return true;
	}
	diagnosis->phase = DIAGNOSIS_FIRST_ROUND;
	if (diagnosis_lost(rows, DIAGNOSIS_SMALL_AGAIN) > SMALL_LOST_MOST) {
		diagnosis->is_late = true;
		diagnosis->history = 0;
		diagnosis_start_plateau(diagnosis,
					diagnosis_sent(rows, DIAGNOSIS_SMALL) + LATE_REQUESTS);
	}
	return false;
}
