/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words before the colon of a rule: what it is for. All conditions of a rule must hold. A
 * condition that the kind of rule cannot know (the size of a datagram whose fragments are still
 * arriving) is refused here.
 */
#include "script.h"

#include <string.h>

struct condition_word {
	const char *name;
	enum condition_kind kind;
	/* R ranges, A address/prefix, T time range, P probability, K every, 4 and 6 families */
	char value;
	bool fragments; /* known before the datagram is whole */
};

static const struct condition_word condition_words[] = {
	{"request", CONDITION_REQUEST, 'R', true}, {"every", CONDITION_EVERY, 'K', true},
	{"chance", CONDITION_CHANCE, 'P', true},   {"sequence", CONDITION_SEQUENCE, 'R', false},
	{"id", CONDITION_ID, 'R', false},	   {"dst", CONDITION_DESTINATION, 'A', true},
	{"src", CONDITION_SOURCE, 'A', true},	   {"ipv4", CONDITION_FAMILY, '4', true},
	{"ipv6", CONDITION_FAMILY, '6', true},	   {"size", CONDITION_SIZE, 'R', false},
	{"packet", CONDITION_PACKET, 'R', false},  {"fragments", CONDITION_FRAGMENTS, 'R', false},
	{"time", CONDITION_TIME, 'T', true},	   {"df", CONDITION_DONT_FRAGMENT, '-', true},
};

static bool read_every(struct words *words, struct condition *condition)
{
	const char *value = words_take(words);

	if (!value || !text_number(value, 1, INT32_MAX, &condition->a))
		return words_fail(words, "every takes a number from 1");
	if (!words_take_if(words, "offset"))
		return true;
	value = words_take(words);
	if (!value || !text_number(value, 0, condition->a - 1, &condition->b))
		return words_fail(words, "offset takes a number below that of every");
	return true;
}

static bool read_value(struct words *words, const struct condition_word *word,
		       struct condition *condition)
{
	const char *value;
	bool right = false;

	if (word->value == '4' || word->value == '6' || word->value == '-') {
		condition->a = word->value - '0';
		return true;
	}
	if (word->value == 'K')
		return read_every(words, condition);
	value = words_take(words);
	if (!value || strcmp(value, ":") == 0)
		return words_fail(words, "%s needs a value", word->name);
	if (word->value == 'R')
		right = text_ranges(value, &condition->ranges);
	else if (word->value == 'A')
		right = address_parse_prefix(value, &condition->address, &condition->prefix);
	else if (word->value == 'T')
		right = text_time_range(value, &condition->a, &condition->b);
	else if (word->value == 'P')
		right = text_probability(value, &condition->a);
	return right || words_fail(words, "%s: cannot read \"%s\"", word->name, value);
}

static bool read_condition(struct words *words, struct rule *rule)
{
	struct condition *condition;
	const char *name;

	if (words_take_if(words, ",") || words_take_if(words, "and") ||
	    words_take_if(words, "all") || words_take_if(words, "default"))
		return true;
	if (rule->conditions == RULE_CONDITIONS_MAX)
		return words_fail(words, "more than %d conditions", RULE_CONDITIONS_MAX);
	condition = &rule->condition[rule->conditions++];
	condition->negated = words_take_if(words, "not");
	name = words_take(words);
	for (size_t i = 0; name && i < sizeof(condition_words) / sizeof(condition_words[0]); i++) {
		const struct condition_word *word = &condition_words[i];

		if (strcmp(name, word->name) != 0)
			continue;
		if (rule->kind != RULE_REQUEST && !word->fragments)
			return words_fail(words, "%s is for whole requests only", name);
		condition->kind = word->kind;
		return read_value(words, word, condition);
	}
	return words_fail(words, "unknown condition \"%s\"", name ? name : "");
}

/*
 * "fragment first", "fragment rest", "fragment last", "fragment any", "fragment 2,4-": which
 * fragments
 */
static bool read_fragment_head(struct words *words, struct rule *rule)
{
	const char *which = words_take(words);

	rule->kind = RULE_FRAGMENT;
	if (!which)
		return words_fail(words, "fragment needs first, rest, last, any or numbers");
	rule->first = strcmp(which, "first") == 0;
	rule->rest = strcmp(which, "rest") == 0;
	rule->last = strcmp(which, "last") == 0;
	if (rule->first || rule->rest || rule->last)
		return true;
	if (!text_ranges(strcmp(which, "any") == 0 ? "all" : which, &rule->fragments))
		return words_fail(words, "fragment: cannot read \"%s\"", which);
	return true;
}

bool conditions_read(struct words *words, struct rule *rule, int end)
{
	const char *value;

	if (words_take_if(words, "fragment")) {
		if (!read_fragment_head(words, rule))
			return false;
	} else if (words_take_if(words, "incomplete")) {
		rule->kind = RULE_INCOMPLETE;
	} else if (words_take_if(words, "at")) {
		rule->kind = RULE_AT;
		value = words_take(words);
		if (!value || !text_time(value, &rule->at_ns) || words->at != end)
			return words_fail(words, "at takes one time and nothing else");
		return true;
	}
	while (words->at < end) {
		if (!read_condition(words, rule))
			return false;
	}
	if (words->at != end)
		return words_fail(words, "a value is missing before the colon");
	return true;
}
