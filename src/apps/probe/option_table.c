/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows. The letters are those of iputils ping, since the command lines that people know come
 * from there; a letter that means something else elsewhere is not guessed at but answered with
 * a line that says what to type.
 */
#include "apps/probe/option_table.h"

#include <string.h>

#include "apps/probe/option_values.h"

#define SWITCH(member) .flag = offsetof(struct configuration, member)

const char *const option_group_titles[OPTION_GROUPS] = {
	[OPTION_GROUP_PACE] = "Pace and end",
	[OPTION_GROUP_SERIES] = "Several kinds of requests",
	[OPTION_GROUP_PACKET] = "Packet",
	[OPTION_GROUP_WAY] = "Hosts and the way to them",
	[OPTION_GROUP_MEASURE] = "Measurement",
	[OPTION_GROUP_OUTPUT] = "Output",
	[OPTION_GROUP_ABOUT] = "About",
};

const struct option_row option_table[] = {
	/* ---- pace and end ---- */
	{'f', "flood", .group = OPTION_GROUP_PACE, SWITCH(flood),
	 .help = "send as fast as replies come back or 100 a second, whichever is more; with -i or "
		 "--rate at that pace, without reply lines"},
	{'l', "preload", "N", .group = OPTION_GROUP_PACE, .set = option_set_preload,
	 .help = "flood: N in flight from the start; otherwise N requests at once first"},
	{0, "depth", "N", .group = OPTION_GROUP_PACE, .set = option_set_depth,
	 .help = "keep N requests in flight to each host, a new one for each reply"},
	{'A', "adaptive", .group = OPTION_GROUP_PACE, .set = option_set_adaptive,
	 .help = "the same as --depth 1"},
	{'i', "interval", "T", .group = OPTION_GROUP_PACE, .set = option_set_interval,
	 .help = "one request to each host every T, by the clock (default 1s)"},
	{0, "rate", "PPS", .group = OPTION_GROUP_PACE, .set = option_set_rate,
	 .help = "the same said in requests a second over all hosts"},
	{'c', "count", "N", .group = OPTION_GROUP_PACE, .set = option_set_count,
	 .help = "stop after N requests to each host; with -w after N replies"},
	{'w', "deadline", "T", .group = OPTION_GROUP_PACE, .set = option_set_deadline,
	 .help = "stop after T, whatever has been sent or received"},
	{'W', "timeout", "T", .group = OPTION_GROUP_PACE, .set = option_set_timeout,
	 .help = "a request without a reply after T is lost (default 1s)"},
	{0, "warmup", "N", .group = OPTION_GROUP_PACE, .set = option_set_warmup,
	 .help = "send N requests to each host (or for a time T, as 2s) before the measurement, "
		 "not counted in it"},
	/* ---- series ---- */
	{0, "sweep-size", "LIST", .group = OPTION_GROUP_SERIES, .set = option_set_sweep_size,
	 .help = "a table over payload sizes, measured in turns in random order: 1,100,1472; "
		 "FROM:TO:STEP; FROM:TO:xF; boundaries (both sides of each fragment boundary); or "
		 "pieces (the data of -s in 1, 2 ... hand-made fragments)"},
	{0, "diagnose-fragments", .group = OPTION_GROUP_SERIES, SWITCH(diagnose_fragments),
	 .help = "find out what is wrong with large requests: a matrix and a verdict"},
	{0, "find-mtu", .group = OPTION_GROUP_SERIES, SWITCH(find_mtu),
	 .help = "find the path MTU by probing, also where ICMP errors are dropped"},
	{0, "allow-harm", .group = OPTION_GROUP_SERIES, SWITCH(allow_harm),
	 .help = "root: go on although lost fragments may fill the other host's memory for them"},
	/* ---- packet ---- */
	{'s', "size", "BYTES", .group = OPTION_GROUP_PACKET, .set = option_set_size,
	 .help = "payload of a request (default 56; up to 65507, 65527 over IPv6)"},
	{'p', "pattern", "HEX", .group = OPTION_GROUP_PACKET, .set = option_set_pattern,
	 .help = "fill the payload with these bytes, 16 at most"},
	{0, "payload", "KIND", .group = OPTION_GROUP_PACKET, .set = option_set_payload,
	 .help = "distinct: every 8 bytes of every request differ (default); random: cannot be "
		 "compressed"},
	{0, "fragment-size", "BYTES", .group = OPTION_GROUP_PACKET,
	 .set = option_set_fragment_size,
	 .help = "cut requests by hand into fragments of so many bytes of IP payload (a multiple "
		 "of 8; raw sockets only)"},
	{0, "fragment-order", "ORDER", .group = OPTION_GROUP_PACKET,
	 .set = option_set_fragment_order,
	 .help = "in which they are sent: forward (default), reverse, or odd-even (the first, "
		 "third ... then the second, fourth ...)"},
	{'M', "path-mtu", "MODE", .group = OPTION_GROUP_PACKET, .set = option_set_path_mtu,
	 .help = "do, want, dont, probe, interface or omit (default: omit for IPv4; for IPv6 "
		 "fragments of the known path MTU)"},
	{'t', "ttl", "N", .group = OPTION_GROUP_PACKET, .set = option_set_ttl,
	 .help = "time to live, hop limit"},
	{'Q', "tos", "TOS", .group = OPTION_GROUP_PACKET, .set = option_set_traffic_class,
	 .help = "traffic class: 0 to 255, 0x hexadecimal, or a DSCP name as ef, af41, cs6"},
	{'F', "flow-label", "HEX", .group = OPTION_GROUP_PACKET, .set = option_set_flow_label,
	 .help = "flow label of IPv6, up to fffff; 0 lets the kernel choose"},
	{'e', "identifier", "N", .group = OPTION_GROUP_PACKET, .set = option_set_identifier,
	 .help = "ICMP identifier (default random)"},
	/* ---- hosts and the way to them ---- */
	{'4', "ipv4", .group = OPTION_GROUP_WAY, .set = option_set_family_4,
	 .help = "IPv4 only"},
	{'6', "ipv6", .group = OPTION_GROUP_WAY, .set = option_set_family_6,
	 .help = "IPv6 only"},
	{0, "targets", "FILE", .group = OPTION_GROUP_WAY, .set = option_set_targets_file,
	 .help = "more hosts from FILE, one a line, # starts a comment; - is standard input"},
	{'I', "interface", "NAME", .group = OPTION_GROUP_WAY, .set = option_set_source,
	 .help = "leave by this interface or VRF, or from this address; may be repeated"},
	{'b', "broadcast", .group = OPTION_GROUP_WAY, SWITCH(allow_broadcast),
	 .help = "permit broadcast and multicast addresses; never with -f"},
	{'L', "no-loopback", .group = OPTION_GROUP_WAY, SWITCH(suppress_loopback),
	 .help = "multicast is not delivered to this host itself"},
	{'m', "mark", "N", .group = OPTION_GROUP_WAY, .set = option_set_mark,
	 .help = "mark the packets for routing and filters of this host (root)"},
	{'n', "numeric", .group = OPTION_GROUP_WAY, SWITCH(numeric),
	 .help = "as always here: addresses are never turned into names"},
	/* ---- measurement ---- */
	{0, "transport", "NAME", .group = OPTION_GROUP_MEASURE, .set = option_set_transport,
	 .help = "how packets leave: auto (raw where permitted, else ping), or one of the list "
		 "below"},
	{0, "sim", "SETTINGS", .group = OPTION_GROUP_MEASURE, .set = option_set_simulation,
	 .help = "how the network of --transport sim behaves"},
	{0, "clock", "NAME", .group = OPTION_GROUP_MEASURE, .set = option_set_clock,
	 .help = "what measures: auto (monotonic, or tsc where that is too coarse), or one of the "
		 "list below"},
	{0, "stamps", "KIND", .group = OPTION_GROUP_MEASURE, .set = option_set_stamps,
	 .help = "split: with the kernel's stamps of sending, on a sample, and of receiving "
		 "(default); rx: of receiving only; user: our own calls only"},
	{0, "capture-fragments", .group = OPTION_GROUP_MEASURE, SWITCH(capture_fragments),
	 .help = "look at every single fragment that leaves or comes: order, gaps, and which are "
		 "missing"},
	{0, "strict", .group = OPTION_GROUP_MEASURE, SWITCH(strict),
	 .help = "exit 4 where the measurement is not valid: see the line `valid' of the report"},
	{'S', "send-buffer", "BYTES", .group = OPTION_GROUP_MEASURE, .set = option_set_send_buffer,
	 .help = "send buffer of the socket (default: what the run needs)"},
	/* ---- output ---- */
	{'j', "json", "FILE", .value_is_optional = true, .group = OPTION_GROUP_OUTPUT,
	 .set = option_set_json,
	 .help = "the result as one JSON document: on standard output, without any text, or in "
		 "FILE beside it"},
	{'q', "quiet", .group = OPTION_GROUP_OUTPUT, SWITCH(quiet),
	 .help = "no reply lines and no live line"},
	{'v', "verbose", .group = OPTION_GROUP_OUTPUT, SWITCH(verbose),
	 .help = "reply lines in fast modes too, ten a second at most"},
	{'D', "timestamps", .group = OPTION_GROUP_OUTPUT, SWITCH(print_timestamps),
	 .help = "the time of day before each reply line"},
	{'O', "outstanding", .group = OPTION_GROUP_OUTPUT, SWITCH(print_outstanding),
	 .help = "a line when a request has no reply yet as the next one leaves"},
	/* ---- about ---- */
	{'h', "help", .group = OPTION_GROUP_ABOUT, .action = OPTION_ACTION_HELP,
	 .help = "this text"},
	{'V', "version", .group = OPTION_GROUP_ABOUT, .action = OPTION_ACTION_VERSION,
	 .help = "the version and how this program was built"},
	{.name = NULL},
};

const struct option_stranger option_strangers[] = {
	{'a', "there is no bell and no list of living hosts: see the exit status and --json"},
	{'B', "the source address stays the same anyway; choose it with -I ADDRESS"},
	{'C', "sockets are not connected, and single times are not listed: see --json"},
	{'d', "no debugging option is set on the socket, and no address is turned into a name"},
	{'g', "hosts are not generated: list them in a file for --targets"},
	{'G', "hosts are not generated: list them in a file for --targets"},
	{'H', "addresses are not turned into names while measuring; the time to live is -t"},
	{'J', "the JSON document is -j or --json=FILE"},
	{'k', "there is no such option: hosts from a file are --targets FILE"},
	{'K', "there is no such option: for hosts from a file use --targets FILE"},
	{'N', "node information queries are not offered; fping's other form of output is --json"},
	{'o', "the run ends after one reply with -c 1; outages are in the report"},
	{'P', "the privileges are always given up; percentiles are always reported"},
	{'r', "routing is not bypassed, and a lost request is not repeated: it is counted"},
	{'R', "IP options are not offered; data that cannot be compressed is --payload random"},
	{'T', "IP options are not offered"},
	{'u', "hosts that do not answer are in the report and in --json"},
	{'U', "both times are always measured: user to user is the line `rtt' of the report"},
	{'x', "the exit status is 1 if any host does not answer; more is in --json"},
	{'X', "the exit status is 1 if any host does not answer; more is in --json"},
	{'z', "the traffic class is -Q"},
	{0, NULL},
};

const struct option_row *option_find(const char *name, size_t length)
{
	for (const struct option_row *row = option_table; row->name != NULL; row++) {
		if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
			return row;
	}
	return NULL;
}

const struct option_row *option_find_letter(int letter)
{
	for (const struct option_row *row = option_table; row->name != NULL; row++) {
		if (letter != 0 && row->letter == letter)
			return row;
	}
	return NULL;
}
