/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The course of a diagnosis: which kind of request is sent next. Each phase either names a turn or
 * hands over to the next phase; what their results mean is in diagnosis_verdict.c.
 */
#include "core/diagnosis_internal.h"

#define PACKET_MAX	  65535u /* a raw socket of Linux sends no longer one */
#define TURN_REQUESTS	  20u
#define PLATEAU_REQUESTS  25u  /* a turn, each an entry of the history */
#define PLATEAU_ALL	  300u
#define SLOW_TURN	  5u
#define SLOW_MOST	  60u
#define SEARCH_REQUESTS	  3u
#define BURST_REQUESTS	  16u
#define BURST_ROUNDS	  3u
#define LOSSY_LEAST	  60u  /* requests of each kind where all of them lose */
#define RTT_FACTOR	  1.5  /* interval over the slowest round trip: one at a time ... */
#define INTERVAL_MAX_NS	  (50 * NANOSECONDS_PER_MILLISECOND) /* ... up to this */
#define PATIENCE_NS	  (100 * NANOSECONDS_PER_MILLISECOND)
#define PATIENCE_FACTOR	  4
#define BURST_PAUSE_NS	  (300 * NANOSECONDS_PER_MILLISECOND)
#define REFILL_NS	  (2 * NANOSECONDS_PER_SECOND)
#define SLOW_2_NS	  (500 * NANOSECONDS_PER_MILLISECOND)
#define SLOW_8_NS	  NANOSECONDS_PER_SECOND
#define WAIT_IP4_NS	  (32 * NANOSECONDS_PER_SECOND) /* ipfrag_time and a bit */
#define WAIT_IP6_NS	  (62 * NANOSECONDS_PER_SECOND)
#define LOOK_NS		  NANOSECONDS_PER_SECOND /* between two looks while it waits */
#define LIMITED_INTERVAL_MAX_NS (250 * NANOSECONDS_PER_MILLISECOND)

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

static void ask(struct diagnosis *diagnosis, const struct account_target *rows,
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
}

/* ---- the phases: true if there is a turn, false if another phase goes on ---- */

/* Where everything loses, or only so many may be sent, more tests would not tell more. */
static enum diagnosis_finding judge_roughly(const struct diagnosis *diagnosis,
					    const struct account_target *rows, uint32_t row)
{
	uint64_t sent = diagnosis_sent(rows, row);
	uint64_t lost = diagnosis_lost(rows, row);

	if (sent < (diagnosis->has_bucket ? DIAGNOSIS_LEAST : LOSSY_LEAST))
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
			ask(diagnosis, rows, points, row, TURN_REQUESTS, turn);
			return true;
		}
		if (row == DIAGNOSIS_SMALL && *small == DIAGNOSIS_LOSSY &&
		    !diagnosis->has_bucket && !(diagnosis->loss > 0.0)) {
			diagnosis->phase = DIAGNOSIS_PLATEAU;
			return false;
		}
		if (row == DIAGNOSIS_SMALL && *small == DIAGNOSIS_DEAD)
			break;
	}
	diagnosis_classify(diagnosis, rows);
	return false;
}

/*
 * At which rate answers come, in the second half of what was sent, when a full bucket has been
 * emptied; and how many of the first turn came beyond that. Whole requests come of it, so half of
 * one is missing on average.
 */
static void measure_plateau(struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint32_t last = diagnosis->history - 1;
	uint32_t middle = diagnosis->history / 2;
	double span_s = (double)(diagnosis->answered_ns[last] - diagnosis->answered_ns[middle]) /
			1e9;
	double first_s = (double)diagnosis->intervals_ns[DIAGNOSIS_SMALL] *
			 (TURN_REQUESTS - 1) / 1e9;
	double rate = 0.0;

	if (span_s > 0.0)
		rate = (double)(diagnosis->answered[last] - diagnosis->answered[middle]) / span_s;
	diagnosis->bucket_rate_per_s = rate;
	diagnosis->bucket_burst = (double)diagnosis->answered[0] - rate * first_s + 0.5;
	if (diagnosis->bucket_burst < 1.0)
		diagnosis->bucket_burst = 1.0;
	diagnosis->loss = (double)diagnosis_lost(rows, DIAGNOSIS_SMALL) /
			  (double)diagnosis_sent(rows, DIAGNOSIS_SMALL);
	/* Half of what passes, so that a bucket fills while it is used. */
	diagnosis->intervals_ns[DIAGNOSIS_SMALL_SLOW] =
		rate > 1.0 ? (int64_t)(2e9 / rate) : 2 * NANOSECONDS_PER_SECOND;
}

static bool plateau(struct diagnosis *diagnosis, const struct account_target *rows,
		    struct series_point *points, struct series_turn *turn)
{
	if (diagnosis_sent(rows, DIAGNOSIS_SMALL) < PLATEAU_ALL &&
	    diagnosis->history < DIAGNOSIS_HISTORY) {
		ask(diagnosis, rows, points, DIAGNOSIS_SMALL, PLATEAU_REQUESTS, turn);
		return true;
	}
	measure_plateau(diagnosis, rows);
	diagnosis->phase = DIAGNOSIS_SLOWER;
	return false;
}

static bool slower(struct diagnosis *diagnosis, const struct account_target *rows,
		   struct series_point *points, struct series_turn *turn)
{
	uint32_t row = DIAGNOSIS_SMALL_SLOW;
	bool is_slow = diagnosis->intervals_ns[row] >= LIMITED_INTERVAL_MAX_NS;
	enum diagnosis_finding finding =
		diagnosis_judge_against(rows, row, diagnosis->loss);

	if (finding == DIAGNOSIS_OPEN &&
	    (!is_slow || diagnosis_sent(rows, row) < DIAGNOSIS_LEAST)) {
		ask(diagnosis, rows, points, row, is_slow ? SLOW_TURN : TURN_REQUESTS, turn);
		if (diagnosis_sent(rows, row) == 0) /* one place in the bucket, at least */
			turn->start_ns = diagnosis->answered_ns[diagnosis->history - 1] +
					 diagnosis->intervals_ns[row];
		return true;
	}
	diagnosis->findings[row] = finding == DIAGNOSIS_OPEN ? DIAGNOSIS_LOSSY : finding;
	diagnosis->phase = DIAGNOSIS_FIRST_ROUND;
	if (diagnosis->findings[row] != DIAGNOSIS_CLEAN)
		return false;
	diagnosis->has_bucket = true;
	diagnosis->loss = 0.0;
	for (uint32_t column = 0; column < DIAGNOSIS_COLUMNS; column++)
		diagnosis->intervals_ns[column] = max_i64(diagnosis->intervals_ns[column],
							  diagnosis->intervals_ns[row]);
	if (is_slow)
		(void)diagnosis_end(diagnosis, DIAGNOSIS_ICMP_RATE_LIMIT);
	return false;
}

static bool slow_pieces(struct diagnosis *diagnosis, const struct account_target *rows,
			struct series_point *points, struct series_turn *turn)
{
	uint32_t row = DIAGNOSIS_PIECES_SLOW;
	uint32_t of = diagnosis->slow_of;
	double loss = (double)diagnosis_lost(rows, of) / (double)diagnosis_sent(rows, of);
	enum diagnosis_finding finding = diagnosis_judge_against(rows, row, loss);

	if (finding == DIAGNOSIS_OPEN && diagnosis_sent(rows, row) < SLOW_MOST) {
		bool is_first = diagnosis_sent(rows, row) == 0;

		diagnosis->kinds[row] = diagnosis->kinds[of];
		diagnosis->packets[row] = diagnosis->packets[of];
		diagnosis->intervals_ns[row] = of == DIAGNOSIS_PIECES_2 ? SLOW_2_NS : SLOW_8_NS;
		ask(diagnosis, rows, points, row, SLOW_TURN, turn);
		if (is_first)
			turn->start_ns = diagnosis->last_fragment_ns + REFILL_NS;
		return true;
	}
	diagnosis->findings[row] = finding;
	diagnosis_conclude_slow(diagnosis, rows);
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
	ask(diagnosis, rows, points, row, SEARCH_REQUESTS, turn);
	return true;
}

/* Small echoes now and then, so that what the host reports meanwhile is seen. */
static bool wait_out(struct diagnosis *diagnosis, const struct account_target *rows,
		     struct series_point *points, int64_t now_ns, struct series_turn *turn)
{
	int64_t until_ns = diagnosis->last_fragment_ns +
			   (diagnosis->family == 4 ? WAIT_IP4_NS : WAIT_IP6_NS);

	if (diagnosis_has_timeout_error(diagnosis, rows)) {
		diagnosis_conclude_wait(diagnosis, rows);
		return false;
	}
	if (now_ns >= until_ns) {
		diagnosis->phase = DIAGNOSIS_AFTER_WAIT;
		return false;
	}
	ask(diagnosis, rows, points, DIAGNOSIS_SMALL, 1, turn);
	turn->start_ns = now_ns + LOOK_NS;
	return true;
}

static bool after_wait(struct diagnosis *diagnosis, const struct account_target *rows,
		       struct series_point *points, struct series_turn *turn)
{
	uint32_t row = DIAGNOSIS_PIECES_AGAIN;

	diagnosis->findings[row] = diagnosis_judge(diagnosis, rows, row);
	if (diagnosis->findings[row] == DIAGNOSIS_OPEN) {
		ask(diagnosis, rows, points, row, TURN_REQUESTS, turn);
		return true;
	}
	diagnosis_conclude_wait(diagnosis, rows);
	return false;
}

static bool bursts(struct diagnosis *diagnosis, const struct account_target *rows,
		   struct series_point *points, int64_t now_ns, struct series_turn *turn)
{
	static const struct {
		uint32_t row, requests;
	} kinds[] = {{DIAGNOSIS_BURST_HALF, BURST_REQUESTS / 2}, {DIAGNOSIS_BURST, BURST_REQUESTS}};

	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
		if (diagnosis_sent(rows, kinds[i].row) >=
		    (uint64_t)kinds[i].requests * BURST_ROUNDS)
			continue;
		ask(diagnosis, rows, points, kinds[i].row, kinds[i].requests, turn);
		turn->burst = kinds[i].requests;
		turn->start_ns = now_ns + BURST_PAUSE_NS;
		return true;
	}
	diagnosis_conclude_bursts(diagnosis, rows);
	return false;
}

/* What the last turn leaves behind for whatever comes. */
static void note_turn(struct diagnosis *diagnosis, const struct account_target *rows,
		      int64_t now_ns)
{
	if (diagnosis->started_ns == 0)
		diagnosis->started_ns = now_ns;
	if (diagnosis_sent(rows, diagnosis->column) == 0)
		return;
	if (diagnosis->packets[diagnosis->column] > 1)
		diagnosis->last_fragment_ns = now_ns;
	if (diagnosis->column != DIAGNOSIS_SMALL || diagnosis->history == DIAGNOSIS_HISTORY)
		return;
	diagnosis->answered[diagnosis->history] = rows[DIAGNOSIS_SMALL].tally.received;
	diagnosis->answered_ns[diagnosis->history++] = now_ns;
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
			has_turn = plateau(diagnosis, rows, points, turn);
			break;
		case DIAGNOSIS_SLOWER:
			has_turn = slower(diagnosis, rows, points, turn);
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
