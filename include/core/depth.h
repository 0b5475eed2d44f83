/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many requests were in flight, and for how long each number of them: the integral of the
 * number over time, kept at every change. It knows nothing of round-trip times, so that
 * Little's law can be checked against it from the other side.
 */
#ifndef FPING_BENCH_CORE_DEPTH_H
#define FPING_BENCH_CORE_DEPTH_H

#include "base/base.h"

#define DEPTH_SHARES 1025 /* depths 0..1023 one by one; the last holds all from 1,024 on */

struct depth {
	int64_t start_ns;
	int64_t last_ns;
	uint64_t current;
	uint64_t max;
	uint128 area;                   /* sum of depth x ns since start_ns */
	int64_t time_at[DEPTH_SHARES];  /* ns spent at each depth */
};

/* Starts at depth 0 at this time. */
void depth_start(struct depth *depth, int64_t now_ns);

/*
 * The depth rises or falls by change at now_ns. A time before the last one counts as the last
 * one (batches are stamped once); the depth never goes below zero: returns false, and leaves
 * the depth alone, if it would.
 */
bool depth_change(struct depth *depth, int64_t change, int64_t now_ns);

/* Lets time pass up to now_ns without a change; the end of a measurement. */
void depth_advance(struct depth *depth, int64_t now_ns);

/*
 * Nothing has changed since the last time and nothing in between is to count: the start moves by as
 * much as the time until now_ns, so that the span from it is that in which the depth was kept.
 */
void depth_resume(struct depth *depth, int64_t now_ns);

/* Multiplies all times since start_ns by a factor that is near 1; the mean and the shares stay. */
void depth_rescale(struct depth *depth, double factor);

/* Mean over start_ns..last_ns; 0 when no time has passed. */
double depth_mean(const struct depth *depth);

#endif
