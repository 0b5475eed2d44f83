/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The three texts have one form: numbers between blanks, on lines. One reader takes a number and
 * refuses what does not fit into 64 bits; the rest counts fields.
 */
#include "core/load_text.h"

#define STEAL_FIELD 8 /* behind "cpu": user nice system idle iowait irq softirq steal */

struct reader {
	const char *text;
	size_t length;
	size_t at;
};

static bool is_blank(char character)
{
	return character == ' ' || character == '\t';
}

static int digit_of(char character, unsigned base)
{
	int digit = -1;

	if (character >= '0' && character <= '9')
		digit = character - '0';
	else if (character >= 'a' && character <= 'f')
		digit = character - 'a' + 10;
	return digit < (int)base ? digit : -1;
}

static bool read_number(struct reader *reader, unsigned base, uint64_t *number)
{
	size_t start;

	while (reader->at < reader->length && is_blank(reader->text[reader->at]))
		reader->at++;
	start = reader->at;
	*number = 0;
	for (; reader->at < reader->length; reader->at++) {
		int digit = digit_of(reader->text[reader->at], base);

		if (digit < 0)
			break;
		if (__builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, (uint64_t)digit, number))
			return false;
	}
	if (reader->at == start)
		return false;
	/* A number ends at a blank, at the end of its line, or with the text. */
	return reader->at == reader->length || is_blank(reader->text[reader->at]) ||
	       reader->text[reader->at] == '\n';
}

static void skip_line(struct reader *reader)
{
	while (reader->at < reader->length && reader->text[reader->at] != '\n')
		reader->at++;
	if (reader->at < reader->length)
		reader->at++;
}

bool load_text_steal(const char *text, size_t length, uint64_t *ticks)
{
	struct reader reader = {text, length, 0};

	while (reader.length - reader.at >= 4) {
		const char *line = text + reader.at;

		if (line[0] == 'c' && line[1] == 'p' && line[2] == 'u' && is_blank(line[3])) {
			reader.at += 3;
			for (int field = 0; field < STEAL_FIELD; field++)
				if (!read_number(&reader, 10, ticks))
					return false;
			return true;
		}
		skip_line(&reader);
	}
	return false;
}

bool load_text_softnet_drops(const char *text, size_t length, uint64_t *drops)
{
	struct reader reader = {text, length, 0};
	uint64_t packets, dropped;

	*drops = 0;
	while (reader.at < length) {
		if (!read_number(&reader, 16, &packets) || !read_number(&reader, 16, &dropped))
			return false;
		*drops += dropped;
		skip_line(&reader);
	}
	return length > 0;
}

bool load_text_run_delay(const char *text, size_t length, uint64_t *delay_ns)
{
	struct reader reader = {text, length, 0};
	uint64_t ran_ns;

	return read_number(&reader, 10, &ran_ns) && read_number(&reader, 10, delay_ns);
}
