/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals become flags and a byte in a pipe; nothing else happens in a handler. The pipe wakes
 * a waiting engine, the flags tell it why.
 */
#ifndef FPING_BENCH_OS_SIGNALS_H
#define FPING_BENCH_OS_SIGNALS_H

#include "base/error.h"

/*
 * Resets what exec passes on: empties the signal mask, stops inherited timers, ignores SIGPIPE
 * and SIGXFSZ. First thing in main, before any option is read.
 */
void signals_reset(void);

/*
 * Installs the handlers: SIGINT, SIGTERM and SIGHUP ask to stop (not those that were inherited as
 * ignored); a second SIGINT or SIGTERM ends the process at once with status 130; SIGQUIT asks
 * for a status line; SIGXCPU asks to stop; SIGCONT leaves a note.
 */
int signals_install(struct error *error) MUST_CHECK;

/*
 * Asks to stop as SIGTERM would, also where that is ignored; a SIGINT that comes later is still the
 * first.
 */
void signals_request_stop(void);

/* Whether a stop was asked for; the signal's number, or 0. */
int signals_stop_requested(void);

/* Whether a status line was asked for since the last call. */
bool signals_take_status_request(void);

/* Whether this process was stopped and continued (SIGCONT) since the last call. */
bool signals_take_continued(void);

/* A descriptor that is readable after a signal; -1 before signals_install. */
int signals_wake_descriptor(void);

/* Empties the wake descriptor. */
void signals_drain(void);

#endif
