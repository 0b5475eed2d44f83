/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interpreter of the command line. getopt_long does the cutting, from tables that are made
 * here out of the option rows; what it leaves open is settled here: names of options are not
 * abbreviated, the environment has no say, and every refusal is one sentence that names the
 * option as it was typed. Hosts are taken out one by one ('-' in the option string), so the
 * caller's vector stays in its order and is reported as it was given.
 */
#include "apps/probe/options.h"

#include <getopt.h>
#include <string.h>

#include "apps/probe/shown.h"

#define ROWS_MAX  64
#define LONG_BASE 256 /* getopt's value of a row's long name: LONG_BASE + its index */

/* What getopt_long wants, made from the rows. */
struct tables {
	char letters[3 + 2 * ROWS_MAX];
	struct option names[ROWS_MAX + 1];
};

/* One option as it was typed: "-c", "--count". */
struct typed {
	char name[40];
	const struct option_row *row;
};

static void tables_make(struct tables *tables)
{
	size_t length = 0;
	size_t index = 0;

	/* '-': hosts come back in their place; ':': a missing value is told apart. */
	tables->letters[length++] = '-';
	tables->letters[length++] = ':';
	for (const struct option_row *row = option_table; row->name != NULL; row++, index++) {
		int argument = row->value == NULL	? no_argument
			       : row->value_is_optional ? optional_argument
							: required_argument;

		if (index >= ROWS_MAX)
			break;
		tables->names[index] =
			(struct option){row->name, argument, NULL, LONG_BASE + (int)index};
		if (row->letter == 0)
			continue;
		tables->letters[length++] = row->letter;
		if (argument == required_argument)
			tables->letters[length++] = ':';
	}
	tables->letters[length] = '\0';
	tables->names[index] = (struct option){NULL, 0, NULL, 0};
}

/* The row behind a value of getopt_long, and the name it was called by. */
static struct typed typed_from(int code)
{
	struct typed typed;

	typed.row = code >= LONG_BASE ? &option_table[code - LONG_BASE] : option_find_letter(code);
	if (code >= LONG_BASE)
		(void)snprintf(typed.name, sizeof(typed.name), "--%s", typed.row->name);
	else
		(void)snprintf(typed.name, sizeof(typed.name), "-%c", code);
	return typed;
}

/* An element that starts with "--": is it exactly the name of this row? */
static bool is_whole_name(const char *element, const struct option_row *row)
{
	size_t length = strcspn(element + 2, "=");

	return option_find(element + 2, length) == row;
}

static int refuse_abbreviation(const char *element, const struct option_row *row,
			       struct error *error)
{
	char buffer[SHOWN_LENGTH];

	return error_set(error, ERROR_INVALID, "unknown option %s: write it out, --%s",
			 shown(element, buffer), row->name);
}

/* getopt_long did not know the option: say why, or name what was meant. */
static int refuse_unknown(int letter, const char *element, struct error *error)
{
	char buffer[SHOWN_LENGTH];
	char one[2] = {(char)letter, '\0'};

	if (letter == 0)
		return error_set(error, ERROR_INVALID, "unknown option %s (--help lists all)",
				 shown(element, buffer));
	if (letter >= LONG_BASE) {
		struct typed typed = typed_from(letter);

		return error_set(error, ERROR_INVALID, "%s takes no value", typed.name);
	}
	for (const struct option_stranger *stranger = option_strangers; stranger->letter != 0;
	     stranger++) {
		if (stranger->letter == letter)
			return error_set(error, ERROR_INVALID, "-%s: %s", one, stranger->text);
	}
	return error_set(error, ERROR_INVALID, "unknown option -%s (--help lists all)",
			 shown(one, buffer));
}

static int refuse_missing(int code, struct error *error)
{
	struct typed typed = typed_from(code);

	return error_set(error, ERROR_INVALID, "%s needs a value: %s %s", typed.name, typed.name,
			 typed.row->value);
}

/* fping's -b SIZE: here it would permit broadcast and ping the host 0.0.3.232. */
static int check_broadcast(const char *next, struct error *error)
{
	if (next == NULL || next[0] == '\0' || strspn(next, "0123456789") != strlen(next))
		return 0;
	return error_set(
		error, ERROR_INVALID,
		"-b %s: -b permits broadcast and takes no value; the payload size is -s %s", next,
		next);
}

/* Hands one option to its row. */
static int apply(struct options *options, const struct typed *typed, const char *value,
		 struct error *error)
{
	struct configuration *configuration = &options->configuration;

	if (typed->row->action != OPTION_ACTION_NONE) {
		options->action = typed->row->action;
		return 0;
	}
	if (typed->row->set == NULL) {
		*(bool *)((char *)configuration + typed->row->flag) = true;
		return 0;
	}
	return typed->row->set(configuration, typed->name, value, error);
}

/* One result of getopt_long; at is the index of the element that it started from. */
static int interpret(struct options *options, int code, int argc, char *const argv[], int at,
		     struct error *error)
{
	struct typed typed;

	if (code == '?')
		return refuse_unknown(optopt, argv[at], error);
	if (code == ':')
		return refuse_missing(optopt, error);
	typed = typed_from(code);
	if (code >= LONG_BASE && !is_whole_name(argv[at], typed.row))
		return refuse_abbreviation(argv[at], typed.row, error);
	if (code == 'b' && check_broadcast(optind < argc ? argv[optind] : NULL, error) < 0)
		return -ERROR_INVALID;
	return apply(options, &typed, optarg, error);
}

int options_parse(struct options *options, int argc, char *const argv[], const char **targets,
		  struct error *error)
{
	struct configuration *configuration = &options->configuration;
	struct tables tables;
	int at = 1;
	int code;

	configuration_defaults(configuration);
	configuration->targets = targets;
	options->action = OPTION_ACTION_NONE;
	tables_make(&tables);
	opterr = 0;
	optind = 0; /* glibc: forget an earlier vector */
	while ((code = getopt_long(argc, argv, tables.letters, tables.names, NULL)) != -1) {
		int status = 0;

		if (code == 1)
			targets[configuration->target_count++] = optarg;
		else
			status = interpret(options, code, argc, argv, at, error);
		if (status < 0 || options->action != OPTION_ACTION_NONE)
			return status;
		at = optind;
	}
	while (optind < argc)
		targets[configuration->target_count++] = argv[optind++];
	return 0;
}
