/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the argument vector to a configuration, and the text of --help. Nothing here prints on
 * its own, ends the process, opens a file or asks a name, so any vector can be tried.
 */
#ifndef FPING_BENCH_APPS_PROBE_OPTIONS_H
#define FPING_BENCH_APPS_PROBE_OPTIONS_H

#include <stdio.h>

#include "apps/probe/option_table.h"

struct options {
	struct configuration configuration;
	enum option_action action; /* what to do instead of a run */
};

/*
 * Reads argv[1] to argv[argc - 1] by the option table. Options and hosts may come in any order,
 * whatever POSIXLY_CORRECT says; "--" ends the options; long names are not abbreviated, so that
 * an option of tomorrow cannot change a script of today. The hosts land in targets, an array of
 * at least argc pointers, which the configuration then points to. Reading stops at the first
 * --help, --version or error. Returns 0 or -ERROR_INVALID with one line that names the option.
 * What was read before an error stands in options.
 */
int options_parse(struct options *options, int argc, char *const argv[], const char **targets,
		  struct error *error) MUST_CHECK;

/* Writes the whole help, 80 columns at most. Returns 0 or -1 as the stream does. */
int options_help(FILE *stream);

#endif
