/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the findings mean. Each verdict is reached by the one pattern that nothing else makes; where
 * a second explanation is left, the answer is that it is not determined.
 */
#include "core/diagnosis_internal.h"

#define RESPONDER_FRAMES_MIN 40.0 /* of full frames that wait at a Linux responder: 58 to 66, */
#define RESPONDER_FRAMES_MAX 90.0 /* and what drains while the burst arrives */

static const struct {
	const char *word, *sentence;
} verdicts[] = {
	[DIAGNOSIS_UNDETERMINED] = {"undetermined", "what is wrong cannot be told from here"},
	[DIAGNOSIS_HEALTHY] = {"healthy", "large echoes pass, whole and in fragments, both ways"},
	[DIAGNOSIS_FRAGMENTS_DROPPED] = {"fragments-dropped",
					 "fragments are dropped on the way there"},
	[DIAGNOSIS_NON_FIRST_DROPPED] = {"non-first-fragments-dropped",
					 "all fragments but the first are dropped on the way "
					 "there"},
	[DIAGNOSIS_SIZE_LIMIT] = {"size-limit", "the host does not answer echoes above a size"},
	[DIAGNOSIS_FRAGMENT_POLICER] = {"fragment-policer",
					"so many fragments a second pass and no more"},
	[DIAGNOSIS_PACKET_LOSS] = {"packet-loss",
				   "packets are lost, and each fragment is a packet"},
	[DIAGNOSIS_REASSEMBLY_FULL] = {"reassembly-full",
				       "the host had no memory left to put fragments together"},
	[DIAGNOSIS_ICMP_RATE_LIMIT] = {"icmp-rate-limit",
				       "so many echoes a second are answered and no more"},
	[DIAGNOSIS_PATH_MTU_BLACK_HOLE] = {"path-mtu-black-hole",
					   "packets above the path MTU vanish without an ICMP "
					   "error"},
	[DIAGNOSIS_RESPONDER_QUEUE] = {"responder-queue",
				       "the host's own queue holds so many replies and no more"},
	[DIAGNOSIS_REPLY_DIRECTION] = {"reply-direction-only",
				       "fragments are dropped on the way back"},
};

const char *diagnosis_word(enum diagnosis_verdict verdict)
{
	return verdicts[verdict].word;
}

const char *diagnosis_sentence(enum diagnosis_verdict verdict)
{
	return verdicts[verdict].sentence;
}

const char *diagnosis_column_name(uint32_t row)
{
	static const char *const names[] = {
		[DIAGNOSIS_SMALL] = "small, whole",
		[DIAGNOSIS_PIECES_2] = "small, 2 hand-made pieces",
		[DIAGNOSIS_PIECES_8] = "small, 8 hand-made pieces",
		[DIAGNOSIS_LARGE_PIECES] = "large, 2 hand-made pieces",
		[DIAGNOSIS_LARGE] = "large, whole",
		[DIAGNOSIS_LARGE_DF] = "large, whole, not to be cut",
		[DIAGNOSIS_CUT_2] = "one byte too long",
		[DIAGNOSIS_CUT_MANY] = "full fragments",
		[DIAGNOSIS_SMALL_SLOW] = "small, whole, slower",
		[DIAGNOSIS_PIECES_SLOW] = "hand-made pieces, slower",
		[DIAGNOSIS_PIECES_AGAIN] = "2 hand-made pieces, later",
		[DIAGNOSIS_BURST_HALF] = "full fragments, 8 at once",
		[DIAGNOSIS_BURST] = "full fragments, 16 at once",
	};

	return row < DIAGNOSIS_SIZES ? names[row] : "size tried";
}

static void copy_text(char *to, uint32_t size, const char *from)
{
	uint32_t length = 0;

	while (from[length] != '\0' && length + 1 < size) {
		to[length] = from[length];
		length++;
	}
	to[length] = '\0';
}

void diagnosis_add_evidence(struct diagnosis *diagnosis, const char *sentence)
{
	if (diagnosis->evidence_count < DIAGNOSIS_EVIDENCE_MAX)
		copy_text(diagnosis->evidence[diagnosis->evidence_count++], DIAGNOSIS_TEXT,
			  sentence);
}

bool diagnosis_end(struct diagnosis *diagnosis, enum diagnosis_verdict verdict)
{
	diagnosis->verdict = verdict;
	diagnosis->phase = DIAGNOSIS_OVER;
	if (verdict == DIAGNOSIS_ICMP_RATE_LIMIT)
		DIAGNOSIS_SAY(diagnosis,
			      "at a higher rate %.3g echoes a second are answered whatever is "
			      "sent, after a first %.0f; at half that rate all are",
			      diagnosis->bucket_rate_per_s, diagnosis->bucket_burst);
	return false;
}

bool diagnosis_leave_open(struct diagnosis *diagnosis, const char *decide_by)
{
	copy_text(diagnosis->decide_by, sizeof(diagnosis->decide_by), decide_by);
	return diagnosis_end(diagnosis, DIAGNOSIS_UNDETERMINED);
}

/* ---- evidence ---- */

static void say_answers(struct diagnosis *diagnosis, const struct account_target *rows,
			uint32_t row)
{
	DIAGNOSIS_SAY(diagnosis, "%s (%u bytes of data): %llu of %llu answered",
		      diagnosis_column_name(row), diagnosis->kinds[row].payload_bytes,
		      (unsigned long long)rows[row].tally.received,
		      (unsigned long long)diagnosis_sent(rows, row));
}

static bool is(const struct diagnosis *diagnosis, uint32_t row, enum diagnosis_finding finding)
{
	return diagnosis->findings[row] == finding;
}

static bool passes(const struct diagnosis *diagnosis, uint32_t row)
{
	return is(diagnosis, row, DIAGNOSIS_CLEAN);
}

/* ---- the first round ---- */

/* All kinds lose: as packets do, or there is more than that. */
static void classify_lossy(struct diagnosis *diagnosis, const struct account_target *rows)
{
	say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
	say_answers(diagnosis, rows, DIAGNOSIS_SMALL_SLOW);
	for (uint32_t row = DIAGNOSIS_SMALL + 1; row < DIAGNOSIS_COLUMNS; row++) {
		if (diagnosis_is_plain_loss(diagnosis, rows, row))
			continue;
		say_answers(diagnosis, rows, row);
		(void)diagnosis_leave_open(
			diagnosis,
			"whole packets are lost at any rate, and there is more than that: try it "
			"when the path loses nothing");
		return;
	}
	say_answers(diagnosis, rows, DIAGNOSIS_CUT_MANY);
	DIAGNOSIS_SAY(diagnosis, "each kind loses what its number of packets implies, at a lower "
				 "rate as well");
	(void)diagnosis_end(diagnosis, DIAGNOSIS_PACKET_LOSS);
}

/* Small echoes pass in pieces, and so does everything else. */
static void classify_passing(struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint32_t told = diagnosis_told_mtu(rows, DIAGNOSIS_LARGE_DF);

	if (passes(diagnosis, DIAGNOSIS_LARGE_DF)) {
		diagnosis->phase = DIAGNOSIS_BURSTS;
		return;
	}
	say_answers(diagnosis, rows, DIAGNOSIS_LARGE);
	say_answers(diagnosis, rows, DIAGNOSIS_LARGE_DF);
	if (!is(diagnosis, DIAGNOSIS_LARGE_DF, DIAGNOSIS_DEAD)) {
		(void)diagnosis_leave_open(diagnosis, "the same again: a route may be changing");
		return;
	}
	if (told == 0) {
		DIAGNOSIS_SAY(diagnosis, "no ICMP error came for those");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_PATH_MTU_BLACK_HOLE);
		return;
	}
	DIAGNOSIS_SAY(diagnosis, "an ICMP error told a path MTU of %u bytes, so senders learn it",
		      told);
	diagnosis->phase = DIAGNOSIS_BURSTS;
}

/* Small echoes pass in pieces, larger ones do not. */
static void classify_large(struct diagnosis *diagnosis, const struct account_target *rows)
{
	static const uint32_t by_size[] = {DIAGNOSIS_LARGE, DIAGNOSIS_CUT_2, DIAGNOSIS_CUT_MANY};

	diagnosis->passes = diagnosis->kinds[DIAGNOSIS_SMALL].payload_bytes;
	for (size_t i = 0; i < ARRAY_LENGTH(by_size); i++) {
		uint32_t row = by_size[i];

		if (passes(diagnosis, row)) {
			diagnosis->passes = diagnosis->kinds[row].payload_bytes;
			continue;
		}
		if (is(diagnosis, row, DIAGNOSIS_DEAD)) {
			diagnosis->fails = diagnosis->kinds[row].payload_bytes;
			diagnosis->phase = DIAGNOSIS_SEARCH;
			return;
		}
		say_answers(diagnosis, rows, DIAGNOSIS_PIECES_8);
		say_answers(diagnosis, rows, row);
		if (row != DIAGNOSIS_LARGE && passes(diagnosis, DIAGNOSIS_LARGE_PIECES)) {
			DIAGNOSIS_SAY(diagnosis, "requests in pieces lose nothing where the reply "
						 "comes whole");
			(void)diagnosis_end(diagnosis, DIAGNOSIS_REPLY_DIRECTION);
			return;
		}
		(void)diagnosis_leave_open(diagnosis, "--sweep-size over the sizes between, with a "
						      "larger -c");
		return;
	}
	say_answers(diagnosis, rows, DIAGNOSIS_LARGE_PIECES);
	(void)diagnosis_leave_open(diagnosis, "--sweep-size pieces with -s of that length");
}

static void classify_pieces(struct diagnosis *diagnosis, const struct account_target *rows)
{
	bool all_dead = is(diagnosis, DIAGNOSIS_PIECES_2, DIAGNOSIS_DEAD) &&
			is(diagnosis, DIAGNOSIS_PIECES_8, DIAGNOSIS_DEAD);

	(void)rows;
	if (all_dead) {
		diagnosis->phase = DIAGNOSIS_WAIT;
		return;
	}
	diagnosis->slow_of = passes(diagnosis, DIAGNOSIS_PIECES_2) ? DIAGNOSIS_PIECES_8
								   : DIAGNOSIS_PIECES_2;
	diagnosis->phase = DIAGNOSIS_SLOW_PIECES;
}

void diagnosis_classify(struct diagnosis *diagnosis, const struct account_target *rows)
{
	bool all_pass = true;

	for (uint32_t row = DIAGNOSIS_SMALL + 1; row < DIAGNOSIS_COLUMNS; row++)
		if (row != DIAGNOSIS_LARGE_DF)
			all_pass = all_pass && passes(diagnosis, row);
	if (is(diagnosis, DIAGNOSIS_SMALL, DIAGNOSIS_DEAD)) {
		say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
		(void)diagnosis_leave_open(diagnosis, "a host that answers small echoes");
	} else if (diagnosis->loss > 0.0) {
		classify_lossy(diagnosis, rows);
	} else if (diagnosis->has_bucket && all_pass) {
		(void)diagnosis_end(diagnosis, DIAGNOSIS_ICMP_RATE_LIMIT);
	} else if (diagnosis->has_bucket) {
		say_answers(diagnosis, rows, DIAGNOSIS_PIECES_2);
		say_answers(diagnosis, rows, DIAGNOSIS_CUT_MANY);
		(void)diagnosis_leave_open(
			diagnosis, "echoes are limited to a rate, and there is more than that: "
				   "lift the limit, or run it from where there is none");
	} else if (all_pass) {
		classify_passing(diagnosis, rows);
	} else if (passes(diagnosis, DIAGNOSIS_PIECES_2) && passes(diagnosis, DIAGNOSIS_PIECES_8)) {
		classify_large(diagnosis, rows);
	} else {
		classify_pieces(diagnosis, rows);
	}
}

/* ---- the other phases ---- */

void diagnosis_conclude_slow(struct diagnosis *diagnosis, const struct account_target *rows)
{
	say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
	say_answers(diagnosis, rows, diagnosis->slow_of);
	say_answers(diagnosis, rows, DIAGNOSIS_PIECES_SLOW);
	if (passes(diagnosis, DIAGNOSIS_PIECES_SLOW))
		(void)diagnosis_end(diagnosis, DIAGNOSIS_FRAGMENT_POLICER);
	else
		(void)diagnosis_leave_open(
			diagnosis,
			"fragments are lost at any rate and whole packets are not: the counters "
			"of the firewalls on the way, or --sweep-size pieces for the law of it");
}

void diagnosis_conclude_search(struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint32_t whole = diagnosis_data_max(diagnosis, 1);
	uint32_t size = diagnosis->passes;

	DIAGNOSIS_SAY(diagnosis, "echoes of up to %u bytes of data are answered, of %u not", size,
		      diagnosis->fails);
	if (size == whole && passes(diagnosis, DIAGNOSIS_LARGE_PIECES)) {
		say_answers(diagnosis, rows, DIAGNOSIS_LARGE_PIECES);
		DIAGNOSIS_SAY(diagnosis, "what fails is exactly what must come back in fragments");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_REPLY_DIRECTION);
		return;
	}
	if (size < whole && passes(diagnosis, DIAGNOSIS_LARGE_PIECES)) {
		say_answers(diagnosis, rows, DIAGNOSIS_LARGE_PIECES);
		DIAGNOSIS_SAY(diagnosis, "the host answers that length if it comes in shorter "
					 "packets, and no ICMP error came");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_PATH_MTU_BLACK_HOLE);
		return;
	}
	for (uint32_t packets = 1; size > whole && packets < 64; packets++) {
		if (diagnosis_data_max(diagnosis, packets) != size)
			continue;
		(void)diagnosis_leave_open(diagnosis,
					   "a limit of the size and one of the number of fragments "
					   "fall together here: the same at another MTU");
		return;
	}
	say_answers(diagnosis, rows, DIAGNOSIS_PIECES_8);
	diagnosis->size_limit = size;
	(void)diagnosis_end(diagnosis, DIAGNOSIS_SIZE_LIMIT);
}

void diagnosis_conclude_wait(struct diagnosis *diagnosis, const struct account_target *rows)
{
	say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
	say_answers(diagnosis, rows, DIAGNOSIS_PIECES_2);
	if (diagnosis_has_timeout_error(diagnosis, rows)) {
		DIAGNOSIS_SAY(diagnosis, "the host itself reports that it had a first fragment and "
					 "waited for the others in vain (time exceeded, code 1)");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_NON_FIRST_DROPPED);
		return;
	}
	say_answers(diagnosis, rows, DIAGNOSIS_PIECES_AGAIN);
	if (passes(diagnosis, DIAGNOSIS_PIECES_AGAIN)) {
		DIAGNOSIS_SAY(diagnosis, "after the timers of reassembly have run out, fragments "
					 "pass again");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_REASSEMBLY_FULL);
	} else if (is(diagnosis, DIAGNOSIS_PIECES_AGAIN, DIAGNOSIS_DEAD)) {
		DIAGNOSIS_SAY(diagnosis, "no report of a reassembly that timed out came: first "
					 "fragments do not arrive either");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_FRAGMENTS_DROPPED);
	} else {
		(void)diagnosis_leave_open(diagnosis, "the same again: it has changed meanwhile");
	}
}

void diagnosis_conclude_bursts(struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint64_t half_lost = diagnosis_lost(rows, DIAGNOSIS_BURST_HALF);
	uint64_t lost = diagnosis_lost(rows, DIAGNOSIS_BURST);
	uint64_t sent = diagnosis_sent(rows, DIAGNOSIS_BURST);
	double bursts = (double)sent / 16.0;
	double frames = bursts > 0.0 ? (double)rows[DIAGNOSIS_BURST].tally.received *
					       (double)diagnosis->packets[DIAGNOSIS_BURST] / bursts
				     : 0.0;

	say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
	say_answers(diagnosis, rows, DIAGNOSIS_CUT_MANY);
	if (lost * 10 <= sent) {
		(void)diagnosis_end(diagnosis, DIAGNOSIS_HEALTHY);
		return;
	}
	DIAGNOSIS_SAY(diagnosis, "of bursts of 16 such echoes about %.0f frames come back", frames);
	if (half_lost == 0 && frames >= RESPONDER_FRAMES_MIN && frames <= RESPONDER_FRAMES_MAX) {
		(void)diagnosis_end(diagnosis, DIAGNOSIS_RESPONDER_QUEUE);
		return;
	}
	DIAGNOSIS_SAY(diagnosis, "that is a queue on the way, not one of the host's replies");
	(void)diagnosis_end(diagnosis, DIAGNOSIS_HEALTHY);
}
