#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# Right replies that come in odd ways: too often, too late, out of order, with options, in fragments,
# for small payloads, through a ping socket. The whole account is asserted each time: what they are
# counted as, and that they are nothing besides. Names that begin with b and a number are cases of a
# list of troubles that tools of this kind have had.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/answers.bash"

# The address of the host at family 4 or 6.
host() { if [ "$1" = 4 ]; then echo 10.66.0.2; else echo fd66::2; fi; }

# ---- small payloads, duplicates ----

# Exactly -s bytes of data leave, and replies are told apart without a tag. The log has IP lengths.
small_payloads() {
	local size header=28
	[ "$1" = 4 ] || header=48
	lab_tun tp0 ''
	for size in 0 1 7 8 15 16 17; do
		measure -q -c 5 -i 0.01 -s "$size" "$(host "$1")"
		assert_status 0
		assert_counts 0 sent=5 received=5
		assert_json "$DOCUMENT" ".settings.tagged == ($size >= 16) and .targets[0].rtt.user.min_ns > 0"
		assert_equal "$(grep -c '16-bit sequence only' "$OUT")" $((size < 16)) "the note at $size bytes"
		for ((i = 0; i < 5; i++)); do echo $((size + header)); done >>expected
	done
	peer_stop
	awk '$2 == "in" && $11 ~ /^(8|128)$/ { print $8 }' "$PEER_LOG" >lengths
	assert_equal "$(tr '\n' ' ' <lengths)" "$(tr '\n' ' ' <expected)" "lengths on the wire"
}

# Without a tag the source decides, and the sequence.
small_payload_strangers() {
	ask 'request 1-2: wrong source; request 3-4: wrong sequence 4000; request 5-6: repeat 2' -s 8
	assert_both sent=3 received=1 lost=2 unknown=2 duplicates=0..1 foreign=2
	assert_status 0
}

tripled() {
	lab_tun tp0 'default: repeat at 0 1ms 50ms'
	measure -c 5 -i 0.2 "${@:2}" "$(host "$1")"
	assert_status 0
	assert_counts 0 sent=5 received=5 duplicates=10
	assert_json "$DOCUMENT" '.targets[0] | .loss == 0 and .rtt.user.samples == 5 and .rtt.user.min_ns < 40e6'
	assert_grep '^5 packets transmitted, 5 received, \+10 duplicates, 0% packet loss' "$OUT"
	assert_equal "$(grep -c 'DUP!' "$OUT")" 10 "lines of duplicates"
	assert_equal "$(grep -vc 'DUP!' <(grep icmp_seq "$OUT"))" 5 "lines of replies"
}

# Duplicates neither count nor free a slot nor move a deadline.
tripled_fast() {
	lab_tun tp0 'default: repeat 3'
	measure -q -c 500 "$@" 10.66.0.2
	assert_status 0
	assert_counts 0 sent=500 received=500 duplicates=990..1000
	peer_stop
	assert_json "$PEER_JSON" '.requests == 500'
}

# One request answered ten times, nothing else answered.
duplicates_eat_nothing() {
	lab_tun tp0 'request 1: repeat 10 every 1ms; default: drop'
	measure -q -c 10 -W 0.5 "$@" 10.66.0.2
	assert_status 0
	assert_counts 0 sent=10 received=1 lost=9 unknown=9 duplicates=9
	assert_json "$DOCUMENT" '.elapsed_ns > 500e6 and .elapsed_ns < 2500e6'
	peer_stop
	assert_json "$PEER_JSON" '.requests == 10'
}

# ---- late ----

last_one_is_waited_for() {
	lab_tun tp0 'delay 600ms'
	measure -q -c 5 -i 0.1 -W 2 10.66.0.2
	assert_status 0
	assert_counts 0 sent=5 received=5
	# Then it leaves at once, long before the two seconds of waiting are over.
	assert_json "$DOCUMENT" '.elapsed_ns >= 1000e6 and .elapsed_ns < 2000e6'
	measure -q -c 1 -W 2 fd66::2
	assert_status 0
	assert_counts 0 sent=1 received=1
	measure -q -c 3 -i 1 -W 0.4 10.66.0.2
	assert_status 1
	assert_counts 0 sent=3 lost=3 late=2 late_reply=2 unknown=1
	assert_json "$DOCUMENT" '.targets[0].loss == 1 and .elapsed_ns < 2900e6'
}

slower_than_the_timeout() {
	lab_tun tp0 'delay 300ms'
	measure -q -c 20 -i 0.05 -W 0.15 10.66.0.2
	assert_status 1
	assert_json "$DOCUMENT" '.targets[0] | .late >= 12 and .late <= 18'
	assert_counts 0 sent=20 lost=20 late=12..18 late_reply=12..18 unknown=2..8
	assert_json "$DOCUMENT" '.targets[0].rtt.user | .samples == 0 and .max_ns == null'
	measure -q -c 20 -i 0.01 -W 2 10.66.0.2
	assert_status 0
	assert_counts 0 sent=20 received=20
	# A reply that is late twice is late once and then a duplicate.
	peer_stop
	lab_tun tp1 'dst 10.66.0.3 sequence 1: repeat 2 every 50ms, delay 300ms'
	measure -q -c 3 -i 0.25 -W 0.1 10.66.0.3
	assert_counts 0 sent=3 received=2 lost=1 late=1 late_reply=1 duplicates=1
}

# ---- order, headers ----

held() {
	ask "$1"
	assert_status 0
	assert_both sent=3 received=3 "reordered=$2"
	assert_json "$DOCUMENT" '[.targets[].loss == 0] | all'
}

options() {
	ask 'ipv4 request 1: options 01; ipv4 request 3: options 01x20; ipv4 request 5: options 01x40;
		ipv6: options 010400000000'
	assert_status 0
	assert_both sent=3 received=3
	assert_json "$DOCUMENT" '[.targets[].rtt.user | .samples == 3 and .max_ns < 1e9] | all'
}

reply_ttl() {
	ask 'request 1-2: ttl 3; default: ttl 200'
	assert_both sent=3 received=3
	assert_json "$DOCUMENT" '[.targets[].reply_ttl] == [[3, 200], [3, 200]]'
}

# ---- fragments ----

in_fragments() {
	ask "default: $1" -s 4000
	assert_status 0
	assert_both sent=3 received=3
	assert_json "$DOCUMENT" "[.targets[].fragments.fragments_received] == [$2]"
}

fragments_that_never_meet() {
	ask "default: $1" -s 4000
	assert_status 1
	assert_both sent=3 lost=3 unknown=3
}

# Fragments of a reply in any order, each reply another.
any_order() {
	lab_tun tp0 'default: fragment 8 order random'
	measure -q -c 50 -i 0.005 -s 200 10.66.0.2 fd66::2
	assert_status 0
	assert_both sent=50 received=50 reordered=0..5
}

# ---- by the ping socket ----

# The kernel looks at identifiers and checksums there, and hands over no IP header.
ask_by_ping_socket() {
	LAB=lab
	lab_namespace "$LAB"
	in_lab sysctl -qw net.ipv4.ping_group_range='0 2147483647' || skip "no ping sockets"
	ask "$@" --transport ping
	assert_json "$DOCUMENT" '.settings.transport == "ping"'
}

by_ping_socket() {
	ask_by_ping_socket "default: $1" "${@:3}"
	# shellcheck disable=SC2086 # one word each
	assert_both sent=3 $2
}

ping_socket_late() {
	ask_by_ping_socket 'sequence 1-2: delay 250ms' -W 0.1 -i 0.2
	assert_both sent=3 received=2 lost=1 late=1 late_reply=1
}

ping_socket_reorders() {
	ask_by_ping_socket 'request 1-2: hold until 6'
	assert_both sent=3 received=3 reordered=1
}

ping_socket_sizes() {
	local size
	LAB=lab
	lab_namespace "$LAB"
	in_lab sysctl -qw net.ipv4.ping_group_range='0 2147483647' || skip "no ping sockets"
	lab_tun tp0 ''
	for size in 0 15 16 1472 9000; do
		measure -q --transport ping -c 5 -i 0.01 -s "$size" 10.66.0.2 fd66::2
		assert_status 0
		assert_both sent=5 received=5
	done
	measure -q --transport ping -f -l 16 -c 2000 -s 100 10.66.0.2 fd66::2
	assert_both sent=2000 received=2000
}

for family in 4 6; do
	test_case "b04-small-payloads-$family" small_payloads $family
	test_case "b05-tripled-replies-$family" tripled $family
	test_case "b05-tripled-replies-without-tag-$family" tripled $family -s 8
done
test_case b04-small-payload-strangers small_payload_strangers
test_case b05-tripled-replies-flood tripled_fast -f
test_case b05-tripled-replies-depth tripled_fast --depth 8
test_case b06-duplicates-eat-nothing-interval duplicates_eat_nothing -i 0.1
test_case b06-duplicates-eat-nothing-depth duplicates_eat_nothing --depth 4
test_case b06-duplicates-eat-nothing-flood duplicates_eat_nothing -f
test_case b10-last-one-is-waited-for last_one_is_waited_for
test_case b11-slower-than-the-timeout slower_than_the_timeout
test_case b14-options options
test_case reply-ttl reply_ttl
test_case held-until-the-next held 'request 1: hold until 3; request 2: hold until 4' 1
test_case held-until-the-last held 'request 1-4: hold until 6' 2
test_case fragments-reverse in_fragments 'fragment 1480 order reverse' '9, 9'
test_case fragments-odd-even in_fragments 'fragment 400 order odd-even' '33, 33'
test_case fragments-with-gaps in_fragments 'fragment 1480 pause 5ms' '9, 9'
test_case fragments-in-any-order any_order
test_case fragment-missing fragments_that_never_meet 'fragment 1480 skip last'
test_case fragments-that-overlap fragments_that_never_meet 'fragment 1480 overlap 8'
test_case ping-socket-sizes ping_socket_sizes
test_case ping-socket-duplicates by_ping_socket 'repeat at 0 10ms' 'received=3 duplicates=3'
test_case ping-socket-wrong-id by_ping_socket 'wrong id' 'lost=3 unknown=3'
test_case ping-socket-wrong-source by_ping_socket 'wrong source' 'lost=3 unknown=3 wrong_source=3'
test_case ping-socket-wrong-tag by_ping_socket 'wrong tag' 'lost=3 unknown=3 forged=3'
test_case ping-socket-corrupt by_ping_socket 'corrupt 30' 'lost=3 damaged_reply=3 corrupt=3'
test_case ping-socket-truncated by_ping_socket 'truncate 20' 'lost=3 damaged_reply=3 truncated=3'
test_case ping-socket-late ping_socket_late
test_case ping-socket-reorders ping_socket_reorders
