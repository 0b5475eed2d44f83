/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of transports. A new way for packets to leave is one new file and one row here. */
#include "os/transport.h"

#include <string.h>

const struct transport_row *const transport_rows[] = {&transport_raw, &transport_ping,
						      &transport_sim, NULL};

const struct transport_row *transport_find(const char *name)
{
	for (size_t i = 0; transport_rows[i] != NULL; i++) {
		if (strcmp(transport_rows[i]->name, name) == 0)
			return transport_rows[i];
	}
	return NULL;
}
