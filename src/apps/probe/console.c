/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reply lines are collected and flushed at most every 100 ms: by the line that comes later than
 * that, or by the engine's progress report, which comes as often. The live line is one write
 * to standard error, and is left out when the terminal would not take it at once.
 */
#include "apps/probe/console.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "os/signals.h"
#include "report/report.h"

#define FLUSH_NS	 (100 * NANOSECONDS_PER_MILLISECOND)
#define LINES_PER_SECOND 10u
#define COLUMNS_DEFAULT	 80u
#define COLUMNS_MAX	 200u

static const char wipe[] = "\r\033[K";

void console_say(const char *format, ...)
{
	va_list arguments;

	(void)fputs("fping-bench: ", stderr);
	va_start(arguments, format);
	(void)vfprintf(stderr, format, arguments);
	va_end(arguments);
	(void)fputc('\n', stderr);
}

/* Writes to standard error what it takes at once; the rest is not worth waiting for. */
static void write_live(const char *text, size_t length)
{
	struct pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&terminal, 1, 0) == 1 && (terminal.revents & POLLOUT) != 0 &&
	    write(STDERR_FILENO, text, length) < 0)
		return;
}

static void wipe_live_line(struct console *console)
{
	if (!console->live_line_stands)
		return;
	write_live(wipe, strlen(wipe));
	console->live_line_stands = false;
}

/*
 * Standard output takes no more (a full disk, a reader that has gone): nobody will see the rest,
 * so the run stops as it would on SIGTERM, and reports where it still can.
 */
static void fail(struct console *console)
{
	if (console->has_failed)
		return;
	console->has_failed = true;
	signals_request_stop();
}

static void flush(struct console *console, int64_t now_ns)
{
	console->flushed_ns = now_ns;
	console->has_unflushed = false;
	if (fflush(stdout) != 0)
		fail(console);
}

/* Whether one more line fits into this second. */
static bool admit_line(struct console *console, int64_t now_ns)
{
	if (!console->is_limited)
		return true;
	if (now_ns - console->window_ns >= NANOSECONDS_PER_SECOND) {
		console->window_ns = now_ns;
		console->window_lines = 0;
	}
	return console->window_lines++ < LINES_PER_SECOND;
}

static void observe(void *context, const struct observation *observation)
{
	struct console *console = context;
	const struct clock_source *clock = console->clock;
	struct observation shown = *observation;
	int64_t now_ns = clock_now(clock);
	double wall_s = -1;
	char line[512];
	size_t length;

	if (!console->shows_replies || console->has_failed || !admit_line(console, now_ns))
		return;
	if (console->shows_time)
		wall_s = (double)clock_wall_ns(clock) / 1e9;
	shown.step_ns = result_shown_step_ns(console->facts);
	length = report_observation(&shown, wall_s, line, sizeof(line));
	if (length == 0)
		return;
	wipe_live_line(console);
	if (observation->kind == OBSERVED_SEND_ERROR) {
		/* Of this host, not of the network: a diagnostic, as in ping. */
		console_say("%.*s", (int)length - 1, line);
		return;
	}
	if (fwrite(line, 1, length, stdout) != length)
		fail(console);
	console->has_unflushed = true;
	if (now_ns - console->flushed_ns >= FLUSH_NS)
		flush(console, now_ns);
}

static unsigned terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return COLUMNS_DEFAULT;
	return size.ws_col < COLUMNS_MAX ? size.ws_col : COLUMNS_MAX;
}

static void show_progress(void *context, const struct progress *progress)
{
	struct console *console = context;
	struct progress shown = *progress;
	char line[(size_t)COLUMNS_MAX * 4 + sizeof(wipe) * 2]; /* UTF-8: 4 bytes a column */
	size_t used = 1;

	if (console->has_unflushed)
		flush(console, clock_now(console->clock));
	if (!console->is_live)
		return;
	shown.step_ns = result_shown_step_ns(console->facts);
	line[0] = '\r';
	/* One column is left free: a cursor behind the last one wraps on some terminals. */
	used += report_live_line(&shown, terminal_columns() - 1, console->is_utf8, line + used,
				 sizeof(line) - sizeof(wipe));
	memcpy(line + used, wipe + 1, strlen(wipe + 1));
	used += strlen(wipe + 1);
	write_live(line, used);
	console->live_line_stands = true;
}

static void show_status(void *context, const struct progress *progress)
{
	struct console *console = context;
	struct progress shown = *progress;
	char line[256];
	size_t length;

	shown.step_ns = result_shown_step_ns(console->facts);
	length = report_status_line(&shown, line, sizeof(line));
	wipe_live_line(console);
	(void)fwrite(line, 1, length, stderr);
}

/* What the terminal shows beyond ASCII is asked of the variables that say so for everybody. */
static bool locale_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		const char *value = getenv(names[i]); /* NOLINT(concurrency-mt-unsafe) */

		if (value != NULL && value[0] != '\0')
			return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL;
	}
	return false;
}

void console_open(struct console *console, const struct configuration *configuration,
		  const struct clock_source *clock, const struct result_clock *facts)
{
	bool text = !configuration->json || configuration->json_file != NULL;
	bool prints = configuration_prints_replies(configuration);

	memset(console, 0, sizeof(*console));
	console->clock = clock;
	console->facts = facts;
	console->shows_replies =
		prints || (text && configuration->verbose && !configuration->quiet);
	console->is_limited = !prints;
	console->shows_time = configuration->print_timestamps;
	console->is_utf8 = locale_is_utf8();
	/* Reply lines on the same terminal show the progress already. */
	console->is_live = !configuration->quiet && !clock->row->is_simulated &&
			   isatty(STDERR_FILENO) == 1 && !(prints && isatty(STDOUT_FILENO) == 1);
	console->window_ns = console->flushed_ns = clock_now(clock) - NANOSECONDS_PER_SECOND;
	console->observer = (struct observer){
		.context = console,
		.wants_replies = console->shows_replies,
		.wants_outstanding = console->shows_replies && configuration->print_outstanding,
		.observe = observe,
		.progress = console->is_live || console->shows_replies ? show_progress : NULL,
		.status = show_status,
	};
}

bool console_close(struct console *console)
{
	wipe_live_line(console);
	if (console->has_unflushed)
		flush(console, 0);
	return !console->has_failed;
}
