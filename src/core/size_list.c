/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes are inserted in order, so that whatever stands in a list twice, or comes of two of its
 * items, is one point.
 */
#include "core/size_list.h"

#include <string.h>

#include "core/fragments.h"

#define PIECE_MIN_IP4 48u   /* 68 bytes with the header, RFC 791 3.2 */
#define PIECE_MIN_IP6 8u

static int too_many(const char *what, struct error *error)
{
	return error_set(error, ERROR_INVALID,
			 "%s: more than %u sizes: a larger step or a shorter range gives fewer",
			 what, SIZE_LIST_MAX);
}

int size_list_add(struct size_list *list, const char *what, uint32_t size, struct error *error)
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

int size_list_add_range(struct size_list *list, const char *what, const struct size_range *range,
			struct error *error)
{
	int status = 0;

	if (range->from > range->to)
		return error_set(error, ERROR_INVALID, "%s: the range from %u to %u is empty", what,
				 range->from, range->to);
	for (uint64_t size = range->from; size <= range->to && status == 0;) {
		uint64_t next = size + range->step;

		status = size_list_add(list, what, (uint32_t)size, error);
		if (range->factor != 0)
			next = max_u64((size * range->factor + SIZE_LIST_FACTOR_UNIT / 2) /
					       SIZE_LIST_FACTOR_UNIT,
				       size + 1);
		size = next;
	}
	return status;
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
		status = size_list_add(list, what, size, error);
		if (status == 0)
			status = size_list_add(list, what, size + 1, error);
		if (status < 0)
			return status;
	}
	if (list->count > 0)
		return 0;
	if (limit == 0)
		return error_set(error, ERROR_INVALID,
				 "%s: no request is ever cut at an MTU of %u: list the sizes", what,
				 mtu);
	return error_set(error, ERROR_INVALID,
			 "%s: there is no fragment boundary up to -s %u at an MTU of %u: raise -s",
			 what, limit, mtu);
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
