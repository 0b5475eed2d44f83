#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# Replies that are not what was asked for: cut, stretched, changed, mixed with another's, forged, from
# elsewhere. Each has a counter of its own, with the request that it belongs to lost or untouched as
# the rule for it says, and nothing counted besides. Half of every run is IPv4 and half IPv6. Names
# that begin with b and a number are cases of a list of troubles that tools of this kind have had.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/answers.bash"

# cut SIZE: replies with 0, 4, 8, half, all but one, and one byte more than was sent, from as many
# hosts of either family. Shown with the length received, and never taken for received.
cut() {
	local size=$1 lengths=(0 4 8 $(($1 / 2)) $(($1 - 1))) hosts=() script='' i
	for i in 0 1 2 3 4; do
		script+="dst 10.66.0.1$i: truncate ${lengths[i]}; dst fd66::1$i: truncate ${lengths[i]}; "
		hosts+=("10.66.0.1$i" "fd66::1$i")
	done
	require tun ipv6
	lab_tun tp0 "$script default: lengthen 1"
	measure -c 2 -i 0.2 -W 0.5 -s "$size" "${hosts[@]}" 10.66.0.20 fd66::20
	assert_status 1
	for i in {0..9}; do
		assert_counts "$i" sent=2 lost=2 damaged_reply=2 truncated=2
		assert_json "$DOCUMENT" ".targets[$i].shortest_reply_bytes == ${lengths[i / 2]}"
	done
	for i in 10 11; do assert_counts "$i" sent=2 lost=2 damaged_reply=2 corrupt=2; done
	for i in 0 1 2 3 4; do
		assert_equal "$(grep -c "2 truncated (shortest ${lengths[i]} of $size bytes)" "$OUT")" 2
		assert_equal "$(grep -cE "^$((lengths[i] + 8)) bytes from (10.66.0.|fd66::)1$i: icmp_seq=[12] ttl=64 \(truncated\)$" "$OUT")" 4
	done
	assert_equal "$(grep -c '2 answered by damaged data' "$OUT")" 12 "the cause of the loss"
}

shorter_than_a_header() {
	ask 'ipv6 request 2: icmp-length 4; ipv6 request 4: icmp-length 7; ipv6 request 6: icmp-length 5'
	assert_counts 0 sent=3 received=3
	assert_counts 1 sent=3 lost=3 unknown=3 short=3
	assert_grep 'arrivals +3 too short' "$OUT"
}

# damaged WORDS COUNTERS [ARGUMENT...]: each reply is so, in both families.
damaged() {
	ask "default: $1" "${@:3}"
	assert_status 1
	# shellcheck disable=SC2086 # one word each
	assert_both sent=3 lost=3 $2
}

# The same, and the right reply afterwards: received as if nothing were.
right_after() {
	ask "default: $1 | delay 20ms"
	assert_status 0
	assert_both sent=3 received=3 "${@:2}"
	assert_json "$DOCUMENT" '[.targets[].rtt.user.min_ns >= 20e6] | all'
}

# IPv4 raw sockets get these. For IPv6 the kernel drops them at our socket, which is all that can be
# known there.
bad_checksum() {
	ask "default: $1"
	assert_status 1
	assert_counts 0 sent=3 lost=3 unknown=3 bad_checksum=3
	assert_counts 1 sent=3 lost=3 local_receive_drop=3 local_drops=3
	assert_grep 'arrivals +3 with a bad checksum' "$OUT"
}

# From byte 1472 on the data of the same target's next request, as when a fragment meets a stranger.
mixed() {
	ask 'request 1: mix 1472 with 3; request 2: mix 1440 with 4; request 3-4: drop' -s 3000 "$@"
	assert_status 0
	assert_both sent=3 received=1 lost=2 damaged_reply=2 mixed=1
	assert_equal "$(grep -c '1 mixed from two requests' "$OUT")" 2 "the word for it"
}

mixed_and_then_answered() {
	ask 'request 1: mix 1472 with 3; request 2: mix 1440 with 4' -s 3000
	assert_both sent=3 received=2 lost=1 damaged_reply=1 mixed=1
}

# Another identifier does not pass the kernel's filter; with ours and next numbers they pass, and are
# nobody's until a request with that number is out. (A random one is ours once in 65,536 times.)
noise() {
	ask 'request 1-2: send forged id +1 repeat 500 | reply; default: send forged id +0 | reply'
	assert_status 0
	assert_counts 0 sent=3 received=3 foreign=2
	assert_counts 1 sent=3 received=3 foreign=2
}

# A forger with the right numbers floods a flood: each reply counts once, no forgery does.
forger_in_flood() {
	lab_tun tp0 'wrong tag repeat 3 | reply'
	measure -q -c 500 "$@" 10.66.0.2 fd66::2
	assert_status 0
	assert_both sent=500 received=500 forged=1490..1500
}

test_case b13-cut-short-56 cut 56
test_case b13-cut-short-9000 cut 9000
test_case b13-cut-short-untagged damaged 'truncate 5' 'damaged_reply=3 truncated=3' -s 12
test_case b13-icmp6-of-4-to-7-bytes shorter_than_a_header
test_case right-after-truncated right_after 'truncate half' truncated=3
test_case right-after-corrupt right_after 'corrupt 30' corrupt=3
test_case right-after-forged right_after 'wrong tag repeat 20' forged=60
test_case right-after-wrong-source right_after 'wrong source' wrong_source=3
test_case right-after-wrong-id right_after 'wrong id'
test_case wrong-id damaged 'wrong id' 'unknown=3'
test_case wrong-source damaged 'wrong source' 'unknown=3 wrong_source=3'
test_case wrong-tag damaged 'wrong tag' 'unknown=3 forged=3'
test_case wrong-code damaged 'code 1' 'unknown=3 bad_header=3'
test_case corrupt-with-right-checksum damaged 'corrupt 30' 'damaged_reply=3 corrupt=3'
test_case corrupt-last-byte damaged 'corrupt 56' 'damaged_reply=3 corrupt=3' -s 57
test_case corrupt-fixed-pattern damaged 'corrupt 300' 'damaged_reply=3 corrupt=3' -s 1000 -p 00ff
test_case corrupt-random-pattern damaged 'corrupt 300' 'damaged_reply=3 corrupt=3' -s 1000 --payload random
test_case corrupt-untagged damaged 'corrupt 3' 'damaged_reply=3 corrupt=3' -s 8
test_case corrupt-in-fragments damaged 'corrupt 3999' 'damaged_reply=3 corrupt=3' -s 4000
test_case bad-checksum-of-the-data bad_checksum 'corrupt 30 unrepaired'
test_case bad-checksum bad_checksum 'wrong checksum'
test_case mixed mixed
test_case mixed-random-pattern mixed --payload random
test_case mixed-and-then-answered mixed_and_then_answered
test_case noise noise
test_case forger-in-flood forger_in_flood -f
test_case forger-at-depth forger_in_flood --depth 4
