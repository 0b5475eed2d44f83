/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From an event to the IP packets of one copy of its answer: make.c chooses the ICMP message,
 * edit.c alters it as the script says, quote.c writes what an error quotes, wrap.c puts the IP
 * header on and cuts fragments.
 */
#ifndef FPING_BENCH_PEER_MAKE_H
#define FPING_BENCH_PEER_MAKE_H

#include "event.h"
#include "packet.h"
#include "random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MESSAGE_MAX = 65535,
	RECENT_REQUESTS = 1024,
	LATE_CORRUPTIONS_MAX = 16,
};

/* The packets of one copy, in the order of sending. */
struct packets {
	struct packets *next; /* in the pool */
	uint8_t *bytes;
	size_t used;
	size_t room;
	int count;
	int slots;
	struct packet_place {
		size_t at;
		size_t length;
	} * place;
};

/*
 * One message on its way to packets. The buffer is longer than a message may be: edits come
 * before the cut.
 */
struct draft {
	struct address source;
	struct address destination;
	size_t length;
	uint8_t ttl;
	uint8_t tos;
	bool wrong_checksum;
	bool wrong_header_checksum;
	int late_corruptions;
	size_t late_corruption[LATE_CORRUPTIONS_MAX];
	const struct operation *options;
	size_t fragment_size; /* bytes of IP payload; 0: by the MTU */
	bool fragment_none;
	bool fragment_atomic;
	enum fragment_order order;
	const struct ranges *skip;
	const struct ranges *twice;
	size_t overlap;
	uint8_t icmp[2 * MESSAGE_MAX + 256];
};

struct maker {
	struct random random;
	size_t mtu;
	struct address router4, router6;
	struct address broadcast4;
	uint16_t ip_id;
	uint32_t fragment_id;
	bool keeps_requests;
	struct request *recent[RECENT_REQUESTS]; /* by number, for mixed replies */
	struct draft draft;
};

/* All packets of the current copy of an event, from every source it is sent from. */
struct packets *make_packets(struct maker *maker, const struct event *event);

/* Remember a request for mixing, and find one by its number (NULL: too old, or not there yet). */
void make_keep(struct maker *maker, struct request *request);
struct request *make_recent(const struct maker *maker, int64_t number);
void make_free(struct maker *maker);

/* A place for one packet of so many bytes; packets live in a pool, and are given back to it. */
uint8_t *packets_add(struct packets *packets, size_t length);
struct packets *packets_new(void);
void packets_release(struct packets *packets);
void packets_free_pool(void);

/* The altered message of an event, ready but for its checksum (edit.c). */
void edit_message(struct maker *maker, const struct event *event, struct draft *draft);

/* Checksum, and the damage that comes after it (edit.c). */
void edit_finish(struct draft *draft);

/* The quote of an error into at, which has room for PACKET_MAX + 64 bytes; its length (quote.c). */
size_t quote_write(const struct event *event, uint8_t *at);

/* IP headers and fragments for a finished message (wrap.c). */
void wrap_message(struct maker *maker, struct draft *draft, struct packets *packets);

#endif
