#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Order, losses, lifetimes and variation of delay: figures against a peer that did exactly this.
. "$(dirname "$0")/../lib.sh"

# answered SCRIPT ARGUMENT...: a run against a peer with that script.
answered() {
	local script=$1
	shift
	lab_tun tp0 "$script"
	run_probe -q --json "$@"
	peer_stop
	assert_accounting "$OUT"
}

# assert_near EXPRESSION VALUE TOLERANCE: of the last run's document.
assert_near() {
	assert_json "$OUT" "($1) as \$x | \$x != null and (\$x - ($2) | fabs) <= $3"
}

# ---- RFC 4737 ----

# A reply in every 20 ms; the fifth comes behind three that were sent after it.
one_behind_three() {
	answered 'request 5: delay 70ms; all: delay 0' -i 0.02 -c 20 "$1"
	assert_json "$OUT" '.targets[0] | .received == 20 and .reordered == 1'
	assert_json "$OUT" '.targets[0].reordering | .ratio == 0.05 and .extent_max == 3 and .extent_p99 == null'
}

# The fifth and the sixth come behind the seventh and the eighth, the sixth first: 1 2 3 4 7 8 6 5.
# From the earliest reply with a higher number (7, for both) the sixth is two, the fifth three away.
two_behind_two() {
	answered 'request 5: delay 77ms; request 6: delay 50ms; all: delay 0' -i 0.02 -c 12 "$1"
	assert_json "$OUT" '.targets[0] | .received == 12 and .reordered == 2'
	assert_near '.targets[0].reordering.ratio' '2 / 12' 1e-9
	assert_json "$OUT" '.targets[0].reordering.extent_max == 3'
}

# Each second one is held until its successor was answered.
pairs_swapped() {
	answered 'every 2 offset 1: hold until +1' -i 0.005 -c 400 "$1"
	assert_json "$OUT" '.targets[0] | .received == 400 and .reordered == 200'
	assert_json "$OUT" '.targets[0].reordering | .ratio == 0.5 and .extent_max == 1'
}

all_in_order() {
	answered 'every 7: repeat 2 every 30ms; request 9: drop; request 12: delay 250ms' \
		-i 0.01 -c 40 -W 0.2 "$1"
	# Duplicates and late replies have no order.
	assert_json "$OUT" '.targets[0] | .duplicates == 5 and .late == 1 and .reordered == 0'
	assert_json "$OUT" '.targets[0].reordering | .ratio == 0 and .extent_max == 0'
}

# ---- losses ----

runs_of_losses() {
	answered 'request 3,9,20: drop; request 5-7: drop; request 11-13: drop; request 15-18: drop' \
		-i 0.005 -c 30 -W 0.2 "$1"
	assert_json "$OUT" '.targets[0] | .lost == 13 and .loss_runs == [[1, 3], [3, 2], [4, 1]]'
	# Wilson, z = 1.959964: p = 13/30
	assert_near '.targets[0].loss_ci95[0]' 0.27380 0.0001
	assert_near '.targets[0].loss_ci95[1]' 0.60801 0.0001
}

# Losses by other causes belong to the runs: an error, a damaged reply, one that comes too late.
runs_of_all_causes() {
	answered 'request 5: drop; request 6: error host-unreachable; request 7: corrupt 30;
		request 8: delay 350ms; request 10: error host-unreachable' -i 0.02 -c 40 -W 0.2 "$1"
	assert_json "$OUT" '.targets[0] | .lost == 5 and .loss_runs == [[1, 1], [4, 1]]'
	assert_json "$OUT" '.targets[0].lost_by_cause | .unknown == 1 and .error_reply == 2 and
		.damaged_reply == 1 and .late_reply == 1'
}

run_at_the_end() {
	answered 'request 1,2: drop; request 19-: drop' -i 0.005 -c 20 -W 0.2 "$1"
	assert_json "$OUT" '.targets[0] | .lost == 4 and .loss_runs == [[2, 2]]'
}

none_lost() {
	answered 'all: delay 0' -i 0.005 -c 300 "$1"
	# Three in n at most, with 95 %; the interval of Wilson has its upper end nearby.
	assert_json "$OUT" '.targets[0] | .lost == 0 and .loss == 0 and .loss_runs == [] and
		.loss_ci95[0] == 0 and .loss_ci95[1] > 2.9 / 300 and .loss_ci95[1] < 4 / 300'
}

# ---- lifetimes ----

lifetimes() {
	answered 'request 1-10: ttl 60; request 11-: ttl 57' -i 0.005 -c 20 "$1"
	assert_json "$OUT" '.targets[0] | .reply_ttl == [60, 57] and .reply_ttl_changes == 1'
}

lifetimes_alternate() {
	answered 'every 2: ttl 60; all: ttl 64' -i 0.005 -c 20 "$1"
	assert_json "$OUT" '.targets[0] | .reply_ttl == [64, 60] and .reply_ttl_changes == 19'
}

lifetimes_in_text() {
	lab_tun tp0 'request 1-10: ttl 60; all: ttl 57'
	run_probe -q -i 0.005 -c 20 10.66.0.2
	peer_stop
	assert_grep '60.*57' "$OUT" "both lifetimes are told"
}

# ---- variation of delay ----

# Delays of 5 and 10 ms in turn: successive ones differ by 5 ms, every time.
two_delays() {
	lab_tun_awake tp0 'every 2: delay 10ms; all: delay 5ms'
	run_probe -q --json -i 0.02 -c 100 "$1"
	peer_stop
	assert_json "$OUT" '.targets[0] | .received == 100 and .reordered == 0'
	assert_near '.targets[0].delay_variation.ipdv_mean_ns' 5e6 2e5
	# J += (|D| - J) / 16, 99 times with |D| = 5 ms
	assert_near '.targets[0].delay_variation.rfc3550_ns' '5e6 * 0.99832' 2e5
	# Half of them are the fast ones: the median is the slowest of those, or the first of the others.
	assert_json "$OUT" '.targets[0].delay_variation.pdv | .samples == 100 and .min_ns == 0 and
		.p50_ns < 5500000'
	assert_near '.targets[0].delay_variation.pdv.p90_ns' 5e6 4e5
	assert_near '.targets[0].delay_variation.pdv.mean_ns' 2.5e6 2e5
	assert_near '.targets[0].delay_variation.pdv.max_ns' '.targets[0].rtt.user | .max_ns - .min_ns' 1
}

steady_delay() {
	local late
	lab_tun_awake tp0 'all: delay 5ms'
	run_probe -q --json -i 0.01 -c 100 "$1"
	peer_stop
	late=$(json_value "$PEER_JSON" .lateness_ns.p99)
	assert_json "$OUT" ".targets[0].delay_variation | .rfc3550_ns > 0 and .rfc3550_ns < 200000 + $late and
		.pdv.samples == 100 and .pdv.p50_ns < 200000 + $late"
}

# ---- steadiness ----

# A tenth of the run is slower than the rest: steady, and what to leave out is told.
slow_beginning() {
	lab_tun_awake tp0 'request 1-200: delay 3ms; all: delay 1ms'
	run_probe -q --json -i 0.001 -c 2000 "$1"
	peer_stop
	assert_json "$OUT" '.valid.reasons | map(.code) | index("no-steady-state") == null'
	assert_json "$OUT" '.targets[0].steady | .cut_replies >= 180 and .cut_replies <= 320' "what to cut"
}

# The delay changes for good behind the middle.
shift_behind_the_middle() {
	lab_tun_awake tp0 'request 1-1200: delay 1ms; all: delay 2ms'
	run_probe -q --json -i 0.001 -c 2000 "$1"
	peer_stop
	assert_json "$OUT" '.valid.ok == false and (.valid.reasons | map(.code) | index("no-steady-state") != null)'
}

for family in 4 6; do
	target=10.66.0.2
	[ "$family" = 4 ] || target=fd66::2
	test_case "one-behind-three-$family" in_three_tries one_behind_three "$target"
	test_case "two-behind-two-$family" in_three_tries two_behind_two "$target"
	test_case "pairs-swapped-$family" in_three_tries pairs_swapped "$target"
	test_case "all-in-order-$family" in_three_tries all_in_order "$target"
	test_case "runs-of-losses-$family" runs_of_losses "$target"
	test_case "runs-of-all-causes-$family" in_three_tries runs_of_all_causes "$target"
	test_case "run-at-the-end-$family" run_at_the_end "$target"
	test_case "none-lost-$family" none_lost "$target"
	test_case "lifetimes-$family" lifetimes "$target"
	test_case "lifetimes-alternate-$family" lifetimes_alternate "$target"
	test_case "two-delays-$family" in_three_tries two_delays "$target"
	test_case "steady-delay-$family" in_three_tries steady_delay "$target"
done
test_case lifetimes-in-text lifetimes_in_text
test_case slow-beginning in_three_tries slow_beginning 10.66.0.2
test_case shift-behind-the-middle in_three_tries shift_behind_the_middle 10.66.0.2
