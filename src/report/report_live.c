/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line that is redrawn while a run goes on, and the line that SIGQUIT asks for. The live
 * line is made of pieces in the order in which a reader would miss them. If they do not all fit
 * into the terminal they are said more briefly, and if that is not enough the last ones go;
 * what room is left becomes the bar.
 */
#include "report/report.h"

#include <stdarg.h>
#include <string.h>

#include "base/format.h"

#define BAR_LEAST    5u
#define BAR_MOST     30u
#define BAR_FROM     40u /* columns of a terminal that is given a bar */
#define BAR_FRAME    3u	 /* a blank before it and its brackets */
#define BLOCK_BYTES  3u	 /* of one block in UTF-8 */
#define PIECE_LENGTH 96u

/* Requests whose fate is known. */
static uint64_t settled(const struct progress *progress)
{
	return progress->received + progress->lost;
}

/* How much of the run is over, 0..1, by count or by deadline, whichever ends it; < 0 unknown. */
static double part_done(const struct progress *progress)
{
	double by_count = -1.0, by_time = -1.0;

	/* With a deadline the count is one of replies (ping's rule for -c with -w). */
	if (progress->wanted > 0)
		by_count =
			(double)(progress->deadline_ns > 0 ? progress->received : progress->sent) /
			(double)progress->wanted;
	if (progress->deadline_ns > 0)
		by_time = (double)progress->elapsed_ns / (double)progress->deadline_ns;
	if (by_time > by_count)
		by_count = by_time;
	return by_count > 1.0 ? 1.0 : by_count;
}

/* "12 s left", or how long it has run where no end is known. */
static void time_text(const struct progress *progress, double done, bool is_brief,
		      char text[static PIECE_LENGTH])
{
	double seconds = (double)progress->elapsed_ns / (double)NANOSECONDS_PER_SECOND;
	const char *what = done > 0.0 ? " left" : " so far";
	unsigned long long whole;

	if (done > 0.0)
		seconds *= (1.0 - done) / done;
	if (is_brief)
		what = "";
	whole = (unsigned long long)(seconds + 0.5);
	if (whole < 60)
		(void)snprintf(text, PIECE_LENGTH, is_brief ? "%llus%s" : "%llu s%s", whole, what);
	else if (whole < 3600)
		(void)snprintf(text, PIECE_LENGTH, "%llu:%02llu%s", whole / 60, whole % 60, what);
	else
		(void)snprintf(text, PIECE_LENGTH, "%llu:%02llu:%02llu%s", whole / 3600,
			       whole / 60 % 60, whole % 60, what);
}

/* The line as it grows: columns and bytes differ once the bar is drawn. */
struct live {
	char *text;
	size_t size;
	size_t length;
	unsigned columns;
	unsigned used;
	bool is_brief;
	bool is_cut; /* a piece was left out */
};

static void add(struct live *live, const char *format, ...) PRINTF_LIKE(2, 3);

/* Adds one piece if it fits. */
static void add(struct live *live, const char *format, ...)
{
	const char *gap = live->used == 0 ? "" : live->is_brief ? " " : "  ";
	char piece[PIECE_LENGTH];
	va_list arguments;
	size_t wanted;

	va_start(arguments, format);
	(void)vsnprintf(piece, sizeof(piece), format, arguments);
	va_end(arguments);
	wanted = strlen(gap) + strlen(piece);
	if (live->used + wanted > live->columns || live->length + wanted >= live->size) {
		live->is_cut = true;
		return;
	}
	(void)snprintf(live->text + live->length, live->size - live->length, "%s%s", gap, piece);
	live->length += wanted;
	live->used += (unsigned)wanted;
}

/* A bar as wide as fits into `room` columns, its blank and brackets included. */
static void add_bar(struct live *live, double done, unsigned room, bool utf8)
{
	static const char full[] = "\xe2\x96\x88", rest[] = "\xe2\x96\x91";
	unsigned width, filled;

	if (room < BAR_LEAST + BAR_FRAME)
		return;
	width = room > BAR_MOST + BAR_FRAME ? BAR_MOST : room - BAR_FRAME;
	filled = (unsigned)(done * width + 0.5);
	if (live->length + BAR_FRAME + (size_t)width * BLOCK_BYTES >= live->size)
		return;
	live->length += (size_t)snprintf(live->text + live->length, live->size - live->length,
					 utf8 ? " " : " [");
	for (unsigned i = 0; i < width; i++) {
		const char *block = utf8 ? (i < filled ? full : rest) : (i < filled ? "#" : ".");

		memcpy(live->text + live->length, block, strlen(block));
		live->length += strlen(block);
	}
	if (!utf8)
		live->text[live->length++] = ']';
	live->text[live->length] = '\0';
	live->used += width + (utf8 ? 1 : BAR_FRAME);
}

/* In the brief style a unit stands right behind its number. */
static const char *tighten(const struct live *live, char *figure)
{
	char *blank = strchr(figure, ' ');

	if (live->is_brief && blank != NULL)
		memmove(blank, blank + 1, strlen(blank));
	return figure;
}

/* A time as finely as the clock of the run could tell it. */
static int64_t shown(const struct progress *progress, int64_t ns)
{
	return result_whole_steps_ns(progress->step_ns, ns);
}

/* The same with its unit; a coarse clock's zero is none in nanoseconds. */
static void shown_text(const struct progress *progress, int64_t ns, char text[static FORMAT_LENGTH])
{
	int64_t shown_ns = shown(progress, ns);

	if (shown_ns == 0 && progress->step_ns > 0)
		(void)format_duration_in(0.0, FORMAT_MS, 1, text);
	else
		(void)format_duration((double)shown_ns, text);
}

/* Both percentiles; a unit that they share is said once. */
static void add_percentiles(struct live *live, const struct progress *progress)
{
	char p50[FORMAT_LENGTH], p99[FORMAT_LENGTH];

	if (progress->p50_ns < 0)
		return;
	shown_text(progress, progress->p50_ns, p50);
	shown_text(progress, progress->p99_ns, p99);
	if (progress->p99_ns < 0) {
		add(live, "p50 %s", tighten(live, p50));
		return;
	}
	if (strcmp(p50 + strcspn(p50, " "), p99 + strcspn(p99, " ")) == 0)
		p50[strcspn(p50, " ")] = '\0';
	(void)tighten(live, p50);
	add(live, "p50/p99 %s/%s", p50, tighten(live, p99));
}

static void add_figures(struct live *live, const struct progress *progress)
{
	uint64_t known = settled(progress);
	char text[FORMAT_LENGTH];

	if (live->is_brief) {
		add(live, "recv %llu/%llu", (unsigned long long)progress->received,
		    (unsigned long long)progress->sent);
	} else {
		add(live, "sent %llu", (unsigned long long)progress->sent);
		add(live, "received %llu", (unsigned long long)progress->received);
	}
	if (known > 0) {
		(void)format_ratio((double)progress->lost / (double)known, text);
		add(live, "loss %s", tighten(live, text));
	}
	add(live, "%s", format_rate(progress->received_per_s, text));
	add_percentiles(live, progress);
	add(live, "in flight %llu", (unsigned long long)progress->in_flight);
}

/* Builds the line in one of the two styles; whether everything found its place. */
static bool build(struct live *live, const struct progress *progress, bool utf8)
{
	unsigned columns = live->columns, reserved, bar = 0;
	double done = part_done(progress);
	char left[PIECE_LENGTH];

	live->text[0] = '\0';
	/* The time left, and a bar where the line is not very short, have their place first. */
	time_text(progress, done, live->is_brief, left);
	if (done >= 0.0 && columns >= BAR_FROM)
		bar = BAR_LEAST + BAR_FRAME;
	reserved = (unsigned)strlen(left) + 2 + bar;
	live->columns = columns > reserved ? columns - reserved : 0;
	add_figures(live, progress);
	if (bar > 0)
		add_bar(live, done, live->columns + bar - live->used, utf8);
	live->columns = columns;
	add(live, "%s", left);
	return !live->is_cut;
}

size_t report_live_line(const struct progress *progress, unsigned columns, bool utf8, char *text,
			size_t size)
{
	struct live wide = {.text = text, .size = size, .columns = columns};
	struct live brief = {.text = text, .size = size, .columns = columns, .is_brief = true};

	if (size == 0)
		return 0;
	if (build(&wide, progress, utf8))
		return wide.length;
	(void)build(&brief, progress, utf8);
	return brief.length;
}

size_t report_status_line(const struct progress *progress, char *text, size_t size)
{
	char min[FORMAT_LENGTH], mean[FORMAT_LENGTH], ewma[FORMAT_LENGTH], max[FORMAT_LENGTH];
	uint64_t known = settled(progress);
	uint64_t loss = known > 0 ? (uint64_t)((uint128)progress->lost * 100 / known) : 0;
	char times[4 * FORMAT_LENGTH + 40] = "";

	if (size == 0)
		return 0;
	if (progress->received > 0 && progress->mean_ns >= 0 && progress->ewma_ns >= 0)
		(void)snprintf(times, sizeof(times), ", min/avg/ewma/max = %s/%s/%s/%s ms",
			       format_ping_time(shown(progress, progress->min_ns), min),
			       format_ping_time(shown(progress, progress->mean_ns), mean),
			       format_ping_time(shown(progress, progress->ewma_ns), ewma),
			       format_ping_time(shown(progress, progress->max_ns), max));
	(void)snprintf(text, size, "%llu/%llu packets, %llu%% loss%s\n",
		       (unsigned long long)progress->received, (unsigned long long)progress->sent,
		       (unsigned long long)loss, times);
	return strlen(text);
}
