/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Items are read one by one and inserted in order, so that whatever stands in a list twice, or
 * comes of two items, is one point.
 */
#include "core/size_list.h"

#include <string.h>

#include "base/number.h"
#include "core/fragments.h"

#define ITEM_LENGTH   48u
#define FACTOR_UNIT   1000u /* a factor is kept in thousandths */
#define FACTOR_MAX    1000u
#define PIECE_MIN_IP4 48u   /* 68 bytes with the header, RFC 791 3.2 */
#define PIECE_MIN_IP6 8u

static int too_many(const char *what, struct error *error)
{
	return error_set(error, ERROR_INVALID,
			 "%s: more than %u sizes: a larger step or a shorter range gives fewer",
			 what, SIZE_LIST_MAX);
}

static int insert(struct size_list *list, const char *what, uint32_t size, struct error *error)
{
	uint32_t at = 0;

	while (at < list->count && list->sizes[at] < size)
		at++;
	if (at < list->count && list->sizes[at] == size)
		return 0;
	if (list->count == SIZE_LIST_MAX)
		return too_many(what, error);
	memmove(&list->sizes[at + 1], &list->sizes[at],
		(list->count - at) * sizeof(list->sizes[0]));
	list->sizes[at] = size;
	list->count++;
	return 0;
}

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
static int parse_factor(const char *what, const char *text, uint64_t *thousandths,
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
					 "%s: the factor 'x%s' is not a number as 2 or 1.5, with up "
					 "to three decimals",
					 what, text);
		value = 10 * value + (uint64_t)(*at - '0');
		digits++;
		decimals += has_point;
	}
	for (; decimals < 3; decimals++)
		value *= 10;
	if (digits == 0 || value <= FACTOR_UNIT || value > FACTOR_MAX * FACTOR_UNIT)
		return error_set(error, ERROR_INVALID,
				 "%s: the factor 'x%s' must be above 1 and at most %u", what, text,
				 FACTOR_MAX);
	*thousandths = value;
	return 0;
}

/* FROM:TO:STEP or FROM:TO:xF; item is taken to pieces. */
static int parse_range(struct size_list *list, const char *what, char *item, struct error *error)
{
	char *to_text = strchr(item, ':');
	char *step_text = to_text == NULL ? NULL : strchr(to_text + 1, ':');
	uint64_t factor = 0;
	uint32_t from = 0, to = 0, step = 0;
	int status;

	if (step_text == NULL)
		return error_set(error, ERROR_INVALID,
				 "%s: '%s' is no range: FROM:TO:STEP or FROM:TO:xFACTOR", what,
				 item);
	*to_text++ = '\0';
	*step_text++ = '\0';
	status = parse_size(what, item, 0, &from, error);
	if (status == 0)
		status = parse_size(what, to_text, 0, &to, error);
	if (status == 0 && step_text[0] == 'x')
		status = parse_factor(what, step_text + 1, &factor, error);
	else if (status == 0)
		status = parse_size(what, step_text, 1, &step, error);
	if (status < 0)
		return status;
	if (from > to)
		return error_set(error, ERROR_INVALID, "%s: the range from %u to %u is empty", what,
				 from, to);
	for (uint64_t size = from; size <= to && status == 0;) {
		uint64_t next = size + step;

		status = insert(list, what, (uint32_t)size, error);
		if (factor != 0)
			next = max_u64((size * factor + FACTOR_UNIT / 2) / FACTOR_UNIT, size + 1);
		size = next;
	}
	return status;
}

static int parse_item(struct size_list *list, const char *what, char *item, struct error *error)
{
	uint32_t size;
	int status;

	if (strcmp(item, "boundaries") == 0) {
		list->has_boundaries = true;
		return 0;
	}
	if (strchr(item, ':') != NULL)
		return parse_range(list, what, item, error);
	status = parse_size(what, item, 0, &size, error);
	return status < 0 ? status : insert(list, what, size, error);
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

int size_list_parse(struct size_list *list, const char *what, const char *text,
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

static uint32_t data_max(uint8_t family)
{
	return (family == 4 ? FRAGMENT_PAYLOAD_MAX_IP4 : FRAGMENT_PAYLOAD_MAX_IP6) -
	       FRAGMENT_ECHO_HEADER_BYTES;
}

uint32_t size_list_largest(const struct size_list *list, uint8_t family, uint32_t limit)
{
	uint32_t largest = list->count > 0 ? list->sizes[list->count - 1] : 0;

	if (list->has_boundaries) {
		uint32_t last = limit > 0 ? limit : data_max(family);

		largest = largest > last ? largest : last;
	}
	return largest;
}

static int add_boundaries(struct size_list *list, uint8_t family, uint32_t mtu, uint32_t limit,
			  struct error *error)
{
	static const char what[] = "--sweep-size boundaries";

	for (uint32_t count = 1; limit > 0 || count <= SIZE_LIST_BOUNDARIES; count++) {
		uint32_t most = fragment_payload_max(family, mtu, count);
		uint32_t size = most - FRAGMENT_ECHO_HEADER_BYTES;
		int status;

		if (most == 0)
			return error_set(error, ERROR_INVALID,
					 "%s: the MTU of the path is not known: list the sizes",
					 what);
		if (size >= data_max(family) || (limit > 0 && size >= limit))
			break;
		status = insert(list, what, size, error);
		if (status == 0)
			status = insert(list, what, size + 1, error);
		if (status < 0)
			return status;
	}
	if (list->count > 0)
		return 0;
	return error_set(error, ERROR_INVALID,
			 "%s: there is no fragment boundary up to -s %u at an MTU of %u", what,
			 limit, mtu);
}

/* One datagram in 1, 2 ... pieces: as many ways as differ. */
static int piece_points(const struct size_list *list, uint8_t family, uint32_t mtu,
			uint32_t payload_bytes, struct series_point *points, struct error *error)
{
	uint32_t bytes = payload_bytes + FRAGMENT_ECHO_HEADER_BYTES;
	uint32_t least = family == 4 ? PIECE_MIN_IP4 : PIECE_MIN_IP6;
	uint32_t last = 0;
	int count = 0;

	if (bytes > fragment_payload_max(family, mtu, 1))
		return error_set(error, ERROR_INVALID,
				 "--sweep-size pieces: -s %u does not fit into one packet of %u "
				 "bytes, and the reply must come whole: use a smaller -s",
				 payload_bytes, mtu);
	for (uint32_t pieces = 1; pieces <= list->pieces; pieces++) {
		uint32_t piece = ((bytes + pieces - 1) / pieces + 7) / 8 * 8;

		if (pieces > 1 && (piece < least || (bytes + piece - 1) / piece != pieces))
			continue;
		points[count++] = (struct series_point){
			.payload_bytes = payload_bytes,
			.has_cut = true,
			.cut = {.piece_bytes = pieces == 1 ? 0 : piece},
		};
		last = pieces;
	}
	if (last > 1)
		return count;
	return error_set(error, ERROR_INVALID,
			 "--sweep-size pieces: -s %u cannot be cut into two pieces of %u bytes or "
			 "more: use a larger -s",
			 payload_bytes, least);
}

int size_list_points(const struct size_list *list, uint8_t family, uint32_t mtu, uint32_t limit,
		     uint32_t payload_bytes, struct series_point *points, struct error *error)
{
	struct size_list all = *list;
	int status = 0;

	if (list->pieces > 0)
		return piece_points(list, family, mtu, payload_bytes, points, error);
	if (list->has_boundaries)
		status = add_boundaries(&all, family, mtu, limit, error);
	if (status < 0)
		return status;
	if (all.sizes[all.count - 1] > data_max(family))
		return error_set(error, ERROR_INVALID,
				 "--sweep-size: an IPv%u request carries at most %u bytes, not %u",
				 family, data_max(family), all.sizes[all.count - 1]);
	for (uint32_t i = 0; i < all.count; i++)
		points[i] = (struct series_point){.payload_bytes = all.sizes[i]};
	return (int)all.count;
}
