/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of the kernel's two forms of counter text. /proc/net/snmp has pairs of lines, names and
 * values of one protocol; /proc/net/snmp6 has a name and a value on each line, with the protocol
 * in front of the name. Both come out as "Protocol.Name", so that the rest of the program need not
 * know of the difference.
 */
#include "core/kernel_counters.h"

#include <string.h>

/* A piece of the text; the text is not ended by a NUL. */
struct span {
	const char *at;
	size_t length;
};

/* Whether the span starts with the other one. */
static bool starts_with(struct span span, struct span start)
{
	return span.length >= start.length && memcmp(span.at, start.at, start.length) == 0;
}

/* Takes the next line off the text, without its newline; false at the end. */
static bool take_line(struct span *text, struct span *line)
{
	size_t end = 0;

	if (text->length == 0)
		return false;
	while (end < text->length && text->at[end] != '\n')
		end++;
	*line = (struct span){text->at, end};
	if (end < text->length)
		end++;
	text->at += end;
	text->length -= end;
	return true;
}

static bool is_blank(char character)
{
	return character == ' ' || character == '\t' || character == '\r';
}

/* Takes the next word off the line; false when there is none. */
static bool take_word(struct span *line, struct span *word)
{
	while (line->length > 0 && is_blank(*line->at)) {
		line->at++;
		line->length--;
	}
	word->at = line->at;
	word->length = 0;
	while (line->length > 0 && !is_blank(*line->at)) {
		word->length++;
		line->at++;
		line->length--;
	}
	return word->length > 0;
}

static bool read_value(struct span word, uint64_t *value)
{
	uint64_t result = 0;

	for (size_t i = 0; i < word.length; i++) {
		unsigned digit = (unsigned)(word.at[i] - '0');

		if (digit > 9 || result > (UINT64_MAX - digit) / 10)
			return false;
		result = result * 10 + digit;
	}
	*value = result;
	return word.length > 0;
}

static void add(struct kernel_counters *counters, struct span protocol, struct span name,
		struct span value)
{
	struct kernel_counter *counter;

	if (counters->count >= KERNEL_COUNTERS_MAX ||
	    name.length >= KERNEL_COUNTER_NAME - protocol.length - 1)
		return;
	counter = &counters->counters[counters->count];
	if (!read_value(value, &counter->value))
		return;
	memcpy(counter->name, protocol.at, protocol.length);
	counter->name[protocol.length] = '.';
	memcpy(counter->name + protocol.length + 1, name.at, name.length);
	counter->name[protocol.length + 1 + name.length] = '\0';
	counters->count++;
}

void kernel_counters_parse_snmp(struct kernel_counters *counters, const char *text, size_t length)
{
	static const struct span wanted[] = {{"Ip:", 3}, {"Icmp:", 5}, {"IcmpMsg:", 8}};
	struct span rest = {text, length};
	struct span names, values, word, name, value;

	while (take_line(&rest, &names)) {
		bool is_wanted = false;

		if (!take_word(&names, &word))
			continue;
		for (size_t i = 0; i < ARRAY_LENGTH(wanted); i++)
			is_wanted |=
				word.length == wanted[i].length && starts_with(word, wanted[i]);
		/* A protocol has two lines that begin alike; one alone is left out. */
		if (!starts_with(rest, word) || !take_line(&rest, &values) || !is_wanted)
			continue;
		(void)take_word(&values, &word);
		word.length--; /* the colon */
		while (take_word(&names, &name) && take_word(&values, &value))
			add(counters, word, name, value);
	}
}

void kernel_counters_parse_snmp6(struct kernel_counters *counters, const char *text, size_t length)
{
	static const struct span protocols[] = {{"Ip6", 3}, {"Icmp6", 5}};
	struct span rest = {text, length};
	struct span line, name, value;

	while (take_line(&rest, &line)) {
		if (!take_word(&line, &name) || !take_word(&line, &value))
			continue;
		for (size_t i = 0; i < ARRAY_LENGTH(protocols); i++) {
			size_t prefix = protocols[i].length;

			if (!starts_with(name, protocols[i]) || name.length == prefix)
				continue;
			name.at += prefix;
			name.length -= prefix;
			add(counters, protocols[i], name, value);
			break;
		}
	}
}

bool kernel_counters_find(const struct kernel_counters *counters, const char *name, uint64_t *value)
{
	for (uint32_t i = 0; i < counters->count; i++) {
		const char *known = counters->counters[i].name;
		size_t at = 0;

		while (known[at] != '\0' && known[at] == name[at])
			at++;
		if (known[at] == name[at]) {
			*value = counters->counters[i].value;
			return true;
		}
	}
	return false;
}
