/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trains of fragments: packets are made here byte by byte, passed in any order or left out, and
 * what the table says of them is compared with what was done to them.
 */
#include "core/fragment_trains.h"

#include "base/bytes.h"
#include "core/fragment_piece.h"
#include "core/fragments.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define OURS   0x1234
#define SLOTS  64u
#define SECOND NANOSECONDS_PER_SECOND
#define SNAP   128u

struct packet {
	uint8_t bytes[SNAP];
	size_t length; /* captured */
};

/* What is the same in all packets of a train. */
struct train {
	uint8_t family;
	bool outgoing;
	uint8_t type;
	uint16_t identifier;
	uint32_t id;
	uint8_t host; /* last byte of the other host's address */
};

static const struct train request4 = {4, true, 8, OURS, 77, 2};
static const struct train reply4 = {4, false, 0, OURS, 78, 2};
static const struct train request6 = {6, true, 128, OURS, 0xdeadbeef, 2};
static const struct train reply6 = {6, false, 129, OURS, 0xdeadbeef, 2};

static struct fragment_train table[SLOTS];
static struct fragment_trains trains;
static struct result_capture result;
static int64_t now_ns, stamp_ns;

static void start(uint32_t datagram_bytes, uint32_t slots)
{
	struct fragment_trains_settings settings = {.identifiers = {OURS, OURS},
						    .datagram_bytes = datagram_bytes};

	memset(&result, 0, sizeof(result));
	now_ns = 5 * SECOND;
	stamp_ns = 1000 * SECOND;
	fragment_trains_init(&trains, &settings, table, slots);
}

static struct packet make(const struct train *train, uint32_t offset, uint32_t payload, bool more)
{
	struct packet packet = {.length = train->family == 4 ? 20 : 48};
	uint8_t *at = packet.bytes;
	uint8_t ends[2] = {train->outgoing ? 1 : train->host, train->outgoing ? train->host : 1};

	if (train->family == 4) {
		at[0] = 0x45;
		bytes_put16(at + 2, (uint16_t)(20 + payload));
		bytes_put16(at + 4, (uint16_t)train->id);
		bytes_put16(at + 6, (uint16_t)(offset / 8 | (more ? 0x2000 : 0)));
		at[9] = 1;
		at[15] = ends[0];
		at[19] = ends[1];
	} else {
		at[0] = 0x60;
		bytes_put16(at + 4, (uint16_t)(8 + payload));
		at[6] = 44;
		at[23] = ends[0];
		at[39] = ends[1];
		at[40] = 58;
		bytes_put16(at + 42, (uint16_t)(offset | more));
		bytes_put32(at + 44, train->id);
	}
	if (offset == 0) {
		at[packet.length] = train->type;
		bytes_put16(at + packet.length + 4, train->identifier);
	}
	packet.length += min_u64(payload, SNAP - packet.length);
	return packet;
}

/* Passes a packet in a block of exactly its length. */
static bool pass_packet(const struct packet *packet, bool outgoing)
{
	uint8_t *copy = malloc(packet->length + (packet->length == 0));
	bool taken;

	if (!UNIT_CHECK(copy != NULL, "memory"))
		return false;
	memcpy(copy, packet->bytes, packet->length);
	taken = fragment_trains_take(&trains, copy, packet->length, outgoing, stamp_ns, now_ns);
	free(copy);
	return taken;
}

static void pass(const struct train *train, uint32_t offset, uint32_t payload, bool more)
{
	struct packet packet = make(train, offset, payload, more);

	UNIT_CHECK(pass_packet(&packet, train->outgoing), "offset %u is taken", offset);
}

/* Piece `index` of a datagram as the kernel cuts it. */
static void pass_piece(const struct train *train, uint32_t mtu, uint32_t payload, uint32_t index)
{
	struct fragment_plan plan;
	struct fragment piece;

	if (UNIT_CHECK(fragment_plan_make(&plan, train->family, mtu, payload) &&
			       fragment_at(&plan, index, &piece),
		       "a plan"))
		pass(train, piece.offset, piece.payload_bytes, piece.more);
}

static void finish(int64_t later_ns)
{
	fragment_trains_finish(&trains, now_ns + later_ns, 0, &result);
}

static void check_sum(const struct result_capture_way *way)
{
	UNIT_UNSIGNED("trains", way->trains,
		      way->complete + way->incomplete + way->undecided + way->evicted);
	UNIT_UNSIGNED("orders", way->complete, way->in_order + way->reversed + way->other_order);
}

static void test_complete(void)
{
	static const struct train *const all[] = {&request4, &reply4, &request6, &reply6};

	for (size_t i = 0; i < ARRAY_LENGTH(all); i++) {
		struct result_capture_way *way = all[i]->outgoing ? &result.out : &result.in;
		struct result_capture_way *other = all[i]->outgoing ? &result.in : &result.out;
		bool is_ip4 = all[i]->family == 4;

		start(2056, SLOTS);
		for (uint32_t piece = 0; piece < 2; piece++, stamp_ns += 700)
			pass_piece(all[i], 1500, 2056, piece);
		finish(0);
		check_sum(way);
		UNIT_UNSIGNED("trains", way->trains, 1);
		UNIT_UNSIGNED("complete", way->complete, 1);
		UNIT_UNSIGNED("in order", way->in_order, 1);
		UNIT_UNSIGNED("patterns", way->pattern_count, 1);
		UNIT_UNSIGNED("pattern", way->patterns[0].count, 1);
		UNIT_UNSIGNED("runs", way->patterns[0].run_count, 2);
		UNIT_UNSIGNED("first", way->patterns[0].runs[0].packet_bytes, is_ip4 ? 1500 : 1496);
		UNIT_UNSIGNED("last", way->patterns[0].runs[1].packet_bytes, is_ip4 ? 596 : 656);
		UNIT_UNSIGNED("gaps", way->gap_samples, 1);
		UNIT_SIGNED("gap", way->gap_median_ns, 700);
		UNIT_CHECK(way->dispersion_bits_per_s.known, "dispersion");
		UNIT_NEAR("dispersion", way->dispersion_bits_per_s.value,
			  8e9 * (is_ip4 ? 596 + 38 : 656 + 38) / 700, 5e7);
		UNIT_UNSIGNED("nothing the other way", other->trains, 0);
		UNIT_CHECK(!other->dispersion_bits_per_s.known, "nor a rate");
		UNIT_UNSIGNED("foreign", result.foreign, 0);
	}
}

static void test_longest(void)
{
	start(65515, SLOTS);
	for (uint32_t piece = 0; piece < 45; piece++)
		pass_piece(&reply4, 1500, 65515, 44 - piece);
	start(65535, SLOTS);
	for (uint32_t piece = 0; piece < 46; piece++)
		pass_piece(&reply6, 1500, 65535, 45 - piece);
	finish(0);
	UNIT_UNSIGNED("reversed", result.in.reversed, 1);
	UNIT_UNSIGNED("runs", result.in.patterns[0].run_count, 2);
	UNIT_UNSIGNED("pieces", result.in.patterns[0].runs[0].count, 45);
	/* pieces of eight bytes, as many as a datagram has */
	start(65535, SLOTS);
	for (uint32_t offset = 0; offset < 65528; offset += 8)
		pass(&reply6, offset, 8, true);
	pass(&reply6, 65528, 7, false);
	finish(0);
	UNIT_UNSIGNED("complete", result.in.complete, 1);
	UNIT_UNSIGNED("pieces", result.in.patterns[0].runs[0].count, 8191);
	UNIT_UNSIGNED("last", result.in.patterns[0].runs[1].packet_bytes, 55);
}

/* Pieces of one train in the order of the digits; a dash ends them. */
static void pass_order(const char *order)
{
	for (; *order != '\0'; order++)
		pass_piece(&reply4, 1500, 5000, (uint32_t)(*order - '0'));
}

static void test_orders(void)
{
	static const struct {
		const char *order;
		uint32_t in_order, reversed, other, duplicates, incomplete;
	} rows[] = {
		{"0123", 1, 0, 0, 0, 0},  {"3210", 0, 1, 0, 0, 0},  {"1032", 0, 0, 1, 0, 0},
		{"3012", 0, 0, 1, 0, 0},  {"00123", 1, 0, 0, 1, 0}, {"012333", 1, 0, 0, 2, 0},
		{"01230", 1, 0, 0, 1, 0}, {"333", 0, 0, 0, 2, 1},   {"0120", 0, 0, 0, 1, 1},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		start(5000, SLOTS);
		pass_order(rows[i].order);
		finish(SECOND);
		check_sum(&result.in);
		UNIT_UNSIGNED(rows[i].order, result.in.in_order, rows[i].in_order);
		UNIT_UNSIGNED(rows[i].order, result.in.reversed, rows[i].reversed);
		UNIT_UNSIGNED(rows[i].order, result.in.other_order, rows[i].other);
		UNIT_UNSIGNED(rows[i].order, result.in.duplicates, rows[i].duplicates);
		UNIT_UNSIGNED(rows[i].order, result.in.incomplete, rows[i].incomplete);
		UNIT_UNSIGNED(rows[i].order, result.in.overlaps, 0);
	}
}

static void test_missing(void)
{
	static const struct {
		const char *seen;
		uint32_t datagram_bytes, count, first, last, unknown;
	} rows[] = {
		{"123", 5000, 1, 0, 0, 0}, {"023", 5000, 1, 1, 1, 0}, {"012", 5000, 1, 3, 3, 0},
		{"03", 5000, 2, 1, 2, 0},  {"0", 5000, 3, 1, 3, 0},   {"2", 5000, 3, 0, 3, 0},
		/* how long it is, is not known: the last piece cannot be told */
		{"012", 0, 0, 0, 0, 1},    {"02", 0, 1, 1, 1, 1},     {"023", 0, 1, 1, 1, 0},
		/* only the last: the others' size is not known, but that the first is missing is */
		{"3", 5000, 1, 0, 0, 1},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const struct result_capture_missing *missing = result.in.missing;

		start(rows[i].datagram_bytes, SLOTS);
		pass_order(rows[i].seen);
		finish(SECOND);
		UNIT_UNSIGNED(rows[i].seen, result.in.incomplete, 1);
		UNIT_UNSIGNED(rows[i].seen, result.in.missing_unknown, rows[i].unknown);
		if (!UNIT_UNSIGNED(rows[i].seen, result.in.missing_count, rows[i].count) ||
		    rows[i].count == 0)
			continue;
		UNIT_UNSIGNED(rows[i].seen, missing[0].index, rows[i].first);
		UNIT_UNSIGNED(rows[i].seen, missing[rows[i].count - 1].index, rows[i].last);
		UNIT_UNSIGNED(rows[i].seen, missing[0].count, 1);
	}
}

/* The size of pieces is that of earlier trains, or of the other direction. */
static void test_missing_by_others(void)
{
	struct train train = reply4;

	start(5000, SLOTS);
	pass_order("3");
	train.id++;
	pass_piece(&train, 1500, 5000, 3);
	finish(SECOND);
	UNIT_UNSIGNED("incomplete", result.in.incomplete, 2);
	UNIT_UNSIGNED("missing", result.in.missing_count, 1);
	UNIT_UNSIGNED("unknown as the size is", result.in.missing_unknown, 2);

	start(5000, SLOTS);
	for (uint32_t piece = 0; piece < 4; piece++)
		pass_piece(&request4, 1500, 5000, piece);
	pass_order("3");
	finish(SECOND);
	UNIT_UNSIGNED("missing", result.in.missing_count, 3);
	UNIT_UNSIGNED("unknown", result.in.missing_unknown, 0);
	/* pieces that were cut otherwise than the requests */
	start(5000, SLOTS);
	for (uint32_t piece = 0; piece < 4; piece++)
		pass_piece(&request4, 1500, 5000, piece);
	pass(&reply4, 4128, 872, false);
	finish(SECOND);
	UNIT_UNSIGNED("only the first is certain", result.in.missing_count, 1);
	UNIT_UNSIGNED("unknown", result.in.missing_unknown, 1);
}

/* 1,387 bytes fit into no packet of 1,400, 1,380 do: the last piece may take seven bytes more. */
static void test_last_is_longer(void)
{
	start(1376 + 1380, SLOTS);
	pass_piece(&reply4, 1400, 1376 + 1380, 0);
	finish(SECOND);
	UNIT_UNSIGNED("indexes", result.in.missing_count, 1);
	UNIT_UNSIGNED("index", result.in.missing[0].index, 1);
	start(1376 + 1380, SLOTS);
	pass_piece(&reply4, 1400, 1376 + 1380, 0);
	pass_piece(&reply4, 1400, 1376 + 1380, 1);
	finish(SECOND);
	UNIT_UNSIGNED("complete", result.in.complete, 1);
}

static void test_ages(void)
{
	start(2056, SLOTS);
	pass_piece(&reply4, 1500, 2056, 0);
	now_ns += FRAGMENT_TRAINS_AGE_NS;
	pass_piece(&reply4, 1500, 2056, 1); /* another datagram with the same number */
	finish(SECOND);
	UNIT_UNSIGNED("two trains", result.in.incomplete, 2);

	start(2056, SLOTS);
	for (int round = 0; round < 3; round++) {
		pass_piece(&reply4, 1500, 2056, 0);
		pass_piece(&reply4, 1500, 2056, 1);
		now_ns += FRAGMENT_TRAINS_AFTER_NS + 1;
	}
	finish(0);
	UNIT_UNSIGNED("three with one number", result.in.complete, 3);
	UNIT_UNSIGNED("no duplicates", result.in.duplicates, 0);

	start(2056, SLOTS);
	pass_piece(&reply4, 1500, 2056, 0);
	fragment_trains_finish(&trains, now_ns + 10, 11, &result);
	UNIT_UNSIGNED("too early to tell", result.in.undecided, 1);
	UNIT_UNSIGNED("no hole", result.in.incomplete, 0);
	check_sum(&result.in);
}

static void test_table_is_full(void)
{
	struct train train = reply4;

	start(2056, FRAGMENT_TRAINS_WAYS);
	for (uint32_t i = 0; i < FRAGMENT_TRAINS_WAYS + 3; i++, train.id++, now_ns++)
		pass_piece(&train, 1500, 2056, 0);
	finish(SECOND);
	check_sum(&result.in);
	UNIT_UNSIGNED("pushed out", result.in.evicted, 3);
	UNIT_UNSIGNED("incomplete", result.in.incomplete, FRAGMENT_TRAINS_WAYS);
	/* What is complete goes first, however young. */
	start(2056, FRAGMENT_TRAINS_WAYS);
	for (uint32_t i = 0; i < 2 * FRAGMENT_TRAINS_WAYS; i++, train.id++, now_ns++) {
		pass_piece(&train, 1500, 2056, 0);
		if (i > 0)
			pass_piece(&train, 1500, 2056, 1);
	}
	finish(SECOND);
	UNIT_UNSIGNED("none pushed out", result.in.evicted, 0);
	UNIT_UNSIGNED("the first waits", result.in.incomplete, 1);
	/* What is too old to be continued was incomplete. */
	start(2056, FRAGMENT_TRAINS_WAYS);
	for (uint32_t i = 0; i < FRAGMENT_TRAINS_WAYS + 1; i++, train.id++, now_ns += SECOND)
		pass_piece(&train, 1500, 2056, 0);
	finish(0);
	UNIT_UNSIGNED("none pushed out", result.in.evicted, 0);
	UNIT_UNSIGNED("incomplete", result.in.incomplete, FRAGMENT_TRAINS_WAYS + 1);
}

static void test_others(void)
{
	const struct train strangers[] = {
		{4, true, 8, OURS + 1, 1, 2},
		{4, true, 0, OURS, 2, 2},
		{4, false, 8, OURS, 3, 2},
		{4, false, 3, OURS, 4, 2},
		{6, true, 129, OURS, 5, 2},
		{6, false, 128, OURS, 6, 2},
		{6, false, 129, 1, 7, 2},
	};

	start(2056, SLOTS);
	for (size_t i = 0; i < ARRAY_LENGTH(strangers); i++) {
		pass_piece(&strangers[i], 1500, 2056, 1); /* before it is known whose */
		pass_piece(&strangers[i], 1500, 2056, 1);
		pass_piece(&strangers[i], 1500, 2056, 0);
		pass_piece(&strangers[i], 1500, 2056, 0);
	}
	finish(SECOND);
	UNIT_UNSIGNED("foreign", result.foreign, ARRAY_LENGTH(strangers));
	UNIT_UNSIGNED("in", result.in.trains + result.in.duplicates, 0);
	UNIT_UNSIGNED("out", result.out.trains + result.out.duplicates, 0);
}

/* A train without its first piece, of a host that was not asked. */
static void test_peer(void)
{
	static const uint8_t peer[4] = {0, 0, 0, 2};
	struct train stranger = reply4;

	start(2056, SLOTS);
	trains.settings.peer = address_from_ip4(peer);
	stranger.host = 9;
	pass_piece(&stranger, 1500, 2056, 1);
	pass_piece(&reply4, 1500, 2056, 1);
	finish(SECOND);
	UNIT_UNSIGNED("foreign", result.foreign, 1);
	UNIT_UNSIGNED("ours", result.in.incomplete, 1);
}

static void test_same_number(void)
{
	struct train other = reply4;

	other.host = 3;
	start(2056, SLOTS);
	pass_piece(&reply4, 1500, 2056, 0);
	pass_piece(&other, 1500, 2056, 0);
	pass_piece(&other, 1500, 2056, 1);
	pass_piece(&reply4, 1500, 2056, 1);
	finish(0);
	UNIT_UNSIGNED("two hosts", result.in.complete, 2);
	UNIT_UNSIGNED("no duplicate", result.in.duplicates, 0);
}

static void test_overlaps(void)
{
	start(0, SLOTS);
	pass(&reply4, 0, 1480, true);
	pass(&reply4, 1472, 584, false);
	finish(SECOND);
	UNIT_UNSIGNED("overlap", result.in.overlaps, 1);
	UNIT_UNSIGNED("all bytes are there", result.in.complete, 1);
	UNIT_UNSIGNED("pattern", result.in.pattern_count, 0);
	UNIT_UNSIGNED("left out", result.in.patterns_left_out, 1);
	UNIT_CHECK(!result.in.dispersion_bits_per_s.known, "no rate");
	/* within another, and beyond the end */
	start(0, SLOTS);
	pass(&reply4, 0, 1480, true);
	pass(&reply4, 8, 8, true);
	pass(&reply4, 1480, 20, false);
	pass(&reply4, 0, 16, true);
	finish(SECOND);
	UNIT_UNSIGNED("overlaps", result.in.overlaps, 1);
	UNIT_UNSIGNED("of a complete one it comes again", result.in.duplicates, 1);
	start(0, SLOTS);
	pass(&reply4, 1480, 20, false);
	pass(&reply4, 1504, 8, true);
	pass(&reply4, 1480, 24, false);
	finish(SECOND);
	UNIT_UNSIGNED("overlaps", result.in.overlaps, 2);
	UNIT_UNSIGNED("incomplete", result.in.incomplete, 1);
}

static void test_gaps(void)
{
	struct train train = reply4;
	static const int64_t gaps[] = {900, 100, 500, 300, 700};

	start(4440, SLOTS);
	for (size_t i = 0; i < ARRAY_LENGTH(gaps); i++, train.id++, stamp_ns += 12345) {
		for (uint32_t piece = 0; piece < 3; piece++) {
			pass_piece(&train, 1500, 4440, piece);
			stamp_ns += piece < 2 ? gaps[i] / 2 : 0;
		}
	}
	finish(0);
	UNIT_UNSIGNED("samples", result.in.gap_samples, 5);
	UNIT_SIGNED("least", result.in.gap_min_ns, 100);
	UNIT_NEAR("median", (double)result.in.gap_median_ns, 500, 4);
	UNIT_SIGNED("most", result.in.gap_max_ns, 900);
	UNIT_NEAR("rate", result.in.dispersion_bits_per_s.value, 2 * 1538 * 8e9 / 500, 5e8);
	/* all in one instant: no rate */
	start(4440, SLOTS);
	for (uint32_t piece = 0; piece < 3; piece++)
		pass_piece(&train, 1500, 4440, piece);
	finish(0);
	UNIT_UNSIGNED("samples", result.in.gap_samples, 1);
	UNIT_CHECK(!result.in.dispersion_bits_per_s.known, "no rate");
}

/* A piece that comes again takes its time on the link, but is no part of the datagram. */
static void test_rate_without_duplicates(void)
{
	start(4440, SLOTS);
	for (uint32_t piece = 0; piece < 4; piece++, stamp_ns += 100)
		pass_piece(&reply4, 1500, 4440, piece == 3 ? 2 : piece == 2 ? 1 : piece);
	finish(0);
	UNIT_UNSIGNED("duplicates", result.in.duplicates, 1);
	UNIT_SIGNED("gap", result.in.gap_max_ns, 300);
	UNIT_CHECK(!result.in.dispersion_bits_per_s.known, "no rate");
}

static void test_stamps_missing(void)
{
	start(2056, SLOTS);
	pass_piece(&reply4, 1500, 2056, 0);
	stamp_ns = INT64_MIN;
	pass_piece(&reply4, 1500, 2056, 1);
	finish(0);
	UNIT_UNSIGNED("complete", result.in.complete, 1);
	UNIT_UNSIGNED("no stamp", result.in.gap_samples, 0);
	start(2056, SLOTS);
	pass_piece(&reply4, 1500, 2056, 0);
	fragment_trains_void_stamps(&trains);
	stamp_ns += 500;
	pass_piece(&reply4, 1500, 2056, 1);
	finish(0);
	UNIT_UNSIGNED("void", result.in.gap_samples, 0);
	start(2056, SLOTS);
	pass_piece(&reply4, 1500, 2056, 0);
	stamp_ns -= 500;
	pass_piece(&reply4, 1500, 2056, 1);
	finish(0);
	UNIT_UNSIGNED("backwards", result.in.gap_samples, 0);
}

static void test_patterns(void)
{
	struct train train = reply4;

	start(0, SLOTS);
	/* nine sizes: too many runs */
	for (uint32_t i = 0, offset = 0; i < 9; i++) {
		uint32_t payload = 8 * (9 - i);

		pass(&train, offset, payload, i < 8);
		offset += payload;
	}
	for (uint32_t i = 0; i < RESULT_CAPTURE_PATTERNS_MAX + 2; i++) {
		train.id++;
		pass(&train, 0, 800 + 8 * i, true);
		pass(&train, 800 + 8 * i, 10, false);
	}
	finish(0);
	UNIT_UNSIGNED("complete", result.in.complete, RESULT_CAPTURE_PATTERNS_MAX + 3);
	UNIT_UNSIGNED("patterns", result.in.pattern_count, RESULT_CAPTURE_PATTERNS_MAX);
	UNIT_UNSIGNED("left out", result.in.patterns_left_out, 3);
}

static void test_restart(void)
{
	start(2056, SLOTS);
	pass_piece(&reply4, 1500, 2056, 0);
	pass_piece(&request4, 1500, 2056, 0);
	pass_piece(&request4, 1500, 2056, 1);
	fragment_trains_restart(&trains);
	finish(SECOND);
	UNIT_UNSIGNED("nothing", result.in.trains + result.out.trains + result.out.complete, 0);
}

/* What is no fragment of ours to read is left out, at every length that can be captured. */
static void test_unreadable(void)
{
	static const struct train *const all[] = {&request4, &reply6};
	struct packet packet;

	start(0, SLOTS);
	for (size_t i = 0; i < ARRAY_LENGTH(all); i++) {
		size_t headers = all[i]->family == 4 ? 20 : 48;

		packet = make(all[i], 0, 1480, true);
		for (packet.length = 0; packet.length < headers; packet.length++)
			UNIT_CHECK(!pass_packet(&packet, true), "%zu bytes", packet.length);
		packet = make(all[i], 0, 100, false);
		UNIT_SIGNED("whole", pass_packet(&packet, true), all[i]->family == 6);
		packet = make(all[i], 1480, 0, false);
		UNIT_CHECK(!pass_packet(&packet, true), "no data");
		packet = make(all[i], 1480, 12, true);
		UNIT_CHECK(!pass_packet(&packet, true), "12 bytes and more to come");
		packet = make(all[i], 65528, 8, false);
		UNIT_CHECK(!pass_packet(&packet, true), "too far");
	}
	packet = make(&request4, 1480, 100, false);
	packet.bytes[9] = 17;
	UNIT_CHECK(!pass_packet(&packet, true), "UDP");
	packet = make(&request6, 1480, 100, false);
	packet.bytes[40] = 17;
	UNIT_CHECK(!pass_packet(&packet, true), "UDP over IPv6");
}

/* A fragment header behind others, and one before destination options. */
static void test_extension_headers(void)
{
	static const uint8_t hop_by_hop[8] = {44, 0, 1, 4};
	static const uint8_t options[8] = {58, 0, 1, 4};
	struct packet packet = make(&request6, 0, 1232, true);
	struct fragment_piece piece;
	uint8_t bytes[SNAP];

	memcpy(bytes, packet.bytes, 40);
	bytes[6] = 0;
	bytes_put16(bytes + 4, 8 + 8 + 1232);
	memcpy(bytes + 40, hop_by_hop, 8);
	memcpy(bytes + 48, packet.bytes + 40, 8);
	bytes[48] = 60;
	memcpy(bytes + 56, options, 8);
	memcpy(bytes + 64, packet.bytes + 48, 16);
	if (!UNIT_CHECK(fragment_piece_read(bytes, 80, &piece), "read"))
		return;
	UNIT_UNSIGNED("data", piece.payload_bytes, 1232);
	UNIT_UNSIGNED("packet", piece.packet_bytes, 40 + 8 + 8 + 1232);
	UNIT_CHECK(piece.has_echo && piece.type == 128 && piece.identifier == OURS, "whose");
	UNIT_CHECK(fragment_piece_read(bytes, 66, &piece) && !piece.has_echo, "cut off");
	UNIT_CHECK(!fragment_piece_read(bytes, 63, &piece), "cut off in a header");
}

const struct unit_suite suite_fragment_trains = {
	"fragment trains",
	(const struct unit_test[]){
		{"complete, both families and directions", test_complete},
		{"longest datagrams", test_longest},
		{"orders and duplicates", test_orders},
		{"which pieces are missing", test_missing},
		{"sizes known from other trains", test_missing_by_others},
		{"a last piece that is longer", test_last_is_longer},
		{"ages", test_ages},
		{"a full table", test_table_is_full},
		{"others' trains", test_others},
		{"a host that was not asked", test_peer},
		{"one number, two hosts", test_same_number},
		{"overlaps", test_overlaps},
		{"gaps and rate", test_gaps},
		{"no rate from trains with duplicates", test_rate_without_duplicates},
		{"stamps that are void", test_stamps_missing},
		{"patterns", test_patterns},
		{"a new start", test_restart},
		{"what cannot be read", test_unreadable},
		{"extension headers", test_extension_headers},
		{NULL, NULL},
	},
};
