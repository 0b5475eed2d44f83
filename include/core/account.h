/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The account of a run: the only place where a counter of a target changes. It takes events
 * (sent, arrived, expired) with their times and keeps the one rule
 *
 *     sent = received + lost + waited for,    lost = the sum of its causes
 *
 * true at every instant. What merely arrives (duplicates, late, forged, others' errors) has
 * counters that feed neither side.
 */
#ifndef FPING_BENCH_CORE_ACCOUNT_H
#define FPING_BENCH_CORE_ACCOUNT_H

#include "core/delay_variation.h"
#include "core/event.h"
#include "core/flight.h"
#include "core/harm_budget.h"
#include "core/loss_runs.h"
#include "core/observer.h"
#include "core/payload.h"
#include "core/reordering.h"
#include "core/result.h"
#include "core/steady.h"

#define ACCOUNT_NO_TARGET UINT32_MAX
#define ACCOUNT_NO_STAMP INT64_MIN
#define ACCOUNT_RESPONDERS_MAX 64u
#define ACCOUNT_DEFERRED_MAX 16u

/* A host that answered a request to many, and the last request it answered. */
struct account_responder {
	struct address address;
	uint64_t sequence;
};

/* Slots that the timeout freed while nothing else happened: see account_expire. */
struct account_deferred {
	int64_t at_ns;
	uint64_t slots;
	int128 sent_sum_ns;
};

/* The RTTs (rtt_user) that one turn of a series has brought, as far as there is room. */
struct account_log {
	double *rtts_ns;
	uint32_t count, capacity;
};

struct account_target {
	/* set by the caller */
	struct address address;
	bool is_multicast;
	struct histogram *rtt_user; /* caller's memory; the others NULL where not measured */
	struct histogram *rtt_ping;
	struct histogram *rtt_intended;
	struct histogram *lateness;
	struct account_responder *responders; /* ACCOUNT_RESPONDERS_MAX of them, multicast only */
	const struct payload_plan *plan; /* of its requests; NULL: the account's */
	struct harm_budget *harm;    /* of the host; NULL: its requests are not cut */
	struct account_log *log;     /* NULL: none is kept */
	uint64_t pinned_bytes;       /* in the host's reassembly memory by one that is lost */
	/* kept here */
	struct tally tally;
	struct flight_slots slots;
	struct depth depth;
	bool has_started;
	bool is_paused;              /* nothing that comes moves the window of its depth */
	uint64_t last_sequence;      /* of the newest request to this target */
	uint64_t given_up;           /* requests that left their slot without an answer */
	int128 given_up_held_ns;     /* the time they held their slots */
	int128 given_up_answered_ns; /* RTTs of those of them that were answered after that */
	int128 queue_sum_ns;         /* kernel's receive stamp to our receive call */
	uint64_t queue_samples;
	double ewma_ns;
	uint32_t largest_fragment;
	uint32_t responder_count;
	int ttls[RESULT_TTLS_MAX];
	uint32_t ttl_count;
	int last_ttl;                /* -1: none yet */
	uint64_t ttl_changes;
	struct reordering reordering; /* with memory where extents are wanted */
	struct loss_runs loss_runs;
	struct delay_variation variation;
	struct steady steady;
	struct result_error errors[RESULT_ERRORS_MAX];
	uint32_t error_count;
	struct result_mixed mixed[RESULT_MIXED_MAX];
	uint32_t mixed_count;
	struct account_deferred deferred[ACCOUNT_DEFERRED_MAX];
	uint32_t deferred_count;
};

struct account {
	struct flight flight;
	struct account_target *targets;
	uint32_t target_count;
	const struct payload_plan *plan; /* of all requests, or the longest of several */
	bool plans_differ;
	int64_t timeout_ns;
	struct harm_budget *exceeded; /* NULL: none is */
	int64_t slowest_further_ns; /* from a request to a further reply to it; 0: none came */
};

/* A packet as the engine received it, already read by the wire format. */
struct arrival {
	const struct event *event;
	struct address source;
	uint32_t source_target;  /* the target that has this source address, or ACCOUNT_NO_TARGET */
	uint32_t default_target; /* where it counts if nothing ties it to a target */
	int64_t now_ns;          /* our receive */
	int64_t stamp_ns;        /* kernel's receive stamp on the same clock, or ACCOUNT_NO_STAMP */
	int ttl;
	uint32_t largest_fragment;
	const char *error_text;  /* EVENT_ERROR: the wire format's words */
};

/* What an arrival meant; for the pacers and for whoever looks on. */
struct account_outcome {
	enum observation_kind kind;
	bool is_silent;          /* others' traffic: nobody is told */
	uint32_t target;
	uint64_t number;         /* of the request, 0 when not known */
	uint64_t sequence;       /* the same in the run's own count */
	int64_t rtt_ns;          /* ping's (kernel's stamp if there is one), -1 when not known */
	const char *text;        /* what is odd about it, NULL for nothing */
	uint32_t freed[2];       /* targets that have a slot free now; ACCOUNT_NO_TARGET: none */
};

/* Starts the account of a target; its memory is given, everything else zero. */
void account_target_init(struct account_target *target);

/* One request to target was accepted by the kernel; sent_ns was read before the call. */
void account_sent(struct account *account, uint32_t target, int64_t sent_ns, int64_t intended_ns,
		  bool has_schedule);

/* One packet arrived. */
void account_arrival(struct account *account, const struct arrival *arrival,
		     struct account_outcome *outcome);

/*
 * Requests whose timeout has passed at now_ns become lost. freed(context, target) is called for
 * each slot that this frees. Returns when the next one will expire, TIME_NEVER_NS if nothing
 * is waited for. The time that an expired request held its slot enters the integral of the depth
 * only when a later send or reply shows that the measurement goes on: the last wait for what
 * never comes is not part of it.
 */
int64_t account_expire(struct account *account, int64_t now_ns,
		       void (*freed)(void *context, uint32_t target), void *context);

/*
 * An ICMP error (type, code >= 0) or an error of this host (type and code -1, system_errno)
 * concerns the target: counted in its table of errors, from NULL for this host.
 */
void account_error(struct account_target *target, int type, int code, int system_errno,
		   const char *text, const struct address *from, uint32_t mtu);

/* All slots of this target are given up at now_ns; their requests are still waited for. */
void account_give_up_all(struct account *account, uint32_t target, int64_t now_ns);

/*
 * No more is sent to the target for a while, and what still holds a slot is not worth waiting for:
 * its slots are freed and stay waited for. The window in which its depth is integrated ends with
 * its last event and goes on with account_resume.
 */
void account_pause(struct account *account, uint32_t target);

/* Sending to the target goes on at now_ns; the pause is no part of its window. */
void account_resume(struct account *account, uint32_t target, int64_t now_ns);

/*
 * The run is over at now_ns: marked requests are lost by their cause, all others that are still
 * waited for are in flight at the end. Where some hold slots (the run was stopped), they were in
 * flight until now.
 */
void account_close(struct account *account, int64_t now_ns);

#endif
