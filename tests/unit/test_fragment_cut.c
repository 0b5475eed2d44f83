/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fragments made by hand: the pieces are put together again from nothing but the headers that were
 * written, as a receiver would, and must give the datagram, in whatever order they come.
 */
#include "unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "core/fragment_cut.h"

static const enum fragment_order orders[] = {FRAGMENT_FORWARD, FRAGMENT_REVERSE,
					     FRAGMENT_ODD_EVEN};

struct row {
	uint8_t family;
	uint32_t mtu, payload, piece;
	uint32_t count, first, last; /* packets; IP bytes of the first and the last */
};

static const struct row rows[] = {
	{4, 1500, 208, 64, 4, 84, 36},
	{4, 1500, 208, 48, 5, 68, 36},
	{4, 1500, 192, 64, 3, 84, 84},
	{4, 1500, 193, 64, 4, 84, 21},
	{4, 1500, 65515, 1480, 45, 1500, 415},
	{4, 68, 65515, 48, 1365, 68, 63},
	{4, 1400, 3000, 1376, 3, 1396, 268}, /* 1380 would fit, and is no multiple of 8 */
	{6, 1500, 208, 64, 4, 112, 64},
	{6, 1500, 208, 8, 26, 56, 56},
	{6, 1280, 2480, 1232, 3, 1280, 64},
	{6, 1500, 65535, 1448, 46, 1496, 423},
	/* nothing to cut: one packet without a fragment header */
	{4, 1500, 208, 0, 1, 228, 228},
	{4, 1500, 208, 208, 1, 228, 228},
	{4, 1500, 208, 1480, 1, 228, 228},
	{6, 1500, 208, 0, 1, 248, 248},
	{6, 1500, 208, 1448, 1, 248, 248},
};

static void test_plans(void)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const struct row *row = &rows[i];
		struct fragment_plan plan;
		struct fragment first, last;
		char label[80];

		(void)snprintf(label, sizeof(label), "IPv%u mtu %u payload %u piece %u",
			       row->family, row->mtu, row->payload, row->piece);
		if (!UNIT_CHECK(fragment_plan_make_cut(&plan, row->family, row->mtu, row->payload,
						       row->piece) &&
					fragment_at(&plan, 0, &first) &&
					fragment_at(&plan, plan.count - 1, &last),
				"%s: no plan", label))
			continue;
		UNIT_UNSIGNED(label, plan.count, row->count);
		UNIT_UNSIGNED(label, first.packet_bytes, row->first);
		UNIT_UNSIGNED(label, last.packet_bytes, row->last);
		UNIT_CHECK(!last.more && first.more == (plan.count > 1), "%s: more", label);
	}
}

static void test_refused(void)
{
	static const struct {
		uint8_t family;
		uint32_t mtu, payload, piece;
	} refused[] = {
		{4, 1500, 208, 40}, /* less than 68 bytes in the first */
		{4, 1500, 208, 8},
		{4, 1500, 208, 63},
		{4, 1500, 208, 65},
		{4, 1500, 3000, 1488}, /* longer than the MTU */
		{4, 1400, 3000, 1384},
		{4, 1500, 65516, 64}, /* beyond the longest datagram */
		{4, 1500, UINT32_MAX, 64},
		{4, 1500, 1481, 0}, /* whole, and does not fit */
		{4, 1500, 1481, 2000},
		{4, 67, 208, 48},
		{6, 1500, 208, 4},
		{6, 1500, 208, 12},
		{6, 1500, 3000, 1456},
		{6, 1500, 65536, 64},
		{6, 1500, 1461, 0},
		{6, 1279, 208, 64},
		{5, 1500, 208, 64},
	};
	struct fragment_plan plan = {.count = 99};

	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
		UNIT_CHECK(!fragment_plan_make_cut(&plan, refused[i].family, refused[i].mtu,
						   refused[i].payload, refused[i].piece) &&
				   plan.count == 99,
			   "IPv%u mtu %u payload %u piece %u has a plan", refused[i].family,
			   refused[i].mtu, refused[i].payload, refused[i].piece);
}

static void test_longest_piece(void)
{
	static const struct {
		uint8_t family;
		uint32_t mtu, most;
	} longest[] = {
		{4, 1500, 1480}, {4, 1400, 1376}, {4, 68, 48}, {4, 67, 0}, {4, 0, 0},
		{6, 1500, 1448}, {6, 1280, 1232}, {6, 1279, 0}, {6, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(longest); i++)
		UNIT_UNSIGNED("longest piece",
			      fragment_cut_max(longest[i].family, longest[i].mtu), longest[i].most);
}

static void test_orders(void)
{
	static const struct {
		enum fragment_order order;
		uint32_t count, index[6];
	} cases[] = {
		{FRAGMENT_FORWARD, 4, {0, 1, 2, 3}},  {FRAGMENT_REVERSE, 4, {3, 2, 1, 0}},
		{FRAGMENT_ODD_EVEN, 4, {0, 2, 1, 3}}, {FRAGMENT_ODD_EVEN, 5, {0, 2, 4, 1, 3}},
		{FRAGMENT_ODD_EVEN, 2, {0, 1}},	      {FRAGMENT_ODD_EVEN, 1, {0}},
		{FRAGMENT_REVERSE, 1, {0}},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
		for (uint32_t place = 0; place < cases[i].count; place++)
			UNIT_UNSIGNED("order",
				      fragment_cut_index(cases[i].order, cases[i].count, place),
				      cases[i].index[place]);
}

/* ---- a receiver ---- */

static uint8_t datagram[FRAGMENT_PAYLOAD_MAX_IP6];
static uint8_t received[FRAGMENT_PAYLOAD_MAX_IP6];

struct reassembly {
	uint32_t bytes; /* received so far */
	uint32_t total; /* once the last piece has come; 0: not yet */
	bool overlaps;
};

/* Takes a piece in by its header (of either family) alone. */
static void receive(struct reassembly *at, uint8_t family, const uint8_t *header,
		    const uint8_t *data, uint32_t length)
{
	uint16_t word = bytes_get16(header + (family == 4 ? 6 : 2));
	uint32_t offset = family == 4 ? (word & 0x1fffu) * 8u : word & 0xfff8u;
	bool more = family == 4 ? (word & 0x2000u) != 0 : (word & 1u) != 0;

	if (offset + length > sizeof(received) || (more && length % 8 != 0)) {
		at->overlaps = true;
		return;
	}
	for (uint32_t i = 0; i < length; i++) {
		at->overlaps = at->overlaps || received[offset + i] != 0;
		received[offset + i] = data[i];
	}
	at->bytes += length;
	if (!more)
		at->total = offset + length;
}

static bool comes_together(uint8_t family, uint32_t payload, uint32_t piece,
			   enum fragment_order order)
{
	struct fragment_header_facts facts = {.identification = 1};
	struct reassembly at = {0};
	struct fragment_plan plan;

	if (!fragment_plan_make_cut(&plan, family, 1500, payload, piece))
		return false;
	memset(received, 0, payload);
	for (uint32_t place = 0; place < plan.count; place++) {
		uint8_t header[FRAGMENT_HEADER_BYTES_MAX];
		struct fragment fragment;

		if (!fragment_at(&plan, fragment_cut_index(order, plan.count, place), &fragment))
			return false;
		if (family == 4)
			fragment_write_ip4(header, &fragment, &facts);
		else
			fragment_write_ip6(header, &fragment, 1);
		receive(&at, family, header, datagram + fragment.offset, fragment.payload_bytes);
	}
	return !at.overlaps && at.total == payload && at.bytes == payload &&
	       memcmp(datagram, received, payload) == 0;
}

static void test_reassembly(void)
{
	static const uint32_t pieces[] = {8, 48, 56, 64, 128, 1232, 1448, 1480};
	static const uint32_t payloads[] = {49, 64, 208, 1461, 1480, 1481, 2960, 8008, 65515,
					    65535};

	for (size_t i = 0; i < sizeof(datagram); i++)
		datagram[i] = (uint8_t)(1 + i * 7 % 251); /* never 0: that is not received yet */
	for (uint8_t family = 4; family <= 6; family += 2)
		for (size_t i = 0; i < ARRAY_LENGTH(pieces); i++)
			for (size_t j = 0; j < ARRAY_LENGTH(payloads); j++) {
				struct fragment_plan plan;

				if (!fragment_plan_make_cut(&plan, family, 1500, payloads[j],
							    pieces[i]) ||
				    plan.count == 1)
					continue;
				for (size_t k = 0; k < ARRAY_LENGTH(orders); k++)
					UNIT_CHECK(comes_together(family, payloads[j], pieces[i],
								  orders[k]),
						   "IPv%u: %u in pieces of %u, order %zu", family,
						   payloads[j], pieces[i], k);
			}
}

/* ---- headers ---- */

static void test_ip4_header(void)
{
	static const uint8_t expected[FRAGMENT_HEADER_BYTES_IP4] = {
		0x45, 0xb8, 0, 0, 0xab, 0xcd, 0x60, 0x10, 33, 1, 0, 0, 0, 0, 0, 0, 10, 7, 0, 2};
	const struct fragment middle = {.offset = 128, .payload_bytes = 64, .more = true};
	const struct fragment last = {.offset = 65528, .payload_bytes = 7};
	struct fragment_header_facts facts = {
		.identification = 0xabcd,
		.time_to_live = 33,
		.traffic_class = 0xb8,
		.dont_fragment = true,
		.destination = {10, 7, 0, 2},
	};
	uint8_t header[FRAGMENT_HEADER_BYTES_IP4];

	memset(header, 0xff, sizeof(header));
	fragment_write_ip4(header, &middle, &facts);
	UNIT_CHECK(memcmp(header, expected, sizeof(expected)) == 0, "a middle piece");
	facts.dont_fragment = false;
	fragment_write_ip4(header, &last, &facts);
	UNIT_UNSIGNED("flags and offset of the last", bytes_get16(header + 6), 8191);
}

static void test_ip6_header(void)
{
	static const uint8_t expected[FRAGMENT_HEADER_BYTES_IP6] = {58,	  0,	0,    0x81,
								    0xde, 0xad, 0xbe, 0xef};
	const struct fragment middle = {.offset = 128, .payload_bytes = 64, .more = true};
	const struct fragment last = {.offset = 65528, .payload_bytes = 7};
	uint8_t header[FRAGMENT_HEADER_BYTES_IP6];

	memset(header, 0xff, sizeof(header));
	fragment_write_ip6(header, &middle, 0xdeadbeef);
	UNIT_CHECK(memcmp(header, expected, sizeof(expected)) == 0, "a middle piece");
	fragment_write_ip6(header, &last, 1);
	UNIT_UNSIGNED("offset of the last", bytes_get16(header + 2), 65528);
}

/*
 * The sum of RFC 8200 8.1, over the pseudo-header written out: addresses, length in four bytes,
 * three zeros, next header.
 */
static uint16_t plain_checksum(const uint8_t *source, const uint8_t *destination,
			       const uint8_t *message, uint32_t length)
{
	uint8_t pseudo[40] = {0};
	uint32_t sum = 0;

	memcpy(pseudo, source, 16);
	memcpy(pseudo + 16, destination, 16);
	bytes_put32(pseudo + 32, length);
	pseudo[39] = 58;
	for (size_t i = 0; i < sizeof(pseudo); i += 2)
		sum += bytes_get16(pseudo + i);
	for (uint32_t i = 0; i < length; i++)
		sum += i % 2 == 0 ? (uint32_t)message[i] << 8 : message[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void test_ip6_checksum(void)
{
	static const uint8_t source[16] = {0xfd, 7, [15] = 1};
	static const uint8_t destination[16] = {0xfe, 0x80, [8] = 0xff, 0xee, 0xdd, [15] = 2};
	static const uint32_t lengths[] = {8, 9, 64, 208, 1500, 65527, 65535};
	static uint8_t message[65535];

	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)(i * 31 + 5);
	for (size_t i = 0; i < ARRAY_LENGTH(lengths); i++)
		UNIT_UNSIGNED("checksum",
			      fragment_checksum_ip6(source, destination, message, lengths[i]),
			      plain_checksum(source, destination, message, lengths[i]));
}

const struct unit_suite suite_fragment_cut = {
	"fragment_cut",
	(const struct unit_test[]){
		{"plans", test_plans},
		{"what is not well formed", test_refused},
		{"longest piece", test_longest_piece},
		{"orders", test_orders},
		{"pieces come together again", test_reassembly},
		{"IPv4 header", test_ip4_header},
		{"IPv6 fragment header", test_ip6_header},
		{"ICMPv6 checksum", test_ip6_checksum},
		{NULL, NULL},
	},
};
