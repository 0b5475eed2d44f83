/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rates, shares and times that a report derives from counts and clocks. One function for each
 * formula, so that no report and no test has its own; each says false and leaves its output
 * alone where the figure would not exist (no time passed, nothing counted, no link known).
 * Rates are in SI units: a kilobyte has 1,000 bytes, and what divides by 1,024 says KiB.
 */
#ifndef FPING_BENCH_CORE_THROUGHPUT_H
#define FPING_BENCH_CORE_THROUGHPUT_H

#include "base/base.h"

/* count things in elapsed_ns, per second. False unless elapsed_ns > 0. */
bool throughput_per_second(uint64_t count, int64_t elapsed_ns, double *per_s) MUST_CHECK;

/* elapsed_ns over count things, each. False if there is none, or elapsed_ns < 0. */
bool throughput_ns_each(int64_t elapsed_ns, uint64_t count, double *ns) MUST_CHECK;

/* How long count things take at this rate, in ns. False unless per_s > 0. */
bool throughput_duration(uint64_t count, double per_s, double *ns) MUST_CHECK;

/* count packets of bytes_each in elapsed_ns, in bytes/s. False unless elapsed_ns > 0. */
bool throughput_bytes_per_s(uint64_t count, uint64_t bytes_each, int64_t elapsed_ns,
			    double *bytes_per_s) MUST_CHECK;

/* bytes/s in KiB/s, the "KB" of ttcp. */
double throughput_kib_per_s(double bytes_per_s);

/*
 * Time that `bytes` take on a link, in ns. Give ethernet_wire_bytes for the time the link is
 * taken, ethernet_frame_bytes less ETHERNET_CHECK_BYTES for what a capture shows. False if the
 * rate is 0 (unknown).
 */
bool throughput_link_ns(uint64_t bytes, uint64_t link_bits_per_s, double *ns) MUST_CHECK;

/* The part of a link that bytes_per_s take, 0..1 and above if it cannot be. False if the link's
 * rate is 0 (unknown). */
bool throughput_link_share(double bytes_per_s, uint64_t link_bits_per_s, double *share) MUST_CHECK;

/* Little's law: how many are in flight if per_s of them arrive and each stays for mean_ns. */
double throughput_in_flight(double per_s, double mean_ns);

/*
 * The same from what a run has counted: `replies` round trips of mean_ns each and requests that
 * were given up after holding slots for held_ns in sum, over elapsed_ns. It must meet the
 * integral of the depth over the same time. False unless elapsed_ns > 0.
 */
bool throughput_littles_law(uint64_t replies, double mean_ns, double held_ns, int64_t elapsed_ns,
			    double *in_flight) MUST_CHECK;

/* The part that cpu_ns are of wall_ns; above 1 with more than one processor. False unless
 * wall_ns > 0. */
bool throughput_cpu_share(int64_t cpu_ns, int64_t wall_ns, double *share) MUST_CHECK;

#endif
