/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses: comparing, classifying, printing, hashing. */
#include "base/address.h"

#include "unit/unit.h"

#include <arpa/inet.h>
#include <string.h>

/* From text, with an optional scope; the C library is the other side of the test. */
static struct address make(const char *text, uint32_t scope_id)
{
	struct address none = {0};
	uint8_t bytes[16];

	if (inet_pton(AF_INET, text, bytes) == 1)
		return address_from_ip4(bytes);
	if (inet_pton(AF_INET6, text, bytes) == 1)
		return address_from_ip6(bytes, scope_id);
	return none;
}

static void test_classes(void)
{
	static const struct {
		const char *text;
		bool multicast;
		bool needs_scope;
		bool loopback;
	} rows[] = {
		{"0.0.0.0", false, false, false},
		{"126.255.255.255", false, false, false},
		{"127.0.0.0", false, false, true},
		{"127.255.255.255", false, false, true},
		{"128.0.0.0", false, false, false},
		{"169.254.1.1", false, false, false},
		{"223.255.255.255", false, false, false},
		{"224.0.0.0", true, false, false},
		{"239.255.255.255", true, false, false},
		{"240.0.0.0", false, false, false},
		{"255.255.255.255", false, false, false},
		{"::", false, false, false},
		{"::1", false, false, true},
		{"::2", false, false, false},
		{"1::1", false, false, false},
		{"::127.0.0.1", false, false, false},
		{"::ffff:127.0.0.1", false, false, true},
		{"::ffff:127.255.0.9", false, false, true},
		{"::ffff:128.0.0.1", false, false, false},
		{"::ffff:224.0.0.1", false, false, false},
		{"2001:db8::1", false, false, false},
		{"fd07::1", false, false, false},
		{"fe7f:ffff::", false, false, false},
		{"fe80::", false, true, false},
		{"fe80::1", false, true, false},
		{"febf:ffff::1", false, true, false},
		{"fec0::1", false, false, false},
		{"ff00::", true, false, false},
		{"ff01::1", true, false, false},
		{"ff02::1", true, true, false},
		{"ff12::1", true, true, false},
		{"ff05::1", true, false, false},
		{"ff0e::1", true, false, false},
	};
	struct address none = {0};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct address address = make(rows[i].text, 0);

		UNIT_CHECK(address.family != 0, "%s is no address", rows[i].text);
		UNIT_SIGNED(rows[i].text, address_is_multicast(&address), rows[i].multicast);
		UNIT_SIGNED(rows[i].text, address_needs_scope(&address), rows[i].needs_scope);
		UNIT_SIGNED(rows[i].text, address_is_loopback(&address), rows[i].loopback);
	}
	UNIT_CHECK(!address_is_multicast(&none), "none");
	UNIT_CHECK(!address_needs_scope(&none), "none");
	UNIT_CHECK(!address_is_loopback(&none), "none");
}

static void test_text(void)
{
	static const struct {
		const char *text; /* already in the form of RFC 5952 */
		uint32_t scope_id;
		const char *expected;
	} rows[] = {
		{"10.9.0.2", 0, "10.9.0.2"},
		{"255.255.255.255", 0, "255.255.255.255"},
		{"::", 0, "::"},
		{"::1", 0, "::1"},
		{"2001:db8::1:0:0:1", 0, "2001:db8::1:0:0:1"},
		{"2001:db8:0:1:1:1:1:1", 0, "2001:db8:0:1:1:1:1:1"},
		{"2001:DB8::A", 0, "2001:db8::a"},
		{"::ffff:192.0.2.1", 0, "::ffff:192.0.2.1"},
		{"fe80::1", 3, "fe80::1%3"},
		{"fe80::1", 0, "fe80::1"},
		{"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", UINT32_MAX,
		 "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295"},
	};
	char text[ADDRESS_TEXT_LENGTH];
	struct address none = {0};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct address address = make(rows[i].text, rows[i].scope_id);

		memset(text, '#', sizeof(text));
		UNIT_TEXT(rows[i].text, address_text(&address, text), rows[i].expected);
		UNIT_CHECK(address_text(&address, text) == text, "%s: another buffer",
			   rows[i].text);
	}
	UNIT_TEXT("none", address_text(&none, text), "");
}

static void test_equal(void)
{
	static const struct {
		const char *a;
		uint32_t a_scope;
		const char *b;
		uint32_t b_scope;
		bool equal;
	} rows[] = {
		{"10.0.0.1", 0, "10.0.0.1", 0, true},	      {"10.0.0.1", 0, "10.0.0.2", 0, false},
		{"10.0.0.1", 0, "::ffff:10.0.0.1", 0, false}, {"10.0.0.1", 0, "a00:1::", 0, false},
		{"fe80::1", 1, "fe80::1", 1, true},	      {"fe80::1", 1, "fe80::1", 2, false},
		{"fe80::1", 0, "fe80::1", 2, true},	      {"fe80::1", 2, "fe80::1", 0, true},
		{"fe80::1", 2, "fe80::2", 2, false},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct address a = make(rows[i].a, rows[i].a_scope);
		struct address b = make(rows[i].b, rows[i].b_scope);

		UNIT_CHECK(address_equal(&a, &b) == rows[i].equal, "row %zu", i);
		UNIT_CHECK(address_equal(&b, &a) == rows[i].equal, "row %zu turned round", i);
		if (rows[i].equal)
			UNIT_UNSIGNED("hash", address_hash(&a), address_hash(&b));
	}
}

/* Neighbouring addresses, what a table of targets holds, spread over its places. */
static void test_hash_spreads(void)
{
	unsigned int places4[256] = {0};
	unsigned int places6[256] = {0};
	unsigned int most = 0;

	for (unsigned int i = 0; i < 4096; i++) {
		uint8_t ip4[4] = {10, 9, (uint8_t)(i >> 8), (uint8_t)i};
		uint8_t ip6[16] = {0xfd, 7, [14] = (uint8_t)(i >> 8), [15] = (uint8_t)i};
		struct address a = address_from_ip4(ip4);
		struct address b = address_from_ip6(ip6, 0);

		places4[address_hash(&a) % 256]++;
		places6[address_hash(&b) % 256]++;
	}
	for (unsigned int i = 0; i < 256; i++) {
		most = places4[i] > most ? places4[i] : most;
		most = places6[i] > most ? places6[i] : most;
	}
	UNIT_CHECK(most <= 48, "16 a place on the average, %u in the fullest", most);
}

const struct unit_suite suite_address = {
	"address",
	(const struct unit_test[]){
		{"classes", test_classes},
		{"text", test_text},
		{"equality and hash", test_equal},
		{"hash spreads neighbours", test_hash_spreads},
		{NULL, NULL},
	},
};
