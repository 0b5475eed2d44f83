/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of the options about fragments: which sizes a sweep goes through, and how requests are cut
 * by hand. What depends on the path is judged when the path is known.
 */
#include "apps/probe/option_values.h"

#include <string.h>

#include "apps/probe/size_text.h"
#include "base/number.h"

/* Read here for its errors, and again when the path is known. */
OPTION_SETTER(sweep_size)
{
	struct size_list list;
	int status = size_text_parse(&list, what, value, error);

	if (status == 0) {
		configuration->sweep_sizes = value;
		configuration->sweeps_pieces = list.pieces > 0;
	}
	return status;
}

OPTION_SETTER(fragment_size)
{
	uint64_t bytes;
	int status = number_parse_unsigned(what, value, FRAGMENT_CUT_MIN_IP6,
					   FRAGMENT_PAYLOAD_MAX_IP4, &bytes, error);

	if (status < 0)
		return status;
	if (bytes % 8 != 0)
		return error_set(error, ERROR_INVALID,
				 "%s %s: offsets of fragments count in units of 8 bytes: use %u",
				 what, value, (unsigned)(bytes / 8 * 8));
	configuration->fragment_size = (uint32_t)bytes;
	return 0;
}

OPTION_SETTER(fragment_order)
{
	static const char *const names[] = {[FRAGMENT_FORWARD] = "forward",
					    [FRAGMENT_REVERSE] = "reverse",
					    [FRAGMENT_ODD_EVEN] = "odd-even"};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		if (strcmp(value, names[i]) != 0)
			continue;
		configuration->fragment_order = (enum fragment_order)i;
		configuration->has_fragment_order = true;
		return 0;
	}
	return error_set(error, ERROR_INVALID, "%s: give forward, reverse or odd-even", what);
}
