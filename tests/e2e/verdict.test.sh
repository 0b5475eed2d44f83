#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The verdict: each thing that can spoil a measurement is done to one, and must be named first. What
# else it may bring along stands with the test.
. "$(dirname "$0")/../lib.sh"

# Where it may, the probe runs before all ordinary processes: what others do is not the subject.
FIRST=(env)
if chrt -f 1 true 2>/dev/null; then FIRST=(chrt -f 1 env); fi

# first_reason CODE [COMPANION...]: the first reason is CODE, and no others than these follow it.
first_reason() {
	local companions
	companions=$(printf '%s\n' "$@" | jq -Rn '[inputs]')
	assert_json "$OUT" '.valid.ok == false'
	assert_equal "$(json_value "$OUT" '.valid.reasons[0].code')" "$1" "first reason"
	assert_json "$OUT" ".valid.reasons | map(.code) - $companions == []"
}

# A buffer of some five replies where more was promised (tests/e2e/shim). The one given up for
# dropped ones are what Little's law has to account for, so it stays closed.
small_receive_buffer() {
	lab_veth
	run_command "${FIRST[@]}" RECEIVE_BUFFER=4608 LD_PRELOAD="$HELPERS/buffer-shim.so" \
		"$FPING_BENCH" -q --json "$@" 10.7.0.2
	first_reason local-receive-drops no-steady-state
	assert_json "$OUT" '.targets[0] | .local_drops > 0 and
		.lost_by_cause.local_receive_drop == .lost and .lost > 0'
	assert_accounting "$OUT"
}

hog_on_our_processor() {
	lab_veth
	background taskset -c 0 sh -c 'while :; do :; done'
	background taskset -c 0 sh -c 'while :; do :; done'
	run_command taskset -c 0 "$FPING_BENCH" -q --json "$@" 10.7.0.2
	assert_json "$OUT" '.cpu.run_delay_s > 0.2' "time waited"
	first_reason cpu-contended rate-not-held no-steady-state
}

# Others have our processor, and signals to go on arrive all the while: nobody was stopped.
busy_is_not_stopped() {
	local i
	lab_veth
	background taskset -c 0 sh -c 'while :; do :; done'
	background taskset -c 0 sh -c 'while :; do :; done'
	start_command taskset -c 0 "$FPING_BENCH" -q --json -i 0.005 -w 2 10.7.0.2
	for ((i = 0; i < 50; i++)); do
		sleep 0.02
		kill -CONT "$PROBE"
	done
	wait_probe
	assert_json "$OUT" '.disturbance.stops == 0 and (.targets[0].outages | length == 0)'
}

stopped() {
	lab_veth
	start_probe -q --json "$@" -w 4 10.7.0.2
	sleep 1
	kill -STOP "$PROBE"
	sleep 2
	kill -CONT "$PROBE"
	wait_probe
	assert_json "$OUT" '.disturbance.stops == 1'
	assert_between "$(json_value "$OUT" '.disturbance.stopped_ns / 1e9')" 1.9 2.3 "seconds"
	assert_json "$OUT" '.targets[0].outages | length == 1 and (.[0].what | test("stopped")) and
		(.[0].to_ns - .[0].from_ns | . > 1.9e9 and . < 2.3e9)'
	first_reason suspended rate-not-held no-steady-state cpu-contended
}

# A signal to go on to a process that never stood still is nothing.
continued_without_a_stop() {
	lab_veth
	start_probe -q --json -i 0.05 -w 1.5 10.7.0.2
	sleep 0.5
	kill -CONT "$PROBE"
	wait_probe
	assert_json "$OUT" '.disturbance.stops == 0 and (.targets[0].outages | length == 0)'
}

# Far more than one thread can send; two bytes of payload make no difference to that.
beyond_the_machine() {
	lab_veth
	run_command "${FIRST[@]}" "$FPING_BENCH" -q --json --rate 1000000 -w 0.5 10.7.0.2
	first_reason cpu-saturated rate-not-held no-steady-state local-receive-drops
	assert_json "$OUT" '.valid.reasons | map(.code) | index("rate-not-held") != null'
	assert_json "$OUT" '.targets[0].skipped > 0'
}

strict_exits_4() {
	lab_veth
	run_probe -q --json --strict --rate 1000000 -w 1 10.7.0.2
	assert_status 4
	run_probe -q --json --rate 1000000 -w 1 10.7.0.2
	assert_status 0
}

strict_and_unanswered() {
	lab_veth
	in_peer sysctl -qw net.ipv4.icmp_echo_ignore_all=1
	run_probe -q --strict -c 2 -i 0.01 -W 0.1 10.7.0.2
	assert_status 4 # nothing was received: not valid
	run_probe -q -c 2 -i 0.01 -W 0.1 10.7.0.2
	assert_status 1
	run_probe --strict -c x 10.7.0.2
	assert_status 2
}

clean() {
	lab_veth
	run_command "${FIRST[@]}" "$FPING_BENCH" -q --json --strict "$@" 10.7.0.2
	assert_status 0
	assert_json "$OUT" '.valid == {"ok": true, "reasons": []}'
	assert_json "$OUT" '.disturbance | .stops == 0 and .clock_steps == 0 and .suspended_ns == 0'
	assert_json "$OUT" '.cpu.steal_s >= 0 and .cpu.softnet_drops == 0'
}

# The interface's facts, beside what the driver of veth is known to have.
interface_facts() {
	lab_veth
	run_probe -q --json -c 3 -i 0.01 10.7.0.2
	assert_json "$OUT" '.environment | .driver == "veth" and
		(.offloads | index("generic-segmentation-offload") != null)'
	run_probe -q --json -c 3 -i 0.01 no-such-interface.invalid 10.7.0.2
	assert_json "$OUT" '.environment | .driver == "veth" and .offloads != null'
}

an_offload_goes_off() {
	require ethtool
	lab_veth
	in_lab ethtool -K va gso off
	run_probe -q --json -c 3 -i 0.01 10.7.0.2
	assert_json "$OUT" '.environment.offloads | index("generic-segmentation-offload") == null'
}

test_case small-receive-buffer in_three_tries small_receive_buffer -f -l 64 -W 0.1 -c 5000
test_case processor-hog-flood in_three_tries hog_on_our_processor -f -w 2
test_case processor-hog-interval in_three_tries hog_on_our_processor -i 0.001 -w 2
test_case stopped-flood in_three_tries stopped -f
test_case stopped-depth in_three_tries stopped --depth 16
test_case stopped-interval in_three_tries stopped -i 0.01
test_case busy-is-not-stopped in_three_tries busy_is_not_stopped
test_case continued-without-a-stop in_three_tries continued_without_a_stop
test_case rate-beyond-the-machine in_three_tries beyond_the_machine
test_case strict-exits-4 in_three_tries strict_exits_4
test_case strict-and-unanswered strict_and_unanswered
test_case clean-flood in_three_tries clean -f -c 10000
test_case clean-depth in_three_tries clean --depth 64 -c 20000
test_case clean-interval in_three_tries clean -i 0.01 -c 100
test_case interface-facts interface_facts
test_case an-offload-goes-off an_offload_goes_off
