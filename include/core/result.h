/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frozen result of a run: plain data, filled once when the run is over, read by every
 * report. The engine and the reports know nothing of each other; they meet here. What is not
 * known is said to be unknown (has_ members, NULL pointers, -1), never guessed.
 */
#ifndef FPING_BENCH_CORE_RESULT_H
#define FPING_BENCH_CORE_RESULT_H

#include "base/address.h"
#include "core/configuration.h"
#include "core/depth.h"
#include "core/histogram.h"

#define RESULT_ERRORS_MAX 32u
#define RESULT_TTLS_MAX 16u
#define RESULT_REASONS_MAX 16u
#define RESULT_OUTAGES_MAX 32u
#define RESULT_FRAGMENTS_MAX 4096u

/* A number that may be unknown. */
struct maybe {
	bool known;
	double value;
};

/* An interval that may be unknown. */
struct maybe_interval {
	bool known;
	double low;
	double high;
};

/* Counters of one target; the words are those of the accounting rule in the manual page. */
struct tally {
	uint64_t sent;
	uint64_t received;
	uint64_t lost;
	uint64_t in_flight_at_end; /* waited for when the run ended */
	/* causes of lost; they add up to it */
	uint64_t lost_error_reply;
	uint64_t lost_damaged_reply;
	uint64_t lost_late_reply;
	uint64_t lost_local_receive_drop; /* an upper bound: set when the run is over */
	uint64_t lost_unknown;
	/* what merely arrived or failed; feeds neither side of the account */
	uint64_t duplicates;
	uint64_t other_responders; /* broadcast and multicast: further hosts that answered */
	uint64_t reordered;
	uint64_t late;
	uint64_t corrupt;
	uint64_t truncated;
	uint64_t mixed;
	uint64_t forged;
	uint64_t wrong_source;
	uint64_t bad_checksum;
	uint64_t short_packets;
	uint64_t bad_header;
	uint64_t clock_errors;
	uint64_t foreign;
	uint64_t icmp_errors;
	uint64_t send_errors;  /* requests that could not be sent at all */
	uint64_t send_retries; /* send calls put off (EAGAIN, ENOBUFS) and done again */
	uint64_t local_drops;  /* drops at the socket, shared by all targets of its family */
	uint64_t skipped;      /* interval: scheduled requests left out after a stall */
	uint32_t shortest_reply; /* data bytes of the shortest truncated reply, if there is one */
};

/* One kind of error that came back or that a send met. */
struct result_error {
	int type;            /* ICMP type and code; -1 for an error of this host's own */
	int code;
	int system_errno;    /* of a send that failed, else 0 */
	char text[80];
	char from[ADDRESS_TEXT_LENGTH]; /* "" for this host */
	uint32_t mtu;        /* 0 when the error tells none */
	uint64_t count;
};

/* A span during which sending failed. */
struct result_outage {
	int64_t from_ns; /* since the start of the run */
	int64_t to_ns;
	char what[80];
};

struct result_fragments {
	bool known;                  /* an MTU was found and the plan made */
	uint32_t per_request;        /* IP packets per echo request */
	uint32_t sizes[RESULT_FRAGMENTS_MAX]; /* IP bytes of each of the `per_request` */
	uint64_t wire_bytes;         /* Ethernet bytes of one request, preamble to gap */
	double overhead;             /* (wire_bytes - payload) / payload; 0 payload: unknown */
	bool counters_known;
	uint64_t created;            /* by the kernel's count: all of this network namespace */
	uint64_t reassembled_fragments; /* fragments received (ReasmReqds) */
	uint64_t reassembled;        /* datagrams reassembled (ReasmOKs) */
	uint64_t reassembly_failures;
	uint32_t largest_in_reply;   /* IP bytes of a reply's largest fragment; 0: none seen */
	struct maybe loss_one_way;   /* loss per fragment if one direction loses */
	struct maybe_interval loss_one_way_ci95;
	struct maybe loss_both_ways; /* if both directions lose alike */
	struct maybe_interval loss_both_ways_ci95;
	struct maybe id_repeat_ns;   /* IPv4: after this time an identification comes again */
	struct maybe pinned_bytes_estimate; /* in the other host's reassembly memory */
};

struct result_target {
	const char *name;             /* as given */
	char address[ADDRESS_TEXT_LENGTH]; /* "" when the name could not be resolved */
	uint8_t family;               /* 4, 6, 0 unknown */
	char interface[32];           /* "" unknown */
	char source[ADDRESS_TEXT_LENGTH];
	bool is_bound_to_interface;   /* -I named an interface: ping's banner names it */
	bool is_bound_to_source;      /* -I named an address: ping's banner names it */
	uint32_t mtu;                 /* of the interface; 0 unknown */
	uint32_t path_mtu;            /* of the route at the start; 0 unknown */
	uint64_t link_bits_per_s;     /* 0 unknown */
	char error[512];              /* why nothing was sent to it; "" if it was probed */
	uint32_t payload_bytes;
	uint32_t ip_overhead_bytes;   /* ICMP header + IP header: 28 or 48 */
	int64_t elapsed_ns;           /* first send to last event of this target */
	int64_t window_ns;            /* length of the window in which the depth was integrated */
	int reply_ttl[RESULT_TTLS_MAX];
	uint32_t reply_ttl_count;
	struct tally tally;
	struct maybe loss;            /* lost / (sent - in_flight_at_end) */
	struct maybe_interval loss_ci95;
	struct maybe sent_per_s, received_per_s;
	/* each way */
	struct maybe payload_bytes_per_s, wire_bits_per_s, frame_bytes_per_s, link_share;
	const struct histogram *rtt_user;     /* NULL: not measured */
	const struct histogram *rtt_ping;     /* our send call to the kernel's receive stamp */
	const struct histogram *rtt_intended; /* from the scheduled time, interval mode */
	const struct histogram *lateness;     /* send call after its scheduled time */
	struct maybe ewma_rtt_ns;             /* ping's moving average, weight 1/8 */
	const struct depth *depth;
	/* what Little's law needs beside the histogram; raw, from the engine */
	uint64_t given_up;            /* requests that lost their slot without a reply in time */
	/* sum of the times that such requests held a slot: until 64 newer ones were answered,
	 * -W, an error, a damaged reply or the end of the measurement */
	double given_up_held_ns;
	/* sum of the RTTs (rtt_user) of those that were answered in time after all: they count as
	 * received, but held no slot any more */
	double given_up_answered_rtt_ns;
	/* kernel's receive stamp to our receive call, over the replies that had a stamp; raw */
	double receive_queue_held_ns; /* sum */
	uint64_t receive_queue_samples;
	struct maybe in_flight_mean;
	uint64_t in_flight_max;
	struct maybe littles_law;
	struct maybe in_flight_sending;       /* needs send stamps: unknown without */
	struct maybe in_flight_network;
	struct maybe in_flight_receive_queue;
	struct maybe in_flight_unexplained;
	struct maybe time_weighted_rtt_ns;
	struct result_fragments fragments;
	struct result_error errors[RESULT_ERRORS_MAX];
	uint32_t error_count;
	struct result_outage outages[RESULT_OUTAGES_MAX];
	uint32_t outage_count;
};

/* Why a measurement must not be trusted. Codes: see the manual page. */
struct result_reason {
	const char *code;
	char text[200];
};

/* Facts about this host; "" where unknown. */
struct environment {
	char kernel[128];
	char machine[64];
	char cpu[128];
	uint32_t cpus; /* 0 unknown */
	char clocksource[64];
	char governor[64];
	char driver[64]; /* of the first target's interface */
};

/* One counter of /proc/net/snmp or snmp6, "Ip.FragCreates", and its change over the run. */
struct result_counter {
	char name[64];
	int64_t change;
};

struct result_processor {
	bool known;
	double user_s, system_s, wall_s;
	double per_round_trip_ns; /* 0 when nothing was received: then null */
	bool has_round_trips;
	char accounting[160];     /* what the figure contains on this host */
};

enum result_ending {
	ENDING_COMPLETE,    /* everything asked for was done */
	ENDING_DEADLINE,    /* -w */
	ENDING_INTERRUPTED, /* SIGINT, SIGTERM */
	ENDING_FAULT,       /* a fault that leaves no way on; see fault */
};

struct result {
	const char *version;
	const char *build;
	const char *sandbox;       /* what is in force, in words */
	int argument_count;
	char *const *arguments;
	char started[40];          /* RFC 3339 */
	struct environment environment;
	const char *clock_source;  /* row name */
	char clock_reason[160];
	const char *mode;          /* "flood", "interval", "depth" */
	const struct configuration *configuration;
	const char *transport;     /* row name actually used */
	char transport_note[200];  /* why not the one asked for, or "" */
	int64_t interval_ns;       /* per target; 0 where there is no schedule */
	uint32_t depth;            /* slots per target; 0 where there are none */
	bool tagged;               /* requests carry sequence and tag */
	struct result_target *targets;
	uint32_t target_count;
	struct result_processor processor;
	const struct result_counter *counters;
	uint32_t counter_count;
	struct result_reason reasons[RESULT_REASONS_MAX]; /* the first caused the others */
	uint32_t reason_count;     /* 0: valid */
	const struct refusal *refusals;
	uint32_t refusal_count;
	enum result_ending ending;
	char fault[200];
	int64_t elapsed_ns;        /* the whole run */
};

/* lost + in flight + received == sent, and the causes add up to lost. */
bool result_tally_balances(const struct tally *tally);

/*
 * The exit status that the replies ask for: 0 if every target answered, else 1; with -c and -w also
 * 1 if one answered fewer than -c times by then (ping's rule).
 */
int result_exit_status(const struct result *result);

#endif
