/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of control messages: what the kernel writes, and the same cut at every length, with
 * lengths that lie, and at odd addresses.
 */
#include "os/control_message.h"

#include "unit/unit.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/errqueue.h> /* after time.h, which it needs and does not include */

/* A chain under construction. */
struct chain {
	uint8_t bytes[512];
	size_t length;
};

static void append(struct chain *chain, int level, int type, const void *content, size_t length)
{
	struct cmsghdr header;

	memset(&header, 0, sizeof(header));
	header.cmsg_len = CMSG_LEN(length);
	header.cmsg_level = level;
	header.cmsg_type = type;
	memcpy(chain->bytes + chain->length, &header, sizeof(header));
	memcpy(chain->bytes + chain->length + CMSG_LEN(0), content, length);
	chain->length += CMSG_SPACE(length);
}

static void append_int(struct chain *chain, int level, int type, int value)
{
	append(chain, level, type, &value, sizeof(value));
}

/* struct scm_timestamping: software, not used, hardware. */
static void append_stamps(struct chain *chain, struct timespec software, struct timespec hardware)
{
	const struct timespec stamps[3] = {software, {0}, hardware};

	append(chain, SOL_SOCKET, SO_TIMESTAMPING, stamps, sizeof(stamps));
}

static void append_error(struct chain *chain, int level, int type, uint8_t origin, int error,
			 uint8_t icmp_type, uint8_t code, uint32_t info, const void *offender,
			 size_t offender_bytes)
{
	struct sock_extended_err extended = {
		.ee_errno = (uint32_t)error,
		.ee_origin = origin,
		.ee_type = icmp_type,
		.ee_code = code,
		.ee_info = info,
	};
	uint8_t content[sizeof(extended) + sizeof(struct sockaddr_in6)];

	memcpy(content, &extended, sizeof(extended));
	memcpy(content + sizeof(extended), offender, offender_bytes);
	append(chain, level, type, content, sizeof(extended) + offender_bytes);
}

/* Parses a copy that ends exactly at `length` and starts `shift` bytes off an aligned address. */
static void parse(const struct chain *chain, size_t length, size_t shift,
		  struct control_facts *facts)
{
	uint8_t *copy = malloc(length + shift + 1);

	memset(facts, 0xee, sizeof(*facts));
	if (!UNIT_CHECK(copy != NULL, "memory"))
		return;
	memcpy(copy + shift, chain->bytes, length);
	control_message_parse(copy + shift, length, facts);
	free(copy);
}

static void test_nothing(void)
{
	struct chain chain = {.length = 0};
	struct control_facts facts;

	parse(&chain, 0, 0, &facts);
	UNIT_CHECK(!facts.has_stamp && !facts.has_drops && !facts.has_error, "flags");
	UNIT_SIGNED("ttl", facts.ttl, -1);
	UNIT_UNSIGNED("fragment", facts.largest_fragment, 0);
	UNIT_UNSIGNED("offender", facts.offender.family, 0);
	UNIT_SIGNED("hardware", facts.hardware_ns, INT64_MIN);
}

static void build_packet(struct chain *chain)
{
	struct timespec stamp = {.tv_sec = 1700000000, .tv_nsec = 123456789};
	uint32_t drops = 0xfffffff0u;

	append(chain, SOL_SOCKET, SO_TIMESTAMPNS, &stamp, sizeof(stamp));
	append(chain, SOL_SOCKET, SO_RXQ_OVFL, &drops, sizeof(drops));
	append_int(chain, IPPROTO_IP, IP_TTL, 57);
	append_int(chain, IPPROTO_IP, IP_RECVFRAGSIZE, 1500);
}

static void check_packet(const char *label, const struct control_facts *facts)
{
	UNIT_CHECK(facts->has_stamp, "%s: stamp", label);
	UNIT_SIGNED(label, facts->stamp_real_ns, INT64_C(1700000000123456789));
	UNIT_CHECK(facts->has_drops, "%s: drops", label);
	UNIT_UNSIGNED(label, facts->drops, 0xfffffff0u);
	UNIT_SIGNED(label, facts->ttl, 57);
	UNIT_UNSIGNED(label, facts->largest_fragment, 1500);
	UNIT_CHECK(!facts->has_error, "%s: no error", label);
	UNIT_SIGNED("hardware", facts->hardware_ns, INT64_MIN);
}

static void test_packet(void)
{
	struct chain chain = {.length = 0};
	struct control_facts facts;

	build_packet(&chain);
	for (size_t shift = 0; shift < 8; shift++) {
		parse(&chain, chain.length, shift, &facts);
		check_packet("packet", &facts);
	}
	chain.length = 0;
	append_int(&chain, IPPROTO_IPV6, IPV6_HOPLIMIT, 0);
	append_int(&chain, IPPROTO_IPV6, IPV6_RECVFRAGSIZE, 1496);
	parse(&chain, chain.length, 0, &facts);
	UNIT_SIGNED("hop limit", facts.ttl, 0);
	UNIT_UNSIGNED("IPv6 fragment", facts.largest_fragment, 1496);
}

/* Every length: nothing is read past it, and what is told is what stands before it. */
static void test_cut(void)
{
	struct chain chain = {.length = 0};
	struct control_facts facts;

	build_packet(&chain);
	for (size_t length = 0; length < chain.length; length++) {
		parse(&chain, length, length % 3, &facts);
		UNIT_CHECK(!facts.has_stamp || length >= CMSG_LEN(sizeof(struct timespec)),
			   "stamp at %zu", length);
		UNIT_CHECK(facts.largest_fragment == 0 ||
				   length >= chain.length - CMSG_SPACE(sizeof(int)) +
						     CMSG_LEN(sizeof(int)),
			   "fragment at %zu", length);
	}
}

static void test_lying_lengths(void)
{
	static const size_t lengths[] = {0, 1, sizeof(struct cmsghdr) - 1, sizeof(struct cmsghdr),
					 sizeof(struct cmsghdr) + 3, 4096, SIZE_MAX - 7, SIZE_MAX};
	struct control_facts facts;

	for (size_t i = 0; i < ARRAY_LENGTH(lengths); i++) {
		struct chain chain = {.length = 0};

		build_packet(&chain);
		memcpy(chain.bytes, &lengths[i], sizeof(lengths[i])); /* cmsg_len comes first */
		parse(&chain, chain.length, 0, &facts);
		UNIT_CHECK(!facts.has_stamp, "length %zu", lengths[i]);
	}
}

static void test_bad_values(void)
{
	static const struct timespec stamps[] = {
		{.tv_sec = -1, .tv_nsec = 0},
		{.tv_sec = 1, .tv_nsec = -1},
		{.tv_sec = 1, .tv_nsec = 1000000000},
		{.tv_sec = INT64_MAX / 1000000000, .tv_nsec = 999999999},
	};
	struct control_facts facts;
	struct chain chain = {.length = 0};

	for (size_t i = 0; i < ARRAY_LENGTH(stamps); i++) {
		chain.length = 0;
		append(&chain, SOL_SOCKET, SO_TIMESTAMPNS, &stamps[i], sizeof(stamps[i]));
		parse(&chain, chain.length, 0, &facts);
		UNIT_CHECK(!facts.has_stamp, "stamp %zu", i);
	}
	chain.length = 0;
	append_int(&chain, IPPROTO_IP, IP_TTL, 256);
	append_int(&chain, IPPROTO_IP, IP_RECVFRAGSIZE, -1);
	append_int(&chain, 12345, IP_TTL, 9);
	append_int(&chain, IPPROTO_IP, 12345, 9);
	parse(&chain, chain.length, 0, &facts);
	UNIT_SIGNED("ttl", facts.ttl, -1);
	UNIT_UNSIGNED("fragment", facts.largest_fragment, 0);
}

static void test_errors(void)
{
	struct sockaddr_in router4 = {.sin_family = AF_INET};
	struct sockaddr_in6 router6 = {.sin6_family = AF_INET6, .sin6_scope_id = 7};
	static const uint8_t ip4[4] = {10, 7, 0, 2};
	struct address expected = address_from_ip4(ip4);
	struct control_facts facts;
	struct chain chain = {.length = 0};

	memcpy(&router4.sin_addr, ip4, sizeof(ip4));
	append_error(&chain, IPPROTO_IP, IP_RECVERR, SO_EE_ORIGIN_ICMP, EMSGSIZE, 3, 4, 1300,
		     &router4, sizeof(router4));
	parse(&chain, chain.length, 0, &facts);
	UNIT_CHECK(facts.has_error, "IPv4");
	UNIT_SIGNED("origin", facts.origin, CONTROL_ORIGIN_ICMP4);
	UNIT_SIGNED("type", facts.type, 3);
	UNIT_SIGNED("code", facts.code, 4);
	UNIT_SIGNED("errno", facts.system_errno, EMSGSIZE);
	UNIT_UNSIGNED("mtu", facts.information, 1300);
	UNIT_CHECK(address_equal(&facts.offender, &expected), "offender");

	/* Cut at every length the offender goes first, then the error. */
	for (size_t length = 0; length < CMSG_LEN(sizeof(struct sock_extended_err) + 16);
	     length++) {
		struct chain shorter = chain;
		size_t told = length;

		memcpy(shorter.bytes, &told, sizeof(told));
		parse(&shorter, length, 0, &facts);
		UNIT_UNSIGNED("no offender", facts.offender.family, 0);
		UNIT_SIGNED("error", facts.has_error,
			    length >= CMSG_LEN(sizeof(struct sock_extended_err)));
	}

	chain.length = 0;
	router6.sin6_addr = (struct in6_addr)IN6ADDR_LOOPBACK_INIT;
	append_error(&chain, IPPROTO_IPV6, IPV6_RECVERR, SO_EE_ORIGIN_ICMP6, EHOSTUNREACH, 1, 3, 0,
		     &router6, sizeof(router6));
	parse(&chain, chain.length, 0, &facts);
	UNIT_SIGNED("origin", facts.origin, CONTROL_ORIGIN_ICMP6);
	UNIT_UNSIGNED("family", facts.offender.family, 6);
	UNIT_UNSIGNED("scope", facts.offender.scope_id, 7);

	/* An offender of no family, and one that is too short for its family. */
	chain.length = 0;
	append_error(&chain, IPPROTO_IP, IP_RECVERR, SO_EE_ORIGIN_LOCAL, EMSGSIZE, 0, 0, 1500,
		     (uint8_t[16]){0}, 16);
	parse(&chain, chain.length, 0, &facts);
	UNIT_CHECK(facts.has_error && facts.offender.family == 0, "no family");
	chain.length = 0;
	append_error(&chain, IPPROTO_IPV6, IPV6_RECVERR, SO_EE_ORIGIN_ICMP6, EPROTO, 4, 0, 0,
		     &router6, sizeof(router6) - 1);
	parse(&chain, chain.length, 0, &facts);
	UNIT_CHECK(facts.has_error && facts.offender.family == 0, "short offender");
}

static const struct timespec software = {.tv_sec = 1700000000, .tv_nsec = 5};
static const struct timespec hardware = {.tv_sec = 1234, .tv_nsec = 999999999};
#define SOFTWARE_NS INT64_C(1700000000000000005)
#define HARDWARE_NS INT64_C(1234999999999)

/* Received packets: by software, by hardware, both, and the zeros that stand for neither. */
static void test_stamps(void)
{
	static const struct timespec none = {0};
	static const int32_t narrow[6] = {17, 5, 0, 0, 1234, 999999999};
	struct chain chain = {.length = 0};
	struct control_facts facts;

	append_stamps(&chain, software, hardware);
	for (size_t shift = 0; shift < 8; shift++) {
		parse(&chain, chain.length, shift, &facts);
		UNIT_CHECK(facts.has_stamp, "both");
		UNIT_SIGNED("software", facts.stamp_real_ns, SOFTWARE_NS);
		UNIT_SIGNED("hardware", facts.hardware_ns, HARDWARE_NS);
		UNIT_CHECK(!facts.has_error, "no entry of the error queue");
	}
	chain.length = 0;
	append_stamps(&chain, none, hardware);
	parse(&chain, chain.length, 0, &facts);
	UNIT_CHECK(!facts.has_stamp, "hardware only");
	UNIT_SIGNED("hardware only", facts.hardware_ns, HARDWARE_NS);
	append(&chain, SOL_SOCKET, SO_TIMESTAMPNS, &software, sizeof(software));
	parse(&chain, chain.length, 0, &facts);
	UNIT_CHECK(facts.has_stamp, "beside SO_TIMESTAMPNS");
	UNIT_SIGNED("beside SO_TIMESTAMPNS", facts.stamp_real_ns, SOFTWARE_NS);
	chain.length = 0;
	append_stamps(&chain, none, none);
	parse(&chain, chain.length, 0, &facts);
	UNIT_CHECK(!facts.has_stamp && facts.hardware_ns == INT64_MIN, "neither");
	/* as a kernel of 32 bits writes it */
	chain.length = 0;
	append(&chain, SOL_SOCKET, SO_TIMESTAMPING, narrow, sizeof(narrow));
	parse(&chain, chain.length, 0, &facts);
	UNIT_SIGNED("32 bits", facts.stamp_real_ns, 17 * NANOSECONDS_PER_SECOND + 5);
	UNIT_SIGNED("32 bits", facts.hardware_ns, HARDWARE_NS);
}

/* A message with too few bytes has no stamps in it, and none of its parts is taken for one. */
static void test_stamps_cut(void)
{
	const struct timespec stamps[3] = {software, software, hardware};
	struct control_facts facts;

	for (size_t length = 0; length < sizeof(stamps); length++) {
		struct chain chain = {.length = 0};

		if (length == 6 * sizeof(int32_t)) /* what 32 bits would look like */
			continue;
		append(&chain, SOL_SOCKET, SO_TIMESTAMPING, stamps, length);
		parse(&chain, chain.length, 0, &facts);
		UNIT_CHECK(!facts.has_stamp && facts.hardware_ns == INT64_MIN, "%zu bytes", length);
	}
	for (size_t length = 0; length < sizeof(software); length++) {
		struct chain chain = {.length = 0};

		if (length == 2 * sizeof(int32_t))
			continue;
		append(&chain, SOL_SOCKET, SO_TIMESTAMPNS, &software, length);
		parse(&chain, chain.length, 0, &facts);
		UNIT_CHECK(!facts.has_stamp, "%zu bytes", length);
	}
}

/* Entries of the error queue that are no errors: when a packet left, and which. */
static void test_sent_stamps(void)
{
	static const struct {
		uint32_t information;
		bool by_hardware;
	} cases[] = {{CONTROL_STAMP_SCHEDULED, false},
		     {CONTROL_STAMP_SENT, false},
		     {CONTROL_STAMP_SENT, true},
		     {CONTROL_STAMP_ACKNOWLEDGED, false}};
	static const struct timespec none = {0};

	for (size_t i = 0; i < 2 * ARRAY_LENGTH(cases); i++) {
		bool is_ip6 = i % 2 == 1;
		struct sock_extended_err entry = {
			.ee_errno = ENOMSG,
			.ee_origin = SO_EE_ORIGIN_TIMESTAMPING,
			.ee_info = cases[i / 2].information,
			.ee_data = 0xfffffff0u,
		};
		struct chain chain = {.length = 0};
		struct control_facts facts;

		append_stamps(&chain, cases[i / 2].by_hardware ? none : software,
			      cases[i / 2].by_hardware ? hardware : none);
		append(&chain, is_ip6 ? IPPROTO_IPV6 : IPPROTO_IP,
		       is_ip6 ? IPV6_RECVERR : IP_RECVERR, &entry, sizeof(entry));
		parse(&chain, chain.length, i, &facts);
		UNIT_CHECK(facts.has_error, "row %zu: an entry", i);
		UNIT_SIGNED("origin", facts.origin, CONTROL_ORIGIN_STAMP);
		UNIT_UNSIGNED("which stamp", facts.information, cases[i / 2].information);
		UNIT_UNSIGNED("which packet", facts.data, 0xfffffff0u);
		UNIT_CHECK(facts.has_stamp == !cases[i / 2].by_hardware, "row %zu: software", i);
		UNIT_SIGNED("hardware", facts.hardware_ns,
			    cases[i / 2].by_hardware ? HARDWARE_NS : INT64_MIN);
	}
}

const struct unit_suite suite_control_message = {
	"control_message",
	(const struct unit_test[]){{"no message", test_nothing},
				   {"a packet's messages", test_packet},
				   {"cut at every length", test_cut},
				   {"lengths that lie", test_lying_lengths},
				   {"values out of range", test_bad_values},
				   {"entries of the error queue", test_errors},
				   {"stamps of a packet", test_stamps},
				   {"stamps that are cut", test_stamps_cut},
				   {"stamps of the error queue", test_sent_stamps},
				   {NULL, NULL}},
};
