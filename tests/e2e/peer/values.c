/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The readers of values that several words of the script language share, see values.h.
 */
#include "values.h"

#include <stdlib.h>

bool value_refused(struct words *words, const char *name, const char *value)
{
	if (!value)
		return words_fail(words, "%s needs a value", name);
	return words_fail(words, "%s: cannot use \"%s\"", name, value);
}

bool value_nothing(struct words *words, const struct action_word *word, struct operation *operation)
{
	(void)words;
	(void)word;
	(void)operation;
	return true;
}

bool value_number(struct words *words, const struct action_word *word, struct operation *operation)
{
	const char *value = words_take(words);

	return (value && text_number(value, word->low, word->high, &operation->a)) ||
	       value_refused(words, word->name, value);
}

bool value_relative(struct words *words, const struct action_word *word,
		    struct operation *operation)
{
	const char *value = words_take(words);

	return (value && text_relative(value, word->high, &operation->a, &operation->relative)) ||
	       value_refused(words, word->name, value);
}

bool value_time(struct words *words, const struct action_word *word, struct operation *operation)
{
	const char *value = words_take(words);

	return (value && text_time(value, &operation->a)) ||
	       value_refused(words, word->name, value);
}

bool value_time_range(struct words *words, const struct action_word *word,
		      struct operation *operation)
{
	const char *value = words_take(words);

	return (value && text_time_range(value, &operation->a, &operation->b) &&
		operation->b != RANGE_OPEN) ||
	       value_refused(words, word->name, value);
}

bool value_ranges(struct words *words, const struct action_word *word, struct operation *operation)
{
	const char *value = words_take(words);

	operation->ranges = calloc(1, sizeof(*operation->ranges));
	return (value && operation->ranges && text_ranges(value, operation->ranges)) ||
	       value_refused(words, word->name, value);
}

bool value_hex(struct words *words, const struct action_word *word, struct operation *operation)
{
	const char *value = words_take(words);

	return (value && text_hex(value, &operation->bytes, &operation->length) &&
		operation->length <= (size_t)word->high) ||
	       value_refused(words, word->name, value);
}

bool value_wrong(struct words *words, const struct action_word *word, struct operation *operation)
{
	const char *value = words_peek(words);

	if (value && ((*value >= '0' && *value <= '9') || *value == '+' || *value == '-'))
		return value_relative(words, word, operation);
	operation->a = 1;
	operation->relative = true;
	return true;
}

bool value_addresses(struct words *words, const struct action_word *word,
		     struct operation *operation)
{
	struct address address;

	operation->addresses = calloc(OPERATION_VALUES_MAX, sizeof(address));
	if (!operation->addresses)
		return words_fail(words, "out of memory");
	while (operation->count < (int)word->high && words_peek(words) &&
	       address_parse(words_peek(words), &address)) {
		operation->addresses[operation->count++] = address;
		words_take(words);
	}
	if (operation->count > 0 || operation->kind == OPERATION_WRONG_SOURCE)
		return true; /* "wrong source" alone: make.c alters the right one */
	return value_refused(words, word->name, words_peek(words));
}
