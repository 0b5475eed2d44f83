/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the engine tells while it runs: single replies in slow modes, and a summary for the live
 * line at most ten times a second. Plain data and function pointers, so that the engine does
 * not know who prints, and a test can listen.
 */
#ifndef FPING_BENCH_CORE_OBSERVER_H
#define FPING_BENCH_CORE_OBSERVER_H

#include "core/event.h"
#include "core/result.h"

enum observation_kind {
	OBSERVED_REPLY,       /* received */
	OBSERVED_DUPLICATE,
	OBSERVED_LATE,
	OBSERVED_DAMAGED,     /* truncated, corrupt or mixed */
	OBSERVED_STRANGE,     /* forged, wrong source, bad checksum, short, bad header */
	OBSERVED_ERROR,       /* ICMP error that quotes a request of ours */
	OBSERVED_SEND_ERROR,  /* a request could not be sent */
	OBSERVED_OUTSTANDING, /* -O: no answer yet when the next request is sent */
};

struct observation {
	enum observation_kind kind;
	uint32_t target;             /* index */
	const char *name;            /* target as given */
	const struct address *source; /* of the packet; NULL for send errors */
	uint64_t sequence;           /* the target's own count of requests, from 1; 0 unknown */
	uint32_t bytes;              /* ICMP bytes received: data + 8 */
	uint32_t sent_bytes;         /* ICMP bytes sent */
	int ttl;                     /* -1 unknown */
	int64_t rtt_ns;              /* ping's RTT; -1 unknown */
	int64_t step_ns;             /* show it no finer than this; 0: as it is */
	const char *text;            /* what is strange, damaged or failed; NULL if nothing */
	uint32_t mtu;                /* of the error, 0 none */
	bool is_multicast;
};

/* Where the run stands; sums over all targets. */
struct progress {
	int64_t elapsed_ns;
	uint64_t sent, received, lost, in_flight, errors;
	uint64_t wanted;          /* requests that will be sent in all, 0 unknown */
	int64_t deadline_ns;      /* -w, 0 none */
	double received_per_s;    /* since the last progress */
	/* of the first target so far, -1 unknown: rtt.user */
	int64_t p50_ns, p99_ns;
	/* the same: rtt.ping, or rtt.user where there are no stamps */
	int64_t mean_ns, min_ns, max_ns;
	int64_t ewma_ns;
	uint32_t targets;
	int64_t step_ns;          /* show no time finer than this; 0: as they are */
};

struct observer {
	void *context;
	bool wants_replies;
	bool wants_outstanding;
	void (*observe)(void *context, const struct observation *observation);
	/* due at most ten times a second; NULL: nobody listens */
	void (*progress)(void *context, const struct progress *progress);
	/* SIGQUIT */
	void (*status)(void *context, const struct progress *progress);
};

#endif
