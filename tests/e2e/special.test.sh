#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# Whole runs under odd circumstances: nothing comes back, the end comes early, two programs share an
# identifier, times and rates are small or large. Every test is a case of a list of troubles that
# tools of this kind have had, and begins with its number there.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/answers.bash"

# started ARGUMENT...: like measure, in the background; ended [SECONDS] waits for it.
started() { start_probe --json="$DOCUMENT" "$@"; }
ended() {
	wait_probe "$@"
	assert_document "$DOCUMENT"
}

# ---- nothing came back ----

nothing_came_back() {
	lab_tun tp0 'default: drop'
	measure -c "$1" -i 0.05 -W 0.2 "${@:2}" 10.66.0.2
	assert_status 1
	assert_counts 0 sent="$1" lost="$1" unknown="$1"
	assert_json "$DOCUMENT" '.targets[0] | .loss == 1 and .reply_ttl == [] and
		(.rtt.user | .min_ns == null and .mean_ns == null and .stddev_ns == null and .p50_ns == null and
		.max_ns == null) and (.rate.received_per_s == 0 or .rate.received_per_s == null)'
	assert_grep '100% packet loss' "$OUT"
	assert_no_grep 'min/avg/max|nan|inf\b' "$OUT"
}

stopped_before_the_first() {
	lab_loopback
	slow_names
	started 127.0.0.1 slow.example
	sleep 0.5
	kill -INT "$PROBE"
	ended
	assert_status 1
	assert_counts 0
	assert_json "$DOCUMENT" '.targets[0] | .loss == null and .elapsed_ns == 0 and .rate.sent_per_s == null'
	assert_no_grep 'min/avg/max|nan|inf\b' "$OUT"
	umount /etc/resolv.conf
}

# Standard output is one document and nothing else, however the run ends; prose is on the other.
one_document() {
	local signal
	lab_tun tp0 'delay 20ms'
	run_probe --json -c 2 bad.invalid
	assert_status 2
	assert_document "$OUT"
	assert_json "$OUT" '.targets[0].error != null'
	assert_grep 'bad\.invalid' "$ERR"
	run_probe --json -c 2 -i 0.02 10.66.0.2 bad.invalid
	assert_status 1
	assert_document "$OUT"
	assert_json "$OUT" '.targets[0].received == 2 and .targets[1].error != null'
	in_lab ip route add prohibit 192.0.2.0/24
	run_probe --json -c 3 -i 0.02 192.0.2.1
	assert_status 1
	assert_document "$OUT"
	assert_json "$OUT" '.targets[0] | .send_errors == 3 and .errors[0].text != null'
	: >none
	run_probe --json --targets none
	assert_status 2
	assert_document "$OUT"
	assert_json "$OUT" '.targets == [] and .fault != null'
	for signal in INT TERM; do
		start_probe --json -i 0.02 10.66.0.2 fd66::2
		sleep 0.5
		kill -$signal "$PROBE"
		wait_probe
		assert_status 0
		assert_document "$OUT"
		assert_json "$OUT" '.ending == "interrupted" and .targets[0].lost == 0'
	done
}

# ---- early and late ends ----

# Stopped with replies under way: those are in flight, not lost, neither before nor at the end.
in_flight_at_the_end() {
	lab_tun tp0 'delay 300ms'
	started -q -W 2 "$@" 10.66.0.2
	sleep 0.9
	kill -QUIT "$PROBE"
	sleep 0.2
	kill -INT "$PROBE"
	ended
	assert_status 0
	assert_json "$DOCUMENT" '.targets[0] | .lost == 0 and .loss == 0 and .received > 0 and
		.in_flight_at_end >= 10 and .in_flight_at_end <= 45'
	assert_grep '^[0-9]+/[0-9]+ packets, 0% loss' "$ERR" "the line in between"
	assert_grep ' 0% packet loss' "$OUT"
	assert_grep 'ended +by a signal, [0-9]+ still waited for' "$OUT"
}

timeouts_of_a_fraction() {
	local value
	lab_tun tp0 'default: drop'
	for value in 0 1e-9 -0.4 nan; do
		run_probe -c 1 -W "$value" 10.66.0.2
		assert_status 2
	done
	for value in 0.4 0.0004; do
		PROBE_SECONDS=10 measure -q -c 1 -W "$value" 10.66.0.2
		assert_status 1
		assert_counts 0 sent=1 lost=1 unknown=1
		assert_json "$DOCUMENT" ".elapsed_ns >= $value * 1e9 and .elapsed_ns < $value * 1e9 + 20e6"
		assert_json "$DOCUMENT" '.cpu | .user_s + .system_s < 0.05' "it does not spin"
	done
}

# ---- figures ----

slow_replies() {
	lab_tun tp0 'delay 4s'
	measure -q -W 10 -c 3 -i 0.1 10.66.0.2
	assert_status 0
	assert_counts 0 sent=3 received=3
	assert_json "$DOCUMENT" '.targets[0].rtt.user | .mean_ns >= 4e9 and .mean_ns < 4.1e9 and
		.stddev_ns >= 0 and .stddev_ns < 5e7 and .min_ns >= 4e9'
	assert_grep '^rtt min/avg/max/mdev = 40[0-9]{2}\.[0-9]{3}/40[0-9]{2}\.[0-9]{3}/40[0-9]{2}\.[0-9]{3}/[0-9]{1,2}\.[0-9]{3} ms, pipe 3$' "$OUT"
}

smallest_is_no_start_value() {
	lab_tun tp0 'request 10-14: drop; default: delay 20ms'
	started -q -c 25 -i 0.05 -W 0.2 10.66.0.2
	for _ in 1 2 3; do
		sleep 0.3
		kill -QUIT "$PROBE"
	done
	ended
	assert_counts 0 sent=25 received=20 lost=5 unknown=5
	assert_json "$DOCUMENT" '.targets[0].rtt | .user.min_ns >= 20e6 and .user.min_ns < 40e6 and .ping.min_ns >= 20e6'
	assert_grep 'min/avg/ewma/max = ' "$ERR"
	assert_no_grep 'min/avg/ewma/max = (0|1?[0-9]\.)' "$ERR" "a smaller time than any"
	assert_grep '^rtt min/avg/max/mdev = [2-9][0-9]\.' "$OUT"
}

# pace INTERVAL COUNT TARGETS: seen from the other side, the rate is within 2 % of what was asked.
pace() {
	local hosts=() i
	for ((i = 1; i <= $3; i++)); do hosts+=("10.66.0.$((i + 1))"); done
	lab_tun tp0 ''
	measure -q -c "$2" -i "$1" "${hosts[@]}"
	assert_status 0
	peer_stop
	assert_json "$PEER_JSON" ".requests == $2 * $3"
	assert_json "$PEER_JSON" "($1 * ($2 - 1 / $3)) as \$s |
		((.last_arrival_ns - .first_arrival_ns) / 1e9 / \$s) | . > 0.98 and . < 1.02" "the rate"
}

# ---- whose packets ----

own_requests() {
	local how
	lab_veth
	in_lab sysctl -qw net.ipv4.ping_group_range='0 2147483647'
	for how in raw ping; do
		measure -q --transport $how -c 5 -i 0.01 127.0.0.1 ::1 10.7.0.1 fd07::1 localhost
		assert_status 0
		for i in 0 1 2 3 4; do assert_counts "$i" sent=5 received=5; done
		assert_json "$DOCUMENT" '[.targets[].rtt.user.min_ns > 0] | all'
	done
}

# The same identifier, the same sequences, even the same address: the tag tells the replies apart.
same_identifier() {
	lab_tun tp0 'size 64 dst 10.66.0.9: drop; size 64 dst fd66::9: drop'
	background ip netns exec "$LAB" ping -q -i 0.002 -e 4711 10.66.0.9 >/dev/null
	background ip netns exec "$LAB" ping -q -i 0.002 -e 4711 fd66::9 >/dev/null
	measure -q -c 30 -i 0.02 -W 0.3 -e 4711 -s 64 10.66.0.9 fd66::9
	assert_status 1
	assert_json "$DOCUMENT" '[.targets[] | .sent == 30 and .received == 0 and .lost == 30 and .loss == 1 and
		.duplicates == 0 and .truncated == 0 and .forged + .foreign > 50] | all'
}

two_hundred_at_once() {
	local i pids=()
	lab_tun tp0 'dst 10.66.0.9: drop'
	for ((i = 0; i < 200; i++)); do
		in_lab "$FPING_BENCH" -q -c 3 -i 0.1 -W 3 --json "10.66.0.$((8 + i % 2))" >"$TMP/$i.json" &
		pids+=($!)
	done
	for ((i = 0; i < 200; i++)); do
		STATUS=0
		wait "${pids[i]}" || STATUS=$?
		assert_status $((i % 2))
	done
	# shellcheck disable=SC2016 # jq's
	assert_equal "$(jq -s '[range(200) as $i | .[$i].targets[0] | select(.sent == 3 and
		.received == (if .name == "10.66.0.8" then 3 else 0 end) and .duplicates == 0 and .forged == 0)] | length' \
		"$TMP"/[0-9]*.json)" 200 "documents as they should be"
}

test_case b07-nothing-came-back nothing_came_back 3
test_case b07-nothing-came-back-for-one nothing_came_back 1
test_case b07-stopped-before-the-first stopped_before_the_first
test_case b08-one-document one_document
test_case b09-in-flight-at-the-end-interval in_flight_at_the_end -i 0.01
test_case b09-in-flight-at-the-end-flood in_flight_at_the_end -f
test_case b18-own-requests own_requests
test_case b19-same-identifier same_identifier
test_case b19-two-hundred-at-once two_hundred_at_once
test_case b36-pace-500us in_three_tries pace 0.0005 4000 1
test_case b36-pace-100us in_three_tries pace 0.0001 10000 1
test_case b36-pace-9.99ms in_three_tries pace 0.00999 100 1
test_case b36-pace-50ms in_three_tries pace 0.05 20 1
test_case b36-pace-ten-targets in_three_tries pace 0.005 200 10
test_case b39-timeouts-of-a-fraction in_three_tries timeouts_of_a_fraction
test_case b41-slow-replies slow_replies
test_case b43-smallest-is-no-start-value smallest_is_no_start_value
