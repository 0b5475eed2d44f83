/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From text to rules: cut the text into statements and words, tell settings from rules, find the
 * colon. What the words mean is in conditions.c and actions.c. Mistakes are errors, never
 * ignored: a test whose script is misread would prove nothing.
 */
#include "script.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *words_peek(const struct words *words)
{
	return words->at < words->count ? words->word[words->at] : NULL;
}

const char *words_take(struct words *words)
{
	return words->at < words->count ? words->word[words->at++] : NULL;
}

bool words_take_if(struct words *words, const char *word)
{
	const char *next = words_peek(words);

	if (!next || strcmp(next, word) != 0)
		return false;
	words->at++;
	return true;
}

bool words_fail(struct words *words, const char *format, ...)
{
	char *text = words->script->error;
	int used = snprintf(text, SCRIPT_ERROR_TEXT, "%s:%d: ", words->file, words->line);
	va_list arguments;

	va_start(arguments, format);
	if (used > 0 && used < SCRIPT_ERROR_TEXT)
		vsnprintf(text + used, (size_t)(SCRIPT_ERROR_TEXT - used), format, arguments);
	va_end(arguments);
	return false;
}

/* Cut a statement into words; a comma or | at the end of a word becomes a word of its own. */
static bool cut_words(struct words *words, char *text)
{
	static char comma[] = ",", bar[] = "|", colon[] = ":";

	words->count = words->at = 0;
	for (char *word = strtok(text, " \t\r"); word; word = strtok(NULL, " \t\r")) {
		size_t length = strlen(word);
		char last = word[length - 1];
		char *mark = last == ',' ? comma : last == '|' ? bar : NULL;

		/* fd00:: is an address, "4:" the end of a match */
		if (last == ':' && (length == 1 || word[length - 2] != ':'))
			mark = colon;
		if (words->count + 2 > (int)(sizeof(words->word) / sizeof(words->word[0])))
			return words_fail(words, "too many words in one statement");
		if (mark)
			word[length - 1] = '\0';
		if (*word)
			words->word[words->count++] = word;
		if (mark)
			words->word[words->count++] = mark;
	}
	return true;
}

static int find_colon(const struct words *words)
{
	for (int i = 0; i < words->count; i++) {
		if (strcmp(words->word[i], ":") == 0)
			return i;
	}
	return -1;
}

/* seed, reassembly, router: *read tells whether the statement was one of them. */
static bool read_setting(struct words *words, bool *read)
{
	struct script *script = words->script;
	struct address address;
	const char *name = words_peek(words), *value;

	*read = strcmp(name, "seed") == 0 || strcmp(name, "reassembly") == 0 ||
		strcmp(name, "router") == 0;
	if (!*read)
		return true;
	words_take(words);
	value = words_take(words);
	if (!value || words_peek(words))
		return words_fail(words, "%s takes one value", name);
	if (strcmp(name, "seed") == 0) {
		script->seed_given = true;
		return text_number(value, 0, INT64_MAX, &script->seed) ||
		       words_fail(words, "seed: \"%s\" is not a number", value);
	}
	if (strcmp(name, "reassembly") == 0)
		return (text_time(value, &script->reassembly_ns) && script->reassembly_ns > 0) ||
		       words_fail(words, "reassembly: \"%s\" is not a time such as 200ms", value);
	if (!address_parse(value, &address))
		return words_fail(words, "router: \"%s\" is not an address", value);
	*(address.family == 4 ? &script->router4 : &script->router6) = address;
	return true;
}

static bool read_statement(struct words *words, char *text)
{
	struct script *script = words->script;
	struct rule *rule;
	bool setting;
	int colon;

	if (!cut_words(words, text))
		return false;
	if (words->count == 0)
		return true;
	colon = find_colon(words);
	if (colon < 0) {
		if (!read_setting(words, &setting))
			return false;
		if (setting)
			return true;
	}
	if (script->count == SCRIPT_RULES_MAX)
		return words_fail(words, "more than %d rules", SCRIPT_RULES_MAX);
	rule = calloc(1, sizeof(*rule));
	if (!rule)
		return words_fail(words, "out of memory");
	script->rule[script->count++] = rule;
	rule->line = words->line;
	if (colon >= 0) {
		if (!conditions_read(words, rule, colon))
			return false;
		words->at = colon + 1;
	}
	return actions_read(words, rule);
}

/* One line: without its comment, statements parted by semicolons. */
static bool read_line(struct words *words, char *line)
{
	line[strcspn(line, "#")] = '\0';
	while (line) {
		char *next = strchr(line, ';');

		if (next)
			*next++ = '\0';
		if (!read_statement(words, line))
			return false;
		line = next;
	}
	return true;
}

/*
 * A line that ends with a comma, a bar or a backslash goes on in the next one: true if so, with the
 * backslash made a space. A comment ends its line before that.
 */
static bool goes_on(char *line)
{
	size_t length = strcspn(line, "#");
	char last;

	while (length > 0 && strchr(" \t\r", line[length - 1]))
		length--;
	last = length > 0 ? line[length - 1] : '\0';
	if (last == '\\')
		line[length - 1] = ' ';
	return last == ',' || last == '|' || last == '\\';
}

int script_read(struct script *script, const char *file, char *text)
{
	struct words words = {.script = script, .file = file};
	int line = 0;

	while (text) {
		char *start = text, *next;

		words.line = ++line;
		while ((next = strchr(text, '\n')) != NULL) {
			*next = '\0';
			if (!goes_on(text)) {
				text = next + 1;
				break;
			}
			/* joined: what was a comment is blanked, and the end of the line too */
			memset(text + strcspn(text, "#"), ' ',
			       (size_t)(next - text) - strcspn(text, "#"));
			*next = ' ';
			text = next + 1;
			line++;
		}
		if (!next)
			text = NULL;
		if (!read_line(&words, start))
			return -1;
	}
	return 0;
}

void script_free(struct script *script)
{
	for (int i = 0; i < script->count; i++) {
		struct rule *rule = script->rule[i];

		for (int j = 0; j < rule->answers * ANSWER_OPERATIONS_MAX; j++) {
			struct answer *answer = &rule->answer[j / ANSWER_OPERATIONS_MAX];
			struct operation *operation = &answer->operation[j % ANSWER_OPERATIONS_MAX];

			free(operation->times);
			free(operation->addresses);
			free(operation->ranges);
			free(operation->bytes);
		}
		free(rule);
	}
	script->count = 0;
}
