/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts become addresses: all of them, once, before the first packet, and never so that a name
 * server that does not answer keeps the program from ending when it is asked to.
 */
#ifndef FPING_BENCH_APPS_PROBE_NAMES_H
#define FPING_BENCH_APPS_PROBE_NAMES_H

#include "base/address.h"
#include "base/error.h"
#include "os/privilege.h"

#define NAMES_TEXT 256

struct names_answer {
	int code;              /* 0, or a negative error code */
	struct address address;
	char text[NAMES_TEXT]; /* why there is no address */
};

/* An address written out: no name service is asked for it. */
bool names_is_numeric(const char *name);

/*
 * Resolves count names into answers, in order; family and default_scope as in
 * resolver_resolve. Names that are not numeric are asked in a process of its own that holds no
 * socket of privilege; a stop signal ends it, and the names that had no answer by then say so.
 */
int names_resolve(const char *const *names, uint32_t count, uint8_t family,
		  uint32_t default_scope, struct privilege *privilege,
		  struct names_answer *answers, struct error *error) MUST_CHECK;

#endif
