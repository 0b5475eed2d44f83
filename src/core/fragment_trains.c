/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of trains. A key has a handful of places, found by a hash, so that a packet costs the
 * same however many trains are open; two bits for each eight bytes of a datagram say exactly which
 * bytes were there and where pieces start, whatever their sizes and number.
 */
#include "core/fragment_trains.h"

#include <string.h>

#include "core/ethernet.h"
#include "core/fragment_piece.h"
#include "core/fragment_trains_internal.h"

#define ECHO_REQUEST4 8u
#define ECHO_REPLY4   0u
#define ECHO_REQUEST6 128u
#define ECHO_REPLY6   129u

static void empty(struct fragment_trains *trains)
{
	for (uint32_t i = 0; i < trains->slots; i++)
		trains->table[i].state = FRAGMENT_TRAIN_FREE;
	trains->foreign = 0;
	for (size_t i = 0; i < ARRAY_LENGTH(trains->ways); i++) {
		struct fragment_trains_way *way = &trains->ways[i];

		memset(&way->shown, 0, sizeof(way->shown));
		histogram_init(&way->gaps);
		histogram_init(&way->spacing);
	}
}

void fragment_trains_init(struct fragment_trains *trains,
			  const struct fragment_trains_settings *settings,
			  struct fragment_train *table, uint32_t slots)
{
	trains->settings = *settings;
	trains->table = table;
	trains->slots = slots;
	trains->ways[false].piece_units = 0;
	trains->ways[true].piece_units = 0;
	empty(trains);
}

void fragment_trains_restart(struct fragment_trains *trains)
{
	empty(trains);
}

/* ---- finding a train ---- */

static bool has_key(const struct fragment_train *train, const struct fragment_piece *piece,
		    bool outgoing)
{
	return train->state != FRAGMENT_TRAIN_FREE && train->id == piece->id &&
	       train->outgoing == outgoing && address_equal(&train->source, &piece->source) &&
	       address_equal(&train->destination, &piece->destination);
}

/* The places of a key. Identifications are mostly consecutive numbers, which spread best alone. */
static struct fragment_train *places_of(const struct fragment_trains *trains,
					const struct fragment_piece *piece, bool outgoing)
{
	uint32_t hash = piece->id ^ piece->id >> 16;

	hash ^= address_hash(&piece->source) ^ 3 * address_hash(&piece->destination) ^ outgoing;
	return &trains->table[(size_t)(hash % (trains->slots / FRAGMENT_TRAINS_WAYS)) *
			      FRAGMENT_TRAINS_WAYS];
}

/* Whether `a` is rather given up than `b`: free before closed before open, then the older one. */
static bool is_rather_given_up(const struct fragment_train *a, const struct fragment_train *b)
{
	static const uint8_t ranks[] = {[FRAGMENT_TRAIN_FREE] = 0,
					[FRAGMENT_TRAIN_CLOSED] = 1,
					[FRAGMENT_TRAIN_OPEN] = 2};

	if (a->state != b->state)
		return ranks[a->state] < ranks[b->state];
	return a->state != FRAGMENT_TRAIN_FREE && a->heard_ns < b->heard_ns;
}

static bool is_over(const struct fragment_train *train, int64_t now_ns)
{
	return now_ns - train->heard_ns >= FRAGMENT_TRAINS_AGE_NS;
}

static struct fragment_train *start_train(struct fragment_trains *trains,
					  const struct fragment_piece *piece, bool outgoing,
					  int64_t now_ns, struct fragment_train *place)
{
	if (place->state == FRAGMENT_TRAIN_OPEN)
		fragment_train_close(trains, place,
				     is_over(place, now_ns) ? TRAIN_INCOMPLETE : TRAIN_EVICTED);
	*place = (struct fragment_train){
		.state = FRAGMENT_TRAIN_OPEN,
		.outgoing = outgoing,
		.source = piece->source,
		.destination = piece->destination,
		.id = piece->id,
		.rising = true,
		.falling = true,
		.heard_ns = now_ns,
	};
	return place;
}

/* The train of this piece, perhaps a new one. */
static struct fragment_train *find_train(struct fragment_trains *trains,
					 const struct fragment_piece *piece, bool outgoing,
					 int64_t now_ns)
{
	struct fragment_train *places = places_of(trains, piece, outgoing);
	struct fragment_train *best = places;

	for (uint32_t i = 0; i < FRAGMENT_TRAINS_WAYS; i++) {
		struct fragment_train *train = &places[i];

		if (!has_key(train, piece, outgoing)) {
			if (is_rather_given_up(train, best))
				best = train;
			continue;
		}
		if (train->state == FRAGMENT_TRAIN_OPEN && !is_over(train, now_ns))
			return train;
		if (train->state == FRAGMENT_TRAIN_CLOSED &&
		    now_ns - train->heard_ns <= FRAGMENT_TRAINS_AFTER_NS)
			return train;
		/* The number is used again. */
		return start_train(trains, piece, outgoing, now_ns, train);
	}
	return start_train(trains, piece, outgoing, now_ns, best);
}

/* ---- taking a piece ---- */

static uint32_t units_of(uint32_t bytes)
{
	return (bytes + FRAGMENT_UNIT - 1) / FRAGMENT_UNIT;
}

/* How many bits are set. The compiler's own may be a call into its library, which core has not. */
static uint32_t count_bits(uint64_t bits)
{
	uint32_t count = 0;

	for (; bits != 0; bits &= bits - 1)
		count++;
	return count;
}

/* How many of the units from `from` to before `to` were there; marks them. */
static uint32_t cover(struct fragment_train *train, uint32_t from, uint32_t to)
{
	uint32_t known = 0;

	for (uint32_t unit = from, next; unit < to; unit = next) {
		uint64_t bits = UINT64_MAX << unit % 64;

		next = (uint32_t)min_u64(to, unit - unit % 64 + 64);
		if (next % 64 != 0)
			bits &= ~(UINT64_MAX << next % 64);
		known += count_bits(train->covered[unit / 64] & bits);
		train->covered[unit / 64] |= bits;
	}
	return known;
}

/* Whether a piece that is covered wholly is the very one that covered it. */
static bool is_same(const struct fragment_train *train, const struct fragment_piece *piece,
		    uint32_t from, uint32_t to)
{
	if (!fragment_bit(train->starts, from))
		return false;
	if (fragment_next_start(train, from + 1, to) < to)
		return false;
	if (!piece->more)
		return train->has_last && train->end_bytes == piece->offset + piece->payload_bytes;
	return to >= train->high_units || !fragment_bit(train->covered, to) ||
	       fragment_bit(train->starts, to);
}

/* The first piece says whose the train is: our requests go out, and replies to them come in. */
static void identify(const struct fragment_trains *trains, struct fragment_train *train,
		     const struct fragment_piece *piece)
{
	bool is_ip6 = piece->source.family == 6;
	uint8_t request = is_ip6 ? ECHO_REQUEST6 : ECHO_REQUEST4;
	uint8_t reply = is_ip6 ? ECHO_REPLY6 : ECHO_REPLY4;

	if (!piece->has_echo || train->has_echo)
		return;
	train->has_echo = true;
	train->is_foreign = piece->type != (train->outgoing ? request : reply) ||
			    piece->identifier != trains->settings.identifiers[is_ip6];
}

static void note_order(struct fragment_train *train, const struct fragment_piece *piece,
		       int64_t stamp_ns)
{
	if (stamp_ns == INT64_MIN)
		train->stamps_are_void = true;
	if (train->pieces == 0) {
		train->first_stamp_ns = stamp_ns;
	} else {
		train->rising = train->rising && piece->offset > train->previous;
		train->falling = train->falling && piece->offset < train->previous;
		train->bytes_behind += ethernet_wire_bytes(piece->packet_bytes);
	}
	train->last_stamp_ns = stamp_ns;
	train->previous = piece->offset;
	train->pieces++;
}

static void note_place(struct fragment_train *train, const struct fragment_piece *piece)
{
	uint32_t from = piece->offset / FRAGMENT_UNIT;
	uint32_t header_bytes = piece->packet_bytes - piece->payload_bytes;

	train->starts[from / 64] |= UINT64_C(1) << from % 64;
	if (piece->offset == 0)
		train->header_first = header_bytes;
	else
		train->header_rest = header_bytes;
	if (piece->more) {
		train->piece_units = piece->payload_bytes / FRAGMENT_UNIT;
		return;
	}
	train->has_last = true;
	train->end_bytes = piece->offset + piece->payload_bytes;
}

/* Puts a piece into an open train. False: it was there already. */
static bool add_piece(struct fragment_train *train, const struct fragment_piece *piece,
		      int64_t stamp_ns)
{
	uint32_t from = piece->offset / FRAGMENT_UNIT;
	uint32_t to = units_of(piece->offset + piece->payload_bytes);
	uint32_t known = cover(train, from, to);
	bool contradicts = train->has_last && (!piece->more || to > units_of(train->end_bytes));

	if (known == to - from && is_same(train, piece, from, to)) {
		train->duplicates++;
		return false;
	}
	if (known > 0 || contradicts || (!piece->more && to < train->high_units))
		train->overlaps++;
	train->covered_units += to - from - known;
	train->high_units = (uint32_t)max_u64(train->high_units, to);
	note_order(train, piece, stamp_ns);
	note_place(train, piece);
	return true;
}

static bool is_complete(const struct fragment_train *train)
{
	return train->has_last && train->covered_units == train->high_units &&
	       train->high_units == units_of(train->end_bytes);
}

bool fragment_trains_take(struct fragment_trains *trains, const uint8_t *bytes, size_t length,
			  bool outgoing, int64_t stamp_ns, int64_t now_ns)
{
	struct fragment_piece piece;
	struct fragment_train *train;

	if (!fragment_piece_read(bytes, length, &piece))
		return false;
	train = find_train(trains, &piece, outgoing, now_ns);
	train->heard_ns = now_ns;
	if (train->state == FRAGMENT_TRAIN_CLOSED) {
		fragment_way(trains, train)->shown.duplicates += !train->is_foreign;
		return true;
	}
	identify(trains, train, &piece);
	if (add_piece(train, &piece, stamp_ns) && is_complete(train))
		fragment_train_close(trains, train, TRAIN_COMPLETE);
	return true;
}

void fragment_trains_void_stamps(struct fragment_trains *trains)
{
	for (uint32_t i = 0; i < trains->slots; i++)
		trains->table[i].stamps_are_void = true;
}

/* ---- the end ---- */

static void show(struct fragment_trains_way *way, struct result_capture_way *shown)
{
	int64_t spacing_ps = histogram_quantile(&way->spacing, 0.5);

	way->shown.gap_samples = way->gaps.samples;
	if (way->gaps.samples > 0) {
		way->shown.gap_min_ns = way->gaps.min_ns;
		way->shown.gap_median_ns = histogram_quantile(&way->gaps, 0.5);
		way->shown.gap_max_ns = way->gaps.max_ns;
	}
	way->shown.dispersion_bits_per_s.known = spacing_ps > 0;
	if (spacing_ps > 0)
		way->shown.dispersion_bits_per_s.value = 8e12 / (double)spacing_ps;
	*shown = way->shown;
}

void fragment_trains_finish(struct fragment_trains *trains, int64_t now_ns, int64_t grace_ns,
			    struct result_capture *result)
{
	for (uint32_t i = 0; i < trains->slots; i++) {
		struct fragment_train *train = &trains->table[i];

		if (train->state != FRAGMENT_TRAIN_OPEN)
			continue;
		fragment_train_close(trains, train,
				     now_ns - train->heard_ns < grace_ns ? TRAIN_UNDECIDED
									 : TRAIN_INCOMPLETE);
	}
	show(&trains->ways[false], &result->in);
	show(&trains->ways[true], &result->out);
	result->foreign = trains->foreign;
}
