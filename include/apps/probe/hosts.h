/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of hosts as they were named: those of the command line, then those of --targets.
 */
#ifndef FPING_BENCH_APPS_PROBE_HOSTS_H
#define FPING_BENCH_APPS_PROBE_HOSTS_H

#include "base/error.h"

#define HOSTS_MAX 65536u
#define HOSTS_FILE_MAX (16u << 20) /* bytes of a file of hosts */
#define HOSTS_NAME_MAX 280u        /* bytes of a name: 253, '%' and an interface fit */

struct hosts {
	const char **names;
	uint32_t count;
	char *text; /* what the names of a file point into */
};

/*
 * Starts with the names of the command line, which must outlive the list. -ERROR_INVALID for
 * more than HOSTS_MAX.
 */
int hosts_open(struct hosts *hosts, const char *const *names, uint32_t count,
	       struct error *error) MUST_CHECK;

/*
 * Adds the hosts of a file ("-": standard input): one a line, white space around it does not
 * count, # starts a comment at the start of a line or after white space. Errors name the file
 * and the line.
 */
int hosts_add_file(struct hosts *hosts, const char *path, struct error *error) MUST_CHECK;

/*
 * The same for text that was read already: length bytes and a NUL behind them. The list takes
 * the text over (free()), also on failure; a list has one text. path is for messages.
 */
int hosts_add_text(struct hosts *hosts, char *text, size_t length, const char *path,
		   struct error *error) MUST_CHECK;

void hosts_close(struct hosts *hosts);

#endif
