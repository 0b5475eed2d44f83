/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IP headers and fragments. Without a word in the script a message longer than the MTU is cut as
 * Linux cuts it (IPv4: the last fragment may use the whole MTU; IPv6: every fragment is rounded
 * down to 8 bytes), because a host behind a real link could not send it otherwise. With "fragment
 * SIZE" every piece has SIZE bytes of IP payload, in any order, with pieces missing, doubled or
 * overlapping.
 */
#include "make.h"

#include <string.h>

enum {
	PIECES_MAX = MESSAGE_MAX / 8 + 2,
};

struct piece {
	size_t offset;
	size_t length;
	bool more;
};

/* What is common to the packets of one message. */
struct wrapping {
	const struct draft *draft;
	const uint8_t *payload;
	size_t length;
	uint8_t protocol;
	size_t options; /* bytes of IPv4 options, a multiple of 4 */
	uint32_t id;
	int count;
	struct piece piece[PIECES_MAX];
	int sequence[PIECES_MAX]; /* the order of sending */
	uint8_t with_options[MESSAGE_MAX + 64];
};

/* For IPv6 the options become a destination options header in front of the ICMP message. */
static void prepare_payload(struct wrapping *wrapping, const struct draft *draft)
{
	const struct operation *options = draft->options;
	size_t header;

	wrapping->draft = draft;
	wrapping->payload = draft->icmp;
	wrapping->length = draft->length;
	wrapping->options = 0;
	wrapping->protocol = PROTOCOL_ICMP4;
	if (draft->source.family == 4) {
		if (options)
			wrapping->options = (options->length + 3) / 4 * 4;
		return;
	}
	wrapping->protocol = PROTOCOL_ICMP6;
	if (!options)
		return;
	header = (options->length + 2 + 7) / 8 * 8;
	memset(wrapping->with_options, 0, header); /* Pad1 to the end */
	wrapping->with_options[0] = PROTOCOL_ICMP6;
	wrapping->with_options[1] = (uint8_t)(header / 8 - 1);
	memcpy(wrapping->with_options + 2, options->bytes, options->length);
	memcpy(wrapping->with_options + header, draft->icmp, draft->length);
	wrapping->payload = wrapping->with_options;
	wrapping->length += header;
	wrapping->protocol = PROTOCOL_DESTINATION_OPTIONS;
}

/* limit: what an unfragmented or last piece may hold; size: every other piece. */
static void cut_pieces(struct wrapping *wrapping, size_t limit, size_t size)
{
	size_t at = 0, left = wrapping->length;

	wrapping->count = 0;
	do {
		struct piece *piece = &wrapping->piece[wrapping->count++];

		piece->offset = at;
		piece->more = left > limit;
		piece->length = piece->more ? size : left;
		at += piece->length;
		left -= piece->length;
	} while (left > 0);
}

static void choose_pieces(struct wrapping *wrapping, size_t mtu)
{
	const struct draft *draft = wrapping->draft;
	size_t header = draft->source.family == 6 ? 40 : 20 + wrapping->options;
	size_t whole = mtu - header, size;

	if (draft->fragment_size > 0)
		cut_pieces(wrapping, draft->fragment_size, draft->fragment_size);
	else if (draft->fragment_none || wrapping->length <= whole)
		cut_pieces(wrapping, MESSAGE_MAX, MESSAGE_MAX);
	else if (draft->source.family == 4)
		cut_pieces(wrapping, whole, whole / 8 * 8);
	else {
		size = (whole - 8) / 8 * 8;
		cut_pieces(wrapping, size, size);
	}
	for (int i = 1; i < wrapping->count && draft->overlap > 0; i++) {
		size_t back = draft->overlap / 8 * 8;

		if (back > wrapping->piece[i].offset)
			back = wrapping->piece[i].offset;
		wrapping->piece[i].offset -= back;
		wrapping->piece[i].length += back;
	}
}

static void choose_order(struct wrapping *wrapping, struct random *random)
{
	int count = wrapping->count, at = 0;
	int *sequence = wrapping->sequence;

	switch (wrapping->draft->order) {
	case ORDER_REVERSE:
		for (int i = count - 1; i >= 0; i--)
			sequence[at++] = i;
		break;
	case ORDER_ODD_EVEN:
		for (int i = 0; i < count; i += 2)
			sequence[at++] = i;
		for (int i = 1; i < count; i += 2)
			sequence[at++] = i;
		break;
	default:
		for (int i = 0; i < count; i++)
			sequence[at++] = i;
		break;
	}
	if (wrapping->draft->order != ORDER_RANDOM)
		return;
	for (int i = count - 1; i > 0; i--) {
		int other = (int)random_below(random, (uint64_t)i + 1);
		int moved = sequence[i];

		sequence[i] = sequence[other];
		sequence[other] = moved;
	}
}

static void emit4(const struct wrapping *wrapping, const struct piece *piece,
		  struct packets *packets)
{
	const struct draft *draft = wrapping->draft;
	size_t header = 20 + wrapping->options;
	uint8_t *at = packets_add(packets, header + piece->length);

	memset(at, 0, header);
	at[0] = (uint8_t)(0x40 | header / 4);
	at[1] = draft->tos;
	put16(at + 2, header + piece->length);
	put16(at + 4, wrapping->id);
	put16(at + 6, (piece->more ? (size_t)0x2000 : 0) | piece->offset / 8);
	at[8] = draft->ttl;
	at[9] = wrapping->protocol;
	memcpy(at + 12, draft->source.bytes, 4);
	memcpy(at + 16, draft->destination.bytes, 4);
	if (draft->options)
		memcpy(at + 20, draft->options->bytes, draft->options->length);
	checksum_put(at + 10, checksum_add(0, at, header));
	if (draft->wrong_header_checksum)
		put16(at + 10, get16(at + 10) ^ 0x0101);
	memcpy(at + header, wrapping->payload + piece->offset, piece->length);
}

static void emit6(const struct wrapping *wrapping, const struct piece *piece,
		  struct packets *packets)
{
	const struct draft *draft = wrapping->draft;
	bool fragment = wrapping->count > 1 || draft->fragment_atomic;
	size_t header = fragment ? 8 : 0;
	uint8_t *at = packets_add(packets, 40 + header + piece->length);

	memset(at, 0, 40 + header);
	put16(at, 0x6000 | (size_t)draft->tos << 4);
	put16(at + 4, header + piece->length);
	at[6] = fragment ? PROTOCOL_FRAGMENT : wrapping->protocol;
	at[7] = draft->ttl;
	memcpy(at + 8, draft->source.bytes, 16);
	memcpy(at + 24, draft->destination.bytes, 16);
	if (fragment) {
		at[40] = wrapping->protocol;
		put16(at + 42, piece->offset | (piece->more ? 1 : 0));
		put32(at + 44, wrapping->id);
	}
	memcpy(at + 40 + header, wrapping->payload + piece->offset, piece->length);
}

void wrap_message(struct maker *maker, struct draft *draft, struct packets *packets)
{
	static struct wrapping wrapping; /* too large for the stack; one message at a time */

	prepare_payload(&wrapping, draft);
	choose_pieces(&wrapping, maker->mtu);
	choose_order(&wrapping, &maker->random);
	/* an id of 0 would be replaced or treated specially by some receivers: skip it */
	maker->ip_id = (uint16_t)(maker->ip_id == 65535 ? 1 : maker->ip_id + 1);
	wrapping.id = draft->source.family == 4 ? maker->ip_id : ++maker->fragment_id;
	for (int i = 0; i < wrapping.count; i++) {
		int index = wrapping.sequence[i];
		bool skipped =
			draft->skip && ranges_contain(draft->skip, index + 1, wrapping.count);
		bool twice =
			draft->twice && ranges_contain(draft->twice, index + 1, wrapping.count);

		for (int j = skipped ? 1 : twice ? -1 : 0; j < 1; j++) {
			if (draft->source.family == 4)
				emit4(&wrapping, &wrapping.piece[index], packets);
			else
				emit6(&wrapping, &wrapping.piece[index], packets);
		}
	}
}
