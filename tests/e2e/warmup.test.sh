#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# --warmup: requests before the measurement and on top of -c, counted apart; nothing of them is in
# any figure.
. "$(dirname "$0")/../lib.sh"

# wire REQUESTS ARGUMENT...: so many requests are on the wire: those of the warm-up and the measured.
on_the_wire() {
	local filter='icmp[0] = 8'
	lab_veth
	[[ ${*: -1} != *:* ]] || filter='icmp6 and ip6[40] = 128'
	capture_start "$PEER" vb "$filter"
	run_probe -q --json "$@"
	capture_stop
	assert_status 0
	assert_json "$OUT" ".targets[0] | .warmup.sent + .sent == $CAPTURED" "requests on the wire"
	assert_json "$OUT" '.targets[0] | .warmup.received == .warmup.sent and .received == .sent and
		.lost == 0 and .rtt.user.samples == .received'
	assert_json "$OUT" '.targets[0].in_flight | (.littles_law - .mean) / .mean | fabs < 0.02'
	assert_accounting "$OUT"
}

by_number() {
	on_the_wire --warmup 100 -c 500 "$@"
	assert_json "$OUT" '.settings.warmup.requests == 100 and .settings.count == 500'
	assert_json "$OUT" '.targets[0] | .warmup.sent == 100 and .sent == 500'
}

by_time() {
	on_the_wire --warmup 500ms -i 0.01 -c 50 "$1"
	assert_json "$OUT" '.settings.warmup.duration_ns == 500000000'
	assert_json "$OUT" '.targets[0] | (.warmup.sent | . >= 45 and . <= 52) and .sent == 50'
	# The schedule goes on: the measurement lasts as long as without a warm-up.
	assert_between "$(json_value "$OUT" '.targets[0].elapsed_ns / 1e6')" 480 600 "ms measured"
}

none_by_default() {
	lab_loopback
	run_probe -q -f -c 100 --json 127.0.0.1
	assert_json "$OUT" '.settings.warmup == null and .targets[0].warmup == null'
}

# The slow beginning is what a warm-up is for.
slow_beginning_is_left_out() {
	lab_tun tp0 'request 1-20: delay 60ms; all: delay 1ms'
	run_probe -q --json --warmup 20 "$@" 10.66.0.2
	peer_stop
	assert_status 0
	assert_json "$OUT" '.targets[0] | .warmup.sent == 20 and .received == 100 and
		.rtt.user.max_ns < 50000000'
	assert_json "$PEER_JSON" '.requests == 120'
}

# Losses of the warm-up are its own; the slots that they hold come free.
losses_stay_there() {
	lab_tun tp0 'request 1-5: drop; all: delay 1ms'
	run_probe -q --json --warmup 10 -c 400 -W 2 "$@" 10.66.0.2
	peer_stop
	assert_status 0
	assert_json "$OUT" '.targets[0] | .warmup.sent == 10 and .warmup.received == 5 and
		.sent == 400 and .received == 400 and .lost == 0 and .loss == 0'
	assert_json "$OUT" '.targets[0].loss_runs == []'
	assert_accounting "$OUT"
}

# Replies to the warm-up that come twice or late are not booked to the measurement.
late_and_double() {
	lab_tun tp0 'request 1: delay 400ms; request 2-5: repeat 2; all: delay 1ms'
	run_probe -q --json --warmup 5 -i 0.01 -c 60 -W 0.2 10.66.0.2
	peer_stop
	assert_status 0
	assert_json "$OUT" '.targets[0] | .warmup.sent == 5 and .sent == 60 and .received == 60 and
		.duplicates == 0 and .late == 0 and .reordered == 0 and .foreign == 0'
	assert_accounting "$OUT"
}

several_targets() {
	lab_veth
	in_peer ip address add 10.7.0.3/24 dev vb
	in_peer ip address add 10.7.0.4/24 dev vb
	counters_start "$PEER"
	run_probe -q --json --warmup 30 "$@" 10.7.0.2 10.7.0.3 10.7.0.4
	assert_status 0
	assert_json "$OUT" '[.targets[] | .warmup.sent == 30 and .sent == 200 and .received == 200] | all and
		length == 3'
	assert_equal "$(counter "$PEER" in_request)" 690 "requests that arrived"
	assert_accounting "$OUT"
}

text_counts_the_measured() {
	lab_veth
	run_probe --warmup 5 -i 0.1 -c 5 10.7.0.2
	assert_status 0
	assert_grep '^5 packets transmitted, 5 received, 0% packet loss' "$OUT"
	assert_equal "$(grep -c 'bytes from' "$OUT")" 5 "reply lines"
	run_probe --warmup 50 -f -q -c 500 10.7.0.2
	assert_grep 'warm' "$OUT" "the warm-up is told"
}

# -w starts with the measurement.
deadline_counts_from_there() {
	lab_veth
	run_probe -q --json --warmup 500ms -i 0.01 -w 1 10.7.0.2
	assert_status 0
	assert_json "$OUT" '.targets[0].sent | . >= 95 and . <= 102'
}

interrupted_meanwhile() {
	lab_veth
	start_probe -q --json --warmup 60s -i 0.01 -c 10 10.7.0.2
	sleep 0.5
	kill -INT "$PROBE"
	wait_probe
	assert_status 1
	assert_json "$OUT" '.targets[0] | .sent == 0 and .received == 0 and .warmup.sent > 20'
	assert_json "$OUT" '.valid.ok == false and .valid.reasons[0].code == "too-few-samples"'
}

test_case by-number-flood by_number -f 10.7.0.2
test_case by-number-flood-6 by_number -f fd07::2
test_case by-number-preload by_number -f -l 16 10.7.0.2
test_case by-number-depth by_number --depth 32 10.7.0.2
test_case by-number-interval by_number -i 0.002 10.7.0.2
test_case by-time-4 by_time 10.7.0.2
test_case by-time-6 by_time fd07::2
test_case none-by-default none_by_default
test_case slow-beginning-interval slow_beginning_is_left_out -i 0.01 -c 100
test_case slow-beginning-depth slow_beginning_is_left_out --depth 4 -c 100
test_case losses-stay-there-depth losses_stay_there --depth 10
test_case losses-stay-there-interval losses_stay_there -i 0.002
test_case late-and-double late_and_double
test_case several-targets-interval several_targets -i 0.01 -c 200
test_case several-targets-depth several_targets --depth 4 -c 200
test_case text-counts-the-measured text_counts_the_measured
test_case deadline-counts-from-there deadline_counts_from_there
test_case interrupted-meanwhile interrupted_meanwhile
