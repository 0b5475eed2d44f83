/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The views of IPv4 and IPv6 headers. Every input is a block of exactly its length, so that a read
 * past its end is seen by AddressSanitizer; every header is also offered in all shorter lengths.
 */
#include "core/ip4.h"
#include "core/ip6.h"

#include "base/bytes.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

static enum ip_status exact4(const uint8_t *bytes, size_t length, struct ip4_view *view)
{
	uint8_t *copy = malloc(length + (length == 0));
	enum ip_status status = IP_BAD;

	if (!UNIT_CHECK(copy != NULL, "memory"))
		return status;
	memcpy(copy, bytes, length);
	status = ip4_view(copy, length, view);
	free(copy);
	return status;
}

static enum ip_status exact6(const uint8_t *bytes, size_t length, struct ip6_view *view)
{
	uint8_t *copy = malloc(length + (length == 0));
	enum ip_status status = IP_BAD;

	if (!UNIT_CHECK(copy != NULL, "memory"))
		return status;
	memcpy(copy, bytes, length);
	status = ip6_view(copy, length, view);
	free(copy);
	return status;
}

static void test_ip4_fields(void)
{
	static const uint8_t header[20] = {0x45, 0x00, 0x12, 0x34, 0xab, 0xcd, 0x60, 0xb9, 63, 1,
					   0x00, 0x00, 10,   1,	   2,	 3,    192,  0,	   2,  9};
	static const uint8_t source[4] = {10, 1, 2, 3};
	static const uint8_t destination[4] = {192, 0, 2, 9};
	struct ip4_view view;

	UNIT_SIGNED("whole", exact4(header, sizeof(header), &view), IP_OK);
	UNIT_UNSIGNED("header", view.header_bytes, 20);
	UNIT_UNSIGNED("total", view.total_length, 0x1234);
	UNIT_UNSIGNED("id", view.id, 0xabcd);
	UNIT_UNSIGNED("offset", view.fragment_offset, 185 * 8);
	UNIT_CHECK(view.more_fragments && view.dont_fragment, "flags");
	UNIT_UNSIGNED("ttl", view.ttl, 63);
	UNIT_UNSIGNED("protocol", view.protocol, 1);
	UNIT_CHECK(memcmp(view.source, source, 4) == 0, "source");
	UNIT_CHECK(memcmp(view.destination, destination, 4) == 0, "destination");
}

static void test_ip4_lengths(void)
{
	struct ip4_view view;
	uint8_t bytes[64];

	for (unsigned int words = 0; words < 16; words++) {
		for (size_t length = 0; length <= sizeof(bytes); length++) {
			enum ip_status expected = IP_OK;

			if (length < 20)
				expected = IP_SHORT;
			else if (words < 5)
				expected = IP_BAD;
			else if (words * 4 > length)
				expected = IP_SHORT;
			memset(bytes, 0xff, sizeof(bytes));
			bytes[0] = (uint8_t)(0x40 | words);
			UNIT_CHECK(exact4(bytes, length, &view) == expected, "ihl %u in %zu bytes",
				   words, length);
			if (expected == IP_OK)
				UNIT_UNSIGNED("header", view.header_bytes, words * 4);
		}
	}
}

static void test_ip4_versions(void)
{
	struct ip4_view view;
	uint8_t bytes[60] = {0};

	for (unsigned int version = 0; version < 16; version++) {
		bytes[0] = (uint8_t)(version << 4 | 5);
		UNIT_CHECK(exact4(bytes, sizeof(bytes), &view) == (version == 4 ? IP_OK : IP_BAD),
			   "version %u", version);
	}
}

static void test_ip4_flags(void)
{
	static const struct {
		uint16_t field;
		uint16_t offset;
		bool more;
		bool dont;
	} rows[] = {
		{0x0000, 0, false, false},     {0x4000, 0, false, true},
		{0x2000, 0, true, false},      {0x0001, 8, false, false},
		{0x1fff, 65528, false, false}, {0x3fff, 65528, true, false},
		{0x8000, 0, false, false},
	};
	uint8_t bytes[20] = {0x45};
	struct ip4_view view;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		bytes_put16(bytes + 6, rows[i].field);
		UNIT_SIGNED("flags", exact4(bytes, sizeof(bytes), &view), IP_OK);
		UNIT_UNSIGNED("offset", view.fragment_offset, rows[i].offset);
		UNIT_SIGNED("more", view.more_fragments, rows[i].more);
		UNIT_SIGNED("dont", view.dont_fragment, rows[i].dont);
	}
}

/* A chain of headers: next header values and sizes, as they follow the first 40 bytes. */
struct chain {
	const char *label;
	uint8_t protocols[12]; /* ended by the upper protocol */
	uint8_t length_bytes[12];
	unsigned int count;
	enum ip_status status;
	uint32_t upper_offset;
};

static const struct chain chains[] = {
	{"none", {58}, {0}, 0, IP_OK, 40},
	{"hop-by-hop", {0, 58}, {0}, 1, IP_OK, 48},
	{"hop-by-hop of 16", {0, 58}, {1}, 1, IP_OK, 56},
	{"routing of 24", {43, 58}, {2}, 1, IP_OK, 64},
	{"destination options", {60, 58}, {0}, 1, IP_OK, 48},
	{"authentication of 8", {51, 58}, {0}, 1, IP_OK, 48},
	{"authentication of 24", {51, 58}, {4}, 1, IP_OK, 64},
	{"mobility, HIP, Shim6", {135, 139, 140, 58}, {0, 0, 0}, 3, IP_OK, 64},
	{"atomic fragment", {44, 58}, {0}, 1, IP_OK, 48},
	{"length byte of a fragment header", {44, 58}, {255}, 1, IP_OK, 48},
	{"no next header", {59}, {0}, 0, IP_OK, 40},
	{"encrypted", {0, 50}, {0}, 1, IP_OK, 48},
	{"largest", {60, 58}, {255}, 1, IP_OK, 40 + 2048},
	{"eight", {0, 60, 43, 60, 60, 60, 60, 60, 58}, {0}, 8, IP_OK, 40 + 64},
	{"nine", {0, 60, 43, 60, 60, 60, 60, 60, 60, 58}, {0}, 9, IP_BAD, 0},
};

/* Lays a chain out; the bytes of it. */
static size_t lay_out(const struct chain *chain, uint8_t *bytes)
{
	size_t at = 40;

	memset(bytes, 0, 40);
	bytes[0] = 0x60;
	bytes[6] = chain->protocols[0];
	for (unsigned int i = 0; i < chain->count; i++) {
		size_t size = ((size_t)chain->length_bytes[i] + 1) * 8;

		if (chain->protocols[i] == 44)
			size = 8;
		else if (chain->protocols[i] == 51)
			size = ((size_t)chain->length_bytes[i] + 2) * 4;
		memset(bytes + at, 0, size);
		bytes[at] = chain->protocols[i + 1];
		bytes[at + 1] = chain->length_bytes[i];
		at += size;
	}
	return at;
}

static void test_ip6_chains(void)
{
	uint8_t bytes[4096];
	struct ip6_view view;

	for (size_t i = 0; i < ARRAY_LENGTH(chains); i++) {
		const struct chain *chain = &chains[i];
		size_t length = lay_out(chain, bytes);

		UNIT_SIGNED(chain->label, exact6(bytes, length, &view), chain->status);
		if (chain->status != IP_OK)
			continue;
		UNIT_UNSIGNED(chain->label, view.upper_offset, chain->upper_offset);
		UNIT_UNSIGNED(chain->label, view.upper_offset, length);
		UNIT_UNSIGNED(chain->label, view.protocol, chain->protocols[chain->count]);
		for (size_t cut = 0; cut < length; cut++)
			UNIT_CHECK(exact6(bytes, cut, &view) == IP_SHORT, "%s cut to %zu",
				   chain->label, cut);
	}
}

static void test_ip6_fields(void)
{
	uint8_t bytes[48] = {0x6f, 0xff, 0xff, 0xff, 0x12, 0x34, 44, 61};
	struct ip6_view view;

	bytes[8] = 0xfd;
	bytes[23] = 1;
	bytes[24] = 0xfe;
	bytes[39] = 2;
	bytes[40] = 58;
	bytes_put16(bytes + 42, 0x0001);
	bytes_put32(bytes + 44, 0xdeadbeef);
	UNIT_SIGNED("first fragment", exact6(bytes, sizeof(bytes), &view), IP_OK);
	UNIT_UNSIGNED("length", view.payload_length, 0x1234);
	UNIT_UNSIGNED("hop limit", view.hop_limit, 61);
	UNIT_CHECK(view.source[0] == 0xfd && view.source[15] == 1, "source");
	UNIT_CHECK(view.destination[0] == 0xfe && view.destination[15] == 2, "destination");
	UNIT_CHECK(view.has_fragment && view.more_fragments, "fragment");
	UNIT_UNSIGNED("offset", view.fragment_offset, 0);
	UNIT_UNSIGNED("id", view.fragment_id, 0xdeadbeef);
	UNIT_UNSIGNED("data", view.fragment_data, 48);
	UNIT_UNSIGNED("protocol", view.protocol, 58);

	/* Behind a later fragment's header is data, even if its protocol is an extension. */
	bytes[40] = 60;
	bytes_put16(bytes + 42, 0x05a8);
	UNIT_SIGNED("later fragment", exact6(bytes, sizeof(bytes), &view), IP_OK);
	UNIT_UNSIGNED("offset", view.fragment_offset, 1448);
	UNIT_CHECK(!view.more_fragments, "last");
	UNIT_UNSIGNED("protocol", view.protocol, 60);
	UNIT_UNSIGNED("upper", view.upper_offset, 48);
}

static void test_ip6_versions(void)
{
	uint8_t bytes[40] = {0};
	struct ip6_view view;

	bytes[6] = 58;
	for (unsigned int version = 0; version < 16; version++) {
		bytes[0] = (uint8_t)(version << 4);
		UNIT_CHECK(exact6(bytes, sizeof(bytes), &view) == (version == 6 ? IP_OK : IP_BAD),
			   "version %u", version);
	}
}

const struct unit_suite suite_ip = {
	"ip",
	(const struct unit_test[]){
		{"IPv4 fields", test_ip4_fields},
		{"IPv4 header lengths", test_ip4_lengths},
		{"IPv4 versions", test_ip4_versions},
		{"IPv4 fragment field", test_ip4_flags},
		{"IPv6 extension headers", test_ip6_chains},
		{"IPv6 fields", test_ip6_fields},
		{"IPv6 versions", test_ip6_versions},
		{NULL, NULL},
	},
};
