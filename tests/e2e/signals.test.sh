#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Signals: one report whenever the end comes, what is out stays out, and a stop asked for is a stop
# at once.
. "$(dirname "$0")/../lib.sh"

now_ms() { date +%s%3N; }

# Sends SIGNAL after SECONDS and checks that a whole report comes within 100 ms (and a little for
# this script).
stop_with() {
	local signal=$1 seconds=$2 before
	shift 2
	lab_veth
	start_probe -q --json "$@" 10.7.0.2
	sleep "$seconds"
	before=$(now_ms)
	kill "-$signal" "$PROBE"
	wait_probe
	assert_between $(($(now_ms) - before)) 0 250 "ms until the report was there"
	assert_status 0
	assert_json "$OUT" '.targets[0].sent > 0 and .targets[0].lost == 0'
	assert_accounting "$OUT"
}

text_report_once() {
	lab_veth
	start_probe -f -q 10.7.0.2
	sleep 0.3
	kill -INT "$PROBE"
	wait_probe
	assert_status 0
	assert_equal "$(grep -c 'ping statistics' "$OUT")" 1 "one report"
}

in_flight_is_not_lost() {
	lab_veth
	in_peer sysctl -qw net.ipv4.icmp_echo_ignore_all=1
	start_probe -q -i 0.01 -W 5 --json 10.7.0.2
	sleep 0.6
	kill -INT "$PROBE"
	wait_probe
	assert_status 1
	assert_json "$OUT" '.targets[0] | .lost == 0 and .in_flight_at_end == .sent and .sent > 30 and .loss == null'
}

status_lines() {
	lab_veth
	start_probe -q -i 0.05 -c 30 10.7.0.2
	sleep 0.5
	kill -QUIT "$PROBE"
	sleep 0.3
	kill -QUIT "$PROBE"
	wait_probe
	assert_status 0
	assert_equal "$(grep -cE '^[0-9]+/[0-9]+ packets, 0% loss, min/avg/ewma/max = ' "$ERR")" 2 "status lines"
	assert_grep '30 packets transmitted, 30 received' "$OUT"
}

signal_storm() {
	local i
	lab_veth
	start_probe -q -i 0.005 -c 400 --json 10.7.0.2
	wait_until 5 grep -q '^SigCgt:.*[4567cdef]$' "/proc/$PROBE/status" # SIGQUIT has its handler
	for ((i = 0; i < 200; i++)); do
		kill -QUIT "$PROBE" && kill -WINCH "$PROBE"
		sleep 0.005
	done
	wait_probe
	assert_status 0
	assert_json "$OUT" '.targets[0] | .sent == 400 and .received == 400 and .duplicates == 0'
}

second_one_ends_at_once() {
	lab_veth
	start_probe -q -i 0.01 10.7.0.2
	sleep 0.3
	kill -STOP "$PROBE"
	kill -INT "$PROBE"
	kill -TERM "$PROBE"
	kill -CONT "$PROBE"
	wait_probe
	case $STATUS in
	0 | 130) ;;
	*) fail "status $STATUS" ;;
	esac
}

ignored_stays_ignored() {
	lab_veth
	(
		trap '' INT
		exec ip netns exec "$LAB" "$FPING_BENCH" -q -i 0.05 -c 20 10.7.0.2
	) >"$OUT" 2>"$ERR" &
	PROBE=$!
	sleep 0.3
	kill -INT "$PROBE"
	wait_probe
	assert_grep '20 packets transmitted, 20 received' "$OUT"
}

no_burst_after_a_stop() {
	lab_veth
	capture_start "$PEER" vb 'icmp[0] = 8'
	start_probe -q -i 0.001 -w 3 --json 10.7.0.2
	sleep 0.7
	kill -STOP "$PROBE"
	sleep 1
	kill -CONT "$PROBE"
	wait_probe
	capture_stop
	# At most ten fall due in 10 ms; those are sent in one burst, older ones are left out. A machine
	# that stalls once more in the middle of it makes it two.
	tcpdump -r "$CAPTURE" -n -tt 2>/dev/null | awk '
		{ t[NR] = $1 }
		END {
			for (i = 1; i <= NR; i++) {
				n = 0
				for (j = i; j <= NR && t[j] - t[i] < 0.0005; j++) n++
				if (n > most) most = n
			}
			print most
		}' >"$TMP/most"
	assert_between "$(cat "$TMP/most")" 1 22 "requests within half a millisecond"
	assert_json "$OUT" '.targets[0] | .skipped > 900 and .skipped < 1200 and .lost == 0'
	assert_json "$OUT" '.valid.ok == false and (.valid.reasons | map(.code) | index("rate-not-held") != null)'
}

# A stop longer than the timeout, with hundreds of replies unread in our socket: they came in time by
# the kernel's stamp, so none is lost.
stopped_is_not_lost() {
	lab_loopback
	start_probe -q --depth 512 -w 4 -W 0.5 --json 127.0.0.1
	sleep 1
	kill -STOP "$PROBE"
	sleep 1
	kill -CONT "$PROBE"
	wait_probe
	assert_status 0
	assert_json "$OUT" '.targets[0] | .rtt.user.max_ns > 900000000 and .lost == 0 and .late == 0 and .in_flight.max == 512'
	assert_accounting "$OUT"
}

holds_its_rate() {
	local expected=$3
	lab_veth
	run_probe -q -i "$1" -c "$2" --json 10.7.0.2
	assert_status 0
	assert_between "$(json_value "$OUT" '.targets[0] | (.sent + .skipped - 1) / (.elapsed_ns / 1e9)')" \
		"$(awk "BEGIN { print 0.98 * $expected }")" "$(awk "BEGIN { print 1.02 * $expected }")" "requests a second"
}

deadline_holds() {
	local before
	lab_veth
	in_peer sysctl -qw net.ipv4.icmp_echo_ignore_all=1
	before=$(now_ms)
	run_probe -q -w "$1" -i 1 --json 10.7.0.2
	assert_between $(($(now_ms) - before)) "$2" $(($2 + 150)) "ms"
	assert_status 1
	assert_equal "$(json_value "$OUT" '.targets[0].sent')" "$3" "no request at the deadline itself"
}

test_case INT-interval in_three_tries stop_with INT 0.5 -i 0.01
test_case INT-flood in_three_tries stop_with INT 0.5 -f
test_case TERM-depth in_three_tries stop_with TERM 0.5 --depth 64
test_case HUP-flood in_three_tries stop_with HUP 0.5 -f
test_case INT-early in_three_tries stop_with INT 0.05 -i 0.01
test_case text-report-once text_report_once
test_case in-flight-is-not-lost in_flight_is_not_lost
test_case status-lines status_lines
test_case signal-storm signal_storm
test_case second-one-ends-at-once second_one_ends_at_once
test_case ignored-stays-ignored ignored_stays_ignored
test_case no-burst-after-a-stop no_burst_after_a_stop
test_case stopped-is-not-lost stopped_is_not_lost
test_case rate-1ms in_three_tries holds_its_rate 0.001 2000 1000
test_case rate-500us in_three_tries holds_its_rate 500us 4000 2000
test_case rate-100us in_three_tries holds_its_rate 0.0001 10000 10000
test_case rate-9.99ms in_three_tries holds_its_rate 0.00999 200 100.1
test_case deadline-2s in_three_tries deadline_holds 2 2000 2
test_case deadline-50ms in_three_tries deadline_holds 0.05 50 1
