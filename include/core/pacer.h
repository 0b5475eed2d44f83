/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When to send the next request to one target. A pacer is asked and the engine obeys; no
 * arithmetic on send times stands anywhere else. It sees the time, the slots in use and what
 * became of its sends, nothing more, so hours of pacing are simulated in a unit test within
 * milliseconds.
 *
 *   flood     as fast as replies come back, or 100 a second, whichever is more
 *   interval  request k at start + k x interval, for ever the same schedule
 *   depth     N slots; a slot that becomes free is filled again at once
 */
#ifndef FPING_BENCH_CORE_PACER_H
#define FPING_BENCH_CORE_PACER_H

#include "base/error.h"

#define PACER_FLOOD_FLOOR_NS (10 * NANOSECONDS_PER_MILLISECOND) /* at least 100 a second */
#define PACER_CATCH_UP_NS (10 * NANOSECONDS_PER_MILLISECOND)
#define PACER_CATCH_UP_MAX 512u

struct pacer_settings {
	uint64_t count;       /* requests in all, 0 for no end */
	uint32_t slots;       /* flood, depth: requests in flight, >= 1 */
	bool slots_are_hard;  /* flood: never more in flight, not even for the 100 a second */
	int64_t interval_ns;  /* interval: > 0 */
	uint32_t preload;     /* interval: requests due at once at the start, >= 1 */
	int64_t start_ns;     /* first request is due then */
};

enum pacer_action { PACER_SEND, PACER_WAIT, PACER_DONE };

struct pacer_decision {
	enum pacer_action action;
	uint32_t count;      /* PACER_SEND: this many now, >= 1 */
	int64_t intended_ns; /* PACER_SEND: when the first of them was due; the n-th after it is due
	                      * n x spacing_ns later */
	int64_t spacing_ns;  /* PACER_SEND: 0 where there is no schedule (flood, depth) */
	int64_t until_ns;    /* PACER_WAIT: ask again then, or earlier when a slot becomes free;
	                      * TIME_NEVER_NS: only a free slot can bring the next request */
};

struct pacer {
	const struct pacer_row *row;
	struct pacer_settings settings;
	uint64_t attempts;   /* requests sent or given up as unsendable */
	uint64_t skipped;    /* interval: scheduled requests that were left out after a stall */
	int64_t last_send_ns;
	int64_t floor_from_ns; /* flood: from here the 10 ms to the next request run */
	bool newest_answered;  /* the request that was sent last has its reply */
};

struct pacer_row {
	const char *name;    /* "flood", "interval", "depth": also JSON's mode */
	const char *summary; /* one line */
	bool has_schedule;   /* intended times mean something */
	MUST_CHECK int (*validate)(const struct pacer_settings *settings, struct error *error);
	void (*next)(struct pacer *pacer, int64_t now_ns, uint32_t slots_used,
		     struct pacer_decision *decision);
};

extern const struct pacer_row pacer_flood;
extern const struct pacer_row pacer_interval;
extern const struct pacer_row pacer_depth;

/* The table: all rows, ended by NULL. */
extern const struct pacer_row *const pacer_rows[];

/* The row of that name, or NULL. */
const struct pacer_row *pacer_find(const char *name);

/* Checks the settings against the row and prepares the pacer. */
int pacer_init(struct pacer *pacer, const struct pacer_row *row,
	       const struct pacer_settings *settings, struct error *error) MUST_CHECK;

/*
 * What to do at now_ns with slots_used requests holding a slot. Asking changes nothing but
 * `skipped`; the schedule moves on by pacer_sent.
 */
void pacer_next(struct pacer *pacer, int64_t now_ns, uint32_t slots_used,
		struct pacer_decision *decision);

/*
 * The first `count` requests of the last decision have been dealt with at now_ns: accepted by
 * the kernel, or impossible to send for good (an attempt that fails for good uses up its place
 * in the count and in the schedule, so that an unreachable target does not turn into a tight
 * loop). A request that was merely put off (EAGAIN, ENOBUFS) is not reported: it stays due.
 */
void pacer_sent(struct pacer *pacer, int64_t now_ns, uint32_t count);

/* After `count` more requests there are no more, whatever the settings said. */
void pacer_limit(struct pacer *pacer, uint64_t count);

/*
 * A right reply came, to the request that was sent last (is_newest) or to an older one. A flood
 * needs to know: when the newest is answered, whatever still holds a slot has been overtaken, and
 * a lost packet must not hold up the pump.
 */
void pacer_answered(struct pacer *pacer, bool is_newest);

/*
 * Most requests that the interval pacer sends at once after a stall: as many as fall due in 10
 * ms, at least 1 and at most 512. What was due earlier is skipped and counted.
 */
uint32_t pacer_catch_up(int64_t interval_ns);

#endif
