/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wrapping for the text report. Widths are counted in characters, not bytes, since names may be
 * any UTF-8; wide characters are taken as one column, which no figure contains.
 */
#include "report/lines.h"

#include <stdarg.h>
#include <string.h>

#define LINES_INDENT 12u
#define LINES_WIDTH  79u /* the separator's comma may follow in column 80 */
#define LINES_HANG   2u	 /* further lines of one long piece */
#define PIECE_LENGTH 1024u

static unsigned columns_of(const char *text)
{
	unsigned columns = 0;

	for (; *text != '\0'; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

static void put(struct lines *lines, const char *text)
{
	(void)fputs(text, lines->stream);
	lines->column += columns_of(text);
}

static void indent(struct lines *lines, unsigned columns)
{
	(void)fprintf(lines->stream, "%*s", (int)columns, "");
	lines->column = columns;
}

void lines_open(struct lines *lines, FILE *stream, const char *label)
{
	lines->stream = stream;
	(void)fprintf(stream, "%-*s", (int)LINES_INDENT, label);
	lines->column = LINES_INDENT;
	lines->is_fresh = true;
}

void lines_break(struct lines *lines)
{
	if (lines->is_fresh)
		return;
	(void)fputc('\n', lines->stream);
	indent(lines, LINES_INDENT);
	lines->is_fresh = true;
}

/* A word that starts a figure, or a sign between two. */
static bool is_figure(const char *word)
{
	if (*word == '(' || *word == '+')
		word++;
	return (*word >= '0' && *word <= '9') || *word == ' ' || *word == '\0';
}

/* Whether a line may end behind the word before `next`: no figure is cut from what it counts. */
static bool may_break(const char *word, size_t length, const char *next)
{
	char last = word[length - 1];

	if (last == ',' || last == ';' || last == ':' || last == ')')
		return true;
	return !is_figure(word) && !is_figure(next);
}

/* Bytes of the words at the start of text that stay on one line. */
static size_t chunk_length(const char *text)
{
	size_t start = 0, end = strcspn(text, " ");

	while (text[end] != '\0' && end > start &&
	       !may_break(text + start, end - start, text + end + 1)) {
		start = end + 1;
		end = start + strcspn(text + start, " ");
	}
	return end;
}

/* Puts text chunk by chunk; what does not fit goes on under it, `hang` columns further in. */
static void put_words(struct lines *lines, const char *separator, char *text, unsigned hang)
{
	while (*text != '\0') {
		size_t length = chunk_length(text);
		char end = text[length];

		text[length] = '\0';
		if (lines->is_fresh ||
		    lines->column + columns_of(separator) + columns_of(text) <= LINES_WIDTH) {
			put(lines, lines->is_fresh ? "" : separator);
		} else {
			(void)fprintf(lines->stream, "%.*s\n", (int)strcspn(separator, " "),
				      separator);
			indent(lines, LINES_INDENT + hang);
		}
		put(lines, text);
		lines->is_fresh = false;
		separator = " ";
		text += length + (end != '\0');
	}
}

void lines_prose(struct lines *lines, const char *separator, const char *format, ...)
{
	char text[PIECE_LENGTH];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	put_words(lines, separator, text, 0);
}

void lines_add(struct lines *lines, const char *separator, const char *format, ...)
{
	char piece[PIECE_LENGTH];
	va_list arguments;
	size_t kept;

	va_start(arguments, format);
	(void)vsnprintf(piece, sizeof(piece), format, arguments);
	va_end(arguments);
	if (!lines->is_fresh) {
		if (lines->column + columns_of(separator) + columns_of(piece) <= LINES_WIDTH) {
			put(lines, separator);
		} else {
			kept = strcspn(separator, " ");
			(void)fprintf(lines->stream, "%.*s", (int)kept, separator);
			lines_break(lines);
		}
	}
	if (lines->column + columns_of(piece) > LINES_WIDTH) {
		lines->is_fresh = true;
		put_words(lines, "", piece, LINES_HANG);
	} else {
		put(lines, piece);
	}
	lines->is_fresh = false;
}

void lines_close(struct lines *lines)
{
	(void)fputc('\n', lines->stream);
}
