/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The payload's judgement against a plain model of it: data of one or two requests is written, cut
 * up and damaged as the input says, and the verdict must be the one that comparing byte by byte
 * with what was sent gives.
 *
 * Input: pattern, period, size (2 bytes), length (2), full length beyond it (1), request (8), other
 * request (8), highest sequence (8), where the other one begins (2), then what damages the data.
 */
#include <string.h>

#include "core/checksum.h"
#include "core/payload.h"
#include "fuzz/require.h"

#define DATA_MAX   4096u
#define LENGTH_MAX (DATA_MAX + 64u)

struct attempt {
	struct payload_plan plan;
	uint32_t length;
	uint32_t full_length;
	uint64_t sequence;
	uint64_t other;
	uint64_t last;
	uint8_t *data;		/* as it arrived, exactly length bytes */
	uint8_t sent[DATA_MAX]; /* of the request that the data claims to be, or is taken for */
};

static void read_attempt(struct attempt *attempt, struct input *input)
{
	attempt->plan.pattern = (enum payload_pattern)(input_take(input, 1) % 3);
	attempt->plan.fixed_length = 1 + (uint32_t)input_take(input, 1) % PAYLOAD_FIXED_MAX;
	attempt->plan.bytes = (uint32_t)input_take(input, 2) % (DATA_MAX + 1);
	attempt->length = (uint32_t)input_take(input, 2) % (LENGTH_MAX + 1);
	attempt->full_length = attempt->length + (uint32_t)input_take(input, 1);
	attempt->sequence = input_take(input, 8);
	attempt->other = input_take(input, 8);
	attempt->last = input_take(input, 8);
	for (unsigned int i = 0; i < PAYLOAD_KEY_BYTES; i++) {
		attempt->plan.key[i] = (uint8_t)(i * 29 + 1);
		attempt->plan.fixed[i] = (uint8_t)(i * i + attempt->plan.fixed_length);
	}
	payload_plan_init(&attempt->plan);
}

/* What arrives: the request's data, the other's from some place on, then the input's own bytes. */
static void make_data(struct attempt *attempt, struct input *input)
{
	static uint8_t whole[LENGTH_MAX];
	static uint8_t strange[DATA_MAX];
	uint32_t bytes = attempt->plan.bytes;
	uint32_t from = (uint32_t)input_take(input, 2);
	uint16_t sum;

	memset(whole, 0, sizeof(whole));
	sum = payload_write(&attempt->plan, attempt->sequence, whole);
	REQUIRE(sum == checksum_sum(whole, bytes), "sum of what was written");
	for (uint32_t i = bytes; i < LENGTH_MAX; i++)
		REQUIRE(whole[i] == 0, "written beyond the end");
	(void)payload_write(&attempt->plan, attempt->other, strange);
	if (from < bytes)
		memcpy(whole + from, strange + from, bytes - from);
	/* Where and what: three bytes each. */
	while (input->left >= 3) {
		uint32_t at = (uint32_t)input_take(input, 2) % LENGTH_MAX;

		whole[at] ^= (uint8_t)input_take(input, 1);
	}
	attempt->data = malloc(attempt->length + (attempt->length == 0));
	REQUIRE(attempt->data != NULL, "memory");
	memcpy(attempt->data, whole, attempt->length);
}

/* Writes into sent what should be there; false if the data names no request under a right tag. */
static bool find_request(struct attempt *attempt)
{
	uint64_t sequence = attempt->sequence;

	if (payload_is_tagged(&attempt->plan)) {
		if (attempt->length < 16)
			return false;
		sequence = 0;
		for (unsigned int i = 0; i < 8; i++)
			sequence = sequence << 8 | attempt->data[i];
	} else if (sequence == 0) {
		return false;
	}
	(void)payload_write(&attempt->plan, sequence, attempt->sent);
	return !payload_is_tagged(&attempt->plan) || memcmp(attempt->sent, attempt->data, 16) == 0;
}

static void judge(struct attempt *attempt, const struct payload_finding *finding)
{
	uint32_t bytes = attempt->plan.bytes;
	uint32_t both = bytes < attempt->length ? bytes : attempt->length;
	uint32_t at = 0;

	if (payload_is_tagged(&attempt->plan) && attempt->length < 16) {
		REQUIRE(finding->verdict == PAYLOAD_TRUNCATED && !finding->tagged,
			"no room for a tag");
		return;
	}
	if (!find_request(attempt)) {
		REQUIRE(finding->verdict == PAYLOAD_UNTAGGED && !finding->tagged, "no tag");
		return;
	}
	REQUIRE(finding->tagged == payload_is_tagged(&attempt->plan), "tagged");
	while (at < both && attempt->data[at] == attempt->sent[at])
		at++;
	if (at < both) {
		REQUIRE(finding->difference_at == at, "differs at %u, not %u", at,
			finding->difference_at);
		REQUIRE(finding->verdict == PAYLOAD_CORRUPT || finding->verdict == PAYLOAD_MIXED,
			"verdict %d", (int)finding->verdict);
	} else if (both < bytes) {
		REQUIRE(finding->verdict == PAYLOAD_TRUNCATED, "verdict %d", (int)finding->verdict);
	} else {
		REQUIRE(finding->verdict ==
				(attempt->full_length > bytes ? PAYLOAD_CORRUPT : PAYLOAD_RIGHT),
			"verdict %d", (int)finding->verdict);
	}
}

/* A strange word's request is one that was sent, and really has this word there. */
static void judge_mixed(const struct attempt *attempt, const struct payload_finding *finding)
{
	static uint8_t other[DATA_MAX];
	uint32_t word = finding->difference_at / 8 * 8;

	if (finding->verdict != PAYLOAD_MIXED) {
		REQUIRE(finding->other_sequence == 0, "other request without a mix");
		return;
	}
	REQUIRE(finding->other_sequence >= 1 && finding->other_sequence <= attempt->last,
		"never sent");
	REQUIRE(attempt->plan.pattern != PAYLOAD_FIXED, "a fixed pattern tells nothing");
	(void)payload_write(&attempt->plan, finding->other_sequence, other);
	REQUIRE(memcmp(other + word, attempt->data + word, 8) == 0, "not the other one's word");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};
	struct attempt attempt = {.data = NULL};
	struct payload_finding finding;
	uint64_t sequence = 0;
	bool tagged;

	read_attempt(&attempt, &input);
	make_data(&attempt, &input);
	memset(&finding, 0xff, sizeof(finding));
	payload_check(&attempt.plan, attempt.data, attempt.length, attempt.full_length,
		      attempt.sequence, attempt.last, &finding);
	judge(&attempt, &finding);
	judge_mixed(&attempt, &finding);
	tagged = payload_read_tag(&attempt.plan, attempt.data, attempt.length, &sequence);
	REQUIRE(tagged == finding.tagged && sequence == finding.sequence, "tag");
	free(attempt.data);
	return 0;
}
