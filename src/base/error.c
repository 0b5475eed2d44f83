/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors as values. The text is made where the failure is known best and travels up in the caller's
 * memory; a text that does not fit is cut, which never loses the code. strerror is safe here
 * because no locale is ever set, so it answers from a table and opens no file.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void error_clear(struct error *error)
{
	error->code = 0;
	error->system_errno = 0;
	error->text[0] = '\0';
}

int error_set(struct error *error, enum error_code code, const char *format, ...)
{
	va_list arguments;

	if (error == NULL)
		return -(int)code;
	error->code = (int)code;
	error->system_errno = 0;
	va_start(arguments, format);
	if (vsnprintf(error->text, sizeof(error->text), format, arguments) < 0)
		error->text[0] = '\0';
	va_end(arguments);
	return -(int)code;
}

static enum error_code code_of_errno(int system_errno)
{
	switch (system_errno) {
	case EPERM:
	case EACCES:
		return ERROR_PERMISSION;
	case ENOMEM:
		return ERROR_NO_MEMORY;
	default:
		return ERROR_SYSTEM;
	}
}

int error_set_system(struct error *error, int system_errno, const char *format, ...)
{
	enum error_code code = code_of_errno(system_errno);
	va_list arguments;
	size_t used;

	if (error == NULL)
		return -(int)code;
	error->code = (int)code;
	error->system_errno = system_errno;
	va_start(arguments, format);
	if (vsnprintf(error->text, sizeof(error->text), format, arguments) < 0)
		error->text[0] = '\0';
	va_end(arguments);
	used = strlen(error->text);
	/* A cut is harmless: used is less than the size, and the result is ended by a NUL. */
	(void)snprintf(error->text + used, sizeof(error->text) - used, ": %s",
		       strerror(system_errno)); /* NOLINT(concurrency-mt-unsafe) */
	return -(int)code;
}
