/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a look at single fragments has shown, for each direction: plain data, as all of the result.
 * A train is the fragments of one datagram. Tables are bounded, and what found no room in one is
 * counted beside it, so that no table has to be believed to be all there was.
 */
#ifndef FPING_BENCH_CORE_RESULT_CAPTURE_H
#define FPING_BENCH_CORE_RESULT_CAPTURE_H

#include "core/result.h"

#define RESULT_CAPTURE_RUNS_MAX 8u
#define RESULT_CAPTURE_PATTERNS_MAX 16u
#define RESULT_CAPTURE_MISSING_MAX 64u

/* So many pieces of one size behind each other. */
struct result_capture_run {
	uint32_t packet_bytes; /* from the IP header on */
	uint32_t count;
};

/* The sizes of a train's pieces, by their place in the datagram, and how often that was seen. */
struct result_capture_pattern {
	struct result_capture_run runs[RESULT_CAPTURE_RUNS_MAX];
	uint32_t run_count;
	uint64_t count;
};

struct result_capture_missing {
	uint32_t index; /* of the piece in its datagram, from 0 */
	uint64_t count;
};

/* One direction. trains = complete + incomplete + undecided + evicted. */
struct result_capture_way {
	uint64_t trains;
	uint64_t complete;
	uint64_t incomplete;     /* nothing came for so long that nothing will */
	uint64_t undecided;      /* pieces were still expected when the run was cut short */
	uint64_t evicted;        /* pushed out by newer ones: nobody knows what became of them */
	/* how the pieces of complete trains came; the three add up to complete */
	uint64_t in_order;
	uint64_t reversed;
	uint64_t other_order;
	uint64_t duplicates;     /* pieces that came again, of whatever train */
	uint64_t overlaps;       /* pieces on bytes of others: Linux drops them all */
	struct result_capture_pattern patterns[RESULT_CAPTURE_PATTERNS_MAX]; /* as they came up */
	uint32_t pattern_count;
	uint64_t patterns_left_out;
	struct result_capture_missing missing[RESULT_CAPTURE_MISSING_MAX]; /* by index */
	uint32_t missing_count;
	uint64_t missing_unknown; /* trains with holes whose indexes are not all known or listed */
	/* first to last piece of complete trains of several pieces; meaningless without samples */
	uint64_t gap_samples;
	int64_t gap_min_ns, gap_median_ns, gap_max_ns;
	/* bits that came behind the first piece, with Ethernet's framing, by the time that took */
	struct maybe dispersion_bits_per_s;
};

struct result_capture {
	char interface[32];
	struct result_capture_way out, in;
	uint64_t foreign;        /* trains of others, in both directions */
	bool drops_are_known;
	uint64_t drops;          /* packets that found no room in our socket */
	bool holes_are_known;    /* none was dropped: what is missing was not there */
	uint32_t targets;        /* targets that are reached by the interface, and others */
	uint32_t targets_left_out;
};

/*
 * The target with which the capture is shown, since it is one for all of them: the first that is
 * reached by its interface. NULL: there is no capture.
 */
const struct result_target *result_capture_target(const struct result *result);

#endif
