/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fragments as they pass an interface, put together to trains (the fragments of one datagram) by
 * direction, addresses and identification, and what the trains show: which sizes, in which order,
 * how far apart, and which pieces are missing. It sees what a host's reassembly hides: a datagram
 * that never came together says here which of its pieces was lost.
 *
 * The table is the caller's and bounded: where more trains are open than it holds, the oldest is
 * pushed out and counted. A train that is complete stays as long as there is room, so that a piece
 * that comes again is known as a duplicate.
 */
#ifndef FPING_BENCH_CORE_FRAGMENT_TRAINS_H
#define FPING_BENCH_CORE_FRAGMENT_TRAINS_H

#include "base/address.h"
#include "core/histogram.h"
#include "core/result_capture.h"

#define FRAGMENT_TRAINS_WAYS 8u       /* slots that one key may have */
#define FRAGMENT_TRAINS_WORDS 128u    /* a bit for each 8 bytes of the longest datagram */
/* No piece for so long: nothing more comes. A piece of a complete train is a duplicate so long. */
#define FRAGMENT_TRAINS_AGE_NS (2 * NANOSECONDS_PER_SECOND)
#define FRAGMENT_TRAINS_AFTER_NS (200 * NANOSECONDS_PER_MILLISECOND)

enum fragment_train_state { FRAGMENT_TRAIN_FREE, FRAGMENT_TRAIN_OPEN, FRAGMENT_TRAIN_CLOSED };

/* One datagram. Units are of 8 bytes, as fragment offsets count. */
struct fragment_train {
	enum fragment_train_state state;
	bool outgoing;
	struct address source, destination;
	uint32_t id;
	bool has_echo;         /* the first piece was there and said whose it is */
	bool is_foreign;       /* and it is another's */
	bool has_last;
	bool stamps_are_void;  /* the clock was set, or a stamp was missing */
	bool rising, falling;  /* offsets so far */
	uint32_t pieces;       /* without duplicates */
	uint32_t duplicates, overlaps;
	uint32_t end_bytes;    /* of the datagram; meaningless without the last piece */
	uint32_t high_units;   /* nothing is known beyond */
	uint32_t covered_units;
	uint32_t piece_units;  /* of a piece that was not the last; 0: none was seen */
	uint32_t previous;     /* offset of the piece that came before */
	uint32_t header_first, header_rest; /* bytes before the data; 0: not seen */
	uint64_t bytes_behind; /* Ethernet bytes of all pieces but the one that came first */
	int64_t first_stamp_ns, last_stamp_ns;
	int64_t heard_ns;      /* caller's clock, of the last piece */
	uint64_t covered[FRAGMENT_TRAINS_WORDS]; /* these bytes were there */
	uint64_t starts[FRAGMENT_TRAINS_WORDS];  /* a piece starts here */
};

struct fragment_trains_settings {
	uint16_t identifiers[2];  /* ICMP identifier of our requests, IPv4 and IPv6 */
	struct address peer;      /* the only host that is asked; family 0: there are several */
	uint32_t datagram_bytes;  /* IP payload of every request; 0: they differ */
};

struct fragment_trains_way {
	struct result_capture_way shown;
	uint32_t piece_units;     /* what is usual in this direction; 0: not known */
	struct histogram gaps;
	struct histogram spacing; /* picoseconds that a byte took, a sample a train */
};

struct fragment_trains {
	struct fragment_trains_settings settings;
	struct fragment_train *table;
	uint32_t slots;
	uint64_t foreign;
	struct fragment_trains_way ways[2]; /* in, out */
};

/* Starts with an empty table of `slots` places: a power of two, FRAGMENT_TRAINS_WAYS at least. */
void fragment_trains_init(struct fragment_trains *trains,
			  const struct fragment_trains_settings *settings,
			  struct fragment_train *table, uint32_t slots);

/* Forgets what was seen so far; the settings and the table stay. */
void fragment_trains_restart(struct fragment_trains *trains);

/*
 * A packet passed: `length` bytes of it from the IP header on are there. stamp_ns: when, by any
 * clock whose differences are ns; INT64_MIN: not known. now_ns: the caller's clock, which ages the
 * trains. False: it was no fragment of an ICMP message that can be read, and was left out.
 */
bool fragment_trains_take(struct fragment_trains *trains, const uint8_t *bytes, size_t length,
			  bool outgoing, int64_t stamp_ns, int64_t now_ns);

/* The clock of the stamps was set: the open trains have no gaps. */
void fragment_trains_void_stamps(struct fragment_trains *trains);

/*
 * No piece comes any more. Open trains that were heard of within `grace_ns` before now_ns are
 * undecided, the others incomplete. Fills the two directions and `foreign` of result.
 *
 * The dispersion is that of packet trains (C. Dovrolis et al., "What do packet dispersion
 * techniques measure?", INFOCOM 2001): 8 x bytes behind the first piece, with Ethernet's framing, /
 * the time from the first piece to the last, the median over complete trains without duplicates.
 * Where the pieces leave one link after the other without a pause it is the rate of the slowest
 * link; it is unknown where most trains came in one instant.
 */
void fragment_trains_finish(struct fragment_trains *trains, int64_t now_ns, int64_t grace_ns,
			    struct result_capture *result);

#endif
