/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words behind the colon of a rule: one table of words, each with the reader of its values.
 * The words are flat (no nesting, commas only for the eye), so that "error type 3 code 4 mtu 1400
 * quote 28" needs no grammar of its own: every word says one thing about the answer.
 */
#include "values.h"

#include <stdlib.h>
#include <string.h>

/* repeat N, or repeat at T T T */
static bool read_repeat(struct words *words, const struct action_word *word,
			struct operation *operation)
{
	if (!words_take_if(words, "at"))
		return value_number(words, word, operation);
	operation->kind = OPERATION_REPEAT_AT;
	operation->times = calloc(OPERATION_VALUES_MAX, sizeof(*operation->times));
	if (!operation->times)
		return words_fail(words, "out of memory");
	while (operation->count < OPERATION_VALUES_MAX && words_peek(words) &&
	       text_time(words_peek(words), &operation->times[operation->count])) {
		words_take(words);
		operation->count++;
	}
	return operation->count > 0 || value_refused(words, "repeat at", words_peek(words));
}

static bool read_hold(struct words *words, const struct action_word *word,
		      struct operation *operation)
{
	if (!words_take_if(words, "until"))
		return words_fail(words, "hold is followed by until");
	return value_relative(words, word, operation);
}

/* truncate half, truncate N, truncate -N */
static bool read_truncate(struct words *words, const struct action_word *word,
			  struct operation *operation)
{
	if (words_take_if(words, "half")) {
		operation->kind = OPERATION_HALF;
		return true;
	}
	return value_relative(words, word, operation) &&
	       (!operation->relative || operation->a <= 0 ||
		words_fail(words, "truncate cannot add: see lengthen"));
}

static bool read_corrupt(struct words *words, const struct action_word *word,
			 struct operation *operation)
{
	if (!value_number(words, word, operation))
		return false;
	if (words_take_if(words, "unrepaired"))
		operation->kind = OPERATION_CORRUPT_UNREPAIRED;
	return true;
}

/* mix OFFSET [with N]; without it, the request after this one */
static bool read_mix(struct words *words, const struct action_word *word,
		     struct operation *operation)
{
	const char *value = words_take(words);

	if (!value || !text_number(value, word->low, word->high, &operation->b))
		return value_refused(words, "mix", value);
	operation->a = 1;
	operation->relative = true;
	words->script->keeps_requests = true;
	return !words_take_if(words, "with") || value_relative(words, word, operation);
}

static bool read_quote(struct words *words, const struct action_word *word,
		       struct operation *operation)
{
	if (words_take_if(words, "full")) {
		operation->a = PACKET_MAX;
		return true;
	}
	return value_number(words, word, operation);
}

static bool read_set(struct words *words, const struct action_word *word,
		     struct operation *operation)
{
	return value_number(words, word, operation) && value_hex(words, word, operation);
}

static bool read_order(struct words *words, const struct action_word *word,
		       struct operation *operation)
{
	static const char *const orders[] = {"forward", "reverse", "odd-even", "random"};

	for (int i = 0; i < 4; i++) {
		if (words_take_if(words, orders[i])) {
			operation->a = i;
			return true;
		}
	}
	return value_refused(words, word->name, words_peek(words));
}

/* fragment SIZE, fragment none, fragment atomic */
static bool read_fragment(struct words *words, const struct action_word *word,
			  struct operation *operation)
{
	bool none = words_take_if(words, "none");

	if (none || words_take_if(words, "atomic")) {
		operation->kind = none ? OPERATION_FRAGMENT_NONE : OPERATION_FRAGMENT_ATOMIC;
		return true;
	}
	if (!value_number(words, word, operation))
		return false;
	return operation->a % 8 == 0 ||
	       words_fail(words, "fragment: the size must be a multiple of 8");
}

static bool read_error(struct words *words, const struct action_word *word,
		       struct operation *operation)
{
	static const char *const names[ERROR_NAMES] = {
		[ERROR_BY_NUMBER] = "type",
		[ERROR_NET_UNREACHABLE] = "net-unreachable",
		[ERROR_HOST_UNREACHABLE] = "host-unreachable",
		[ERROR_PORT_UNREACHABLE] = "port-unreachable",
		[ERROR_PROHIBITED] = "prohibited",
		[ERROR_TOO_BIG] = "too-big",
		[ERROR_TIME_EXCEEDED] = "time-exceeded",
		[ERROR_REASSEMBLY] = "reassembly-time-exceeded",
		[ERROR_PARAMETER] = "parameter-problem",
	};
	const char *value = words_peek(words);

	for (int i = 0; value && i < ERROR_NAMES; i++) {
		if (strcmp(value, names[i]) != 0)
			continue;
		operation->a = i;
		if (i != ERROR_BY_NUMBER) /* "type" is a word of its own and still to be read */
			words_take(words);
		return true;
	}
	return value_refused(words, word->name, value);
}

static bool read_two_words(struct words *words, const struct action_word *word,
			   struct operation *operation);

static const struct action_word wrong_words[] = {
	{"source", OPERATION_WRONG_SOURCE, value_addresses, 0, 1},
	{"id", OPERATION_WRONG_ID, value_wrong, 0, 65535},
	{"sequence", OPERATION_WRONG_SEQUENCE, value_wrong, 0, 65535},
	{"tag", OPERATION_WRONG_TAG, value_nothing, 0, 0},
	{"checksum", OPERATION_WRONG_CHECKSUM, value_nothing, 0, 0},
	{"header-checksum", OPERATION_WRONG_HEADER_CHECKSUM, value_nothing, 0, 0},
	{NULL, 0, NULL, 0, 0},
};

static const struct action_word send_words[] = {
	{"forged", OPERATION_FORGED, value_nothing, 0, 0},
	{"router-advertisement", OPERATION_ROUTER_ADVERTISEMENT, value_nothing, 0, 0},
	{"neighbour-advertisement", OPERATION_NEIGHBOUR_ADVERTISEMENT, value_nothing, 0, 0},
	{"neighbour-solicitation", OPERATION_NEIGHBOUR_SOLICITATION, value_nothing, 0, 0},
	{"icmp", OPERATION_ICMP, value_hex, 0, 65507},
	{"packet", OPERATION_PACKET, value_hex, 0, 65535},
	{NULL, 0, NULL, 0, 0},
};

static const struct action_word action_words[] = {
	{"reply", OPERATION_REPLY, value_nothing, 0, 0},
	{"drop", OPERATION_DROP, value_nothing, 0, 0},
	{"silent", OPERATION_DROP, value_nothing, 0, 0},
	{"error", OPERATION_ERROR, read_error, 0, 0},
	{"send", 0, read_two_words, 0, 0},
	{"stuck", OPERATION_STUCK, value_time, 0, 0},
	{"continue", OPERATION_CONTINUE, value_nothing, 0, 0},
	{"delay", OPERATION_DELAY, value_time_range, 0, 0},
	{"service", OPERATION_SERVICE, value_time, 0, 0},
	{"queue", OPERATION_QUEUE, value_number, 0, INT32_MAX},
	{"limit", OPERATION_LIMIT, value_number, 1, 1000000000},
	{"burst", OPERATION_BURST, value_number, 1, 1000000},
	{"hold", OPERATION_HOLD, read_hold, 0, INT64_MAX / 2},
	{"stall", OPERATION_STALL, value_time_range, 0, 0},
	{"repeat", OPERATION_REPEAT, read_repeat, 1, 1000000000},
	{"spacing", OPERATION_SPACING, value_time, 0, 0},
	{"every", OPERATION_SPACING, value_time, 0, 0},
	{"pause", OPERATION_PAUSE, value_time, 0, 0},
	{"truncate", OPERATION_TRUNCATE, read_truncate, 0, 65535},
	{"lengthen", OPERATION_LENGTHEN, value_number, 0, 65535},
	{"icmp-length", OPERATION_ICMP_LENGTH, value_number, 0, 65535},
	{"corrupt", OPERATION_CORRUPT, read_corrupt, 0, 65535},
	{"set", OPERATION_SET, read_set, 0, 65535},
	{"mutate", OPERATION_MUTATE, value_number, 1, 65535},
	{"mix", OPERATION_MIX, read_mix, 0, INT32_MAX},
	{"wrong", 0, read_two_words, 0, 0},
	{"id", OPERATION_WRONG_ID, value_relative, 0, 65535},
	{"sequence", OPERATION_WRONG_SEQUENCE, value_relative, 0, 65535},
	{"type", OPERATION_TYPE, value_number, 0, 255},
	{"code", OPERATION_CODE, value_number, 0, 255},
	{"mtu", OPERATION_MTU, value_number, 0, UINT32_MAX},
	{"pointer", OPERATION_POINTER, value_number, 0, UINT32_MAX},
	{"quote", OPERATION_QUOTE, read_quote, 0, PACKET_MAX},
	{"quoted-ihl", OPERATION_QUOTED_IHL, value_number, 0, 15},
	{"quoted-options", OPERATION_QUOTED_OPTIONS, value_hex, 0, 40},
	{"quoted-protocol", OPERATION_QUOTED_PROTOCOL, value_number, 0, 255},
	{"quoted-source", OPERATION_QUOTED_SOURCE, value_addresses, 0, 1},
	{"quoted-destination", OPERATION_QUOTED_DESTINATION, value_addresses, 0, 1},
	{"quoted-id", OPERATION_QUOTED_ID, value_relative, 0, 65535},
	{"quoted-sequence", OPERATION_QUOTED_SEQUENCE, value_relative, 0, 65535},
	{"quoted-offset", OPERATION_QUOTED_OFFSET, value_number, 0, 65528},
	{"quoted-length", OPERATION_QUOTED_LENGTH, value_number, 0, 65535},
	{"from", OPERATION_FROM, value_addresses, 0, OPERATION_VALUES_MAX},
	{"ttl", OPERATION_TTL, value_number, 0, 255},
	{"tos", OPERATION_TOS, value_number, 0, 255},
	{"options", OPERATION_OPTIONS, value_hex, 0, 40},
	{"fragment", OPERATION_FRAGMENT, read_fragment, 8, 65440},
	{"order", OPERATION_ORDER, read_order, 0, 0},
	{"skip", OPERATION_SKIP, value_ranges, 0, 0},
	{"twice", OPERATION_TWICE, value_ranges, 0, 0},
	{"overlap", OPERATION_OVERLAP, value_number, 8, 65440},
	{NULL, 0, NULL, 0, 0},
};

static bool read_action(struct words *words, const struct action_word *table, const char *group,
			struct operation *operation)
{
	const char *name = words_take(words);

	for (const struct action_word *word = table; name && word->name; word++) {
		if (strcmp(word->name, name) != 0)
			continue;
		operation->kind = word->kind;
		return word->read(words, word, operation);
	}
	return words_fail(words, "unknown word \"%s\"%s", name ? name : "", group);
}

static bool read_two_words(struct words *words, const struct action_word *word,
			   struct operation *operation)
{
	if (word->name[0] == 's')
		return read_action(words, send_words, " after send", operation);
	return read_action(words, wrong_words, " after wrong", operation);
}

static bool read_answer(struct words *words, struct rule *rule)
{
	struct answer *answer;

	if (rule->answers == RULE_ANSWERS_MAX)
		return words_fail(words, "more than %d answers in a rule", RULE_ANSWERS_MAX);
	answer = &rule->answer[rule->answers++];
	while (words_peek(words) && strcmp(words_peek(words), "|") != 0) {
		struct operation *operation = &answer->operation[answer->count];

		if (words_take_if(words, ","))
			continue;
		if (answer->count == ANSWER_OPERATIONS_MAX)
			return words_fail(words, "more than %d words in an answer",
					  ANSWER_OPERATIONS_MAX);
		answer->count++;
		if (!read_action(words, action_words, "", operation))
			return false;
		rule->goes_on |= operation->kind == OPERATION_CONTINUE;
	}
	return true;
}

/*
 * Rules about fragments and times have no request to answer: their answers must say what they do.
 */
static bool says_what(const struct answer *answer)
{
	for (int i = 0; i < answer->count; i++) {
		if (answer->operation[i].kind <= OPERATION_STUCK)
			return true;
	}
	return false;
}

bool actions_read(struct words *words, struct rule *rule)
{
	do {
		if (!read_answer(words, rule))
			return false;
		if (rule->kind != RULE_REQUEST && !says_what(&rule->answer[rule->answers - 1]))
			return words_fail(words, "this rule needs drop, error, send or stuck");
	} while (words_take_if(words, "|"));
	if (rule->goes_on && rule->answers > 1)
		return words_fail(words, "continue and | do not go together");
	if (rule->goes_on && rule->kind != RULE_REQUEST)
		return words_fail(words, "continue is for rules about requests");
	return true;
}
