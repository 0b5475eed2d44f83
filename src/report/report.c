/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of reports. A new report is one file with a row, and one line here.
 */
#include "report/report.h"

#include <string.h>

const struct report_row *const report_rows[] = {&report_text, &report_json, NULL};

const struct report_row *report_find(const char *name)
{
	for (size_t i = 0; report_rows[i] != NULL; i++) {
		if (strcmp(report_rows[i]->name, name) == 0)
			return report_rows[i];
	}
	return NULL;
}
