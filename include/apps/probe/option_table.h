/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every option of fping-bench as one row of a table. The interpreter of the command line, the
 * text of --help and the check of the manual page all read this table, so an option is one row
 * and one setter, and cannot be in one place without being in the others.
 */
#ifndef FPING_BENCH_APPS_PROBE_OPTION_TABLE_H
#define FPING_BENCH_APPS_PROBE_OPTION_TABLE_H

#include "base/error.h"
#include "core/configuration.h"

enum option_group {
	OPTION_GROUP_PACE,
	OPTION_GROUP_SERIES,
	OPTION_GROUP_PACKET,
	OPTION_GROUP_WAY,
	OPTION_GROUP_MEASURE,
	OPTION_GROUP_OUTPUT,
	OPTION_GROUP_ABOUT,
	OPTION_GROUPS, /* how many there are */
};

enum option_action {
	OPTION_ACTION_NONE,    /* an ordinary option: go on reading */
	OPTION_ACTION_HELP,    /* print the help and do nothing else */
	OPTION_ACTION_VERSION, /* print the version and do nothing else */
};

struct option_row {
	char letter;             /* 0: has none */
	const char *name;        /* long name without its dashes; NULL ends the table */
	const char *value;       /* what the help calls its value; NULL: takes none */
	bool value_is_optional;  /* --name or --name=VALUE; the letter then takes none */
	enum option_group group;
	enum option_action action;
	const char *help;        /* wrapped by the help */
	size_t flag;             /* no setter: offset of the bool in struct configuration */
	/*
	 * Puts a value into the configuration; value is NULL when there is none. what is the
	 * option as it was typed ("-c", "--count"), with which the sentence of an error starts.
	 */
	int (*set)(struct configuration *configuration, const char *what, const char *value,
		   struct error *error);
};

extern const struct option_row option_table[];

/* A letter that ping or fping has and this program does not, and the line that says why. */
struct option_stranger {
	char letter; /* 0 ends the table */
	const char *text;
};

extern const struct option_stranger option_strangers[];

/* Titles of the groups, in their order. */
extern const char *const option_group_titles[OPTION_GROUPS];

/* The row of that long name (length characters), or NULL. */
const struct option_row *option_find(const char *name, size_t length);

/* The row of that letter, or NULL. */
const struct option_row *option_find_letter(int letter);

#endif
