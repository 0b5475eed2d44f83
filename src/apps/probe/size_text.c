/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of --sweep-size: items between commas, each of which is a size, a range or a word.
 */
#include "apps/probe/size_text.h"

#include <string.h>

#include "base/number.h"

#define ITEM_LENGTH 48u
#define FACTOR_MAX  1000u

static int parse_size(const char *what, const char *text, uint64_t min, uint32_t *size,
		      struct error *error)
{
	uint64_t number;
	int status = number_parse_unsigned(what, text, min, SIZE_LIST_BYTES_MAX, &number, error);

	if (status == 0)
		*size = (uint32_t)number;
	return status;
}

/* "1.5": thousandths above 1,000, or an error. */
static int parse_factor(const char *what, const char *text, uint32_t *thousandths,
			struct error *error)
{
	uint64_t value = 0, digits = 0, decimals = 0;
	bool has_point = false;

	for (const char *at = text; *at != '\0'; at++) {
		if (*at == '.' && !has_point) {
			has_point = true;
			continue;
		}
		if (*at < '0' || *at > '9' || digits == 7 || decimals == 3)
			return error_set(error, ERROR_INVALID,
					 "%s: the factor 'x%s' is no number as 2 or 1.5, with up "
					 "to three decimals",
					 what, text);
		value = 10 * value + (uint64_t)(*at - '0');
		digits++;
		decimals += has_point;
	}
	for (; decimals < 3; decimals++)
		value *= 10;
	if (digits == 0 || value <= SIZE_LIST_FACTOR_UNIT ||
	    value > (uint64_t)FACTOR_MAX * SIZE_LIST_FACTOR_UNIT)
		return error_set(error, ERROR_INVALID,
				 "%s: the factor 'x%s' must be above 1 and at most %u", what, text,
				 FACTOR_MAX);
	*thousandths = (uint32_t)value;
	return 0;
}

/* FROM:TO:STEP or FROM:TO:xF; item is taken to pieces. */
static int parse_range(struct size_list *list, const char *what, char *item, struct error *error)
{
	char *to_text = strchr(item, ':');
	char *step_text = to_text == NULL ? NULL : strchr(to_text + 1, ':');
	struct size_range range = {0};
	int status;

	if (step_text == NULL)
		return error_set(error, ERROR_INVALID,
				 "%s: '%s' is no range: FROM:TO:STEP or FROM:TO:xFACTOR", what,
				 item);
	*to_text++ = '\0';
	*step_text++ = '\0';
	status = parse_size(what, item, 0, &range.from, error);
	if (status == 0)
		status = parse_size(what, to_text, 0, &range.to, error);
	if (status == 0 && step_text[0] == 'x')
		status = parse_factor(what, step_text + 1, &range.factor, error);
	else if (status == 0)
		status = parse_size(what, step_text, 1, &range.step, error);
	if (status < 0)
		return status;
	return size_list_add_range(list, what, &range, error);
}

static int parse_item(struct size_list *list, const char *what, char *item, struct error *error)
{
	uint32_t size = 0;
	int status;

	if (strcmp(item, "boundaries") == 0) {
		list->has_boundaries = true;
		return 0;
	}
	if (strchr(item, ':') != NULL)
		return parse_range(list, what, item, error);
	status = parse_size(what, item, 0, &size, error);
	return status < 0 ? status : size_list_add(list, what, size, error);
}

static int parse_pieces(struct size_list *list, const char *what, const char *number,
			struct error *error)
{
	uint64_t pieces = SIZE_LIST_PIECES;
	int status = 0;

	if (*number != '\0')
		status = number_parse_unsigned(what, number + 1, 2, SIZE_LIST_MAX, &pieces, error);
	if (status == 0)
		list->pieces = (uint32_t)pieces;
	return status;
}

int size_text_parse(struct size_list *list, const char *what, const char *text,
		    struct error *error)
{
	static const char pieces[] = "pieces";
	size_t length = sizeof(pieces) - 1;

	memset(list, 0, sizeof(*list));
	if (strncmp(text, pieces, length) == 0 && (text[length] == '\0' || text[length] == ':'))
		return parse_pieces(list, what, text + length, error);
	for (;;) {
		char item[ITEM_LENGTH];
		size_t end = strcspn(text, ",");
		int status;

		if (end >= sizeof(item))
			return error_set(error, ERROR_INVALID,
					 "%s: '%.20s...' is no size and no range", what, text);
		memcpy(item, text, end);
		item[end] = '\0';
		status = parse_item(list, what, item, error);
		if (status < 0)
			return status;
		if (text[end] == '\0')
			return 0;
		text += end + 1;
	}
}
