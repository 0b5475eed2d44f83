#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What this host does to a run: system calls that fail once, for a while or for good, routes that
# are missing or forbidden, an interface that goes down and comes back. The run goes on as far as it
# can, the account stays exact, and nothing of this is booked as the network's loss.
. "$(dirname "$0")/../lib.sh"

# run_injected SPEC ARGUMENT...: the probe under strace, which makes system calls fail.
run_injected() {
	local spec=$1
	shift
	require strace
	run_command strace -f -qq -o "$TMP/strace" -e trace="${spec%%:*}" -e inject="$spec" \
		"$FPING_BENCH" "$@"
	assert_grep INJECTED "$TMP/strace" "the fault was never injected"
}

# The kernel refuses a send for now: it is done again, and what the peer counts is what we say.
put_off_and_done_again() {
	lab_veth
	counters_start "$PEER"
	run_injected "sendto,sendmmsg:error=$1:when=$2" -q -c 2000 --json "${@:3}" 10.7.0.2
	assert_status 0
	assert_json "$OUT" '.targets[0] | .sent == 2000 and .received == 2000 and .send_errors == 0'
	assert_equal "$(counter "$PEER" in_request)" 2000 "requests at the other host"
	assert_accounting "$OUT"
}

# A send buffer that one request does not fit into: that is an error, not a wait without end.
no_room_for_good() {
	lab_veth
	run_command timeout 20 "$FPING_BENCH" -q -c 2 -i 0.1 -S 1 -s 65507 --json 10.7.0.2
	assert_status 1
	assert_json "$OUT" '.targets[0] | .sent == 0 and .send_errors >= 1 and .send_retries > 10'
	assert_json "$OUT" '.valid.reasons[0].code == "send-errors"'
	assert_accounting "$OUT"
}

rests_between_retries() {
	lab_veth
	run_injected "sendto,sendmmsg:error=EAGAIN:when=20..220" -f -q -c 500 --json 10.7.0.2
	assert_json "$OUT" '.targets[0] | .sent == 500 and .send_retries >= 190'
	assert_json "$OUT" '.cpu | .user_s + .system_s < 0.5 * .wall_s' "the processor rests meanwhile"
}

interrupted_calls() {
	lab_veth
	run_injected "$1:error=EINTR:when=10+5" -q -c 300 --json -i 0.003 10.7.0.2
	assert_status 0
	assert_json "$OUT" '.targets[0] | .sent == 300 and .received == 300 and .duplicates == 0'
}

receive_fails_now_and_then() {
	lab_veth
	run_injected "recvmsg,recvmmsg:error=ENOMEM:when=5+7" -q -c 200 --json -i 0.003 10.7.0.2
	assert_status 0
	assert_json "$OUT" '.targets[0] | .sent == 200 and .received == 200'
}

receive_fails_for_good() {
	lab_veth
	run_injected "recvmsg,recvmmsg:error=EBADF:when=5+" -q -c 100000 --json -i 0.01 -W 0.1 10.7.0.2
	assert_status 6
	assert_json "$OUT" '.targets[0].sent > 0'
	assert_accounting "$OUT"
}

# No way to the target: every request is a send error, the run ends in its time, and a good target
# beside it is measured as if nothing were.
no_way() {
	local start=$SECONDS lines
	lab_loopback
	[ -z "$1" ] || in_lab ip route add "$1" 192.0.2.0/24
	run_probe -q -c 3 -W 0.5 --json "${@:2}" 192.0.2.1
	assert_status 1
	assert_json "$OUT" '.targets[0] | .sent == 0 and .send_errors == 3 and .lost == 0 and .loss == null
		and (.errors | length) == 1 and .errors[0].count == 3'
	assert_json "$OUT" '.valid.reasons | map(.code) | index("send-errors") != null'
	lines=$(wc -l <"$ERR")
	assert_between "$lines" 0 3 "lines on stderr"
	assert_between $((SECONDS - start)) 0 3 "seconds"
}

good_beside_bad() {
	lab_veth
	run_probe -q -c 5 -i 0.05 --json 10.7.0.2 192.0.2.1
	assert_status 1
	assert_json "$OUT" '(.targets[0] | .received == 5 and .loss == 0) and .targets[1].send_errors == 5'
}

blocked_by_this_host() {
	require nft
	lab_veth
	in_lab nft -f - <<-END
		add table inet block
		add chain inet block c { type filter hook output priority 0; }
		add rule inet block c icmp type echo-request drop
	END
	run_probe -q -c 3 -i 0.01 --json 10.7.0.2
	assert_status 1
	assert_json "$OUT" '.targets[0] | .sent == 0 and .send_errors == 3 and .lost == 0'
}

interface_down_and_up() {
	lab_veth
	counters_start "$PEER"
	start_probe -q -i 0.02 -w 3 -W 0.5 --json 10.7.0.2
	sleep 0.8
	in_lab ip link set va down
	sleep 0.8
	in_lab ip link set va up
	in_lab ip neigh replace 10.7.0.2 lladdr "$(in_peer cat /sys/class/net/vb/address)" dev va nud permanent
	wait_probe
	assert_json "$OUT" '.targets[0] | .send_errors > 20 and .received > 40 and (.outages | length) >= 1'
	assert_json "$OUT" '.targets[0].outages[0] | .to_ns - .from_ns > 500000000 and .to_ns - .from_ns < 1500000000'
	assert_equal "$(json_value "$OUT" '.targets[0].received')" "$(counter "$PEER" out_reply)"
	assert_accounting "$OUT"
}

# A neighbour that does not answer: errors of our own kernel come back and are tied to the requests;
# the error queue is emptied, or poll would return at once for ever.
dead_neighbour() {
	lab_veth
	run_probe -c 5 -i 1 -w 6 --json -q 10.7.0.77
	assert_status 1
	assert_json "$OUT" '.targets[0] | .received == 0 and .icmp_errors >= 1 and .errors[0].code == 1'
	assert_json "$OUT" '.cpu | .user_s + .system_s < 0.05 * .wall_s' "the processor rests"
	assert_accounting "$OUT"
}

# Another program's errors are not ours.
others_errors() {
	lab_veth
	background ip netns exec "$LAB" ping -q -i 0.01 10.7.0.77 >/dev/null
	run_probe -c 10 -i 0.4 --json -q 10.7.0.2
	assert_status 0
	assert_json "$OUT" '.targets[0] | .received == 10 and .icmp_errors == 0 and (.errors | length) == 0'
}

# Two programs with one identifier: the tag tells them apart.
same_identifier() {
	lab_veth
	in_peer sysctl -qw net.ipv4.icmp_echo_ignore_all=1
	in_peer ip address add 10.7.0.3/24 dev vb
	run_probe -c 1 -q -w 1 10.7.0.2
	background ip netns exec "$LAB" ping -q -i 0.002 -e 4711 127.0.0.1 >/dev/null
	run_probe -c 20 -i 0.05 -W 0.3 -e 4711 --json -q 10.7.0.2
	assert_status 1
	assert_json "$OUT" '.targets[0] | .received == 0 and .lost == 20'
}

many_at_once() {
	local i failed=0 pids=()
	lab_veth
	in_peer ip address add 10.7.0.3/24 dev vb
	in_peer nft 'add table ip t; add chain ip t c { type filter hook input priority 0; }; add rule ip t c ip daddr 10.7.0.3 drop'
	for ((i = 0; i < 40; i++)); do
		in_lab "$FPING_BENCH" -q -c 5 -i 0.05 -W 0.3 --json "10.7.0.$((2 + i % 2))" >"$TMP/$i.json" &
		pids+=($!)
	done
	for ((i = 0; i < 40; i++)); do
		STATUS=0
		wait "${pids[i]}" || STATUS=$?
		[ "$STATUS" = $((i % 2)) ] || failed=1
		assert_json "$TMP/$i.json" ".targets[0].received == $((i % 2 == 0 ? 5 : 0))"
	done
	assert_equal $failed 0 "exit statuses"
}

# Don't-fragment and a request that is too long: refused here, with the MTU named.
too_long() {
	lab_veth
	run_probe "-$1" -M "do" -q -c 3 -i 0.01 -s "$2" --json "$3"
	assert_status 0
	run_probe "-$1" -M "do" -q -c 3 -i 0.01 -s "$(($2 + 1))" --json "$3"
	assert_status 1
	assert_json "$OUT" '.targets[0] | .sent == 0 and .send_errors == 3 and .loss == null
		and .errors[0].mtu == 1500'
	run_probe "-$1" -M dont -q -c 3 -i 0.01 -s "$(($2 + 1))" --json "$3"
	assert_status 0
}

no_ipv6_here() {
	lab_loopback
	run_injected 'socket:error=EAFNOSUPPORT:when=2' -q -c 2 -i 0.01 127.0.0.1
	assert_status 0
	in_lab sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	run_probe -q -c 2 -i 0.01 127.0.0.1
	assert_status 0
	assert_equal "$(wc -c <"$ERR")" 0 "silence about a family that nobody needs"
}

test_case put-off-EAGAIN-flood put_off_and_done_again EAGAIN 20..119 -f
test_case put-off-ENOBUFS-flood put_off_and_done_again ENOBUFS 20+5 -f
test_case put-off-ENOBUFS-depth put_off_and_done_again ENOBUFS 10+3 --depth 32
test_case put-off-EINTR-flood put_off_and_done_again EINTR 10+2 -f
test_case no-room-for-good no_room_for_good
test_case does-not-spin rests_between_retries
for call in recvmsg,recvmmsg ppoll sendto,sendmmsg; do
	test_case "interrupted-${call%,*}" interrupted_calls $call
done
test_case receive-fails-now-and-then receive_fails_now_and_then
test_case receive-fails-for-good receive_fails_for_good
for mode in -f '--depth 8' '-i 0.2'; do
	# shellcheck disable=SC2086 # two words
	{
		test_case "no-route ${mode// /-}" no_way '' $mode
		test_case "prohibited ${mode// /-}" no_way prohibit $mode
		test_case "blackhole ${mode// /-}" no_way blackhole $mode
		test_case "unreachable ${mode// /-}" no_way unreachable $mode
	}
done
test_case good-beside-bad good_beside_bad
test_case blocked-by-this-host blocked_by_this_host
test_case interface-down-and-up interface_down_and_up
test_case dead-neighbour dead_neighbour
test_case others-errors others_errors
test_case same-identifier same_identifier
test_case many-at-once many_at_once
test_case too-long-4 too_long 4 1472 10.7.0.2
test_case too-long-6 too_long 6 1452 fd07::2
test_case no-ipv6-here no_ipv6_here
