#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The tap proves itself before anything is believed that it says: against a peer whose delay is
# known, and on schedules that are known.
. "$(dirname "$0")/../lib.sh"

pairs_once() {
	require ping
	lab_tun_awake tp0 'every 10: drop; every 7: delay 10ms, repeat 2 every 1ms; all: delay 10ms'
	tap_start -r tp0 -d tp0
	in_lab ping -q -i 0.02 -c 100 -W 1 "$1" || true
	tap_stop
	peer_stop
	# 100 requests, of which 10 are dropped and 14 less one that is dropped are answered twice.
	assert_json "$TAP_JSON" '.requests == 100 and .replies == 103 and .rtt.samples == 103 and
		.unstamped == 0'
	# What the peer was late by, and twice the way that is not its own: waking both processes.
	assert_json "$TAP_JSON" ".rtt.p50_ns - 1e7 | . > 0 and . < 40000 + 2 * $(json_value "$PEER_JSON" .lateness_ns.p50)"
	assert_json "$TAP_JSON" '.rtt.min_ns >= 1e7'
}

# Everything that leaves is seen once, and what arrives is not taken for it.
both_ends() {
	lab_veth
	tap_start -a "$PEER:vb" -d va
	run_probe -f -q -l 64 -c 20000 "$1"
	tap_stop
	assert_json "$TAP_JSON" '.requests == 20000 and .replies == 20000 and .rtt.samples == 20000 and
		.rtt.min_ns > 0'
}

# The product's own schedule is good to a few microseconds, and the tap sees that.
schedule_once() {
	lab_veth
	tap_start -r va -i 1000000
	run_command taskset -c 0 "$FPING_BENCH" -q -i 1ms -c 500 10.7.0.2
	tap_stop
	assert_json "$TAP_JSON" '.schedule | .sent == 500 and .missed == 0 and .error.min_ns == 0 and
		.error.p50_ns < 50000 and (.rate_per_s - 1000 | fabs) < 1'
}

# Another interval than the one that is kept is not kept.
wrong_schedule() {
	lab_veth
	tap_start -r va -i 990000
	run_probe -q -i 1ms -c 500 10.7.0.2
	tap_stop
	# 500 times 10 us late: five places are never made up for.
	assert_json "$TAP_JSON" '.schedule | .missed >= 4 and .missed <= 6 and .error.p50_ns > 300000'
}

# What falls due while the sender is stopped is left out, but for the last 10 ms of it.
stopped() {
	lab_veth
	tap_start -r va -i 1000000
	start_probe -q -i 1ms -c 1000 10.7.0.2
	sleep 0.5
	kill -STOP "$PROBE"
	sleep 0.3
	kill -CONT "$PROBE"
	wait_probe
	tap_stop
	assert_json "$TAP_JSON" '.schedule | .sent == 1000 and .missed > 250 and .missed < 350'
}

test_case pairs-4 in_three_tries pairs_once 10.66.0.2
test_case pairs-6 in_three_tries pairs_once fd66::2
test_case both-ends-4 both_ends 10.7.0.2
test_case both-ends-6 both_ends fd07::2
test_case schedule in_three_tries schedule_once
test_case wrong-schedule in_three_tries wrong_schedule
test_case stopped-sender stopped
