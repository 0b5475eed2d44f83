/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of --help, made from the option rows and from the tables that some options choose
 * from. It is the first thing people read: grouped by what one wants to do, 80 columns, no more
 * than a line or two for an option; the manual page has the rest.
 */
#include "apps/probe/options.h"

#include <string.h>

#include "core/pacer.h"
#include "core/simulation.h"
#include "os/clock.h"
#include "os/transport.h"

#define HELP_COLUMNS   79
#define HELP_TEXT_AT   28 /* column where the explanations of options start */
#define HELP_CHOICE_AT 23 /* and those of what they choose from */

static const char help_top[] =
	"usage: fping-bench [options] host...\n"
	"\n"
	"Sends ICMP echo requests and measures: round trips per second, latency with\n"
	"percentiles, requests in flight, fragments, and losses with their causes.\n"
	"\n"
	"  fping-bench 192.0.2.1                  one request a second, as ping\n"
	"  fping-bench -c 20 -i 10ms host         20 requests, 10 ms apart\n"
	"  fping-bench -f -c 10000 host           flood: the next when a reply is back\n"
	"  fping-bench -f -c 1000 -s 2048 host    the same with fragmented datagrams\n"
	"  fping-bench --depth 64 -w 10 host      64 in flight for ten seconds\n"
	"  fping-bench -f --sweep-size boundaries host    what a fragment costs\n"
	"  fping-bench --diagnose-fragments host  large requests fail: who is to blame?\n";

static const char help_bottom[] =
	"\n"
	"Times T are seconds (0.5) or carry a unit: 250us, 10ms, 1s. Flood, --depth, -A,\n"
	"intervals below 2 ms, a preload above 3, -m and --allow-harm are for root.\n"
	"\n"
	"Exit status: 0 every host answered; 1 a host did not, or -w came first; 2 usage\n"
	"or set-up error; 4 --strict, and the measurement is not valid; 5 refused by the\n"
	"rules, nothing sent; 6 ended by a fault, or the output could not be written;\n"
	"130 ended by a second interrupt.\n"
	"\n"
	"SIGQUIT (Ctrl-\\) prints where a run stands. The manual page, fping-bench(8),\n"
	"explains every line and every counter of the report.\n";

/* Writes text from column `at` on, wrapped, with further lines indented to `indent`. */
static void put_wrapped(FILE *stream, size_t at, size_t indent, const char *text)
{
	bool first = true;

	while (*text != '\0') {
		size_t word = strcspn(text, " ");

		if (!first && at + 1 + word > HELP_COLUMNS) {
			(void)fprintf(stream, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			(void)fputc(' ', stream);
			at++;
		}
		(void)fwrite(text, 1, word, stream);
		at += word;
		text += word;
		text += strspn(text, " ");
		first = false;
	}
	(void)fputc('\n', stream);
}

/* "  left     explanation": an explanation that does not fit beside its left side goes below it. */
static void put_entry(FILE *stream, const char *left, const char *text, size_t column)
{
	size_t length = strlen(left);

	(void)fputs(left, stream);
	if (length + 2 > column) {
		(void)fputc('\n', stream);
		length = 0;
	}
	(void)fprintf(stream, "%*s", (int)(column - length), "");
	put_wrapped(stream, column, column, text);
}

static void put_option(FILE *stream, const struct option_row *row)
{
	char left[80];
	char letter[8] = "    ";
	char value[40] = "";

	if (row->letter != 0)
		(void)snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	if (row->value != NULL)
		(void)snprintf(value, sizeof(value), row->value_is_optional ? "[=%s]" : " %s",
			       row->value);
	(void)snprintf(left, sizeof(left), "  %s--%s%s", letter, row->name, value);
	put_entry(stream, left, row->help, HELP_TEXT_AT);
}

static void put_choice(FILE *stream, const char *name, const char *summary)
{
	char left[40];

	(void)snprintf(left, sizeof(left), "  %s", name);
	put_entry(stream, left, summary, HELP_CHOICE_AT);
}

/* What the options with a table behind them choose from. */
static void put_choices(FILE *stream)
{
	(void)fputs("\nModes\n", stream);
	for (const struct pacer_row *const *row = pacer_rows; *row != NULL; row++)
		put_choice(stream, (*row)->name, (*row)->summary);
	(void)fputs("\nTransports (--transport)\n", stream);
	for (const struct transport_row *const *row = transport_rows; *row != NULL; row++)
		put_choice(stream, (*row)->name, (*row)->summary);
	(void)fputs("\nSimulated network (--sim KEY=VALUE,...)\n", stream);
	for (const struct simulation_key *key = simulation_keys; key->name != NULL; key++)
		put_choice(stream, key->name, key->summary);
	(void)fputs("\nClocks (--clock)\n", stream);
	for (const struct clock_row *const *row = clock_rows; *row != NULL; row++) {
		if (!(*row)->is_simulated)
			put_choice(stream, (*row)->name, (*row)->summary);
	}
}

int options_help(FILE *stream)
{
	(void)fputs(help_top, stream);
	for (int group = 0; group < OPTION_GROUPS; group++) {
		(void)fprintf(stream, "\n%s\n", option_group_titles[group]);
		for (const struct option_row *row = option_table; row->name != NULL; row++) {
			if (row->group == (enum option_group)group)
				put_option(stream, row);
		}
	}
	put_choices(stream);
	(void)fputs(help_bottom, stream);
	return ferror(stream) != 0 ? -1 : 0;
}
