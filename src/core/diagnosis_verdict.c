/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the findings mean. Each verdict is reached by the one pattern that nothing else makes; where
 * a second explanation is left, the answer is that it is not determined.
 */
#include "core/diagnosis_internal.h"

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
		[DIAGNOSIS_BURST_WHOLE] = "whole, as many at once",
		[DIAGNOSIS_BURST_PIECES] = "pieces, as many at once",
		[DIAGNOSIS_SMALL_AGAIN] = "small, whole, again",
		[DIAGNOSIS_AGAIN] = "what failed, again",
		[DIAGNOSIS_TOLD_LARGE] = "told MTU, whole",
		[DIAGNOSIS_TOLD_CUT_2] = "told MTU, a byte too long",
		[DIAGNOSIS_TOLD_CUT_MANY] = "told MTU, full fragments",
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
			      "sent; at half that rate all are",
			      diagnosis->bucket_rate_per_s);
	if (verdict == DIAGNOSIS_ICMP_RATE_LIMIT && diagnosis->has_burst)
		DIAGNOSIS_SAY(diagnosis, "before that a first %.0f were", diagnosis->bucket_burst);
	return false;
}

bool diagnosis_leave_open(struct diagnosis *diagnosis, const char *decide_by)
{
	copy_text(diagnosis->decide_by, sizeof(diagnosis->decide_by), decide_by);
	return diagnosis_end(diagnosis, DIAGNOSIS_UNDETERMINED);
}

/* ---- evidence ---- */

void diagnosis_say_answers(struct diagnosis *diagnosis, const struct account_target *rows,
			   uint32_t row)
{
	DIAGNOSIS_SAY(diagnosis, "%s (%u bytes of data): %llu of %llu answered",
		      diagnosis_column_name(row), diagnosis->kinds[row].payload_bytes,
		      (unsigned long long)rows[row].tally.received,
		      (unsigned long long)diagnosis_sent(rows, row));
}

/* ---- the first round ---- */

/* All kinds lose: as packets do, or there is more than that. */
static void classify_lossy(struct diagnosis *diagnosis, const struct account_target *rows)
{
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_SMALL_SLOW);
	for (uint32_t row = DIAGNOSIS_SMALL + 1; row < DIAGNOSIS_COLUMNS; row++) {
		if (diagnosis_is_plain_loss(diagnosis, rows, row))
			continue;
		diagnosis_say_answers(diagnosis, rows, row);
		(void)diagnosis_leave_open(
			diagnosis,
			"whole packets are lost at any rate, and there is more than that: try it "
			"when the path loses nothing");
		return;
	}
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_CUT_MANY);
	DIAGNOSIS_SAY(diagnosis, "each kind loses what its number of packets implies, at a lower "
				 "rate as well");
	(void)diagnosis_end(diagnosis, DIAGNOSIS_PACKET_LOSS);
}

/*
 * Whether the failure of a row has stood the second look: false if that has yet to come, or has led
 * to the answer that nothing is certain.
 */
static bool is_confirmed(struct diagnosis *diagnosis, const struct account_target *rows,
			 uint32_t row)
{
	if (diagnosis->look == 0) {
		diagnosis->decisive = row;
		diagnosis->phase = DIAGNOSIS_SECOND_LOOK;
		return false;
	}
	if (!diagnosis->has_changed)
		return true;
	diagnosis_say_answers(diagnosis, rows, row);
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_AGAIN);
	(void)diagnosis_leave_open(diagnosis, "the same again: it comes and goes");
	return false;
}

/* This host sent none, or few, of a kind. */
static bool is_refused(struct diagnosis *diagnosis, const struct account_target *rows)
{
	for (uint32_t row = 0; row < DIAGNOSIS_COLUMNS; row++) {
		const struct account_target *target = &rows[row];

		if (target->tally.send_errors * 2 <= diagnosis_sent(rows, row) ||
		    diagnosis_told_mtu(rows, row) != 0)
			continue;
		DIAGNOSIS_SAY(diagnosis, "%s: this host could not send %llu of %llu%s%s",
			      diagnosis_column_name(row),
			      (unsigned long long)target->tally.send_errors,
			      (unsigned long long)diagnosis_sent(rows, row),
			      target->error_count > 0 ? ": " : "",
			      target->error_count > 0 ? target->errors[0].text : "");
		(void)diagnosis_leave_open(diagnosis, "a firewall or a route of this host that "
						      "lets it send them");
		return true;
	}
	return false;
}

/* Small echoes lose so little that it was taken for none; yet all else may be what that makes. */
static bool is_little_loss(const struct diagnosis *diagnosis, const struct account_target *rows)
{
	for (uint32_t row = DIAGNOSIS_SMALL + 1; row < DIAGNOSIS_COLUMNS; row++)
		if (!diagnosis_passes(diagnosis, row) &&
		    !diagnosis_is_plain_loss(diagnosis, rows, row))
			return false;
	return true;
}

static void classify_little_loss(struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint64_t lost = diagnosis_lost(rows, DIAGNOSIS_SMALL) +
			diagnosis_lost(rows, DIAGNOSIS_SMALL_AGAIN);

	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
	diagnosis_say_answers(diagnosis, rows, diagnosis->decisive);
	DIAGNOSIS_SAY(diagnosis, "no kind loses more than its number of packets may explain");
	if (lost > 0)
		(void)diagnosis_end(diagnosis, DIAGNOSIS_PACKET_LOSS);
	else
		(void)diagnosis_leave_open(diagnosis, "whether whole packets are lost as well: -f "
						      "with a large -c");
}

/* Small echoes pass in pieces, and so does everything else. */
static void classify_passing(struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint32_t told = diagnosis_told_mtu(rows, DIAGNOSIS_LARGE_DF);

	if (diagnosis_passes(diagnosis, DIAGNOSIS_LARGE_DF)) {
		diagnosis->phase = DIAGNOSIS_BURSTS;
		return;
	}
	if (told == 0 && !is_confirmed(diagnosis, rows, DIAGNOSIS_LARGE_DF))
		return;
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_LARGE);
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_LARGE_DF);
	if (!diagnosis_is_dead(diagnosis, DIAGNOSIS_LARGE_DF)) {
		(void)diagnosis_leave_open(diagnosis, "the same again: a route may be changing");
		return;
	}
	if (told == 0) {
		DIAGNOSIS_SAY(diagnosis, "no ICMP error came for those");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_PATH_MTU_BLACK_HOLE);
		return;
	}
	DIAGNOSIS_SAY(diagnosis, "an error told a path MTU of %u bytes, so senders learn it", told);
	diagnosis->phase = DIAGNOSIS_BURSTS;
}

/* Small echoes pass in pieces, larger ones do not. */
static void classify_large(struct diagnosis *diagnosis, const struct account_target *rows)
{
	static const uint32_t by_size[] = {DIAGNOSIS_LARGE, DIAGNOSIS_CUT_2, DIAGNOSIS_CUT_MANY};

	diagnosis->passes = diagnosis->kinds[DIAGNOSIS_SMALL].payload_bytes;
	for (size_t i = 0; i < ARRAY_LENGTH(by_size); i++) {
		uint32_t row = by_size[i];

		if (diagnosis_passes(diagnosis, row)) {
			diagnosis->passes = diagnosis->kinds[row].payload_bytes;
			continue;
		}
		if (diagnosis_is_dead(diagnosis, row)) {
			diagnosis->fails = diagnosis->kinds[row].payload_bytes;
			diagnosis->phase = DIAGNOSIS_SEARCH;
			return;
		}
		diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_PIECES_8);
		diagnosis_say_answers(diagnosis, rows, row);
		if (row != DIAGNOSIS_LARGE && diagnosis_passes(diagnosis, DIAGNOSIS_LARGE_PIECES)) {
			DIAGNOSIS_SAY(diagnosis, "requests in pieces lose nothing where the reply "
						 "comes whole");
			(void)diagnosis_end(diagnosis, DIAGNOSIS_REPLY_DIRECTION);
			return;
		}
		(void)diagnosis_leave_open(diagnosis, "--sweep-size over the sizes between, with a "
						      "larger -c");
		return;
	}
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_LARGE_PIECES);
	(void)diagnosis_leave_open(diagnosis, "--sweep-size pieces with -s of that length");
}

static void classify_pieces(struct diagnosis *diagnosis, const struct account_target *rows)
{
	bool all_dead = diagnosis_is_dead(diagnosis, DIAGNOSIS_PIECES_2) &&
			diagnosis_is_dead(diagnosis, DIAGNOSIS_PIECES_8);

	if (!all_dead) {
		diagnosis->slow_of = diagnosis->decisive;
		diagnosis->phase = DIAGNOSIS_SLOW_PIECES;
		return;
	}
	if (diagnosis_is_dead(diagnosis, DIAGNOSIS_LARGE_PIECES)) {
		diagnosis->phase = DIAGNOSIS_WAIT;
		return;
	}
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_PIECES_2);
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_PIECES_8);
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_LARGE_PIECES);
	(void)diagnosis_leave_open(diagnosis, "--fragment-size with longer pieces: firewalls may "
					      "drop short first fragments only");
}

/* The first kind that fails, of those that tell the most. */
static uint32_t decisive_of(const struct diagnosis *diagnosis)
{
	static const uint32_t rows[] = {DIAGNOSIS_PIECES_2, DIAGNOSIS_PIECES_8, DIAGNOSIS_LARGE,
					DIAGNOSIS_CUT_2, DIAGNOSIS_CUT_MANY};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		if (!diagnosis_passes(diagnosis, rows[i]))
			return rows[i];
	return DIAGNOSIS_LARGE_PIECES;
}

/* Small echoes pass whole, and something else fails. */
static void classify_failing(struct diagnosis *diagnosis, const struct account_target *rows)
{
	bool pieces_pass = diagnosis_passes(diagnosis, DIAGNOSIS_PIECES_2) &&
			   diagnosis_passes(diagnosis, DIAGNOSIS_PIECES_8);
	uint32_t told = diagnosis_told_mtu(rows, DIAGNOSIS_LARGE);

	if (diagnosis->family == 6 && pieces_pass && told >= FRAGMENT_MTU_MIN_IP6 &&
	    told < diagnosis->mtu) {
		diagnosis_make_told_kinds(diagnosis, told);
		diagnosis->phase = DIAGNOSIS_TOLD;
		return;
	}
	if (!is_confirmed(diagnosis, rows, decisive_of(diagnosis)))
		return;
	if (is_little_loss(diagnosis, rows)) {
		classify_little_loss(diagnosis, rows);
	} else if (pieces_pass) {
		classify_large(diagnosis, rows);
	} else {
		classify_pieces(diagnosis, rows);
	}
}

/* Echoes are limited to a rate: whether that is all. */
static void classify_limited(struct diagnosis *diagnosis, const struct account_target *rows,
			     bool all_pass)
{
	if (all_pass) {
		(void)diagnosis_end(diagnosis, DIAGNOSIS_ICMP_RATE_LIMIT);
		return;
	}
	if (diagnosis->is_late) { /* they failed at a rate that is above the limit */
		diagnosis->slow_of = diagnosis->decisive;
		diagnosis->phase = DIAGNOSIS_SLOW_PIECES;
		return;
	}
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_PIECES_2);
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_CUT_MANY);
	(void)diagnosis_leave_open(diagnosis,
				   "echoes are limited to a rate, and there is more than that: "
				   "lift the limit, or run it from where there is none");
}

void diagnosis_classify(struct diagnosis *diagnosis, const struct account_target *rows)
{
	bool all_pass = true;

	for (uint32_t row = DIAGNOSIS_SMALL + 1; row < DIAGNOSIS_COLUMNS; row++)
		if (row != DIAGNOSIS_LARGE_DF)
			all_pass = all_pass && diagnosis_passes(diagnosis, row);
	if (is_refused(diagnosis, rows))
		return;
	if (diagnosis_is_dead(diagnosis, DIAGNOSIS_SMALL)) {
		diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
		(void)diagnosis_leave_open(diagnosis, "a host that answers small echoes");
	} else if (diagnosis->loss > 0.0) {
		classify_lossy(diagnosis, rows);
	} else if (diagnosis->has_bucket) {
		classify_limited(diagnosis, rows, all_pass);
	} else if (all_pass) {
		classify_passing(diagnosis, rows);
	} else {
		classify_failing(diagnosis, rows);
	}
}
