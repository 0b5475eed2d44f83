/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fragment plan: counts that were compared with the kernel's FragCreates, every boundary of
 * the usual MTUs, and the plan against a fragmenter that works piece by piece.
 */
#include "unit/unit.h"

#include <math.h>
#include <stdio.h>

#include "core/ethernet.h"
#include "core/fragments.h"

#define ECHO FRAGMENT_ECHO_HEADER_BYTES

struct row {
	uint8_t family;
	uint32_t mtu;
	uint32_t payload; /* IP payload */
	uint32_t count;
	uint32_t first, last; /* IP packet bytes */
};

static const struct row rows[] = {
	/* agreed with the kernel's counter */
	{4, 1500, 1480, 1, 1500, 1500},
	{4, 1500, 1481, 2, 1500, 21},
	{4, 1499, 1479, 1, 1499, 1499},
	{4, 1499, 1480, 2, 1492, 28},
	{4, 1499, 2951, 2, 1492, 1499},
	{4, 1499, 2952, 3, 1492, 28},
	{4, 1500, 65515, 45, 1500, 415},
	/* the last fragment may use all of the MTU */
	{4, 1400, 2756, 2, 1396, 1400},
	{4, 1400, 2757, 3, 1396, 25},
	/* least, usual and largest MTUs; data 0 and most */
	{4, 68, 0 + ECHO, 1, 28, 28},
	{4, 68, 48, 1, 68, 68},
	{4, 68, 49, 2, 68, 21},
	{4, 68, 65515, 1365, 68, 63},
	{4, 576, 556, 1, 576, 576},
	{4, 576, 557, 2, 572, 25},
	{4, 576, 65515, 119, 572, 399},
	{4, 1280, 65515, 53, 1276, 223},
	{4, 1500, 0 + ECHO, 1, 28, 28},
	{4, 1500, 56 + ECHO, 1, 84, 84},
	{4, 1500, 2048 + ECHO, 2, 1500, 596},
	{4, 9000, 8980, 1, 9000, 9000},
	{4, 9000, 8981, 2, 8996, 25},
	{4, 9000, 65515, 8, 8996, 2703},
	{4, 65535, 65515, 1, 65535, 65535},
	{4, 65536, 65515, 1, 65535, 65535},
	{4, 1500, 0, 1, 20, 20},
	{6, 1280, 0 + ECHO, 1, 48, 48},
	{6, 1280, 1240, 1, 1280, 1280},
	{6, 1280, 1241, 2, 1280, 57},
	{6, 1280, 65535, 54, 1280, 287},
	{6, 1500, 1452 + ECHO, 1, 1500, 1500},
	{6, 1500, 1453 + ECHO, 2, 1496, 61},
	{6, 1500, 2888 + ECHO, 2, 1496, 1496},
	{6, 1500, 2889 + ECHO, 3, 1496, 49},
	{6, 1500, 65535, 46, 1496, 423},
	{6, 9000, 8960, 1, 9000, 9000},
	{6, 9000, 8961, 2, 9000, 57},
	{6, 65535, 65495, 1, 65535, 65535},
	{6, 65535, 65535, 2, 65528, 103},
	{6, 65536, 65496, 1, 65536, 65536},
	{6, 65536, 65535, 2, 65536, 95},
};

static void test_table(void)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const struct row *row = &rows[i];
		struct fragment_plan plan;
		struct fragment first, last;
		char label[64];

		(void)snprintf(label, sizeof(label), "IPv%u mtu %u payload %u", row->family,
			       row->mtu, row->payload);
		if (!UNIT_CHECK(fragment_plan_make(&plan, row->family, row->mtu, row->payload) &&
					fragment_at(&plan, 0, &first) &&
					fragment_at(&plan, plan.count - 1, &last),
				"%s: no plan", label))
			continue;
		UNIT_UNSIGNED(label, plan.count, row->count);
		UNIT_UNSIGNED(label, first.packet_bytes, row->first);
		UNIT_UNSIGNED(label, last.packet_bytes, row->last);
	}
}

static void test_refused(void)
{
	static const struct {
		uint8_t family;
		uint32_t mtu, payload;
	} refused[] = {
		{0, 1500, 64},
		{5, 1500, 64},
		{4, 0, 64},
		{4, 67, 8},
		{4, 20, 0},
		{4, 1500, 65516},
		{4, 1500, UINT32_MAX},
		{6, 0, 64},
		{6, 1279, 64},
		{6, 1500, 65536},
		{6, 1500, UINT32_MAX},
	};
	struct fragment_plan plan = {.count = 99};
	struct fragment fragment;

	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
		UNIT_CHECK(!fragment_plan_make(&plan, refused[i].family, refused[i].mtu,
					       refused[i].payload) &&
				   plan.count == 99,
			   "IPv%u mtu %u payload %u has a plan", refused[i].family, refused[i].mtu,
			   refused[i].payload);
	UNIT_CHECK(fragment_plan_make(&plan, 4, 1500, 1481) && !fragment_at(&plan, 2, &fragment) &&
			   !fragment_at(&plan, UINT32_MAX, &fragment),
		   "a fragment beyond the last");
	UNIT_CHECK(fragment_plan_make(&plan, 4, UINT32_MAX, 65515) && plan.count == 1,
		   "an endless MTU");
}

/* Cuts as the kernel does, piece by piece: while more than fits is left, send a full piece. */
static uint32_t cut(uint8_t family, uint32_t mtu, uint32_t payload, uint32_t *last)
{
	uint32_t room = mtu - (family == 4 ? 20 : 40);
	uint32_t count = 1;

	if (payload > room && family == 6)
		room = (room - 8) / 8 * 8;
	while (payload > room) {
		payload -= room / 8 * 8;
		count++;
	}
	*last = payload;
	return count;
}

static void test_every_size(void)
{
	static const struct {
		uint8_t family;
		uint32_t mtu, longest;
	} links[] = {{4, 68, 65515},    {4, 576, 65515},   {4, 1280, 65515},  {4, 1400, 65515},
		     {4, 1492, 65515},  {4, 1499, 65515},  {4, 1500, 65515},  {4, 9000, 65515},
		     {4, 65535, 65515}, {4, 65536, 65515}, {6, 1280, 65535},  {6, 1281, 65535},
		     {6, 1500, 65535},  {6, 9000, 65535},  {6, 65535, 65535}, {6, 65536, 65535}};

	for (size_t i = 0; i < ARRAY_LENGTH(links); i++) {
		uint32_t wrong = 0;

		for (uint32_t payload = 0; payload <= links[i].longest; payload++) {
			struct fragment_plan plan;
			uint32_t last = 0,
				 count = cut(links[i].family, links[i].mtu, payload, &last);

			wrong += !fragment_plan_make(&plan, links[i].family, links[i].mtu,
						     payload) ||
				 plan.count != count || plan.last_bytes != last;
		}
		UNIT_CHECK(wrong == 0, "IPv%u mtu %u: %u sizes are wrong", links[i].family,
			   links[i].mtu, wrong);
	}
}

static void test_pieces_tile(void)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct fragment_plan plan;
		struct fragment piece;
		uint32_t next = 0, ip_bytes = 0, frame_bytes = 0, wire_bytes = 0;

		if (!UNIT_CHECK(
			    fragment_plan_make(&plan, rows[i].family, rows[i].mtu, rows[i].payload),
			    "row %zu has no plan", i))
			continue;
		for (uint32_t k = 0; k < plan.count; k++) {
			UNIT_CHECK(fragment_at(&plan, k, &piece) && piece.offset == next &&
					   piece.more == (k + 1 < plan.count) &&
					   (!piece.more || piece.payload_bytes % 8 == 0) &&
					   piece.packet_bytes <= plan.mtu,
				   "row %zu piece %u", i, k);
			next += piece.payload_bytes;
			ip_bytes += piece.packet_bytes;
			frame_bytes += ethernet_frame_bytes(piece.packet_bytes);
			wire_bytes += ethernet_wire_bytes(piece.packet_bytes);
		}
		UNIT_UNSIGNED("sum of the pieces", next, plan.payload_bytes);
		UNIT_UNSIGNED("IP bytes", fragment_ip_bytes(&plan), ip_bytes);
		UNIT_UNSIGNED("frame bytes", fragment_frame_bytes(&plan), frame_bytes);
		UNIT_UNSIGNED("wire bytes", fragment_wire_bytes(&plan), wire_bytes);
	}
}

static void test_wire_bytes(void)
{
	static const struct {
		uint32_t data, wire;
	} sizes[] = {{0, 84},      {18, 84},     {19, 85},     {56, 122},     {1472, 1538},
		     {1473, 1622}, {2048, 2172}, {2953, 3160}, {65507, 68125}};
	struct fragment_plan plan;
	double overhead = -1.0;

	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
		UNIT_CHECK(fragment_plan_make(&plan, 4, 1500, sizes[i].data + ECHO), "no plan");
		UNIT_UNSIGNED("IPv4, mtu 1500", fragment_wire_bytes(&plan), sizes[i].wire);
		UNIT_UNSIGNED("IPv4, mtu 1500", fragment_frame_bytes(&plan),
			      sizes[i].wire - 20 * plan.count);
	}
	UNIT_CHECK(fragment_plan_make(&plan, 4, 1500, 2056) && fragment_overhead(&plan, &overhead),
		   "no overhead");
	UNIT_NEAR("2,048 bytes of data", overhead, 124.0 / 2048.0, 1e-15);
	UNIT_CHECK(fragment_plan_make(&plan, 4, 1500, 8) && !fragment_overhead(&plan, &overhead),
		   "no data, no overhead");
	UNIT_UNSIGNED("least frame", ethernet_frame_bytes(0), 64);
	UNIT_UNSIGNED("least time on the wire", ethernet_wire_bytes(0), 84);
}

static void test_longest_for_count(void)
{
	static const struct {
		uint8_t family;
		uint32_t mtu, count, data;
	} most[] = {
		{4, 1500, 1, 1472},   {4, 1500, 2, 2952},           {4, 1500, 3, 4432},
		{4, 1500, 4, 5912},   {4, 1500, 5, 7392},           {4, 1500, 6, 8872},
		{4, 1500, 45, 65507}, {4, 1500, 46, 65507},         {4, 1492, 1, 1464},
		{4, 1492, 2, 2936},   {4, 1400, 2, 2748},           {4, 9000, 1, 8972},
		{6, 1500, 1, 1452},   {6, 1500, 2, 2888},           {6, 1500, 3, 4336},
		{6, 1500, 46, 65527}, {4, 1500, UINT32_MAX, 65507}, {6, 65536, UINT32_MAX, 65527},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(most); i++) {
		uint32_t payload = fragment_payload_max(most[i].family, most[i].mtu, most[i].count);
		struct fragment_plan at, above;

		UNIT_UNSIGNED("data bytes", payload - ECHO, most[i].data);
		UNIT_CHECK(fragment_plan_make(&at, most[i].family, most[i].mtu, payload) &&
				   at.count <= most[i].count,
			   "row %zu: does not fit", i);
		UNIT_CHECK(!fragment_plan_make(&above, most[i].family, most[i].mtu, payload + 1) ||
				   above.count == most[i].count + 1,
			   "row %zu: no boundary", i);
	}
	UNIT_UNSIGNED("no packet", fragment_payload_max(4, 1500, 0), 0);
	UNIT_UNSIGNED("no family", fragment_payload_max(0, 1500, 1), 0);
	UNIT_UNSIGNED("no MTU", fragment_payload_max(6, 1279, 1), 0);
}

static void test_id_repeat(void)
{
	double repeat = -1.0;

	UNIT_CHECK(fragment_id_repeat_ns(4, 76710.0, &repeat), "no time");
	UNIT_NEAR("76,710/s", repeat, 0.85433e9, 1e4);
	UNIT_CHECK(fragment_id_repeat_ns(4, 65536.0 / 30.0, &repeat), "no time");
	UNIT_NEAR("2,184/s: 30 s", repeat, 30e9, 1.0);
	UNIT_CHECK(fragment_id_repeat_ns(6, 1e6, &repeat), "no time");
	UNIT_NEAR("IPv6", repeat, 4294.967296e9, 1.0);
	UNIT_CHECK(!fragment_id_repeat_ns(4, 0.0, &repeat) &&
			   !fragment_id_repeat_ns(4, -1.0, &repeat) &&
			   !fragment_id_repeat_ns(4, (double)NAN, &repeat) &&
			   !fragment_id_repeat_ns(4, (double)INFINITY, &repeat) &&
			   !fragment_id_repeat_ns(0, 1.0, &repeat),
		   "no rate, no time");
}

/* Measured: 2.5 kB, 10.8 kB and 100 kB a datagram; the estimate stays within 10 %. */
static void test_pinned(void)
{
	static const struct {
		uint32_t data;
		double measured;
	} sizes[] = {{2900, 2500.0}, {8000, 10800.0}, {65507, 100000.0}};
	struct fragment_plan plan;

	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
		UNIT_CHECK(fragment_plan_make(&plan, 4, 1500, sizes[i].data + ECHO), "no plan");
		UNIT_NEAR("pinned bytes", (double)fragment_pinned_bytes(&plan), sizes[i].measured,
			  sizes[i].measured * 0.1);
	}
	UNIT_CHECK(fragment_plan_make(&plan, 4, 1500, 1480), "no plan");
	UNIT_UNSIGNED("sent whole", fragment_pinned_bytes(&plan), 0);
	plan.count = 8;
	plan.piece_bytes = 48;
	plan.header_bytes = 20;
	UNIT_UNSIGNED("small pieces", fragment_pinned_bytes(&plan), 7 * 832);
}

static void test_loss(void)
{
	static const struct {
		double datagram;
		uint32_t fragments;
		double fragment;
	} losses[] = {
		{0.0, 3, 0.0},
		{1.0, 3, 1.0},
		{0.25, 1, 0.25},
		{0.0199, 2, 0.01},
		{0.0585, 6, 0.01},
		{0.06, 6, 0.01026},
		{1.0 - 0.66342, 8, 0.05},
		{1e-12, 4, 2.5e-13},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(losses); i++)
		UNIT_NEAR("loss per fragment",
			  fragment_loss(losses[i].datagram, losses[i].fragments),
			  losses[i].fragment, losses[i].fragment * 1e-3);
	UNIT_NEAR("one fragment: the same number", fragment_loss(0.1, 1), 0.1, 0.0);
}

const struct unit_suite suite_fragments = {
	"fragments",
	(const struct unit_test[]){
		{"table", test_table},
		{"what has no plan", test_refused},
		{"every size of every link", test_every_size},
		{"pieces tile the datagram", test_pieces_tile},
		{"bytes on the wire", test_wire_bytes},
		{"longest for a count", test_longest_for_count},
		{"identifications", test_id_repeat},
		{"pinned memory", test_pinned},
		{"loss per fragment", test_loss},
		{NULL, NULL},
	},
};
