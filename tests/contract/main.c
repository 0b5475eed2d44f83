/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the contracts one after the other and sums them up in the exit status. */
#include "contract/contract.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 512

static struct {
	char name[128];
	char failure[TEXT_BYTES];
	char skip[TEXT_BYTES];
	unsigned failed;
	unsigned done;
} state;

void contract_begin(const char *table, const char *row, const char *what)
{
	(void)snprintf(state.name, sizeof(state.name), "%s/%s/%s", table, row, what);
	state.failure[0] = '\0';
	state.skip[0] = '\0';
}

bool contract_check(bool passed, const char *format, ...)
{
	va_list arguments;

	if (passed || state.failure[0] != '\0')
		return passed;
	va_start(arguments, format);
	(void)vsnprintf(state.failure, sizeof(state.failure), format, arguments);
	va_end(arguments);
	return false;
}

void contract_skip(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(state.skip, sizeof(state.skip), format, arguments);
	va_end(arguments);
}

void contract_end(void)
{
	state.done++;
	if (state.failure[0] != '\0') {
		state.failed++;
		printf("not ok contract/%s: %s\n", state.name, state.failure);
	} else if (state.skip[0] != '\0') {
		printf("skip contract/%s: %s\n", state.name, state.skip);
	} else {
		printf("ok contract/%s\n", state.name);
	}
	(void)fflush(stdout);
}

void contract_check_texts(const char *name, const char *summary)
{
	if (!contract_check(name != NULL && name[0] != '\0', "a row without a name") ||
	    !contract_check(summary != NULL && summary[0] != '\0', "%s: no summary", name))
		return;
	for (const char *at = name; *at != '\0'; at++)
		contract_check(islower((unsigned char)*at) || isdigit((unsigned char)*at) ||
				       *at == '_',
			       "%s: '%c' in a name", name, *at);
	contract_check(strchr(summary, '\n') == NULL && strlen(summary) <= 76,
		       "%s: the summary is not one line", name);
}

int main(void)
{
	contract_clocks();
	contract_waiter();
	contract_transports();
	contract_stamps();
	contract_stamps_elsewhere();
	return state.done > 0 && state.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
