#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Long fast runs: nothing lost where nothing can be lost, the sequence wrapped several times, depth
# and round-trip times in agreement, memory that does not grow with the number of requests.
. "$(dirname "$0")/../lib.sh"

clean_run='.targets[0] | .received == .sent and .lost == 0 and .duplicates == 0 and .late == 0
	and .foreign == 0 and .forged == 0 and .local_drops == 0 and .bad_checksum == 0'
law='.targets[0].in_flight | (.littles_law - .mean) / .mean | fabs < 0.01'

long_run() {
	local target=$1
	shift
	lab_veth
	run_probe -q -c 200000 --json "$@" "$target"
	assert_status 0
	assert_json "$OUT" "$clean_run and .sent == 200000" "a clean run"
	assert_json "$OUT" "$law" "Little's law"
	# Every reply has the kernel's stamp, never before its request or after our receive call, so
	# that the two places, each from its own stamps, make up the whole.
	assert_json "$OUT" '.targets[0] | .rtt.ping.samples == .received and .rtt.ping.min_ns <= .rtt.user.min_ns
		and (.in_flight | .unexplained / .mean | fabs < 0.001)' "the kernel's stamps"
	assert_json "$OUT" '.targets[0].rtt.user.max_ns < 1000000000 and .valid.ok'
	assert_accounting "$OUT"
}

# Replies wait in our socket until we have sent a whole window: its buffer must hold them.
receive_buffer_is_large_enough() {
	lab_loopback
	run_probe -q --json "$@"
	assert_status 0
	assert_json "$OUT" "$clean_run" "a clean run"
	assert_json "$OUT" '.settings.depth as $d | .targets[0].in_flight | .max <= $d and .mean > 0.5 * $d'
}


# Where the buffer cannot be made large enough, fewer requests are in flight, and that is said.
slots_that_the_buffer_holds() {
	lab_loopback
	run_command setpriv --bounding-set=-net_admin --inh-caps=-all \
		"$FPING_BENCH" -q --json --depth 65536 -s 1000 -c 100000 127.0.0.1
	assert_status 0
	assert_grep 'in flight instead of 65536' "$ERR"
	assert_json "$OUT" "$clean_run" "a clean run"
	assert_json "$OUT" '.settings.depth < 65536 and .targets[0].in_flight.max <= .settings.depth'
}

# So many losses that the memory for them is used up long before -W: sending waits, nothing spins.
more_losses_than_are_remembered() {
	run_command timeout 60 "$FPING_BENCH" --depth 4096 -W 3600 -q -c 600000 --json \
		--transport sim --sim loss=0.9 10.0.0.1
	assert_json "$OUT" '.ending == "complete" and .targets[0].sent == 600000'
	assert_accounting "$OUT"
}

memory_does_not_grow() {
	local small large
	lab_loopback
	# shellcheck disable=SC2016 # for the inner shell
	peak() {
		in_lab "$FPING_BENCH" -f -q -l 16 -c "$1" 127.0.0.1 >"$OUT" &
		local pid=$! rss=0 now
		while now=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
			rss=$now
			sleep 0.02
		done
		wait "$pid"
		echo "$rss"
	}
	small=$(peak 20000)
	large=$(peak 1000000)
	assert_between "$((large - small))" -2000 1024 "kB more for 50 times the requests"
}

floor_rate() {
	lab_veth
	in_peer sysctl -qw net.ipv4.icmp_echo_ignore_all=1
	run_probe -f -q -w 1 -W 5 --json 10.7.0.2
	assert_status 1
	assert_between "$(json_value "$OUT" '.targets[0].sent')" 95 102 "requests in a silent second"
}

# -f --depth N: never more than N, not even for the floor.
depth_is_hard() {
	lab_veth
	in_peer sysctl -qw net.ipv4.icmp_echo_ignore_all=1
	run_probe "$@" --depth 4 -q -w 1 -W 5 --json 10.7.0.2
	assert_json "$OUT" '.targets[0] | .sent == 4 and .in_flight.max == 4 and .in_flight_at_end == 4'
}

payload_sizes() {
	local size
	lab_veth
	for size in 0 1 7 8 15 16 17 1472 1473; do
		run_probe -q -c 5 -i 0.01 -s "$size" --json "$1"
		assert_status 0
		assert_json "$OUT" '.targets[0] | .received == 5 and .rtt.user.samples == 5'
		assert_equal "$(json_value "$OUT" .settings.payload_bytes)" "$size"
	done
}

largest_payload() {
	lab_loopback
	run_probe -q -c 3 -i 0.01 -s "$2" --json "$1"
	assert_status 0
	assert_json "$OUT" '.targets[0].received == 3'
	run_probe -q -c 3 -i 0.01 -s "$(($2 + 1))" --json "$1"
	assert_status 2
	assert_grep "$2" "$ERR" "the limit is named"
}

patterns() {
	lab_veth
	for pattern in '-p 00' '-p ff' '-p a5b6c7' '--payload random'; do
		# shellcheck disable=SC2086 # two words
		run_probe -f -q -c 500 -s 300 $pattern --json 10.7.0.2
		assert_status 0
		assert_json "$OUT" "$clean_run" "$pattern"
	done
}

pattern_is_on_the_wire() {
	lab_veth
	capture_start "$PEER" vb 'icmp[0] = 8'
	run_probe -q -c 1 -s 40 -p c0ffee 10.7.0.2
	capture_stop
	tcpdump -r "$CAPTURE" -n -x 2>/dev/null | tr -d ' \n' >"$TMP/hex"
	assert_grep 'c0ffeec0ffeec0ffee' <(sed 's/0x[0-9a-f]*://g' "$TMP/hex" | tr -d '\t')
}

many_targets() {
	local targets=() i
	lab_veth
	in_peer ip route add local 10.8.0.0/16 dev lo
	in_lab ip route add 10.8.0.0/16 via 10.7.0.2
	for ((i = 1; i <= 500; i++)); do targets+=("10.8.$((i / 250)).$((i % 250 + 1))"); done
	(
		ulimit -n 16
		run_probe "$@" -q --json "${targets[@]}"
		assert_status 0
	)
	assert_json "$OUT" '[.targets[] | .received == .sent and .sent == 4 and .lost == 0] | all'
	assert_json "$OUT" '.targets | length == 500'
	assert_accounting "$OUT"
}

test_case loopback-flood-200000-4 long_run 127.0.0.1 -f
test_case loopback-flood-200000-6 long_run ::1 -f
test_case veth-flood-200000-4 long_run 10.7.0.2 -f
test_case veth-flood-200000-6 long_run fd07::2 -f
test_case veth-depth-512-4 long_run 10.7.0.2 --depth 512
test_case veth-depth-64-6 long_run fd07::2 --depth 64
test_case receive-buffer-depth-2000 receive_buffer_is_large_enough --depth 2000 -c 200000 127.0.0.1
test_case receive-buffer-1400 receive_buffer_is_large_enough --depth 256 -s 1400 -c 50000 127.0.0.1
test_case receive-buffer-60000 receive_buffer_is_large_enough --depth 64 -s 60000 -c 5000 ::1
test_case receive-buffer-depth-30000 receive_buffer_is_large_enough --depth 30000 -W 30 -c 200000 127.0.0.1
test_case more-losses-than-are-remembered more_losses_than_are_remembered
test_case slots-that-the-buffer-holds slots_that_the_buffer_holds
test_case memory-does-not-grow memory_does_not_grow
test_case floor-rate floor_rate
test_case depth-is-hard depth_is_hard
test_case depth-is-hard-in-flood depth_is_hard -f
test_case payload-sizes-4 payload_sizes 10.7.0.2
test_case payload-sizes-6 payload_sizes fd07::2
test_case largest-payload-4 largest_payload 127.0.0.1 65507
test_case largest-payload-6 largest_payload ::1 65527
test_case patterns patterns
test_case pattern-is-on-the-wire pattern_is_on_the_wire
test_case many-targets-interval many_targets -c 4 -i 0.2
test_case many-targets-flood many_targets -c 4 -f
