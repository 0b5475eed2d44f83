#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# --capture-fragments: what is said of single fragments is what was done to them.
. "$(dirname "$0")/../lib.sh"

CAPTURE_KEY='.targets[0].fragments.capture'

run_captured() { run_probe --json -q --capture-fragments "$@"; }

assert_capture() { assert_json "$OUT" "$CAPTURE_KEY | $1" "${2:-}"; }

# all_complete COUNT SIZES: so many trains each way, whole, in order, of these sizes.
all_complete() {
	assert_status 0
	assert_capture "[.out, .in][] | .trains == $1 and .complete == $1 and .incomplete == 0 and
		.in_order == $1 and .duplicates == 0 and .overlaps == 0 and .missing == [] and
		.evicted == 0 and .undecided == 0" "both ways"
	assert_capture "[.out, .in][] | .patterns == [[$2, $1]]" sizes
	assert_capture ".drops == 0 and .foreign == 0 and .targets == 1 and .targets_left_out == 0"
	assert_capture '[.out, .in][].gap_ns | .min > 0 and .min <= .median and .median <= .max'
}

both_ways() {
	local address=$1
	[ "$address" = 10.7.0.2 ] || require ipv6
	lab_veth
	run_captured -f -c 200 -s 2048 "$address"
	all_complete 200 "$2"
	run_captured -f -c 200 -s 8000 "$address"
	all_complete 200 "$3"
	run_captured -f -c 200 -s 56 "$address"
	assert_status 0
	assert_capture '[.out, .in][] | .trains == 0 and .patterns == [] and .gap_ns == null'
	assert_capture '.in.dispersion_bits_per_s == null'
}
test_case both-ways-ip4 both_ways 10.7.0.2 '[1500, 596]' '[1500, 1500, 1500, 1500, 1500, 628]'
test_case both-ways-ip6 both_ways fd07::2 '[1496, 656]' '[1496, 1496, 1496, 1496, 1496, 816]'

# Each packet passes a loopback interface twice.
on_loopback() {
	lab_loopback
	ip -n "$LAB" link set lo mtu 1500
	run_captured -f -c 100 -s 2048 127.0.0.1
	assert_status 0
	assert_capture '[.out, .in][] | .trains == 100 and .complete == 100 and .duplicates == 0'
}
test_case loopback on_loopback

largest() {
	lab_veth
	run_captured -i 0.01 -c 10 -s 65507 10.7.0.2
	assert_status 0
	assert_capture '[.out, .in][] | .complete == 10 and .in_order == 10 and
		(.patterns | length) == 1 and (.patterns[0][0] | length) == 45'
}
test_case largest largest

# A warm-up and what others send are left out.
ours_only() {
	lab_veth
	in_lab ping -q -i 0.01 -c 30 -s 3000 10.7.0.2 >/dev/null &
	run_captured -i 0.01 -c 20 --warmup 10 -s 2048 10.7.0.2
	wait
	assert_status 0
	assert_capture '[.out, .in][] | .trains == 20 and .complete == 20'
	assert_capture '.foreign > 10'
}
test_case ours-only ours_only

# drop_fragments HOOK DEVICE RULE: the responder drops every fourth packet that the rule matches.
drop_fragments() {
	require nft nft-numgen
	in_peer nft -f - <<-END || skip "no $1 hook of nft here"
		add table netdev t
		add chain netdev t c { type filter hook $1 device $2 priority 0; }
		add rule netdev t c $3 numgen inc mod 4 0 drop
	END
}

# lab_far: a third namespace, which $PEER forwards to: 10.8.0.2 and fd08::2. What drops a piece there
# drops one packet of several; a host that cannot send one of its own pieces sends no further ones.
lab_far() {
	lab_veth
	ip netns delete far 2>/dev/null || true
	lab_namespace far
	ip -n "$PEER" link add pc type veth peer name pd netns far
	ip -n "$PEER" address add 10.8.0.1/24 dev pc
	ip -n far address add 10.8.0.2/24 dev pd
	in_peer sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
	if [ -e /proc/net/if_inet6 ]; then
		in_peer sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
		ip -n "$PEER" address add fd08::1/64 dev pc nodad
		ip -n far address add fd08::2/64 dev pd nodad
	fi
	ip -n "$PEER" link set pc up
	ip -n far link set pd up
	ip -n far route add 10.7.0.0/24 via 10.8.0.1
	ip -n "$LAB" route add 10.8.0.0/24 via 10.7.0.2
	[ ! -e /proc/net/if_inet6 ] || {
		ip -n far route add fd07::/64 via fd08::1
		ip -n "$LAB" route add fd08::/64 via fd07::2
	}
}

# reply_loses ADDRESS SIZE RULE INDEX: 5 of 20 replies come without the piece of that index.
reply_loses() {
	[ "$1" = 10.8.0.2 ] || require ipv6
	lab_far
	run_probe -q -c 1 "$1"
	drop_fragments egress vb "$3"
	run_captured -i 0.005 -W 0.2 -c 20 -s "$2" "$1"
	assert_status 0
	assert_json "$OUT" '.targets[0].lost == 5'
	assert_capture '.out | .trains == 20 and .complete == 20 and .missing == []' out
	assert_capture ".in | .trains == 20 and .complete == 15 and .incomplete == 5 and
		.missing == [[$4, 5]] and .missing_unknown == 0" in
	run_probe -q -i 0.005 -W 0.2 -c 20 -s "$2" --capture-fragments "$1"
	assert_grep "missing: fragment $(($4 + 1)) \(5 times\)" "$OUT"
}
test_case reply-without-first reply_loses 10.8.0.2 2048 'ip frag-off & 0x3fff == 0x2000' 0
test_case reply-without-second reply_loses 10.8.0.2 8000 'ip frag-off & 0x1fff == 185' 1
test_case reply-without-last reply_loses 10.8.0.2 8000 'ip frag-off & 0x3fff == 925' 5
test_case reply-without-second-ip6 reply_loses fd08::2 8000 'frag frag-off 181' 1
test_case reply-without-last-ip6 reply_loses fd08::2 2048 'frag frag-off 181' 1

# A piece of a request that is lost on its way has left whole, and has no reply.
request_loses() {
	lab_veth
	drop_fragments ingress vb 'ip frag-off & 0x1fff == 185'
	run_captured -i 0.005 -W 0.2 -c 20 -s 2048 10.7.0.2
	assert_json "$OUT" '.targets[0].lost == 5'
	assert_capture '.out | .trains == 20 and .complete == 20'
	assert_capture '.in | .trains == 15 and .complete == 15 and .missing == []'
}
test_case request-loses request_loses

# What a peer does with its fragments on purpose, one request after the other.
peer_plays() {
	local address=10.66.0.2
	[ "$1" = 4 ] || { require ipv6; address=fd66::2; }
	lab_tun tp0 'request 1: order reverse
		request 2: order odd-even
		request 3: twice 2
		request 4: skip 2
		request 5: overlap 8
		request 6: fragment 800'
	run_captured -i 0.02 -W 0.2 -c 7 -s 4000 "$address"
	peer_stop
	assert_capture '.out | .trains == 7 and .complete == 7 and .in_order == 7'
	assert_capture '.in | .trains == 7 and .complete == 6 and .incomplete == 1 and
		.in_order == 4 and .reversed == 1 and .other_order == 1' orders
	assert_capture '.in | .duplicates == 1 and .overlaps == 2 and .missing == [[1, 1]]' pieces
	assert_capture '.in | (.patterns | map(.[1]) | sort == [1, 4]) and .patterns_left_out == 1' sizes
}
test_case peer-plays-ip4 peer_plays 4
test_case peer-plays-ip6 peer_plays 6

# Three pieces, 2 ms apart.
known_gap() {
	lab_tun tp0 'all: pause 2ms'
	run_captured -i 0.02 -c 20 -s 4000 10.66.0.2
	peer_stop
	assert_capture '.in.gap_ns | .samples == 20 and .median > 3900000 and .median < 5000000'
	assert_capture '.in.dispersion_bits_per_s | . > 4e6 and . < 5.4e6' "2 x 1538 or 1124 bytes in 4 ms"
}
test_case known-gap in_three_tries known_gap

behind_a_slow_link() {
	require tc
	lab_veth
	in_peer tc qdisc add dev vb root tbf rate 10mbit burst 1600 limit 200000 || skip "no tbf"
	run_captured -i 0.03 -c 20 -s 8000 10.7.0.2
	assert_status 0
	assert_capture '.in.dispersion_bits_per_s | . > 9e6 and . < 11e6' "10 Mbit/s"
	run_probe -q -i 0.03 -c 20 -s 8000 --capture-fragments 10.7.0.2
	assert_grep '^capture  +out: 20 datagrams' "$OUT"
	assert_grep 'in: 20 datagrams in fragments of 5 x 1500' "$OUT"
}
test_case behind-a-slow-link in_three_tries behind_a_slow_link

# What is cut by hand leaves as it was cut.
by_hand() {
	lab_veth
	run_captured -i 0.005 -c 20 -s 1400 --fragment-size 512 --fragment-order reverse 10.7.0.2
	assert_status 0
	assert_capture '.out | .trains == 20 and .reversed == 20 and .patterns == [[[532, 532, 404], 20]]'
	assert_capture '.in | .trains == 0'
}
test_case by-hand by_hand

# Requests of different sizes: all are seen, and how long a datagram was is not guessed.
sweep() {
	lab_veth
	run_captured -f -c 60 --sweep-size 1400,3000,5000 10.7.0.2
	assert_status 0
	assert_capture '[.out, .in][] | .trains == .complete and .complete == .in_order and
		(.patterns | length) == 2'
	assert_json "$OUT" '.targets[0] | ([.points[] | select(.payload_bytes > 1472) | .sent] | add) ==
		.fragments.capture.out.trains and ([.points[].fragments.capture] | unique == [null])'
}
test_case sweep sweep

# The interface of the first host is looked at; what is behind another is left out, and said to be.
two_interfaces() {
	lab_veth
	lab_tun tp0 ''
	run_captured -i 0.01 -c 5 -s 2048 10.7.0.2 10.7.0.2 10.66.0.2
	assert_status 0
	assert_capture '.interface == "va" and .targets == 2 and .targets_left_out == 1'
	assert_capture '[.out, .in][] | .trains == 10 and .complete == 10'
	assert_json "$OUT" '[.targets[1, 2].fragments.capture] == [null, null]'
	run_probe -q -i 0.01 -c 5 -s 2048 --capture-fragments 10.7.0.2 10.66.0.2
	assert_grep '1 behind other interfaces' "$OUT"
}
test_case two-interfaces two_interfaces

# What finds no room in the capture may have been there: holes are unknown then.
overrun() {
	lab_veth
	start_probe --json -q --capture-fragments -i 0.2 -c 10 -s 2048 10.7.0.2
	sleep 0.5
	kill -STOP "$PROBE"
	in_lab ping -q -f -c 3000 -s 8000 10.7.0.2 >/dev/null
	kill -CONT "$PROBE"
	wait_probe
	assert_capture '.drops > 0 and ([.out, .in][] | .incomplete == null and .missing == null and
		.missing_unknown == null and .complete > 0)'
}
test_case overrun overrun

# An install with the right to raw sockets captures for everybody.
installed() {
	lab_veth
	install_copy capability
	run_command "${AS_NOBODY[@]}" "$COPY" --json -q --capture-fragments -i 0.01 -c 5 -s 2048 10.7.0.2
	all_complete 5 '[1500, 596]'
}
test_case installed installed

# Without the right there is one clear line, and nothing is sent.
no_right() {
	lab_veth
	install_copy plain
	in_lab sh -c 'echo 0 2147483647 >/proc/sys/net/ipv4/ping_group_range'
	run_command "${AS_NOBODY[@]}" "$COPY" -c 1 10.7.0.2
	assert_status 0
	assert_no_packet "$PEER" vb icmp \
		run_command "${AS_NOBODY[@]}" "$COPY" --capture-fragments -c 1 10.7.0.2
	assert_status 2
	assert_equal "$(wc -l <"$ERR")" 1 lines
	assert_grep '--capture-fragments: no packet socket: .*CAP_NET_RAW' "$ERR"
}
test_case no-right no_right

simulated() {
	run_probe --transport sim --capture-fragments -c 1 10.0.0.1
	assert_status 2
	assert_grep '--capture-fragments: the simulated network' "$ERR"
}
test_case simulated simulated
