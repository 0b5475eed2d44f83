/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a round trip spent its time: the table of the requests whose way the kernel stamps. Stamps
 * cost, so a sample of the requests is sent with a wish for them; the pieces of one sample (our
 * send call, the kernel's send stamps, the reply with its receive stamp) arrive in any order,
 * late, twice or never, and meet here by the request's number alone. A sample is recorded when it
 * is whole, and only then: each histogram of the budget tells of the same requests, and the parts
 * of one request add up to its round trip.
 *
 * Send and receive stamps are both the kernel's real-time clock, so what lies between them is
 * exact; only the first and the last part need that clock brought over to the run's own.
 */
#ifndef FPING_BENCH_CORE_STAMPS_H
#define FPING_BENCH_CORE_STAMPS_H

#include "core/result.h"

#define STAMPS_NONE INT64_MIN /* a stamp that did not come, or cannot be brought over */
/* So long after its reply a request waits for stamps that are still out: they were made before it
 * left, and only their way to us can be slow. */
#define STAMPS_GRACE_NS (100 * NANOSECONDS_PER_MILLISECOND)
/* A part may come out negative by so much: two clocks were compared, each read with an error. */
#define STAMPS_ERROR_NS NANOSECONDS_PER_MICROSECOND
/* So many answered requests without all their send stamps, and none with them: there are none. */
#define STAMPS_HOPELESS_AFTER 64u

enum stamps_kind {
	STAMPS_QUEUE,    /* handed to the queue of the interface */
	STAMPS_DRIVER,   /* handed to the interface by its driver */
	STAMPS_HARDWARE, /* put on the wire, on the interface's own clock */
	STAMPS_KINDS,    /* how many there are */
};

struct stamps_sample {
	uint64_t sequence;
	uint32_t target;
	uint8_t kinds;         /* bits of enum stamps_kind: have come */
	bool is_answered;
	bool is_void;          /* its reply came around a step of real time */
	bool is_recorded;      /* what the kernel's stamps tell */
	bool is_done;          /* nothing more is expected or wanted */
	int64_t call_ns;       /* run's clock, just before the send call */
	int64_t stamp_ns[STAMPS_KINDS]; /* run's clock; meaningless for hardware */
	int64_t real_ns[STAMPS_KINDS];  /* as the kernel gave them */
	int64_t receive_ns;    /* kernel's receive stamp, run's clock */
	int64_t receive_real_ns;
	int64_t receive_hardware_ns;
	int64_t receive_call_ns; /* start of the receive call that brought the reply */
	int64_t read_ns;       /* its end */
};

/*
 * How the parts of the sampled round trips go with the whole that is known of every reply (send
 * call to the kernel's receive stamp): mean, and sums of products of deviations from the means (B.
 * P. Welford, 1962).
 */
struct stamps_moments {
	double ping_ns, sending_ns, kernel_ns;
	double ping_ping, ping_sending, ping_kernel;
};

struct stamps_target {
	/* set by the caller; histograms in the caller's memory, empty */
	struct histogram *rtt_kernel; /* is also the part driver to driver */
	struct histogram *rtt_hardware;
	struct histogram *budget[BUDGET_PARTS]; /* that of driver to driver is not used */
	uint32_t phase;               /* any number: where in the first block the sample lies */
	/* kept here */
	uint64_t requests;
	struct result_stamps counts;
	int128 sending_sum_ns;        /* driver's stamp minus send call, of recorded samples */
	struct stamps_moments moments;
};

struct stamps {
	struct stamps_sample *ring; /* in order of sequence */
	uint64_t mask;
	uint64_t head, tail;        /* oldest, next free: counts, not indexes */
	struct stamps_target *targets;
	uint32_t every;
	int64_t timeout_ns;
	uint64_t unanswered;        /* samples without a reply */
	uint64_t lacking;           /* samples that lack send stamps */
	uint64_t complete;          /* samples that were recorded */
	uint64_t left_lacking;      /* answered samples that were given up without them */
};

/* What the reply to a request brought. */
struct stamps_reply {
	uint64_t sequence;
	int64_t receive_call_ns; /* start of our receive call, run's clock */
	int64_t read_ns;         /* its end */
	int64_t stamp_ns;        /* kernel's receive stamp on the run's clock, or STAMPS_NONE */
	int64_t real_ns;         /* as the kernel gave it, or STAMPS_NONE */
	int64_t hardware_ns;     /* the interface's, or STAMPS_NONE */
	bool is_void;            /* real time was set just before: its stamp was left out */
};

/*
 * Prepares a table over the caller's memory: ring has `entries` members, a power of two. Of every
 * `every` (> 0) requests of a target one is sampled. timeout_ns: no reply is right after it.
 */
void stamps_init(struct stamps *stamps, struct stamps_sample *ring, uint64_t entries,
		 struct stamps_target *targets, uint32_t every, int64_t timeout_ns);

/*
 * Whether a request to the target asks for stamps; ahead: how many others to it are sent before it
 * that stamps_sent has not been told of. Exactly one of each block of `every` requests does, and
 * its place in the block goes round by the golden ratio, the most even of such sequences (D. E.
 * Knuth, The Art of Computer Programming, volume 3, section 6.4, theorem S): a fixed distance would
 * meet the same place of every batch, and its packets wait for each other.
 */
bool stamps_wants(const struct stamps *stamps, uint32_t target, uint32_t ahead);

/*
 * A request was accepted by the kernel; call_ns was read before the call. To be told of each
 * request, in order of sequence; if it asked for stamps it is remembered, and the oldest one
 * forgotten where there is no room.
 */
void stamps_sent(struct stamps *stamps, uint32_t target, uint64_t sequence, int64_t call_ns);

/*
 * A send stamp came back; id: the low 32 bits of the request's sequence. stamp_ns is on the run's
 * clock, STAMPS_NONE if it could not be brought over. Of two of a kind the first one counts: with
 * devices stacked on each other the outermost queue.
 */
void stamps_take(struct stamps *stamps, uint32_t id, enum stamps_kind kind, int64_t stamp_ns,
		 int64_t real_ns);

/* The right reply to a request came in time, for the first time; sampled or not. */
void stamps_answer(struct stamps *stamps, const struct stamps_reply *reply);

/* Real time was set: what the outstanding samples have must not be compared with what comes. */
void stamps_void(struct stamps *stamps);

/* Forgets samples that have waited long enough, oldest first. */
void stamps_expire(struct stamps *stamps, int64_t now_ns);

/* The run is over: what is outstanding is counted as what it lacks. */
void stamps_close(struct stamps *stamps);

/*
 * By how much of a change in the whole (send call to receive stamp) each part changes in the
 * recorded samples: the slopes of the two regression lines, which add up to 1 where the stamps
 * agree. False: the samples do not tell.
 */
bool stamps_slopes(const struct stamps_target *target, double *sending, double *kernel);

/* Send stamps are out: it pays to ask for them. */
static inline bool stamps_awaits_stamps(const struct stamps *stamps)
{
	return stamps->lacking > 0 &&
	       (stamps->complete > 0 || stamps->left_lacking < STAMPS_HOPELESS_AFTER);
}

/* Replies to sampled requests are out. */
static inline bool stamps_awaits_replies(const struct stamps *stamps)
{
	return stamps->unanswered > 0;
}

#endif
