#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The clock of a run: one that is too coarse is caught by measuring it, and then nothing finer than
# its step is told; the processor's counter measures the same as the kernel's clock, or is refused.
. "$(dirname "$0")/../lib.sh"

# The step of CLOCK_MONOTONIC_COARSE is that of the kernel's tick: 1 to 10 ms.
tick_ms() { json_value "$1" '.clock.step_ns / 1e6'; }

# assert_whole_ticks TICK_MS FILE: each of the numbers of milliseconds in the file, one a line, is a
# multiple of the tick as far as its digits tell.
assert_whole_ticks() {
	awk -v tick="$1" '
		{ n = int($1 / tick + 0.5); off = $1 - n * tick; if (off < 0) off = -off }
		off > 0.0006 { print "finer than the step of " tick " ms: " $1; bad = 1 }
		END { exit bad || NR == 0 }' "$2" || fail "$(head -c 300 "$2")"
}

# Every time that the run's clock has measured.
all_times='[.targets[0] | ((.rtt[], .lateness, .delay_variation.pdv // empty) |
	select(. != null) | .min_ns, .mean_ns, .stddev_ns, .p50_ns, .p90_ns, .p99_ns, .p999_ns, .max_ns),
	.delay_variation.rfc3550_ns, .in_flight.time_weighted_rtt_ns, .ewma_rtt_ns | select(. != null)]'

coarse_document() {
	lab_loopback
	run_probe --clock coarse -q --json "$@" 127.0.0.1
	assert_status 0
	assert_json "$OUT" '.clock.source == "coarse" and (.clock.step_ns | . >= 900000 and . <= 10100000)'
	assert_json "$OUT" '.valid.ok == false and .valid.reasons[0].code == "clock-too-coarse" and
		(.valid.reasons[0].text | test("clock"))'
	assert_json "$OUT" '.clock.hiccup_ns == null and .clock.zero_share > 0.5'
	assert_json "$OUT" "$all_times | length > 8"
	json_value "$OUT" "$all_times | .[] / 1e6" >"$TMP/times"
	assert_whole_ticks "$(tick_ms "$OUT")" "$TMP/times"
	# No stamp of the kernel can be placed on it, so nothing finer comes in that way.
	assert_json "$OUT" '.settings.stamps == "user" and .targets[0].rtt.kernel == null'
	assert_accounting "$OUT"
}

# What people read: reply lines, the status line, the figures of ping and ours.
coarse_text() {
	local tick
	lab_loopback
	run_probe --clock coarse -q --json -c 2 -i 0.01 127.0.0.1
	tick=$(tick_ms "$OUT")
	start_probe --clock coarse -i 0.1 -c 20 127.0.0.1
	sleep 1
	kill -QUIT "$PROBE"
	wait_probe
	assert_status 0
	assert_equal "$(grep -c 'time=' "$OUT")" 20 "reply lines"
	sed -nE 's/.*time=([0-9.]+) ms.*/\1/p' "$OUT" >"$TMP/times"
	assert_whole_ticks "$tick" "$TMP/times"
	sed -nE 's/^rtt min.* = ([0-9./]+) ms.*/\1/p' "$OUT" | tr / '\n' >"$TMP/times"
	assert_equal "$(wc -l <"$TMP/times")" 4 "ping's figures"
	assert_whole_ticks "$tick" "$TMP/times"
	sed -nE 's/.*min\/avg\/ewma\/max = ([0-9./]+) ms.*/\1/p' "$ERR" | tr / '\n' >"$TMP/times"
	assert_equal "$(wc -l <"$TMP/times")" 4 "figures of the status line"
	assert_whole_ticks "$tick" "$TMP/times"
	# Ours, but for the error that stands behind them.
	sed -nE '/^rtt  |^  [a-z]|^variation|^in flight/{ s/\(\+-[^)]*\)//g; p }' "$OUT" |
		grep -oE '[0-9.]+ (ns|us|ms)' |
		awk '{ print $2 == "ns" ? $1 / 1e6 : $2 == "us" ? $1 / 1e3 : $1 }' >"$TMP/times"
	assert_whole_ticks "$tick" "$TMP/times"
	assert_grep '^valid +no' "$OUT"
}

coarse_is_strict() {
	lab_loopback
	run_probe --clock coarse --strict -q -c 5 -i 0.01 127.0.0.1
	assert_status 4
}

# Without --clock: the kernel's clock, measured, with its error beside the figures.
auto_says_why() {
	lab_loopback
	run_probe -f -q -c 1000 --json 127.0.0.1
	assert_status 0
	assert_json "$OUT" '.clock | .source == "monotonic" and (.reason | length > 10) and
		.step_ns > 0 and .step_ns <= 1000 and .read_ns > 0 and .zero_share < 0.5 and .hiccup_ns > 0'
	assert_json "$OUT" '.clock.error_ns as $error | .targets[0].rtt.user.p50_ns as $rtt |
		$error >= .clock.step_ns + .clock.read_ns and $error < .clock.step_ns + .clock.read_ns + $rtt / 100'
	run_probe -f -q -c 1000 127.0.0.1
	assert_grep '^(rtt|   ) .*\(\+-[0-9.]+ [nu]s clock\)' "$OUT"
}

measuring_is_quick() {
	local clock
	lab_loopback
	for clock in monotonic raw coarse; do
		in_lab "$HELPERS/timed" "$TMP/times" "$FPING_BENCH" --clock "$clock" -q -A -c 1 127.0.0.1
		# Besides 20 ms of measuring the clock there is little to do.
		assert_between "$(awk '{ print $1 / 1e6 }' "$TMP/times")" 0 60 "ms in all with $clock"
	done
}

# ---- the processor's counter ----

# run_tsc ARGUMENT...: as run_probe with --clock tsc; skips where the counter is refused, with the
# reason that is given for it.
run_tsc() {
	run_probe --clock tsc "$@"
	[ "$STATUS" -ne 2 ] || skip "the counter is refused here: $(head -c 200 "$ERR")"
}

median_of() {
	run_command taskset -c 0 "$FPING_BENCH" --clock "$1" -q --stamps user --json -A -c 60 10.66.0.2
	assert_status 0
	json_value "$OUT" .targets[0].rtt.user.p50_ns
}

agrees_once() {
	rm -f "$TMP/monotonic" "$TMP/tsc"
	lab_tun_awake tp0 'default: delay 10ms'
	for _ in 1 2 3; do
		median_of monotonic >>"$TMP/monotonic"
		median_of tsc >>"$TMP/tsc"
	done
	peer_stop
	assert_between "$(paste <(sort -g "$TMP/tsc") <(sort -g "$TMP/monotonic") |
		awk 'NR == 2 { printf "%.6f", $1 / $2 }')" 0.999 1.001 "median by tsc to that by monotonic"
}

tsc_agrees() {
	lab_loopback
	run_tsc -q -c 1 127.0.0.1
	lab_end
	LAB='' PEER=''
	in_three_tries agrees_once
}

# What a calibrated counter says of itself.
tsc_document() {
	lab_loopback
	run_tsc -q --json -i 0.01 -c 20 127.0.0.1
	assert_status 0
	assert_json "$OUT" '.clock | .source == "tsc" and .counts_per_s > 1e6 and
		.calibration_bound > 0 and .calibration_bound < 1e-4 and (.drift | fabs) < 1e-4 and
		.fault == null or .fault == ""'
	assert_json "$OUT" '.targets[0] | .received == 20 and .rtt.user.min_ns > 0 and .clock_errors == 0'
}

# rate_of: counts a second and the bound of that, of the last run.
rate_of() { json_value "$OUT" '.clock | "\(.counts_per_s) \(.calibration_bound)"'; }

# assert_same_rate RATE BOUND RATE BOUND: two calibrations agree within what they claim (1 ppm at the
# least, for two runs are not at the same moment), and what they claim is worth something.
assert_same_rate() {
	awk -v a="$1" -v x="$2" -v b="$3" -v y="$4" 'BEGIN {
		off = (a - b) / a
		if (off < 0) off = -off
		exit !(x < 1e-4 && y < 1e-4 && off <= (x + y > 1e-6 ? x + y : 1e-6))
	}' || fail "counts a second (bound): $1 ($2) and $3 ($4)"
}

# right_or_refused QUIET: the last run was refused with a reason, or found the same rate.
right_or_refused() {
	if [ "$STATUS" -eq 2 ]; then
		assert_grep 'counter|tsc|calibrat' "$ERR" "the reason of the refusal"
		return
	fi
	assert_status 0
	# shellcheck disable=SC2046,SC2086 # two words each
	assert_same_rate $1 $(rate_of)
}

tsc_beside_hogs() {
	local quiet hogs=() i
	lab_loopback
	run_tsc -q --json -c 1 127.0.0.1
	quiet=$(rate_of)
	for ((i = 0; i < $(nproc); i++)); do
		background sh -c 'while :; do :; done'
		hogs+=("$SPAWNED")
	done
	for _ in 1 2 3; do
		run_probe --clock tsc -q --json -c 1 127.0.0.1
		right_or_refused "$quiet"
	done
	kill "${hogs[@]}"
}

# Stopped for longer than the calibration lasts, at several moments of it.
tsc_stopped() {
	local quiet moment
	lab_loopback
	run_tsc -q --json -c 1 127.0.0.1
	quiet=$(rate_of)
	for moment in 0.05 0.2 0.35 0.5; do
		start_probe --clock tsc -q --json -c 1 127.0.0.1
		sleep "$moment"
		kill -STOP "$PROBE"
		sleep 0.8
		kill -CONT "$PROBE"
		wait_probe
		right_or_refused "$quiet"
	done
}

test_case coarse-interval coarse_document -i 0.01 -c 50
test_case coarse-flood coarse_document -f -c 2000
test_case coarse-depth coarse_document --depth 8 -c 2000
test_case coarse-text coarse_text
test_case coarse-is-strict coarse_is_strict
test_case auto-says-why auto_says_why
test_case measuring-is-quick in_three_tries measuring_is_quick
test_case tsc-document tsc_document
test_case tsc-agrees-with-monotonic tsc_agrees
test_case tsc-beside-hogs tsc_beside_hogs
test_case tsc-stopped-meanwhile tsc_stopped
