#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# ICMP errors: those that quote a request of ours are tied to it, however short or odd the quote may
# be; those that do not are nobody's, and none leads past the end of what was received. Errors do not
# satisfy a count, end no run early, and are no replies. Names that begin with b and a number are
# cases of a list of troubles that tools of this kind have had.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/answers.bash"

# error_for_all WORDS TYPE4 CODE4 TEXT4 TYPE6 CODE6 TEXT6 [ARGUMENT...]: every request is answered by
# this error of the router; it is shown with its sequence, its words and its sender.
error_for_all() {
	ask "default: error $1" -i 0.2 "${@:8}"
	assert_status 1
	assert_both sent=3 lost=3 error_reply=3 icmp_errors=3
	jq -c '.targets[].errors | map([.type, .code, .text, .from, .count])' "$DOCUMENT" >errors
	assert_equal "$(sed -n 1p errors)" "[[$2,$3,\"$4\",\"10.66.0.254\",3]]"
	assert_equal "$(sed -n 2p errors)" "[[$5,$6,\"$7\",\"fd66::fe\",3]]"
	assert_equal "$(grep -cE "^From 10.66.0.254 icmp_seq=[123] $4$" "$OUT")" 3 "lines for IPv4"
	assert_equal "$(grep -cE "^From fd66::fe icmp_seq=[123] $7$" "$OUT")" 3 "lines for IPv6"
	assert_grep '^3 packets transmitted, 0 received, \+3 errors, 100% packet loss' "$OUT"
	assert_no_grep 'min/avg/max' "$OUT" "times of nothing"
}

# ours WORDS WORDS6 [ARGUMENT...]: an error that is tied to its request although it is odd.
ours() {
	ask "ipv4: error host-unreachable $1; ipv6: error host-unreachable $2" "${@:3}"
	assert_status 1
	assert_both sent=3 lost=3 error_reply=3 icmp_errors=3
}

# not_ours WORDS COUNTERS4 WORDS6 COUNTERS6: an error that must not be; the right reply follows.
not_ours() {
	ask "ipv4: error host-unreachable $1 | delay 5ms; ipv6: error host-unreachable $3 | delay 5ms"
	assert_status 0
	# shellcheck disable=SC2086 # one word each
	{
		assert_counts 0 sent=3 received=3 $2
		assert_counts 1 sent=3 received=3 $4
	}
}

# Bytes of the quote changed at random, its checksum right: nothing falls over, no reply is missed.
mutations() {
	lab_tun tp0 "default: error $1 mutate 6 quote 64 repeat 10 | error $2 mutate 2 quote 40 repeat 10 | reply"
	measure -q -f -l 16 -c 2500 -W 5 10.66.0.2 fd66::2
	assert_status 0
	assert_json "$DOCUMENT" '[.targets[] | .received == 2500 and .lost == 0 and .duplicates == 0] | all'
	peer_stop
	assert_json "$PEER_JSON" '.errors == 100000'
}

# IPv6 errors with their own words and offsets, among noise of the neighbourhood.
icmp6_errors() {
	local i texts
	lab_tun tp0 'request 1: error type 1 code 0; request 2: error type 1 code 1
		request 3: error type 1 code 2; request 4: error type 1 code 3
		request 5: error type 1 code 4; request 6: error type 1 code 5
		request 7: error type 1 code 6; request 8: error too-big mtu 1280
		request 9: error type 2 code 0 mtu 0; request 10: error type 3 code 0
		request 11: error type 3 code 1; request 12: error type 4 code 0 pointer 40
		request 13: send router-advertisement repeat 400 | send neighbour-advertisement repeat 300 |
			send neighbour-solicitation repeat 300 | delay 5ms'
	measure -c 14 -i 0.1 fd66::2
	assert_status 0
	assert_counts 0 sent=14 received=2 lost=12 error_reply=12 icmp_errors=12
	assert_json "$DOCUMENT" '.targets[0].errors | map([.type, .code]) == [[1, 0], [1, 1], [1, 2], [1, 3],
		[1, 4], [1, 5], [1, 6], [2, 0], [2, 0], [3, 0], [3, 1], [4, 0]] and .[7].mtu == 1280'
	assert_json "$DOCUMENT" '[.targets[0].errors[].text | test("[Uu]nreachable|[Pp]rohibited|[Pp]acket|source address|[Rr]eject|[Ee]xceeded|[Pp]arameter|scope|policy")] | all'
	for ((i = 1; i <= 12; i++)); do
		assert_equal "$(grep -c "^From fd66::fe icmp_seq=$i " "$OUT")" 1 "lines for request $i"
	done
	texts=$(json_value "$DOCUMENT" '[.targets[0].errors[:7][].text] | unique | length')
	assert_equal "$texts" 7 "different words for seven codes"
	assert_equal "$(wc -l <"$ERR")" 0 "lines about noise"
}

# Nothing is lost for an error that tells of the path only.
redirected() {
	ask 'ipv4: error type 5 code 1 | delay 5ms; ipv6: send router-advertisement | delay 5ms'
	assert_status 0
	assert_counts 0 sent=3 received=3 icmp_errors=3
	assert_counts 1 sent=3 received=3
	assert_json "$DOCUMENT" '.targets[0].errors[0] | .type == 5 and .code == 1 and .count == 3'
	assert_json "$DOCUMENT" '.targets[0].lost_by_cause.error_reply == 0'
}

redirected_into_nothing() {
	ask 'ipv4: error type 5 code 0; ipv6: drop'
	assert_status 1
	assert_counts 0 sent=3 lost=3 unknown=3 icmp_errors=3
	assert_counts 1 sent=3 lost=3 unknown=3
}

# An error, and then the answer after all; the answer, and then an error; an error too late.
error_and_answer() {
	ask 'default: error host-unreachable | delay 20ms'
	assert_status 0
	assert_both sent=3 received=3 icmp_errors=3
}

answer_and_error() {
	ask 'default: reply | error host-unreachable delay 20ms'
	assert_both sent=3 received=3 icmp_errors=2..3 # the run may be over before the last
}

error_too_late() {
	lab_tun tp0 'request 1-2: error host-unreachable delay 250ms'
	measure -q -c 3 -i 0.3 -W 0.1 10.66.0.2 fd66::2
	assert_both sent=3 received=2 lost=1 error_reply=1 icmp_errors=1
}

repeated_error() {
	ask 'default: error net-unreachable repeat 3'
	assert_status 1
	assert_counts 0 sent=3 lost=3 error_reply=3 icmp_errors=7..9
	assert_counts 1 sent=3 lost=3 error_reply=3 icmp_errors=7..9
}

# Nothing but errors as fast as requests go out: ends when all is sent, and spins for nobody.
errors_in_flood() {
	lab_tun tp0 'default: error host-unreachable'
	measure -q "$@" -c 300 -W 5 10.66.0.2 fd66::2
	assert_status 1
	assert_both sent=300 lost=300 error_reply=300 icmp_errors=300
	assert_json "$DOCUMENT" '.elapsed_ns < 4.5e9'
}

# too_big FAMILY MTU SHOWN: the MTU is shown as received and never used for anything.
too_big() {
	local address=10.66.0.2 size=1472
	[ "$1" = 4 ] || address=fd66::2 size=1452
	lab_tun tp0 "request 1: error too-big mtu $2"
	measure -M probe -c 2 -i 0.1 -s "$size" "$address"
	assert_status 0
	assert_counts 0 sent=2 received=1 lost=1 error_reply=1 icmp_errors=1
	assert_json "$DOCUMENT" ".targets[0].errors[0] | .mtu == $3 and .count == 1 and .from != null"
	assert_json "$DOCUMENT" '.targets[0].fragments | .per_request == 1 and .created == 0'
	[ "$3" = null ] || assert_grep "^From [0-9a-f.:]+ icmp_seq=1 .*mtu ?= ?$3" "$OUT"
}

# -M do: the kernel learns the smaller MTU, and then refuses what is longer: never sent, no loop.
too_big_learned() {
	local address=10.66.0.2 size=1472
	[ "$1" = 4 ] || address=fd66::2 size=1452
	lab_tun tp0 'request 1: error too-big mtu 1400'
	measure -q -M 'do' -c 4 -i 0.1 -s "$size" "$address"
	assert_status 1
	assert_counts 0 sent=1 lost=1 error_reply=1 icmp_errors=1 send_errors=3
	assert_json "$DOCUMENT" '.targets[0].errors | length == 2 and .[1].mtu == 1400 and .[1].count == 3'
	peer_stop
	assert_json "$PEER_JSON" '.requests == 1'
}

# Too long for the way: refused here with the MTU named; -M dont fragments, as counted there.
too_long_here() {
	local address=10.66.0.2 size=1473
	[ "$1" = 4 ] || address=fd66::2 size=1453
	lab_tun tp0 ''
	measure -M 'do' -c 3 -i 0.1 -s $size $address
	assert_status 1
	assert_counts 0 send_errors=3
	assert_json "$DOCUMENT" '.targets[0] | .loss == null and (.errors | length) == 1 and
		.errors[0].mtu == 1500 and .errors[0].count == 3'
	assert_grep 'not sent: message too long, mtu=1500' "$ERR"
	assert_grep '3 x message too long \(mtu 1500\) on this host' "$OUT"
	measure -M dont -q -c 3 -i 0.01 -s $size $address
	assert_status 0
	assert_counts 0 sent=3 received=3
	assert_json "$DOCUMENT" '.targets[0].fragments | .per_request == 2 and .created == 6'
	peer_stop
	assert_json "$PEER_JSON" '.requests == 3 and .fragments_in == 6'
}

# A neighbour that comes alive: errors neither satisfy the count nor stop the run.
neighbour() {
	lab_veth
	in_lab sysctl -qw net.ipv4.neigh.va.retrans_time_ms=60
	if [ "$1" = comes ]; then
		(sleep 1.2 && ip -n "$PEER" address add 10.7.0.77/24 dev vb) &
	fi
	measure -q -c 5 -i 0.2 -w 4 10.7.0.77
	if [ "$1" = comes ]; then
		assert_status 0
		assert_json "$DOCUMENT" '.targets[0] | .received == 5 and .icmp_errors >= 1 and .lost >= 1'
		assert_json "$DOCUMENT" '.elapsed_ns < 3.9e9' "it ends with the fifth reply"
	else
		assert_status 1
		assert_json "$DOCUMENT" '.targets[0] | .received == 0 and .icmp_errors >= 10 and
			.sent >= 18 and .sent <= 20 and .sent == .lost + .in_flight_at_end'
		assert_json "$DOCUMENT" '.elapsed_ns < 4.05e9 and .elapsed_ns >= 3.9e9'
	fi
}

by_ping_socket() {
	LAB=lab
	lab_namespace "$LAB"
	in_lab sysctl -qw net.ipv4.ping_group_range='0 2147483647' || skip "no ping sockets"
	ask "default: error $1" --transport ping
	assert_json "$DOCUMENT" '.settings.transport == "ping"'
	assert_status 1
	assert_both sent=3 lost=3 error_reply=3 icmp_errors=3
	assert_json "$DOCUMENT" '[.targets[].errors[0].from] == ["10.66.0.254", "fd66::fe"]'
}

test_case unreachable-net error_for_all net-unreachable 3 0 'Destination Net Unreachable' 1 0 'Destination unreachable: No route'
test_case unreachable-host-short-quote error_for_all 'host-unreachable quote 48' 3 1 'Destination Host Unreachable' \
	1 3 'Destination unreachable: Address unreachable'
test_case unreachable-full-quote error_for_all 'port-unreachable quote full' 3 3 'Destination Port Unreachable' \
	1 4 'Destination unreachable: Port unreachable' -s 9000
test_case time-exceeded error_for_all time-exceeded 11 0 'Time to live exceeded' 3 0 'Time exceeded: Hop limit'
test_case time-exceeded-in-reassembly error_for_all reassembly-time-exceeded 11 1 'Frag reassembly time exceeded' \
	3 1 'Time exceeded: Defragmentation failure'
test_case b14-error-with-options ours 'options 01x8 quoted-options 01x12' 'options 010400000000'
test_case b15-quote-28 ours 'quote 28' 'quote 48'
test_case b15-quote-of-part-of-the-tag ours 'quote 40' 'quote 60'
test_case b15-quote-untagged ours 'quote 28' 'quote 48' -s 8
test_case b15-quote-27 not_ours 'quote 27' short=3 'quote 47' short=3
test_case b15-quote-20 not_ours 'quote 20' short=3 'quote 40' short=3
test_case b15-quote-0 not_ours 'quote 0' short=3 'quote 0' short=3
test_case b15-quoted-ihl-0 not_ours 'quote 28 quoted-ihl 0' bad_header=3 'quote 47' short=3
test_case b15-quoted-ihl-15 not_ours 'quote 28 quoted-ihl 15' short=3 'quote 1' short=3
test_case b15-quoted-udp not_ours 'quoted-protocol 17' '' 'quoted-protocol 17' ''
test_case b15-quoted-destination not_ours 'quoted-destination 10.66.0.3' foreign=3 'quoted-destination fd66::3' foreign=3
test_case b15-quoted-destination-short not_ours 'quote 28 quoted-destination 10.66.0.3' foreign=3 \
	'quote 48 quoted-destination fd66::3' foreign=3
test_case b15-quoted-id not_ours 'quoted-id +1' '' 'quoted-id +1' ''
test_case b15-quoted-sequence not_ours 'quote 28 quoted-sequence 999' foreign=3 'quote 48 quoted-sequence 999' foreign=3
test_case b15-quoted-later-fragment not_ours 'quoted-offset 185' foreign=3 'quoted-protocol 6' ''
test_case b15-quoted-wrong-tag not_ours 'corrupt 36' foreign=3 'corrupt 56' foreign=3
test_case b15-mutations-unreachable mutations host-unreachable parameter-problem
test_case b17-icmp6-errors-among-noise icmp6_errors
test_case b38-neighbour-that-comes neighbour comes
test_case b38-neighbour-that-never-comes neighbour never
for mtu in 1400 68 65535; do test_case "b65-too-big-4-mtu-$mtu" too_big 4 $mtu $mtu; done
test_case b65-too-big-4-mtu-0 too_big 4 0 null
for mtu in 1280 100000; do test_case "b65-too-big-6-mtu-$mtu" too_big 6 $mtu $mtu; done
test_case b65-too-big-6-mtu-0 too_big 6 0 null
for family in 4 6; do
	test_case "b65-too-big-learned-$family" too_big_learned $family
	test_case "b65-too-long-here-$family" too_long_here $family
done
test_case redirect-and-answer redirected
test_case redirect-and-nothing redirected_into_nothing
test_case error-and-then-the-answer error_and_answer
test_case answer-and-then-an-error answer_and_error
test_case error-too-late error_too_late
test_case error-repeated repeated_error
test_case errors-in-flood errors_in_flood -f
test_case errors-at-depth errors_in_flood --depth 8
test_case ping-socket-unreachable by_ping_socket host-unreachable
test_case ping-socket-time-exceeded by_ping_socket 'time-exceeded quote 48'
