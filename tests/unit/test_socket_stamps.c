/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the socket transports decide about stamps without a socket: which stamp an entry of the
 * error queue is, and whether an interface's own stamps are of use.
 */
#include "os/hardware_stamps.h"
#include "os/transport_socket_internal.h"

#include "unit/unit.h"

#include <linux/net_tstamp.h>

static void test_kinds(void)
{
	static const struct {
		const char *label;
		struct control_facts facts;
		bool is_stamp;
		enum transport_stamp_kind kind;
		int64_t real_ns;
	} rows[] = {
#define ENTRY(...) {.has_error = true, .origin = CONTROL_ORIGIN_STAMP, __VA_ARGS__}
#define SOFTWARE .has_stamp = true, .stamp_real_ns = 5
#define NO_HARDWARE .hardware_ns = INT64_MIN
		{"queue", ENTRY(.information = CONTROL_STAMP_SCHEDULED, SOFTWARE, NO_HARDWARE),
		 true, TRANSPORT_STAMP_QUEUE, 5},
		{"driver", ENTRY(.information = CONTROL_STAMP_SENT, SOFTWARE, NO_HARDWARE), true,
		 TRANSPORT_STAMP_DRIVER, 5},
		{"hardware", ENTRY(.information = CONTROL_STAMP_SENT, .hardware_ns = 7), true,
		 TRANSPORT_STAMP_HARDWARE, 7},
		{"hardware beside the time of our reading",
		 ENTRY(.information = CONTROL_STAMP_SENT, SOFTWARE, .hardware_ns = 7), true,
		 TRANSPORT_STAMP_HARDWARE, 7},
		{"no time", ENTRY(.information = CONTROL_STAMP_SENT, NO_HARDWARE), false, 0, 0},
		{"queued without a time",
		 ENTRY(.information = CONTROL_STAMP_SCHEDULED, NO_HARDWARE), false, 0, 0},
		{"acknowledged",
		 ENTRY(.information = CONTROL_STAMP_ACKNOWLEDGED, SOFTWARE, NO_HARDWARE), false, 0,
		 0},
		{"of a later kernel", ENTRY(.information = 3, SOFTWARE, NO_HARDWARE), false, 0, 0},
		{"a packet", {.has_stamp = true, .stamp_real_ns = 5, NO_HARDWARE}, false, 0, 0},
		{"an error",
		 {.has_error = true, .origin = CONTROL_ORIGIN_LOCAL, SOFTWARE, NO_HARDWARE},
		 false, 0, 0},
#undef ENTRY
#undef SOFTWARE
#undef NO_HARDWARE
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct transport_stamp stamp = {.id = 9};

		if (!UNIT_CHECK(transport_socket_stamp_of(&rows[i].facts, &stamp) ==
					rows[i].is_stamp,
				"%s", rows[i].label) ||
		    !rows[i].is_stamp)
			continue;
		UNIT_SIGNED(rows[i].label, (int)stamp.kind, (int)rows[i].kind);
		UNIT_SIGNED(rows[i].label, stamp.real_ns, rows[i].real_ns);
	}
}

static void test_hardware(void)
{
#define NONE {"lo", -1, -1, -1}
#define ALL {"eth0", 0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL}
#define OFF {"eth1", 1, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE}
#define UNKNOWN {"eth2", 1, -1, -1}
#define PTP {"eth3", 1, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_PTP_V2_EVENT}
#define DEAF {"eth4", 1, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE}
#define MUTE {"eth5", 1, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_ALL}
#define VLAN {"eth0.7", 0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL}
#define SECOND {"eth6", 6, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL}
#define NO_CLOCK {"eth7", -1, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL}
#define LONG_NAME {"abcdefghijklmno", 0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL}
	static const struct {
		const char *label;
		struct hardware_stamps_interface interfaces[4];
		size_t count;
		const char *device;
		bool expected;
	} rows[] = {
		{"no interface", {{.name = ""}}, 0, "", false},
		{"one that has none", {NONE}, 1, "", false},
		{"one that stamps all", {NONE, ALL}, 2, "", true},
		{"not switched on", {OFF, UNKNOWN}, 2, "", false},
		{"for PTP alone", {PTP}, 1, "", false},
		{"one way alone", {DEAF, MUTE}, 2, "", false},
		{"beside others that are not on", {OFF, ALL, PTP, DEAF}, 4, "", true},
		{"two over one clock", {ALL, VLAN}, 2, "", true},
		{"two clocks", {ALL, SECOND}, 2, "", false},
		{"two clocks, one asked for", {ALL, SECOND}, 2, "eth6", true},
		{"another asked for", {NONE, ALL}, 2, "lo", false},
		{"one that is not there", {ALL}, 1, "eth", false},
		{"without a clock", {NO_CLOCK}, 1, "", false},
		{"the longest name", {LONG_NAME}, 1, "abcdefghijklmno", true},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		UNIT_CHECK(hardware_stamps_choose(rows[i].interfaces, rows[i].count,
						  rows[i].device) == rows[i].expected,
			   "%s", rows[i].label);
#undef NONE
#undef ALL
#undef OFF
#undef UNKNOWN
#undef PTP
#undef DEAF
#undef MUTE
#undef VLAN
#undef SECOND
#undef NO_CLOCK
#undef LONG_NAME
	/* Whatever this host has: asking for an interface that is not there finds none. */
	UNIT_CHECK(!hardware_stamps_are_on("nosuchdevice"), "an interface that is not there");
}

const struct unit_suite suite_socket_stamps = {
	"socket_stamps",
	(const struct unit_test[]){{"kinds of stamps", test_kinds},
				   {"hardware stamps", test_hardware},
				   {NULL, NULL}},
};
