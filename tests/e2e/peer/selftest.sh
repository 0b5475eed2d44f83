#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The peer tried with ping and tcpdump, which know nothing of it: what its scripts promise is what
# arrives. It prints `ok NAME` or `not ok NAME: why` for every case and needs root, for a network
# namespace of its own (nothing leaves it) and for the TUN device.
#
# usage: tests/e2e/peer/selftest.sh [CASE...]
# environment: PEER, the program; built from the sources beside this file if not given.

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
export LC_ALL=C

if [ -z "${PEER_SELFTEST_INSIDE:-}" ]; then
	scratch=$(mktemp -d) || exit 1
	trap 'rm -rf "$scratch"' EXIT
	if [ -z "${PEER:-}" ]; then
		PEER=$scratch/peer
		"${CC:-gcc}" -std=c11 -D_GNU_SOURCE -O2 -o "$PEER" "$here"/*.c || exit 1
	fi
	PEER=$(realpath "$PEER")
	export PEER PEER_SELFTEST_INSIDE=$scratch
	# A process namespace ends whatever is left in it, however this ends.
	unshare --net --pid --fork --kill-child --mount-proc bash "$here/selftest.sh" "$@"
	exit
fi

cd "$PEER_SELFTEST_INSIDE" || exit 1
failed=0
log=peer.log json=peer.json out=ping.out device=tp0
ip link set lo up

# ---- helpers ----

# fail WHY: the first reason counts.
fail() { [ -n "$why" ] || why=$*; }

equal() { [ "$1" = "$2" ] || fail "${3:-value} is '$1', not '$2'"; }

between() {
	awk -v x="$1" -v low="$2" -v high="$3" \
		'BEGIN { exit !(x != "" && x >= low && x <= high) }' ||
		fail "${4:-value} is $1, not within $2..$3"
}

seen() { grep -qE -- "$1" "$2" || fail "no line of $2 matches: $1"; }

unseen() { ! grep -qE -- "$1" "$2" || fail "$2 has: $(grep -m 1 -E -- "$1" "$2")"; }

# start SCRIPT [OPTION...]: the peer is up when this returns.
start() {
	rm -f ready "$log" "$json"
	"$PEER" -d "$device" -4 10.66.0.1/24 -6 fd66::1/64 -l "$log" --ready ready -t 60 -e "$@" \
		>"$json" 2>peer.err &
	peer=$!
	until [ -e ready ]; do
		kill -0 "$peer" 2>/dev/null || { fail "the peer ended: $(cat peer.err)"; return 1; }
		sleep 0.005
	done
}

# stop: ends it; its report is in $json then, its log in $log.
stop() {
	kill -TERM "$peer" 2>/dev/null
	wait "$peer" || fail "the peer ended with status $?: $(head -c 300 peer.err)"
	jq -e . "$json" >/dev/null 2>&1 || fail "the report is not JSON"
}

value() { jq -r "$1" "$json"; }

# The address that stands for any host, by family.
host() { if [ "$1" = 4 ]; then echo 10.66.0.2; else echo fd66::2; fi; }

# pings ARGUMENT...: short, numeric; the lines are in $out.
pings() { timeout 30 ping -n -W 1 "$@" >"$out" 2>&1 </dev/null; }

received() { sed -n 's/.* transmitted, \([0-9]*\) received.*/\1/p' "$out"; }

# one SCRIPT ARGUMENT...: a peer with the script, and one run of ping.
one() {
	start "$1" || return
	shift
	pings "$@"
	stop
}

# whole N SCRIPT ARGUMENT...: the same with a peer that ends by itself when all answers to N
# requests are sent: ping may leave before that.
whole() {
	start "$2" -c "$1" || return
	shift 2
	pings "$@"
	wait "$peer" || fail "the peer ended with status $?: $(head -c 300 peer.err)"
}

# column N [in|out]: one column of the log as a line of words, echo traffic or errors only.
column() { awk -v n="$1" -v way="${2:-out}" \
	'$2 == way && $11 !~ /^(133|134|143)$/ { printf "%s%s", sep, $n; sep = " " }' "$log"; }

# capture FILTER, captured: an independent look at the device; the text is in capture.txt.
capture() {
	rm -f tcpdump.err capture.pcap # those of the last capture say nothing of this one
	tcpdump -i "$device" -n -s 0 -U --immediate-mode -Z root -w capture.pcap "$@" \
		2>tcpdump.err &
	tcpdump=$!
	until grep -qs 'listening on' tcpdump.err; do sleep 0.01; done
}

captured() {
	local size=-1 turn
	# what the kernel holds for tcpdump is only written while it runs; 24 bytes are the header
	for ((turn = 0; turn < 500 && $(stat -c %s capture.pcap) <= 24; turn++)); do sleep 0.02; \
		done
	while [ "$(stat -c %s capture.pcap)" != "$size" ]; do
		size=$(stat -c %s capture.pcap)
		sleep 0.15
	done
	kill -INT "$tcpdump"
	wait "$tcpdump"
	tcpdump -r capture.pcap -n -vv -x 2>/dev/null >capture.txt
}

# look SCRIPT FILTER ARGUMENT...: like one, with a capture.
look() {
	local filter=$2
	start "$1" || return
	shift 2
	capture "$filter"
	pings "$@"
	captured
	stop
}

# hex: the bytes of each captured packet, one packet a line.
hex() {
	tcpdump -r capture.pcap -n -x 2>/dev/null |
		awk '/^\t0x/ { for (i = 2; i <= NF; i++) printf "%s", $i; open = 1; next }
			open { print ""; open = 0 } END { if (open) print "" }'
}

replies4='icmp[icmptype] = icmp-echoreply' replies6='icmp6 and ip6[40] = 129'
replies() { if [ "$1" = 4 ]; then echo "$replies4"; else echo "$replies6"; fi; }
header() { if [ "$1" = 4 ]; then echo 20; else echo 40; fi; }

# ---- cases ----

# shellcheck source=tests/e2e/peer/selftest-timing.bash
. "$here/selftest-timing.bash"
# shellcheck source=tests/e2e/peer/selftest-bytes.bash
. "$here/selftest-bytes.bash"
# shellcheck source=tests/e2e/peer/selftest-runs.bash
. "$here/selftest-runs.bash"

# ---- running them ----

# try NAME FUNCTION [FAMILY]
try() {
	local name=$1
	shift
	[ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $name "* || " ${wanted[*]} " == \
		*" $1 "* ]] || return 0
	why=
	"$@"
	if [ -z "$why" ]; then
		echo "ok peer/$name"
	else
		failed=1
		echo "not ok peer/$name: $why"
	fi
}

wanted=("$@")
for family in 4 6; do
	for case in plain flood delay service silent drop_every drop_list drop_chance \
		fragment_drop incomplete \
		duplicates reorder hold lengths icmp_lengths corrupt tag mix wrong_identity \
			options overrides \
		quotes mtus quoted_fields fragments fragments_like_linux noise forged junk times \
			stuck mutations; do
		try "${case//_/-}$family" "$case" "$family"
	done
	try "errors$family" "errors$family"
	try "groups$family" "groups$family"
done
try queue-limit queue_limit
try limit limit
try conditions conditions
try continue goes_on
try header-checksum header_checksum
try atomic atomic
try dont-fragment dont_fragment
try endings endings
try many many
try scripts scripts
exit "$failed"
