/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of wire formats. Whoever adds one writes a file with its row and names it here.
 */
#include "core/wire_format.h"

const struct wire_format *const wire_formats[] = {
	&wire_format_icmp4,
	&wire_format_icmp6,
	NULL,
};

const struct wire_format *wire_format_find(uint8_t family)
{
	for (size_t i = 0; wire_formats[i] != NULL; i++) {
		if (wire_formats[i]->family == family)
			return wire_formats[i];
	}
	return NULL;
}
