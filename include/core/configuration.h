/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one run was asked to do: plain data, filled by the option rows, judged here as a whole
 * before anything is sent. Text members point into the caller's argument vector.
 */
#ifndef FPING_BENCH_CORE_CONFIGURATION_H
#define FPING_BENCH_CORE_CONFIGURATION_H

#include "base/error.h"
#include "core/fragment_cut.h"
#include "core/payload.h"
#include "core/simulation.h"

#define CONFIGURATION_SOURCES_MAX 8u        /* -I may be repeated */
#define CONFIGURATION_DEPTH_MAX 65536u      /* slots per target */
#define CONFIGURATION_COUNT_MAX UINT64_C(1000000000000000) /* -c */
#define CONFIGURATION_TIME_MAX_NS (INT64_C(1000000000) * NANOSECONDS_PER_SECOND) /* -w: 31 years */
#define CONFIGURATION_TIMEOUT_MIN_NS (100 * NANOSECONDS_PER_MICROSECOND)         /* -W */
#define CONFIGURATION_TIMEOUT_MAX_NS (3600 * NANOSECONDS_PER_SECOND)
#define CONFIGURATION_INTERVAL_MAX_NS (1000000 * NANOSECONDS_PER_SECOND)         /* -i */
#define CONFIGURATION_INTERVAL_MIN_NS NANOSECONDS_PER_MICROSECOND
#define CONFIGURATION_RATE_MAX 1e6           /* requests/s over all targets: one sending thread */
#define CONFIGURATION_SLOTS_MAX 262144u      /* slots over all targets */
#define CONFIGURATION_WAITING_MAX 1048576u   /* requests waited for under a schedule, all targets */
/* Limits for everybody but root, as iputils has them. */
#define CONFIGURATION_USER_INTERVAL_MIN_NS (2 * NANOSECONDS_PER_MILLISECOND)
#define CONFIGURATION_USER_PRELOAD_MAX 3u

/* --stamps: our calls only; plus the kernel's receive stamp; plus its send stamps, sampled. */
enum configuration_stamps { STAMPS_USER, STAMPS_RX, STAMPS_SPLIT };

#define CONFIGURATION_STAMP_EVERY 64u          /* flood and depth: send stamps for one in so many */
#define CONFIGURATION_STAMP_ALL_PER_S 50000.0  /* up to this rate a schedule stamps every request */
#define CONFIGURATION_SERIES_INTERVAL_NS (10 * NANOSECONDS_PER_MILLISECOND) /* 100 a second */
#define CONFIGURATION_SWEEP_COUNT 100u         /* requests to each point on a schedule */
#define CONFIGURATION_SWEEP_FLOOD_COUNT 1000u  /* where the pace follows the replies */
#define CONFIGURATION_SWEEP_COUNT_MIN 3u       /* a request for each of three blocks */
#define CONFIGURATION_WARMUP_MAX_NS (3600 * NANOSECONDS_PER_SECOND)

/* Path-MTU discovery modes of -M (ip(7), IP_MTU_DISCOVER). */
enum configuration_path_mtu {
	PATH_MTU_DEFAULT, /* IPv4: omit; IPv6: fragments at the learned path MTU */
	PATH_MTU_DO,
	PATH_MTU_WANT,
	PATH_MTU_DONT,
	PATH_MTU_PROBE,
	PATH_MTU_INTERFACE,
	PATH_MTU_OMIT,
};

struct configuration {
	/* who and where */
	const char **targets;      /* names or addresses as given */
	uint32_t target_count;
	const char *targets_file;  /* --targets, NULL if none */
	uint8_t family;            /* 4, 6, or 0 for either (-4, -6) */
	const char *sources[CONFIGURATION_SOURCES_MAX]; /* -I: interface, address or VRF */
	uint32_t source_count;
	/* pace */
	bool flood;
	uint32_t depth;            /* --depth, -A; 0 if not given */
	uint32_t preload;          /* -l; 0 if not given */
	int64_t interval_ns;       /* -i, per target; 0 if not given */
	double rate_per_s;         /* --rate over all targets; 0 if not given */
	uint64_t count;            /* -c; 0 if not given */
	int64_t deadline_ns;       /* -w; 0 if not given */
	int64_t timeout_ns;        /* -W */
	uint64_t warmup_requests;  /* --warmup N, per target; 0 if not given */
	int64_t warmup_ns;         /* --warmup T; 0 if not given */
	/* a series of kinds of requests: at most one of these */
	const char *sweep_sizes;   /* --sweep-size, as given; NULL: none */
	bool sweeps_pieces;        /* it is the word pieces */
	uint32_t boundary_limit;   /* of its boundaries, data bytes: -s; 0: none */
	bool find_mtu;             /* --find-mtu */
	bool diagnose_fragments;   /* --diagnose-fragments */
	/* packet */
	uint32_t payload_bytes;    /* -s */
	bool has_size;             /* -s was given */
	enum payload_pattern pattern;
	bool has_payload_kind;     /* --payload was given, whatever it said */
	uint8_t fixed_pattern[PAYLOAD_FIXED_MAX]; /* -p */
	uint32_t fixed_pattern_length;
	uint32_t fragment_size;    /* --fragment-size: IP payload of a piece; 0: not given */
	enum fragment_order fragment_order;
	bool has_fragment_order;   /* --fragment-order was given */
	enum configuration_path_mtu path_mtu;
	int ttl;                   /* -t; 0 if not given */
	int traffic_class;         /* -Q; -1 if not given */
	int64_t flow_label;        /* -F; -1 if not given */
	int32_t identifier;        /* -e; -1 if not given */
	bool allow_broadcast;      /* -b */
	bool suppress_loopback;    /* -L: multicast is not looped back */
	uint32_t send_buffer_bytes; /* -S; 0 if not given */
	bool has_mark;             /* -m */
	uint32_t mark;
	/* means */
	const char *transport;     /* "auto", "raw", "ping", "sim" */
	const char *clock;         /* "auto" or the name of a row */
	enum configuration_stamps stamps;
	bool capture_fragments;    /* --capture-fragments */
	struct simulation simulation;
	bool has_simulation;       /* --sim was given */
	/* output */
	bool json;
	const char *json_file;     /* NULL: standard output */
	bool quiet;                /* -q */
	bool verbose;              /* -v */
	bool print_timestamps;     /* -D */
	bool print_outstanding;    /* -O */
	bool allow_harm;           /* --allow-harm: past the budget of core/harm_budget.h */
	bool strict;               /* --strict: a measurement that is not valid exits 4 */
	bool numeric;              /* -n: never looks up names of addresses; accepted, always so */
};

/* Ping's values for everything that was not asked for. */
void configuration_defaults(struct configuration *configuration);

/* The pacer that this configuration asks for: "flood", "depth" or "interval". */
const char *configuration_mode(const struct configuration *configuration);

/* Whether several kinds of requests are sent, one after the other. */
bool configuration_has_series(const struct configuration *configuration);

/* Whether some of its requests are fragments made by hand, or packets that must stay whole. */
bool configuration_makes_fragments(const struct configuration *configuration);

/* What the run is called in reports: its series, or else its pacer. */
const char *configuration_name(const struct configuration *configuration);

/* Requests to each point of a sweep: -c, or what is usual at this pace. */
uint64_t configuration_sweep_count(const struct configuration *configuration);

/* Replies are shown in ping's lines: interval mode at 0.1 s and slower, not -q, text. */
bool configuration_prints_replies(const struct configuration *configuration);

/* One request in so many asks for send stamps under --stamps split; 0 under the others. */
uint32_t configuration_stamp_every(const struct configuration *configuration,
				   uint32_t target_count);

/* Interval between two requests to the same target in ns, from -i, --rate and the targets. */
int64_t configuration_interval_ns(const struct configuration *configuration,
				  uint32_t target_count);

/*
 * Checks what no single option can check: contradictions, sums and products of limits. The
 * sentence names the options, the limit and the remedy. Returns 0 or -ERROR_INVALID.
 */
int configuration_validate(const struct configuration *configuration, struct error *error)
	MUST_CHECK;

/*
 * What a caller who is not root may not do: flood, intervals below 2 ms, more than 3 at once,
 * a mark. Writes one sentence for every broken rule into refusals (up to max) and returns how
 * many were broken.
 */
#define CONFIGURATION_REFUSALS_MAX 8u
struct refusal {
	const char *rule;   /* "user.min-interval", ... */
	char asked[48];     /* what was asked for, with its unit */
	char limit[48];     /* what is allowed, with its unit */
	char text[256];     /* the whole sentence */
};
uint32_t configuration_refusals(const struct configuration *configuration, bool is_root,
				struct refusal refusals[static CONFIGURATION_REFUSALS_MAX]);

#endif
