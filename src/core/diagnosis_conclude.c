/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the phases after the first round have brought: the answers that need a second rate, a second
 * size, a wait or a burst.
 */
#include "core/diagnosis_internal.h"

#define RESPONDER_FRAMES_MIN 40.0 /* of full frames that wait at a Linux responder: 58 to 66, */
#define RESPONDER_FRAMES_MAX 90.0 /* and what drains while the burst arrives */
#define BURST_LOSS_PART	     6u	  /* more than one in so many */
#define STRAY_PART	     20u  /* one in so many may be lost by the way */
#define IP6_HEADER_BYTES     40u

void diagnosis_conclude_slow(struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint32_t of = diagnosis->slow_of, row = DIAGNOSIS_PIECES_SLOW;
	double packets = diagnosis->packets[of];
	bool passes = diagnosis_passes(diagnosis, row);

	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
	diagnosis_say_answers(diagnosis, rows, of);
	diagnosis_say_answers(diagnosis, rows, row);
	if (diagnosis->has_bucket && passes) {
		(void)diagnosis_end(diagnosis, DIAGNOSIS_ICMP_RATE_LIMIT);
	} else if (diagnosis->has_bucket) {
		(void)diagnosis_leave_open(
			diagnosis, "echoes are limited to a rate, and there is more than that: "
				   "lift the limit, or run it from where there is none");
	} else if (passes) {
		DIAGNOSIS_SAY(diagnosis, "%.3g fragments a second pass, of %.3g some are lost",
			      packets * 1e9 / (double)diagnosis->intervals_ns[row],
			      packets * 1e9 / (double)diagnosis->intervals_ns[of]);
		(void)diagnosis_end(diagnosis, DIAGNOSIS_FRAGMENT_POLICER);
	} else {
		(void)diagnosis_leave_open(
			diagnosis,
			"fragments are lost at any rate and whole packets are not: the counters "
			"of the firewalls on the way, or --sweep-size pieces for the law of it");
	}
}

void diagnosis_conclude_told(struct diagnosis *diagnosis, const struct account_target *rows)
{
	bool all_pass = true;

	DIAGNOSIS_SAY(diagnosis, "an ICMP error told a path MTU of %u bytes", diagnosis->told_mtu);
	for (uint32_t row = DIAGNOSIS_TOLD_LARGE; row <= DIAGNOSIS_TOLD_CUT_MANY; row++) {
		all_pass = all_pass && diagnosis_passes(diagnosis, row);
		diagnosis_say_answers(diagnosis, rows, row);
	}
	if (all_pass)
		(void)diagnosis_end(diagnosis, DIAGNOSIS_HEALTHY);
	else
		(void)diagnosis_leave_open(diagnosis, "the same with the interface's MTU set to "
						      "that of the path");
}

void diagnosis_conclude_search(struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint32_t whole = diagnosis_data_max(diagnosis, 1);
	uint32_t size = diagnosis->passes;

	DIAGNOSIS_SAY(diagnosis, "echoes of up to %u bytes of data are answered, of %u not", size,
		      diagnosis->fails);
	if (size == whole && diagnosis_passes(diagnosis, DIAGNOSIS_LARGE_PIECES)) {
		diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_LARGE_PIECES);
		DIAGNOSIS_SAY(diagnosis, "what fails is exactly what must come back in fragments");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_REPLY_DIRECTION);
		return;
	}
	if (size < whole && diagnosis_passes(diagnosis, DIAGNOSIS_LARGE_PIECES)) {
		diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_LARGE_PIECES);
		DIAGNOSIS_SAY(diagnosis, "the host answers that length if it comes in shorter "
					 "packets, and no ICMP error came");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_PATH_MTU_BLACK_HOLE);
		return;
	}
	if (diagnosis->family == 6 && size < whole &&
	    size + FRAGMENT_ECHO_HEADER_BYTES + IP6_HEADER_BYTES >= FRAGMENT_MTU_MIN_IP6) {
		(void)diagnosis_leave_open(
			diagnosis, "either the host answers no longer ones, or the path "
				   "takes no longer packets either way and does not say so: "
				   "the host's count of echoes (Icmp6InEchos) tells");
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
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_PIECES_8);
	diagnosis->size_limit = size;
	(void)diagnosis_end(diagnosis, DIAGNOSIS_SIZE_LIMIT);
}

void diagnosis_conclude_wait(struct diagnosis *diagnosis, const struct account_target *rows)
{
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_PIECES_2);
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_PIECES_AGAIN);
	if (diagnosis_has_timeout_error(diagnosis, rows) &&
	    diagnosis_is_dead(diagnosis, DIAGNOSIS_PIECES_AGAIN)) {
		DIAGNOSIS_SAY(diagnosis, "the host itself reports that it had a first fragment and "
					 "waited for the others in vain (time exceeded, code 1)");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_NON_FIRST_DROPPED);
		return;
	}
	if (diagnosis_passes(diagnosis, DIAGNOSIS_PIECES_AGAIN)) {
		DIAGNOSIS_SAY(diagnosis, "after the timers of reassembly have run out, fragments "
					 "pass again");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_REASSEMBLY_FULL);
	} else if (diagnosis_is_dead(diagnosis, DIAGNOSIS_PIECES_AGAIN)) {
		DIAGNOSIS_SAY(diagnosis, "no report of a reassembly that timed out came: first "
					 "fragments do not arrive either");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_FRAGMENTS_DROPPED);
	} else {
		(void)diagnosis_leave_open(diagnosis, "the same again: it has changed meanwhile");
	}
}

bool diagnosis_burst_loses(const struct diagnosis *diagnosis, const struct account_target *rows,
			   uint32_t row)
{
	return diagnosis->burst_least[row - DIAGNOSIS_BURST_HALF] * BURST_ROUNDS * BURST_LOSS_PART >
	       diagnosis_sent(rows, row);
}

/* Full frames that come back of one burst of the row. */
static double frames_back(const struct diagnosis *diagnosis, const struct account_target *rows,
			  uint32_t row, uint32_t requests)
{
	double bursts = (double)diagnosis_sent(rows, row) / (double)requests;

	return bursts > 0.0
		       ? (double)rows[row].tally.received * (double)diagnosis->packets[row] / bursts
		       : 0.0;
}

static bool is_responder_queue(double frames)
{
	return frames >= RESPONDER_FRAMES_MIN && frames <= RESPONDER_FRAMES_MAX;
}

/*
 * Bursts of fragments lose. Where as many whole packets of the same length pass, it is because they
 * are fragments. Where those lose as well, but short pieces with short replies pass, it is how many
 * full frames wait somewhere, and as many as a Linux host lets its own replies be, it is that.
 */
void diagnosis_conclude_bursts(struct diagnosis *diagnosis, const struct account_target *rows)
{
	uint32_t packets = BURST_REQUESTS * diagnosis->packets[DIAGNOSIS_BURST];
	double frames = frames_back(diagnosis, rows, DIAGNOSIS_BURST, BURST_REQUESTS);
	double whole = frames_back(diagnosis, rows, DIAGNOSIS_BURST_WHOLE, packets);

	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_SMALL);
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_CUT_MANY);
	if (!diagnosis_burst_loses(diagnosis, rows, DIAGNOSIS_BURST)) {
		(void)diagnosis_end(diagnosis, DIAGNOSIS_HEALTHY);
		return;
	}
	DIAGNOSIS_SAY(diagnosis,
		      "of %u frames at once about %.0f come back as fragments and %.0f whole",
		      packets, frames, whole);
	diagnosis_say_answers(diagnosis, rows, DIAGNOSIS_BURST_PIECES);
	if (diagnosis_lost(rows, DIAGNOSIS_BURST_WHOLE) * STRAY_PART <=
	    diagnosis_sent(rows, DIAGNOSIS_BURST_WHOLE)) {
		(void)diagnosis_end(diagnosis, DIAGNOSIS_FRAGMENT_POLICER);
	} else if (!diagnosis_burst_loses(diagnosis, rows, DIAGNOSIS_BURST_PIECES) &&
		   !diagnosis_burst_loses(diagnosis, rows, DIAGNOSIS_BURST_HALF) &&
		   is_responder_queue(frames) && is_responder_queue(whole)) {
		(void)diagnosis_end(diagnosis, DIAGNOSIS_RESPONDER_QUEUE);
	} else {
		DIAGNOSIS_SAY(diagnosis, "that is a queue or a limit for packets of any kind, not "
					 "the host's queue of replies");
		(void)diagnosis_end(diagnosis, DIAGNOSIS_HEALTHY);
	}
}
