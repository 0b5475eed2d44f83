/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fragments that pass one interface, in both directions, as a packet socket shows them: those
 * that come in before reassembly takes them, those that leave as the driver gets them. The socket
 * is looked at between rounds of the engine and wakes nobody.
 */
#ifndef FPING_BENCH_OS_FRAGMENT_CAPTURE_H
#define FPING_BENCH_OS_FRAGMENT_CAPTURE_H

#include "base/error.h"
#include "core/fragment_trains.h"
#include "os/real_time.h"

struct fragment_capture;

struct fragment_capture_settings {
	const char *interface;
	uint32_t interface_index;
	struct fragment_trains_settings trains;
	const struct real_time *real_time; /* knows when the clock of the stamps was set */
};

/*
 * Starts to capture with a packet socket that is bound to nothing yet, which it takes over (also on
 * failure), and allocates all that it needs.
 */
int fragment_capture_open(struct fragment_capture **capture, int descriptor,
			  const struct fragment_capture_settings *settings,
			  struct error *error) MUST_CHECK;

/* Takes what is there, up to a bound. now_ns: the clock of the run. It never waits. */
void fragment_capture_drain(struct fragment_capture *capture, int64_t now_ns);

/* Forgets everything so far, what lies in the socket included: the measurement starts now. */
void fragment_capture_restart(struct fragment_capture *capture);

/*
 * Takes what is left and closes the account: trains that were heard of less than grace_ns ago are
 * undecided. Everything in the result but its counts of targets is filled; it stays the capture's.
 */
struct result_capture *fragment_capture_finish(struct fragment_capture *capture, int64_t now_ns,
					       int64_t grace_ns);

/* NULL is allowed. */
void fragment_capture_close(struct fragment_capture *capture);

#endif
