/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The course of a diagnosis: which kind of request is sent next. Each phase either names a turn or
 * hands over to the next phase; what their results mean is in diagnosis_verdict.c.
 */
#include "core/diagnosis_internal.h"

#define PACKET_MAX	  65535u /* a raw socket of Linux sends no longer one */
#define TURN_REQUESTS	  20u
#define PLATEAU_ALL	  300u
#define SLOW_TURN	  5u
#define SLOW_LOSS_MOST	  0.5
#define SLOW_FACTOR	  4.0
#define SLOW_MOST_NS	  (30 * NANOSECONDS_PER_SECOND)
#define SEARCH_REQUESTS	  3u
#define LOSSY_LEAST	  60u  /* requests of each kind where all of them lose */
#define RTT_FACTOR	  1.5  /* interval over the slowest round trip: one at a time ... */
#define INTERVAL_MAX_NS	  (50 * NANOSECONDS_PER_MILLISECOND) /* ... up to this */
#define PATIENCE_NS	  (100 * NANOSECONDS_PER_MILLISECOND)
#define PATIENCE_FACTOR	  2
#define BURST_PAUSE_NS	  (300 * NANOSECONDS_PER_MILLISECOND)
#define REFILL_NS	  (2 * NANOSECONDS_PER_SECOND)
#define SLOW_2_NS	  (500 * NANOSECONDS_PER_MILLISECOND)
#define SLOW_8_NS	  NANOSECONDS_PER_SECOND
#define WAIT_IP4_NS	  (32 * NANOSECONDS_PER_SECOND) /* ipfrag_time and a bit */
#define WAIT_IP6_NS	  (62 * NANOSECONDS_PER_SECOND)
#define LOOK_NS		  NANOSECONDS_PER_SECOND /* between two looks while it waits */

void diagnosis_init(struct diagnosis *diagnosis, uint8_t family, uint32_t mtu, int64_t timeout_ns)
{
	memset(diagnosis, 0, sizeof(*diagnosis));
	diagnosis->conductor = (struct conductor){&conductor_diagnosis, diagnosis};
	diagnosis->family = family;
	diagnosis->mtu = mtu < PACKET_MAX ? mtu : PACKET_MAX;
	diagnosis->timeout_ns = timeout_ns;
	diagnosis_make_kinds(diagnosis);
}

uint32_t diagnosis_largest(const struct diagnosis *diagnosis)
{
	return diagnosis->kinds[DIAGNOSIS_BURST].payload_bytes;
}

/* ---- turns ---- */

static int64_t slowest_ns(const struct account_target *rows)
{
	int64_t slowest = 0;

	for (uint32_t row = 0; row < DIAGNOSIS_ROWS; row++)
		if (rows[row].rtt_user->samples > 0)
			slowest = max_i64(slowest, rows[row].rtt_user->max_ns);
	return slowest;
}

void diagnosis_ask(struct diagnosis *diagnosis, const struct account_target *rows,
		   struct series_point *points, uint32_t row, uint32_t requests,
		   struct series_turn *turn)
{
	int64_t slowest = slowest_ns(rows);
	int64_t one_at_a_time = min_i64((int64_t)(RTT_FACTOR * (double)slowest), INTERVAL_MAX_NS);

	if (diagnosis_sent(rows, row) == 0)
		points[row] = diagnosis->kinds[row];
	diagnosis->column = row;
	turn->row = row;
	turn->requests = requests;
	turn->interval_ns = max_i64(diagnosis->intervals_ns[row], one_at_a_time);
	turn->patience_ns = slowest == 0 ? diagnosis->timeout_ns
					 : min_i64(PATIENCE_FACTOR * slowest + PATIENCE_NS,
						   diagnosis->timeout_ns);
	diagnosis->patience_ns = turn->patience_ns;
}

/* ---- the phases: true if there is a turn, false if another phase goes on ---- */

/* Where everything loses, or only so many may be sent, more tests would not tell more. */
static enum diagnosis_finding judge_roughly(const struct diagnosis *diagnosis,
					    const struct account_target *rows, uint32_t row)
{
	uint64_t sent = diagnosis_sent(rows, row);
	uint64_t lost = diagnosis_lost(rows, row);

	bool is_least = diagnosis->has_bucket || diagnosis->elapsed_ns > HURRY_NS;

	if (sent < (is_least ? DIAGNOSIS_LEAST : LOSSY_LEAST))
		return DIAGNOSIS_OPEN;
	return lost == 0 ? DIAGNOSIS_CLEAN : lost == sent ? DIAGNOSIS_DEAD : DIAGNOSIS_LOSSY;
}

static enum diagnosis_finding judge_column(const struct diagnosis *diagnosis,
					   const struct account_target *rows, uint32_t row)
{
	if (diagnosis->has_bucket || diagnosis->loss > 0.0)
		return judge_roughly(diagnosis, rows, row);
	return diagnosis_judge(diagnosis, rows, row);
}

static bool first_round(struct diagnosis *diagnosis, const struct account_target *rows,
			struct series_point *points, struct series_turn *turn)
{
	enum diagnosis_finding *small = &diagnosis->findings[DIAGNOSIS_SMALL];

	for (uint32_t row = 0; row < DIAGNOSIS_COLUMNS; row++) {
		enum diagnosis_finding *finding = &diagnosis->findings[row];

		if (*finding == DIAGNOSIS_OPEN)
			*finding = judge_column(diagnosis, rows, row);
		if (*finding == DIAGNOSIS_OPEN) {
			diagnosis_ask(diagnosis, rows, points, row, TURN_REQUESTS, turn);
			return true;
		}
		if (row == DIAGNOSIS_SMALL && *small == DIAGNOSIS_LOSSY &&
		    !diagnosis->has_bucket && !(diagnosis->loss > 0.0)) {
			diagnosis_start_plateau(diagnosis, PLATEAU_ALL);
			return false;
		}
		if (row == DIAGNOSIS_SMALL && *small == DIAGNOSIS_DEAD)
			break;
	}
	diagnosis_classify(diagnosis, rows);
	return false;
}

/*
 * Where most passes, a quarter of what passes is slow enough, and many can be sent in the time;
 * where little does, nobody knows how little, and few are needed.
 */
static int64_t slow_interval_ns(const struct diagnosis *diagnosis, double loss)
{
	uint32_t of = diagnosis->slow_of;
	int64_t slow_ns = of == DIAGNOSIS_PIECES_2 ? SLOW_2_NS : SLOW_8_NS;

	if (loss < SLOW_LOSS_MOST)
		slow_ns = (int64_t)(SLOW_FACTOR * (double)diagnosis->intervals_ns[of] /
				    (1.0 - loss));
	return max_i64(slow_ns, diagnosis->intervals_ns[DIAGNOSIS_SMALL_SLOW]);
}

/* The loss to compare with is the least that what was sent leaves possible. */
static bool slow_pieces(struct diagnosis *diagnosis, const struct account_target *rows,
			struct series_point *points, struct series_turn *turn)
{
	uint32_t row = DIAGNOSIS_PIECES_SLOW, of = diagnosis->slow_of;
	uint64_t sent = diagnosis_sent(rows, of) + diagnosis_sent(rows, DIAGNOSIS_AGAIN);
	uint64_t lost = diagnosis_lost(rows, of) + diagnosis_lost(rows, DIAGNOSIS_AGAIN);
	enum diagnosis_finding finding =
		diagnosis_judge_against(rows, row, diagnosis_least_loss(lost, sent));
	bool is_first = diagnosis_sent(rows, row) == 0;

	if (is_first) {
		diagnosis->kinds[row] = diagnosis->kinds[of];
		diagnosis->packets[row] = diagnosis->packets[of];
		diagnosis->intervals_ns[row] =
			slow_interval_ns(diagnosis, (double)lost / (double)sent);
	}
	if (finding == DIAGNOSIS_OPEN &&
	    diagnosis_sent(rows, row) * (uint64_t)diagnosis->intervals_ns[row] < SLOW_MOST_NS) {
		diagnosis_ask(diagnosis, rows, points, row, SLOW_TURN, turn);
		if (is_first)
			turn->start_ns = diagnosis->last_fragment_ns + REFILL_NS;
		return true;
	}
	diagnosis->findings[row] = finding;
	diagnosis_conclude_slow(diagnosis, rows);
	return false;
}

/* The kinds of the first round that the path MTU has made impossible, by the MTU that was told. */
static bool told(struct diagnosis *diagnosis, const struct account_target *rows,
		 struct series_point *points, struct series_turn *turn)
{
	for (uint32_t row = DIAGNOSIS_TOLD_LARGE; row <= DIAGNOSIS_TOLD_CUT_MANY; row++) {
		diagnosis->findings[row] = diagnosis_judge(diagnosis, rows, row);
		if (diagnosis->findings[row] != DIAGNOSIS_OPEN)
			continue;
		diagnosis_ask(diagnosis, rows, points, row, TURN_REQUESTS, turn);
		return true;
	}
	diagnosis_conclude_told(diagnosis, rows);
	return false;
}

/* Halves the interval until nothing lies between what passes and what does not. */
static bool search(struct diagnosis *diagnosis, const struct account_target *rows,
		   struct series_point *points, struct series_turn *turn)
{
	uint32_t row = DIAGNOSIS_SIZES + diagnosis->sizes;

	if (diagnosis->sizes > 0) { /* the last one */
		if (rows[row - 1].tally.received > 0)
			diagnosis->passes = diagnosis->kinds[row - 1].payload_bytes;
		else
			diagnosis->fails = diagnosis->kinds[row - 1].payload_bytes;
	}
	if (diagnosis->fails <= diagnosis->passes + 1 ||
	    diagnosis->sizes == DIAGNOSIS_SIZES_MAX) {
		diagnosis_conclude_search(diagnosis, rows);
		return false;
	}
	diagnosis->kinds[row] = (struct series_point){
		.payload_bytes =
			diagnosis->passes + (diagnosis->fails - diagnosis->passes) / 2};
	diagnosis->packets[row] = 1 + (diagnosis->kinds[row].payload_bytes >
				       diagnosis_data_max(diagnosis, 1));
	diagnosis->intervals_ns[row] = diagnosis->intervals_ns[DIAGNOSIS_CUT_MANY];
	diagnosis->sizes++;
	diagnosis_ask(diagnosis, rows, points, row, SEARCH_REQUESTS, turn);
	return true;
}

/* Small echoes now and then, so that what the host reports meanwhile is seen. */
static bool wait_out(struct diagnosis *diagnosis, const struct account_target *rows,
		     struct series_point *points, int64_t now_ns, struct series_turn *turn)
{
	int64_t until_ns = diagnosis->last_fragment_ns +
			   (diagnosis->family == 4 ? WAIT_IP4_NS : WAIT_IP6_NS);

	if (now_ns >= until_ns || diagnosis_has_timeout_error(diagnosis, rows)) {
		diagnosis->phase = DIAGNOSIS_AFTER_WAIT;
		return false;
	}
	diagnosis_ask(diagnosis, rows, points, DIAGNOSIS_SMALL, 1, turn);
	turn->start_ns = now_ns + LOOK_NS;
	return true;
}

static bool after_wait(struct diagnosis *diagnosis, const struct account_target *rows,
		       struct series_point *points, struct series_turn *turn)
{
	uint32_t row = DIAGNOSIS_PIECES_AGAIN;

	diagnosis->findings[row] = diagnosis_judge(diagnosis, rows, row);
	if (diagnosis->findings[row] == DIAGNOSIS_OPEN) {
		diagnosis_ask(diagnosis, rows, points, row, TURN_REQUESTS, turn);
		return true;
	}
	diagnosis_conclude_wait(diagnosis, rows);
	return false;
}

static void note_burst(struct diagnosis *diagnosis, const struct account_target *rows, uint32_t row,
		       uint32_t requests)
{
	uint64_t all = diagnosis_lost(rows, row);
	uint64_t *before = &diagnosis->burst_lost[row - DIAGNOSIS_BURST_HALF];
	uint64_t *least = &diagnosis->burst_least[row - DIAGNOSIS_BURST_HALF];
	uint64_t lost = all > *before ? all - *before : 0; /* late answers count for this one */

	*least = diagnosis_sent(rows, row) == requests ? lost : min_u64(*least, lost);
	*before = all;
}

static bool bursts(struct diagnosis *diagnosis, const struct account_target *rows,
		   struct series_point *points, int64_t now_ns, struct series_turn *turn)
{
	uint32_t packets = BURST_REQUESTS * diagnosis->packets[DIAGNOSIS_BURST];
	const struct {
		uint32_t row, requests;
	} kinds[] = {
		{DIAGNOSIS_BURST_HALF, BURST_REQUESTS / 2},
		{DIAGNOSIS_BURST, BURST_REQUESTS},
		{DIAGNOSIS_BURST_WHOLE, packets},
		{DIAGNOSIS_BURST_PIECES, packets / diagnosis->packets[DIAGNOSIS_BURST_PIECES]},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
		if (kinds[i].row == diagnosis->column)
			note_burst(diagnosis, rows, kinds[i].row, kinds[i].requests);
		/* What else so many packets at once may mean, only where they lose. */
		if (kinds[i].row == DIAGNOSIS_BURST_WHOLE &&
		    !diagnosis_burst_loses(diagnosis, rows, DIAGNOSIS_BURST))
			break;
		if (diagnosis_sent(rows, kinds[i].row) >=
		    (uint64_t)kinds[i].requests * BURST_ROUNDS)
			continue;
		diagnosis_ask(diagnosis, rows, points, kinds[i].row, kinds[i].requests, turn);
		turn->burst = kinds[i].requests;
		turn->start_ns = now_ns + BURST_PAUSE_NS;
		return true;
	}
	diagnosis_conclude_bursts(diagnosis, rows);
	return false;
}

/* If all were answered the turn has ended at once, else after its patience. */
static void note_small(struct diagnosis *diagnosis, const struct account_target *rows,
		       int64_t now_ns)
{
	uint32_t i = diagnosis->history++;
	uint64_t answered = rows[DIAGNOSIS_SMALL].tally.received;
	uint64_t asked = diagnosis_sent(rows, DIAGNOSIS_SMALL);
	bool is_whole = asked - diagnosis->small_sent == answered - diagnosis->small_answered;

	diagnosis->answered[i] = answered;
	diagnosis->asked[i] = asked;
	diagnosis->ended_ns[i] = now_ns;
	diagnosis->last_sent_ns[i] = now_ns - (is_whole ? 0 : diagnosis->patience_ns);
	diagnosis->small_sent = asked;
	diagnosis->small_answered = answered;
}

/* What the last turn leaves behind for whatever comes. */
static void note_turn(struct diagnosis *diagnosis, const struct account_target *rows,
		      int64_t now_ns)
{
	if (diagnosis->started_ns == 0)
		diagnosis->started_ns = now_ns;
	diagnosis->elapsed_ns = now_ns - diagnosis->started_ns;
	if (diagnosis_sent(rows, diagnosis->column) == 0)
		return;
	if (diagnosis->packets[diagnosis->column] > 1)
		diagnosis->last_fragment_ns = now_ns;
	if (diagnosis->column != DIAGNOSIS_SMALL || diagnosis->history == DIAGNOSIS_HISTORY)
		return;
	note_small(diagnosis, rows, now_ns);
}

static bool next(struct conductor *conductor, const struct account_target *rows,
		 struct series_point *points, int64_t now_ns, struct series_turn *turn)
{
	struct diagnosis *diagnosis = conductor->state;
	bool has_turn = false;

	note_turn(diagnosis, rows, now_ns);
	while (!has_turn && diagnosis->phase != DIAGNOSIS_OVER) {
		switch (diagnosis->phase) {
		case DIAGNOSIS_FIRST_ROUND:
			has_turn = first_round(diagnosis, rows, points, turn);
			break;
		case DIAGNOSIS_PLATEAU:
			has_turn = diagnosis_plateau(diagnosis, rows, points, turn);
			break;
		case DIAGNOSIS_SLOWER:
			has_turn = diagnosis_slower(diagnosis, rows, points, turn);
			break;
		case DIAGNOSIS_SECOND_LOOK:
			has_turn = diagnosis_second_look(diagnosis, rows, points, now_ns, turn);
			break;
		case DIAGNOSIS_TOLD:
			has_turn = told(diagnosis, rows, points, turn);
			break;
		case DIAGNOSIS_SLOW_PIECES:
			has_turn = slow_pieces(diagnosis, rows, points, turn);
			break;
		case DIAGNOSIS_SEARCH:
			has_turn = search(diagnosis, rows, points, turn);
			break;
		case DIAGNOSIS_WAIT:
			has_turn = wait_out(diagnosis, rows, points, now_ns, turn);
			break;
		case DIAGNOSIS_AFTER_WAIT:
			has_turn = after_wait(diagnosis, rows, points, turn);
			break;
		case DIAGNOSIS_BURSTS:
			has_turn = bursts(diagnosis, rows, points, now_ns, turn);
			break;
		case DIAGNOSIS_OVER:
			break;
		}
	}
	return has_turn;
}

const struct conductor_row conductor_diagnosis = {
	.name = "diagnose",
	.waits_out_harm = true,
	.next = next,
};
