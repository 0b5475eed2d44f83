#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The real-time clock is set during a run (by tests/e2e/shim, for the probe alone): the kernel's
# stamps around that moment are void, the run is not, and the report says so first.
. "$(dirname "$0")/../lib.sh"

SHIM=$HELPERS/clock-shim.so

# run_stepped STEPS ARGUMENT...: STEPS as in tests/e2e/shim/clock.c, AT_MS:STEP_MS,...
run_stepped() {
	local steps=$1
	shift
	run_command env CLOCK_STEPS="$steps" LD_PRELOAD="$SHIM" "$FPING_BENCH" --json -q "$@"
}

# Nothing of what our own clock measures knows of the step.
assert_run_is_whole() {
	assert_status 0
	assert_json "$OUT" '.targets[0] | .received == .sent and .lost == 0 and .clock_errors == 0 and
		.rtt.user.samples == .received and .rtt.user.min_ns > 0 and .rtt.user.max_ns < 500000000'
	assert_accounting "$OUT"
}

# What the kernel's stamps measured is no longer than what lies around it.
assert_stamps_are_sane() {
	assert_json "$OUT" '.targets[0].rtt as $rtt | [$rtt.ping, $rtt.kernel | select(. != null) |
		.min_ns >= 0 and .max_ns <= $rtt.user.max_ns + 1000] | all'
}

# one_step STEP_MS ARGUMENT...: a step after about a third of the run of 2.4 s.
one_step() {
	local step=$1
	shift
	lab_veth
	run_stepped "800:$step" "$@" -w 2.4 10.7.0.2
	assert_run_is_whole
	assert_json "$OUT" ".disturbance.clock_steps == 1 and
		(.disturbance.largest_step_ns - $step * 1e6 | fabs) < 1000000" "the step"
	assert_json "$OUT" '.valid.ok == false and .valid.reasons[0].code == "clock-stepped" and
		(.valid.reasons | map(.code) - ["clock-stepped", "cpu-contended", "rate-not-held", "no-steady-state"] == [])' "the reason"
	assert_stamps_are_sane
}

# A second's stamps are void, not the run's: of 2.4 s some 1.4 s have them.
a_second_is_void() {
	one_step "$1" -i 0.005 --stamps split
	assert_json "$OUT" '.targets[0] | .sent as $sent | .rtt.ping.samples / $sent | . > 0.35 and . < 0.75' \
		"replies with a stamp"
	assert_json "$OUT" '.targets[0] | .stamps.complete == .rtt.kernel.samples and
		(.stamps.complete / .sent | . > 0.35 and . < 0.75)'
}

# A step while nothing is under way is known by the timer, before any stamp tells.
nothing_under_way() {
	lab_veth
	run_stepped "500:-7200000" -i 1 -c 2 10.7.0.2
	assert_run_is_whole
	assert_json "$OUT" '.disturbance.clock_steps == 1'
	assert_json "$OUT" '.valid.reasons[0].code == "clock-stepped"'
	assert_stamps_are_sane
}

two_steps() {
	lab_veth
	run_stepped "400:60000,1200:-90000" -i 0.005 -w 3 10.7.0.2
	assert_run_is_whole
	assert_json "$OUT" '.disturbance.clock_steps == 2 and
		(.disturbance.largest_step_ns + 90e9 | fabs) < 1e6' "the steps"
	assert_stamps_are_sane
}

# Without stamps of the kernel a step changes nothing, so it is no reason.
no_stamps_no_matter() {
	lab_veth
	run_stepped "500:3600000" -i 0.005 -w 1.5 --stamps user 10.7.0.2
	assert_run_is_whole
	assert_json "$OUT" '.valid.reasons | map(select(.code == "clock-stepped")) | length == 0'
}

# The shim itself disturbs nothing.
step_never_comes() {
	lab_veth
	run_stepped "3600000:1000" -i 0.005 -w 1 10.7.0.2
	assert_run_is_whole
	assert_json "$OUT" '.disturbance.clock_steps == 0 and .disturbance.largest_step_ns == 0'
	assert_json "$OUT" '.valid.ok and .targets[0].rtt.ping.samples == .targets[0].received'
}

text_says_so() {
	lab_veth
	run_command env CLOCK_STEPS=300:3600000 LD_PRELOAD="$SHIM" "$FPING_BENCH" -q -i 0.01 -w 1 10.7.0.2
	assert_status 0
	assert_grep '^valid +no' "$OUT"
	assert_grep '^ +clock-stepped: ' "$OUT"
}

test_case forwards-an-hour in_three_tries a_second_is_void 3600000
test_case backwards-an-hour in_three_tries a_second_is_void -3600000
test_case forwards-20-ms in_three_tries one_step 20 -i 0.005
test_case backwards-20-ms in_three_tries one_step -20 -i 0.005
test_case in-a-flood in_three_tries one_step 1000 -f
test_case in-a-deep-run in_three_tries one_step -1000 --depth 32
test_case nothing-under-way nothing_under_way
test_case two-steps in_three_tries two_steps
test_case no-stamps-no-matter in_three_tries no_stamps_no_matter
test_case step-never-comes in_three_tries step_never_comes
test_case text-says-so text_says_so
