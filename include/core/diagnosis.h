/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wrong with large echoes. One kind of request after the other is sent at a low rate, each
 * until it is clear whether it loses, and the pattern of what passes names the culprit: a small
 * echo in hand-made pieces has a whole reply and so tells the way there from the way back; a size
 * that fails whole and in pieces alike is the host's own limit; what passes at a lower rate is
 * policed; what passes after the reassembly timers have run out had found no memory. Where two
 * explanations fit, it says so and what would decide.
 */
#ifndef FPING_BENCH_CORE_DIAGNOSIS_H
#define FPING_BENCH_CORE_DIAGNOSIS_H

#include "core/series.h"

#define DIAGNOSIS_ERROR	      1e-3 /* of calling a kind of request clean or lossy */
#define DIAGNOSIS_LOSS	      0.05 /* per packet, which must not be taken for none ... */
#define DIAGNOSIS_NO_LOSS     0.002 /* ... and this, which is none for the purpose */
#define DIAGNOSIS_LEAST	      20u  /* requests of each kind */
#define DIAGNOSIS_MOST	      400u
#define DIAGNOSIS_SIZES_MAX   24u  /* tried between a size that passes and one that does not */
#define DIAGNOSIS_EVIDENCE_MAX 8u
#define DIAGNOSIS_TEXT	      240u
#define DIAGNOSIS_HISTORY     40u
#define DIAGNOSIS_BURST_KINDS 4u

/* The kinds of requests, each a row of the series. */
enum diagnosis_column {
	DIAGNOSIS_SMALL,       /* small and whole */
	DIAGNOSIS_PIECES_2,    /* small, in hand-made pieces */
	DIAGNOSIS_PIECES_8,
	DIAGNOSIS_LARGE_PIECES, /* as long as fits into one packet, in two hand-made pieces */
	DIAGNOSIS_LARGE,       /* the same whole */
	DIAGNOSIS_LARGE_DF,    /* the same, and nobody may cut it */
	DIAGNOSIS_CUT_2,       /* one byte more: in two fragments each way */
	DIAGNOSIS_CUT_MANY,    /* in several full fragments each way */
	DIAGNOSIS_COLUMNS,     /* of the first round; what follows is sent where it decides */
	DIAGNOSIS_SMALL_SLOW = DIAGNOSIS_COLUMNS,
	DIAGNOSIS_PIECES_SLOW,
	DIAGNOSIS_PIECES_AGAIN, /* after the timers of reassembly */
	DIAGNOSIS_BURST_HALF,  /* several of the largest at once */
	DIAGNOSIS_BURST,
	DIAGNOSIS_BURST_WHOLE, /* as many packets at once, whole or in short pieces */
	DIAGNOSIS_BURST_PIECES,
	DIAGNOSIS_SMALL_AGAIN, /* the second look */
	DIAGNOSIS_AGAIN,
	DIAGNOSIS_TOLD_LARGE,  /* the largest by the path MTU that an ICMP error told */
	DIAGNOSIS_TOLD_CUT_2,
	DIAGNOSIS_TOLD_CUT_MANY,
	DIAGNOSIS_SIZES,       /* from here on: sizes between two */
	DIAGNOSIS_ROWS = DIAGNOSIS_SIZES + DIAGNOSIS_SIZES_MAX,
};

enum diagnosis_verdict {
	DIAGNOSIS_UNDETERMINED,
	DIAGNOSIS_HEALTHY,
	DIAGNOSIS_FRAGMENTS_DROPPED,
	DIAGNOSIS_NON_FIRST_DROPPED,
	DIAGNOSIS_SIZE_LIMIT,
	DIAGNOSIS_FRAGMENT_POLICER,
	DIAGNOSIS_PACKET_LOSS,
	DIAGNOSIS_REASSEMBLY_FULL,
	DIAGNOSIS_ICMP_RATE_LIMIT,
	DIAGNOSIS_PATH_MTU_BLACK_HOLE,
	DIAGNOSIS_RESPONDER_QUEUE,
	DIAGNOSIS_REPLY_DIRECTION,
};

enum diagnosis_finding { DIAGNOSIS_OPEN, DIAGNOSIS_CLEAN, DIAGNOSIS_LOSSY, DIAGNOSIS_DEAD };

enum diagnosis_phase {
	DIAGNOSIS_FIRST_ROUND,
	DIAGNOSIS_PLATEAU,     /* small echoes lose: at which rate do answers come? */
	DIAGNOSIS_SLOWER,      /* the same at less than that */
	DIAGNOSIS_SECOND_LOOK, /* is what failed still failing, and small echoes not? */
	DIAGNOSIS_SLOW_PIECES,
	DIAGNOSIS_TOLD,        /* the same kinds, no longer than the path was told to take */
	DIAGNOSIS_SEARCH,      /* for the size from which on nothing passes */
	DIAGNOSIS_WAIT,        /* for the timers of reassembly */
	DIAGNOSIS_AFTER_WAIT,
	DIAGNOSIS_BURSTS,
	DIAGNOSIS_OVER,
};

struct diagnosis {
	struct conductor conductor; /* hand this to the engine */
	uint8_t family;
	uint32_t mtu;
	int64_t timeout_ns;
	/* kept here */
	struct series_point kinds[DIAGNOSIS_ROWS];
	uint32_t packets[DIAGNOSIS_ROWS];   /* of a request */
	int64_t intervals_ns[DIAGNOSIS_ROWS];
	enum diagnosis_finding findings[DIAGNOSIS_ROWS];
	enum diagnosis_phase phase;
	uint32_t column;
	int64_t started_ns, last_fragment_ns;
	int64_t elapsed_ns;
	double loss;                 /* of small echoes, where they lose at any rate */
	/* small echoes as time goes by, one entry a turn */
	uint64_t answered[DIAGNOSIS_HISTORY], asked[DIAGNOSIS_HISTORY];
	int64_t ended_ns[DIAGNOSIS_HISTORY], last_sent_ns[DIAGNOSIS_HISTORY];
	uint32_t history;
	uint64_t small_sent, small_answered; /* up to the last entry */
	int64_t patience_ns;         /* of the last turn */
	uint64_t plateau_until;      /* small echoes sent */
	bool is_plateau;             /* they were answered at one rate, whatever was sent */
	bool is_late;                /* they began to lose after the first round only */
	/* the second look */
	uint32_t decisive;           /* the column whose failure the answer rests on */
	uint32_t look;               /* turns of it that are over */
	uint64_t decisive_lost;      /* before the last of them */
	bool has_changed;            /* what failed passes now */
	/* bursts, from DIAGNOSIS_BURST_HALF on: lost of all so far, and of the best one */
	uint64_t burst_lost[DIAGNOSIS_BURST_KINDS], burst_least[DIAGNOSIS_BURST_KINDS];
	/* the search */
	uint32_t passes, fails;      /* data bytes */
	uint32_t sizes;
	uint32_t slow_of;            /* the column that is repeated slower */
	/* the answer */
	enum diagnosis_verdict verdict;
	char evidence[DIAGNOSIS_EVIDENCE_MAX][DIAGNOSIS_TEXT];
	uint32_t evidence_count;
	char decide_by[DIAGNOSIS_TEXT]; /* undetermined: what would decide; "" otherwise */
	bool has_bucket, has_burst;
	double bucket_rate_per_s, bucket_burst; /* of the second, 0 where it is not known */
	uint32_t told_mtu;           /* IPv6: by an ICMP error; 0: none came */
	uint32_t size_limit;         /* data bytes of the longest echo that is answered; 0: none */
};

extern const struct conductor_row conductor_diagnosis;

/* The words of a verdict: "healthy", "fragments-dropped" ...; and what it means, a sentence. */
const char *diagnosis_word(enum diagnosis_verdict verdict);
const char *diagnosis_sentence(enum diagnosis_verdict verdict);

/* What a kind of request is called in the matrix. */
const char *diagnosis_column_name(uint32_t row);

/* Prepares a diagnosis; points of the engine's series: DIAGNOSIS_ROWS. mtu: of the interface. */
void diagnosis_init(struct diagnosis *diagnosis, uint8_t family, uint32_t mtu, int64_t timeout_ns);

/* The longest data that it can send. */
uint32_t diagnosis_largest(const struct diagnosis *diagnosis);

#endif
