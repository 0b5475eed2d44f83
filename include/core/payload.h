/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an echo request carries: 8 bytes of sequence and 8 bytes of tag (SipHash-2-4 of the
 * sequence under the run's key) where they fit, then a pattern. The default pattern differs for
 * every request and for every 8 bytes of it, and can be read backwards: from one 8-byte word at
 * a known offset follows the sequence that it was made for. So a reply that was reassembled
 * from fragments of two requests is recognised as that, and the other request is named. No
 * time is ever put on the wire or read from it.
 */
#ifndef FPING_BENCH_CORE_PAYLOAD_H
#define FPING_BENCH_CORE_PAYLOAD_H

#include "base/base.h"

#define PAYLOAD_TAGGED_BYTES 16u /* least payload that carries sequence and tag */
#define PAYLOAD_KEY_BYTES 16u
#define PAYLOAD_FIXED_MAX 16u    /* most bytes of a fixed pattern, as ping's -p */

enum payload_pattern {
	PAYLOAD_DISTINCT, /* default: every request and every 8 bytes differ */
	PAYLOAD_FIXED,    /* -p: the given bytes repeated over the data from its first byte on; the
	                   * sequence and the tag replace the first 16 */
	PAYLOAD_RANDOM,   /* --payload random: incompressible; from key, sequence and offset */
};

struct payload_plan {
	uint32_t bytes; /* echo data bytes of every request */
	enum payload_pattern pattern;
	uint8_t fixed[PAYLOAD_FIXED_MAX];
	uint32_t fixed_length;
	uint8_t key[PAYLOAD_KEY_BYTES];
	/* derived by payload_plan_init, read by the functions below only */
	uint64_t key_words[2];
	uint64_t pattern_key;
	uint16_t fixed_sum;
};

enum payload_verdict {
	PAYLOAD_RIGHT,     /* all that was sent, unchanged */
	PAYLOAD_TRUNCATED, /* shorter than sent; what there is is right, or is too short to judge */
	PAYLOAD_CORRUPT,   /* right tag, but bytes differ, or more bytes than were sent */
	PAYLOAD_MIXED,     /* right tag, and a later part that belongs to another request */
	PAYLOAD_UNTAGGED,  /* no right tag: forged or not ours */
};

struct payload_finding {
	enum payload_verdict verdict;
	bool tagged;              /* the sequence below stands under a right tag */
	uint64_t sequence;        /* the tagged sequence; 0 when not tagged */
	uint64_t other_sequence;  /* PAYLOAD_MIXED: the request that the strange part belongs to */
	uint32_t difference_at;   /* PAYLOAD_CORRUPT, PAYLOAD_MIXED: first byte that differs */
};

/*
 * Prepares a plan from its first six members. fixed_length must be 1..16 for PAYLOAD_FIXED.
 */
void payload_plan_init(struct payload_plan *plan);

/* Whether requests of this plan carry sequence and tag (bytes >= 16). */
static inline bool payload_is_tagged(const struct payload_plan *plan)
{
	return plan->bytes >= PAYLOAD_TAGGED_BYTES;
}

/*
 * Writes plan->bytes bytes of data for the request and returns their ones'-complement sum
 * folded to 16 bits, as struct wire_format's finish wants it. One pass, 64-bit words; for the
 * distinct and fixed patterns the sum costs no second look at the data.
 */
uint16_t payload_write(const struct payload_plan *plan, uint64_t sequence, uint8_t *data);

/*
 * Reads the tag only: true, and the sequence, if data (length bytes) starts with a sequence
 * under a right tag. The comparison takes the same time for every wrong tag. Used for the
 * requests that ICMP errors quote, of which 16 bytes may be there or not.
 */
bool payload_read_tag(const struct payload_plan *plan, const uint8_t *data, size_t length,
		      uint64_t *sequence);

/*
 * Judges the data of a reply: length bytes at data were received, of full_length that the reply
 * claims. For untagged plans (fewer than 16 bytes) fallback_sequence, found by source,
 * identifier and 16-bit sequence, says which request to compare with; 0 when none was found.
 * A reply too short to carry the tag that was sent is PAYLOAD_TRUNCATED with tagged == false.
 * last_sequence is the highest sequence sent so far: a strange word is PAYLOAD_MIXED only if it
 * reads back as a sequence in 1..last_sequence.
 */
void payload_check(const struct payload_plan *plan, const uint8_t *data, uint32_t length,
		   uint32_t full_length, uint64_t fallback_sequence, uint64_t last_sequence,
		   struct payload_finding *finding);

#endif
