/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * format_escape: text from outside made harmless. It decides byte by byte what a terminal or a
 * log may see, so it decodes UTF-8 strictly (RFC 3629: no overlong forms, no surrogates, nothing
 * above U+10FFFF): what a lax decoder would let through is how escapes get past filters.
 */
#include "base/format.h"

#include <string.h>

#define ESCAPED_LENGTH 4u /* \xNN */
static const char cut_mark[] = "...";

struct range {
	uint32_t first, last;
};

/* Characters that take no room or change how others are shown. */
static const struct range unseen[] = {
	{0x80, 0x9f},       /* C1 controls */
	{0xad, 0xad},       /* soft hyphen */
	{0x61c, 0x61c},     /* Arabic letter mark */
	{0x180e, 0x180e},   /* Mongolian vowel separator */
	{0x200b, 0x200f},   /* zero width, direction marks */
	{0x2028, 0x202e},   /* line and paragraph separators, embeddings, overrides */
	{0x2060, 0x206f},   /* joiners, isolates */
	{0xfdd0, 0xfdef},   /* noncharacters */
	{0xfeff, 0xfeff},   /* byte order mark */
	{0xfff0, 0xfffb},   /* specials, interlinear annotation */
	{0xe0000, 0xe0fff}, /* tags, variation selectors */
};

static bool is_shown(uint32_t character)
{
	if ((character & 0xfffe) == 0xfffe)
		return false;
	for (size_t i = 0; i < ARRAY_LENGTH(unseen); i++) {
		if (character >= unseen[i].first && character <= unseen[i].last)
			return false;
	}
	return true;
}

/* Bytes of the printable character of more than one byte at `bytes`, or 0 if there is none. */
static size_t wide_character(const unsigned char *bytes, size_t length)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t character;
	size_t size;

	if (bytes[0] >= 0xc2 && bytes[0] <= 0xdf)
		size = 2;
	else if (bytes[0] >= 0xe0 && bytes[0] <= 0xef)
		size = 3;
	else if (bytes[0] >= 0xf0 && bytes[0] <= 0xf4)
		size = 4;
	else
		return 0;
	if (size > length)
		return 0;
	character = bytes[0] & (0x7fu >> size);
	for (size_t i = 1; i < size; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		character = character << 6 | (bytes[i] & 0x3fu);
	}
	if (character < least[size] || (character >= 0xd800 && character <= 0xdfff) ||
	    character > 0x10ffff || !is_shown(character))
		return 0;
	return size;
}

/* Makes the next piece of output; how many bytes of input it stands for. */
static size_t next_piece(const unsigned char *bytes, size_t length, char piece[static 4],
			 size_t *piece_length)
{
	static const char digits[] = "0123456789abcdef";
	size_t size = 1;

	if (bytes[0] < 0x80) {
		if (bytes[0] >= 0x20 && bytes[0] != 0x7f && bytes[0] != '\\') {
			piece[0] = (char)bytes[0];
			*piece_length = 1;
			return 1;
		}
	} else {
		size = wide_character(bytes, length);
		if (size > 0) {
			memcpy(piece, bytes, size);
			*piece_length = size;
			return size;
		}
	}
	piece[0] = '\\';
	piece[1] = 'x';
	piece[2] = digits[bytes[0] >> 4];
	piece[3] = digits[bytes[0] & 0xf];
	*piece_length = ESCAPED_LENGTH;
	return 1;
}

size_t format_escape(const char *bytes, size_t length, char *text, size_t size)
{
	const unsigned char *at = (const unsigned char *)bytes;
	size_t mark_length = sizeof(cut_mark) - 1;
	size_t used = 0, cut_at = 0;

	if (size == 0)
		return 0;
	while (length > 0) {
		char piece[ESCAPED_LENGTH];
		size_t piece_length, taken = next_piece(at, length, piece, &piece_length);

		if (used + piece_length >= size) {
			/* Back to the last place that leaves room for the mark, if there is one. */
			used = cut_at;
			if (used + mark_length < size) {
				memcpy(text + used, cut_mark, mark_length);
				used += mark_length;
			}
			break;
		}
		memcpy(text + used, piece, piece_length);
		used += piece_length;
		if (used + mark_length < size)
			cut_at = used;
		at += taken;
		length -= taken;
	}
	text[used] = '\0';
	return used;
}
