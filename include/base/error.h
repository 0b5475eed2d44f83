/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One convention for failure: a function returns 0 or a count on success and a negative
 * error_code otherwise, and puts a sentence for a person into the struct error of its caller.
 * Nothing below src/apps prints the sentence or turns the code into an exit status.
 */
#ifndef FPING_BENCH_BASE_ERROR_H
#define FPING_BENCH_BASE_ERROR_H

#include "base/base.h"

enum error_code {
	ERROR_INVALID = 1, /* input that cannot be accepted: option, number, file content */
	ERROR_SYSTEM,      /* a system call failed; system_errno says how */
	ERROR_PERMISSION,  /* a right is missing, or an unwanted right could not be given up */
	ERROR_NOT_FOUND,   /* no such name, interface, table row */
	ERROR_NO_MEMORY,
	ERROR_UNSUPPORTED, /* this kernel or transport cannot do it */
	ERROR_REFUSED,     /* forbidden by the rules on who may do what */
	ERROR_INTERNAL     /* an invariant of the program does not hold */
};

struct error {
	int code;         /* enum error_code, 0 when nothing went wrong */
	int system_errno; /* errno of the failed call, 0 when none was involved */
	char text[512];   /* one sentence without a final newline, "" when nothing went wrong */
};

/* Forgets what the error held. */
void error_clear(struct error *error);

/*
 * Stores code and text, truncated to fit, and returns -code, so that a caller can write
 * `return error_set(error, ERROR_INVALID, "...")`. error may be NULL: only the code is returned.
 */
int error_set(struct error *error, enum error_code code, const char *format, ...)
	PRINTF_LIKE(3, 4);

/*
 * The same for a failed system call: ": " and the system's text for system_errno are appended.
 * The code is ERROR_PERMISSION for EPERM and EACCES, ERROR_NO_MEMORY for ENOMEM, else ERROR_SYSTEM.
 */
int error_set_system(struct error *error, int system_errno, const char *format, ...)
	PRINTF_LIKE(3, 4);

#endif
