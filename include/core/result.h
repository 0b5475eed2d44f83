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
#include "core/estimate.h"
#include "core/fragment_cut.h"
#include "core/histogram.h"
#include "core/loss_model.h"
#include "core/size_fit.h"

#define RESULT_ERRORS_MAX 32u
#define RESULT_TTLS_MAX 16u
#define RESULT_REASONS_MAX 16u
#define RESULT_OUTAGES_MAX 32u
#define RESULT_FRAGMENTS_MAX 4096u
#define RESULT_LOSS_RUNS_MAX 64u
#define RESULT_MIXED_MAX 16u
#define RESULT_OFFLOADS_MAX 32u

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

/* A reply that was put together from pieces of two requests, by the target's count of requests. */
struct result_mixed {
	uint64_t request; /* whose sequence and tag it carries */
	uint64_t other;   /* whose data stands where it first differs; 0: not known any more */
};

/* A span during which sending failed. */
struct result_outage {
	int64_t from_ns; /* since the start of the run */
	int64_t to_ns;
	char what[80];
};

/* How often so many requests in a row were lost. */
struct result_loss_run {
	uint64_t length;
	uint64_t count;
};

/* The stretches of a round trip, in the order in which a request and its reply go through them. */
enum result_budget_part {
	BUDGET_CALL_TO_QUEUE,    /* our send call to the kernel's queue of the interface */
	BUDGET_QUEUE_TO_DRIVER,  /* waiting in that queue */
	BUDGET_DRIVER_TO_DRIVER, /* the network, the other host, the rest of a train of fragments */
	BUDGET_DRIVER_TO_SOCKET, /* until our receive call: reassembly, queue, waking us */
	BUDGET_SOCKET_TO_US,     /* our receive call */
	BUDGET_PARTS,            /* how many there are */
};

/* The requests whose way was stamped by the kernel, and what became of the stamps. */
struct result_stamps {
	uint64_t sampled;        /* requests that were sent with a wish for stamps */
	uint64_t complete;       /* those of them that were answered and had every stamp */
	uint64_t missing_queue;  /* answered, but without this stamp */
	uint64_t missing_driver;
	uint64_t missing_receive;
	uint64_t voided;         /* around a step of the real-time clock: not used */
};

/* Whether what was measured is steady, and from where on it is (MSER, K. P. White, 1997). */
struct result_steady {
	bool known;           /* there were enough replies to judge */
	bool is_steady;
	uint64_t cut_replies; /* replies at the start that differ from the rest; 0: none do */
	double cut_share;     /* of all replies */
	double cut_mean_ns;   /* mean RTT of those, and of the rest */
	double rest_mean_ns;
};

struct result_fragments {
	bool known;                  /* an MTU was found and the plan made */
	uint32_t per_request;        /* IP packets per echo request */
	uint32_t per_reply;          /* per echo reply, if it is cut as our kernel would */
	uint32_t sizes[RESULT_FRAGMENTS_MAX]; /* IP bytes of each of the `per_request` */
	uint64_t wire_bytes;         /* Ethernet bytes of one request, preamble to gap */
	uint64_t reply_wire_bytes;   /* the same of one reply, if it is cut as our kernel would */
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

struct sweep;
struct mtu_search;
struct diagnosis;

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
	int reply_ttl[RESULT_TTLS_MAX]; /* all values seen, in the order in which they came up */
	uint32_t reply_ttl_count;
	uint64_t reply_ttl_changes;     /* replies whose value is not that of the one before */
	struct tally tally;
	struct tally warmup;            /* requests sent before the measurement */
	struct maybe loss;            /* lost / (sent - in_flight_at_end) */
	struct maybe_interval loss_ci95;
	struct result_loss_run loss_runs[RESULT_LOSS_RUNS_MAX]; /* shortest first */
	uint32_t loss_run_count;
	uint64_t loss_runs_left_out;    /* runs of further lengths, which found no room */
	struct maybe sent_per_s, received_per_s;
	/* each way */
	struct maybe payload_bytes_per_s, wire_bits_per_s, frame_bytes_per_s, link_share;
	const struct histogram *rtt_user;     /* NULL: not measured */
	const struct histogram *rtt_ping;     /* our send call to the kernel's receive stamp */
	const struct histogram *rtt_intended; /* from the scheduled time, interval mode */
	const struct histogram *rtt_kernel;   /* kernel's send to its receive stamp, sampled */
	const struct histogram *rtt_hardware; /* the same between the stamps of the interface */
	const struct histogram *lateness;     /* send call after its scheduled time */
	const struct histogram *budget[BUDGET_PARTS]; /* NULL: not measured */
	struct result_stamps stamps;
	/* RFC 3550, A.8, and RFC 3393 over successive replies: of rtt_user */
	struct maybe rfc3550_ns;
	struct maybe ipdv_mean_ns;            /* mean of the absolute differences */
	/* RFC 4737, sections 3 and 4 */
	struct maybe reordered_ratio;
	uint64_t reorder_extent_max;          /* 0: none was reordered */
	struct maybe reorder_extent_p99;
	struct result_steady steady;
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
	/* our send call to the kernel's send stamp, over the sampled requests; raw */
	double sending_held_ns; /* sum */
	uint64_t sending_samples;
	/*
	 * What the sampled requests are beside all of them: the mean of their own rtt_ping, and by
	 * how much the time of sending and that on the network change with it; raw
	 */
	struct maybe sampled_ping_mean_ns;
	double sending_slope, network_slope; /* mean nothing while that is unknown */
	/* what lost fragments hold in the other host's reassembly memory; raw */
	struct maybe pinned_bytes;    /* at the end; unknown: nothing that was sent is cut */
	uint64_t pinned_bytes_most;   /* at once during the run */
	struct maybe in_flight_mean;
	uint64_t in_flight_max;
	struct maybe littles_law;
	struct maybe in_flight_sending;       /* needs send stamps: unknown without */
	struct maybe in_flight_network;
	struct maybe in_flight_receive_queue;
	struct maybe in_flight_unexplained;
	struct maybe time_weighted_rtt_ns;
	struct result_fragments fragments;
	struct estimate boundary_step_ns; /* beyond a fragment boundary: over the point before */
	bool has_cut;                 /* requests were cut by hand */
	struct fragment_cut cut;
	/* a series: one for each kind of request, as targets of their own; their sums stand here */
	struct result_target *points;
	uint32_t point_count;         /* 0: there is no series */
	struct sweep *sweep;          /* what its blocks brought; NULL: none */
	const struct mtu_search *mtu_search; /* a search for the path MTU; NULL: none */
	const struct diagnosis *diagnosis;   /* of fragments; NULL: none */
	struct size_fit fit;          /* of a sweep */
	struct loss_model loss_model; /* of a sweep: what its losses are like */
	struct result_error errors[RESULT_ERRORS_MAX];
	uint32_t error_count;
	struct result_mixed mixed[RESULT_MIXED_MAX]; /* the first ones */
	uint32_t mixed_count;
	struct result_outage outages[RESULT_OUTAGES_MAX];
	uint32_t outage_count;
};

/* Why a measurement must not be trusted. Codes: see the manual page. */
struct result_reason {
	const char *code;
	char text[200];
};

/* How long an interface waits before it interrupts the host. */
struct result_coalescing {
	bool known;
	bool adaptive_receive, adaptive_send;
	uint32_t receive_us, receive_frames, send_us, send_frames;
};

/* Facts about this host; "" where unknown. */
struct environment {
	char kernel[128];
	char machine[64];
	char cpu[128];
	uint32_t cpus; /* 0 unknown */
	char clocksource[64];
	char governor[64];
	/* of the first target's interface */
	char driver[64];
	bool offloads_known;
	char offloads[RESULT_OFFLOADS_MAX][32]; /* those that are on, by ethtool's names */
	uint32_t offload_count;
	struct result_coalescing coalescing;
};

/* The clock of the run: what it is, and what it was measured to be. */
struct result_clock {
	const char *source;         /* row name; NULL before one is open */
	char reason[240];           /* why this one, one sentence */
	bool is_measured;           /* false: the members up to hiccup_ns mean nothing */
	int64_t step_ns;            /* smallest step between two readings that differ */
	double read_ns;             /* one reading takes */
	double zero_share;          /* readings that equal the one before, 0..1 */
	struct maybe grain_ns;      /* greatest common divisor of the counter's steps */
	struct maybe hiccup_ns;     /* largest gap in a tight loop; unknown for a coarse clock */
	double rate_error;          /* bound of the relative error of its rate: 5e-4 */
	/* a counter that was calibrated by the program itself */
	bool is_calibrated;
	bool is_pinned;             /* the process was kept on one processor for it */
	double counts_per_s;
	double calibration_bound;   /* relative; of the line through start and end */
	double drift;               /* relative difference of the rates at start and end */
	char fault[200];            /* why it must not be trusted after all; "" */
	/* derived */
	bool is_coarse;             /* its step is above 1 us */
	struct maybe error_ns;      /* bound of the clock's part in the error of an RTT */
};

/* What disturbed the run as seen by clocks, signals and the scheduler. */
struct result_disturbance {
	uint32_t clock_steps;       /* times that the real-time clock was set */
	int64_t largest_step_ns;    /* signed; 0: not known or none */
	uint32_t stops;             /* times that the process was stopped and continued */
	int64_t stopped_ns;         /* how long, at least */
	struct maybe suspended_ns;  /* this host slept */
	struct maybe run_delay_s;   /* ready to run, but the processor was with others */
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
	struct maybe steal_s;     /* taken by the hypervisor, all processors */
	struct maybe softnet_drops; /* packets that this host had no time to take in */
};

enum result_ending {
	ENDING_COMPLETE,    /* everything asked for was done */
	ENDING_DEADLINE,    /* -w */
	ENDING_INTERRUPTED, /* SIGINT, SIGTERM */
	ENDING_FAULT,       /* a fault that leaves no way on; see fault */
};

struct result_capture; /* core/result_capture.h */

struct result {
	const char *version;
	const char *build;
	const char *sandbox;       /* what is in force, in words */
	int argument_count;
	char *const *arguments;
	char started[40];          /* RFC 3339 */
	struct environment environment;
	struct result_clock clock;
	struct result_disturbance disturbance;
	const char *mode;          /* "flood", "interval", "depth" */
	const struct configuration *configuration;
	const char *transport;     /* row name actually used */
	char transport_note[200];  /* why not the one asked for, or "" */
	int64_t interval_ns;       /* per target; 0 where there is no schedule */
	uint32_t depth;            /* slots per target; 0 where there are none */
	bool tagged;               /* requests carry sequence and tag */
	enum configuration_stamps stamps; /* really in use */
	uint32_t stamp_every;      /* one request in so many asks for send stamps; 0: none does */
	int64_t warmup_ns;         /* how long the warm-up took; 0: there was none */
	struct result_target *targets;
	uint32_t target_count;
	const struct result_capture *capture; /* NULL: fragments were not captured */
	struct result_processor processor;
	const struct result_counter *counters;
	uint32_t counter_count;
	struct result_reason reasons[RESULT_REASONS_MAX]; /* the first caused the others */
	uint32_t reason_count;     /* 0: valid */
	const struct refusal *refusals;
	uint32_t refusal_count;
	enum result_ending ending;
	char fault[200];
	uint64_t harm_bytes;       /* that ended the run: core/harm_budget.h; 0: they did not */
	int64_t elapsed_ns;        /* the whole run */
};

/* The nearest multiple of the step of a clock, to the microsecond; the time itself for step 0. */
int64_t result_whole_steps_ns(int64_t step_ns, int64_t ns);

/* The step that no time of this clock may be shown finer than; 0: it is not coarse. */
int64_t result_shown_step_ns(const struct result_clock *clock);

/*
 * A time as it may be shown: on a coarse clock the nearest multiple of its step, on any other the
 * value itself.
 */
int64_t result_shown_ns(const struct result *result, int64_t ns);

/* The rows that requests are booked to: the points of a series where there is one, else targets. */
const struct result_target *result_rows(const struct result *result, uint32_t *count);

/* Whether requests were sent to find something out: neither their pace nor losses matter then. */
bool result_is_search(const struct result *result);

/* lost + in flight + received == sent, and the causes add up to lost. */
bool result_tally_balances(const struct tally *tally);

/*
 * The exit status that the replies ask for: 0 if every target answered, else 1; with -c and -w also
 * 1 if one answered fewer than -c times by then (ping's rule).
 */
int result_exit_status(const struct result *result);

#endif
