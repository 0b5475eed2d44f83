/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reassembly of IPv4 and IPv6 fragments, any order. It follows Linux where that is visible to a
 * sender (exact duplicates are ignored, any other overlap discards the datagram) and departs from
 * it where an oracle must not be fooled: the same range with other bytes under the same id is a
 * new datagram, never a mixture, and the timeout is short, so that lost fragments do not fill the
 * table.
 */
#ifndef FPING_BENCH_PEER_REASSEMBLY_H
#define FPING_BENCH_PEER_REASSEMBLY_H

#include "packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	REASSEMBLY_BUCKETS = 4096,
	REASSEMBLY_DATAGRAMS_MAX = 16384,
	DATAGRAM_UNITS = 8192,
};

struct datagram {
	struct datagram *chain;
	struct datagram *older, *newer;
	struct address source;
	struct address destination;
	uint8_t protocol;
	uint32_t id;
	int64_t number; /* by arrival of the first of its fragments, from 1 */
	int64_t first_ns;
	int64_t seen; /* fragments that arrived, also those that a rule dropped */
	int64_t largest_packet;
	bool dont_fragment;
	uint8_t *first; /* the packet with offset 0 */
	size_t first_length;
	uint8_t *payload;
	size_t room;
	size_t total; /* 0 until the last fragment is there */
	size_t received;
	uint64_t units[DATAGRAM_UNITS / 64];
};

struct reassembly {
	int64_t timeout_ns;
	int64_t datagrams; /* numbered so far */
	int64_t count;
	int64_t duplicates, overlaps, replaced, evicted;
	struct datagram *oldest, *newest;
	struct datagram *bucket[REASSEMBLY_BUCKETS];
};

enum reassembly_result {
	REASSEMBLY_MORE,
	REASSEMBLY_WHOLE,
	REASSEMBLY_REFUSED
};

/* The datagram that a fragment belongs to; a new one if there is none. */
struct datagram *reassembly_find(struct reassembly *reassembly, const struct packet_view *view,
				 int64_t now_ns);

/*
 * Put the fragment in. *datagram may change (replaced by a new one) or become NULL (discarded for
 * an overlap). WHOLE: payload holds total bytes, and the caller removes the datagram.
 */
enum reassembly_result reassembly_insert(struct reassembly *reassembly, struct datagram **datagram,
					 const struct packet_view *view, const uint8_t *packet,
					 size_t length, int64_t now_ns);

/* The oldest datagram if it timed out, else NULL. The caller removes it. */
struct datagram *reassembly_expired(const struct reassembly *reassembly, int64_t now_ns);
void reassembly_remove(struct reassembly *reassembly, struct datagram *datagram);
void reassembly_free(struct reassembly *reassembly);

#endif
