/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Its own file only so that every message of the program cuts and escapes in the same way.
 */
#include "apps/probe/shown.h"

#include <string.h>

#include "base/format.h"

const char *shown(const char *text, char buffer[static SHOWN_LENGTH])
{
	(void)format_escape(text, strlen(text), buffer, SHOWN_LENGTH);
	return buffer;
}
