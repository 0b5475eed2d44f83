#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The kernel's stamps: where the time of a round trip goes, and where the requests in flight are. The
# network's part is compared with a tap (tests/e2e/tap) and with a peer whose delay is known.
. "$(dirname "$0")/../lib.sh"

# On the first processor, so that the tap or the peer on the last one is not in the way.
run_pinned() { run_command taskset -c 0 "$FPING_BENCH" -q --json "$@"; }

# What is true of every run with send stamps on a quiet path.
assert_split() {
	assert_status 0
	assert_json "$OUT" '.settings.stamps == "split"'
	assert_json "$OUT" '.targets[0] | .received == .sent and .lost == 0 and .local_drops == 0'
	assert_json "$OUT" '.targets[0].stamps | .sampled > 0 and .voided == 0 and
		.complete == .sampled and .missing_queue == 0 and .missing_driver == 0 and
		.missing_receive == 0' "stamps of every request in the sample"
	assert_json "$OUT" '.targets[0] | .stamps.complete as $n | .rtt.kernel.samples == $n and
		([.budget[] | .samples == $n] | all and length == 5)' "samples"
	# Of the same requests no part is longer than the whole; a sample has a median of its own.
	assert_json "$OUT" '(if .settings.stamp_every == 1 then 1 else 1.02 end) as $sample |
		.targets[0] | .rtt.kernel.p50_ns <= .rtt.ping.p50_ns * $sample and
		.rtt.ping.p50_ns <= .rtt.user.p50_ns and .rtt.ping.min_ns <= .rtt.user.min_ns'
	assert_accounting "$OUT"
}

# Without --stamps: send stamps, on one request in 64 in flood and depth mode, and on every one of an
# open loop up to 50,000 requests a second.
default_sampling() {
	lab_veth
	run_pinned -f -c 6400 10.7.0.2
	assert_split
	assert_json "$OUT" '.settings.stamp_every == 64 and .targets[0].stamps.sampled == 100'
	run_pinned --depth 4 -c 6400 fd07::2
	assert_split
	assert_json "$OUT" '.settings.stamp_every == 64 and .targets[0].stamps.sampled == 100'
	run_pinned --rate 1000 -c 300 10.7.0.2
	assert_split
	assert_json "$OUT" '.settings.stamp_every == 1 and .targets[0].stamps.sampled == 300'
	run_pinned --rate 60000 -c 6400 10.7.0.2
	assert_json "$OUT" '.settings.stamp_every == 64 and .targets[0].stamps.sampled == 100'
}

# The five parts of a round trip are the whole of it: where every request is in the sample, their
# means add up to that of the whole.
budget_adds_up() {
	lab_veth
	run_pinned --stamps split "$@"
	assert_split
	assert_json "$OUT" '.settings.stamp_every == 1'
	assert_json "$OUT" '.targets[0] | ([.budget[].mean_ns] | add) as $sum |
		($sum - .rtt.user.mean_ns | fabs) < 1000 + .rtt.user.mean_ns / 1000' "sum of the parts"
	assert_json "$OUT" '.targets[0] | .budget.driver_to_driver.p50_ns == .rtt.kernel.p50_ns'
}

# In flight by our own count, in the send call, on the network and waiting in our socket, each from
# stamps of its own, meet.
explained_once() {
	lab_veth
	run_pinned --stamps split -c 60000 "$@"
	assert_split
	assert_json "$OUT" '.targets[0].in_flight | .sending > 0 and .network > 0 and .receive_queue > 0 and
		(.unexplained / .mean | fabs) < 0.02' "nothing is left unexplained"
	assert_json "$OUT" '.targets[0].in_flight | (.littles_law - .mean) / .mean | fabs < 0.01'
}

# The kernel's part of the round trip is that of a tap at the far end, whatever the depth, while our
# own grows with it. The far tap sees a request some 0.1 us after the driver; a near one (which also
# slows what it sees down) sees it before.
tap_once() {
	local target=$1 depth kernel user first_kernel='' first_user=''
	lab_veth
	for depth in 1 16 64 256; do
		tap_start -a "$PEER:vb" -d va
		run_pinned --stamps split --depth "$depth" -c 64000 "$target"
		tap_stop
		assert_split
		assert_json "$TAP_JSON" '.rtt.samples == 64000'
		kernel=$(json_value "$OUT" .targets[0].rtt.kernel.p50_ns)
		user=$(json_value "$OUT" .targets[0].rtt.user.p50_ns)
		echo "depth $depth: rtt.user $user, rtt.kernel $kernel, tap $(json_value "$TAP_JSON" .rtt.p50_ns)"
		assert_json "$TAP_JSON" ".rtt.p50_ns as \$tap | ($kernel - \$tap | fabs) as \$off |
			\$off <= 300 or \$off <= \$tap / 20" "rtt.kernel is $kernel ns at depth $depth"
		: "${first_kernel:=$kernel}" "${first_user:=$user}"
	done
	assert_between "$kernel" 1 $((2 * first_kernel)) "rtt.kernel at depth 256 ($first_kernel at 1)"
	assert_between "$user" $((10 * first_user)) 1e12 "rtt.user at depth 256 ($first_user at 1)"
}

# Between the two places where a tap can stand lies the truth.
bracket_once() {
	local kernel near=$TMP/near.json
	lab_veth
	tap_start -r va -d va
	ip netns exec "$LAB" taskset -c $(($(nproc) - 1)) "$HELPERS/tap" --ready "$TMP/near.ready" \
		-a "$PEER:vb" -d va >"$near" &
	wait_until 5 test -e "$TMP/near.ready"
	run_pinned --stamps split --rate 2000 -c 2000 10.7.0.2
	kill -TERM $!
	wait $! || fail "the second tap failed"
	tap_stop
	assert_split
	kernel=$(json_value "$OUT" .targets[0].rtt.kernel.p50_ns)
	# Half a class of the histogram more or less, and the grain of the clock.
	assert_between "$kernel" "$(json_value "$near" '.rtt.p50_ns * 0.995 - 20')" \
		"$(json_value "$TAP_JSON" '.rtt.p50_ns * 1.005 + 20')" "rtt.kernel between the two taps"
}

# A host that takes D + S for each answer, at depth 1: that is what the kernel's stamps see, and
# where the budget puts it. The peer says itself how late it was; handing a packet through the TUN
# device takes the rest.
exact_once() {
	local target=$1 exact=2100000 runs=$TMP/runs late
	lab_tun_awake tp0 'all: service 100us, delay 2ms'
	rm -f "$runs"
	run_pinned --stamps split -A -c 640 "$target"
	assert_split
	cat "$OUT" >>"$runs"
	run_pinned --stamps split -i 0.005 -c 300 "$target"
	assert_split
	cat "$OUT" >>"$runs"
	peer_stop
	late=$(json_value "$PEER_JSON" .lateness_ns.p50)
	jq -es "map(.targets[0] | .rtt.kernel.p50_ns, .budget.driver_to_driver.p50_ns | . - $exact |
		. >= 0 and . <= $late + 15000) | all and length == 4" "$runs" >/dev/null ||
		fail "not D + S (the peer: $late ns late): $(jq -c '.targets[0] |
			[.rtt.kernel.p50_ns, .budget.driver_to_driver.p50_ns]' "$runs")"
	jq -es 'map(.targets[0] | .rtt.user.p50_ns - .rtt.kernel.p50_ns | . > 0 and . < 500000) | all' \
		"$runs" >/dev/null || fail "what this host adds"
}

# X(N) <= min(N/R0, 1/S), and near it.
bounds_once() {
	local target=$1 slots
	lab_tun_awake tp0 'all: service 100us, delay 2ms'
	for slots in 1 4 16 64; do
		run_pinned --depth "$slots" -c $((slots * 50)) "$target"
		assert_json "$OUT" ".targets[0] | .received == .sent and
			([$slots / 2.1e-3, 1e4] | min) as \$bound | .rate.received_per_s / \$bound |
			. > 0.85 and . < 1.03" "rate with $slots in flight"
	done
	# Behind the knee it is the queue in front of the server that grows.
	assert_json "$OUT" '.targets[0].rtt.user.p50_ns | . > 6.2e6 and . < 7.5e6' "RTT is N x S"
	peer_stop
}

# The error queue is read until it is empty: nothing is charged to the socket while it waits, and
# waiting costs nothing. (A queue that is not empty makes poll return at once, for ever.)
queue_is_drained() {
	local i left=0
	lab_veth
	start_probe --stamps split --json -q -i 0.1 -c 25 "$1"
	sleep 0.5
	for ((i = 0; i < 15; i++)); do
		sleep 0.1
		left=$((left + $(in_lab cat /proc/net/raw /proc/net/raw6 |
			awk '$5 ~ /:/ { split($5, q, ":"); n += (q[2] != "00000000") } END { print n + 0 }')))
	done
	wait_probe
	assert_status 0
	assert_between "$left" 0 2 "looks at the socket that found something in it, of 15"
	assert_json "$OUT" '.targets[0].stamps.complete == 25'
	assert_json "$OUT" '.cpu.user_s + .cpu.system_s < 0.1' "processor time of 2.4 s of waiting"
}

# Errors of routers and stamps share the queue: neither hides the other.
errors_beside_stamps() {
	lab_tun tp0 'every 3: error host-unreachable'
	run_probe -q --json --stamps split -i 0.005 -c 90 -W 0.5 "$1"
	peer_stop
	assert_json "$OUT" '.targets[0] | .received == 60 and .icmp_errors == 30 and
		.lost_by_cause.error_reply == 30 and .stamps.sampled == 90 and .stamps.complete == 60'
	assert_accounting "$OUT"
	assert_json "$OUT" '.cpu.user_s + .cpu.system_s < 0.25'
}

# lose_stamps EVERY ARGUMENT...: with a driver that leaves every EVERY-th send stamp out.
lose_stamps() {
	local every=$1
	shift
	run_command env LOSE_STAMPS="$every" LD_PRELOAD="$HELPERS/stamps-shim.so" \
		"$FPING_BENCH" -q --json --stamps split "$@"
	assert_status 0
	assert_grep '^lost [0-9]+ of [0-9]+ send stamps' "$ERR" "the shim was at work"
	assert_json "$OUT" '.targets[0] | .received == .sent and .lost == 0'
	assert_accounting "$OUT"
}

some_stamps_are_missing() {
	lab_veth
	lose_stamps 4 -f -l 16 -c 64000 10.7.0.2
	assert_json "$OUT" '.targets[0] | .stamps.sampled == 1000 and .stamps.missing_driver == 250 and
		.stamps.complete == 750 and .rtt.kernel.samples == 750'
	assert_json "$OUT" '.targets[0].in_flight | (.unexplained / .mean | fabs) < 0.05'
	lose_stamps 2 -i 0.01 -c 40 fd07::2
	assert_json "$OUT" '.targets[0] | .stamps.sampled == 40 and .stamps.missing_driver == 20 and
		.stamps.complete == 20'
}

# A device that stamps nothing: said, and nothing is made up.
no_stamps_at_all() {
	lab_veth
	lose_stamps 1 -i 0.01 -c 40 10.7.0.2
	assert_json "$OUT" '.targets[0] | .stamps.sampled == 40 and .stamps.complete == 0 and
		.stamps.missing_driver == 40'
	assert_json "$OUT" '.targets[0] | (.rtt.kernel == null or .rtt.kernel.samples == 0) and
		.in_flight.sending == null and .rtt.ping.samples == 40'
	assert_json "$OUT" '.cpu.user_s + .cpu.system_s < 0.2'
	run_command env LOSE_STAMPS=1 LD_PRELOAD="$HELPERS/stamps-shim.so" \
		"$FPING_BENCH" -q --stamps split -i 0.01 -c 40 10.7.0.2
	assert_no_grep "by the kernel's stamps on" "$OUT" "no figures without stamps"
}

# A train of fragments: the send stamp is that of the first, the receive stamp that of the last.
fragments() {
	lab_veth
	run_pinned --stamps split -i 0.002 -s 8000 -c 300 "$1"
	assert_split
	run_pinned --stamps split --depth 8 -s 8000 -c 6400 "$1"
	assert_split
}

users_stamps_only() {
	lab_veth
	run_pinned --stamps user -f -c 2000 10.7.0.2
	assert_json "$OUT" '.settings.stamps == "user" and (.targets[0] | .rtt.kernel == null and
		.rtt.ping == null and .budget == null)'
	run_pinned --stamps rx -f -c 2000 10.7.0.2
	assert_json "$OUT" '.settings.stamps == "rx" and (.targets[0] | .rtt.kernel == null and
		.rtt.ping.samples == 2000 and .budget == null and .in_flight.sending == null)'
}

test_case default-sampling default_sampling
test_case budget-adds-up-4 in_three_tries budget_adds_up -i 0.002 -c 500 10.7.0.2
test_case budget-adds-up-6 in_three_tries budget_adds_up -i 0.002 -c 500 fd07::2
test_case budget-adds-up-fragments in_three_tries budget_adds_up -i 0.002 -c 500 -s 8000 10.7.0.2
test_case depth-16-explained-4 in_three_tries explained_once --depth 16 10.7.0.2
test_case depth-16-explained-6 in_three_tries explained_once --depth 16 fd07::2
test_case depth-1-explained in_three_tries explained_once -f 10.7.0.2
test_case depth-100-explained in_three_tries explained_once --depth 100 10.7.0.2
# A median of one request in 64 beside that of all, to 0.3 us: another process in the run is enough.
test_case tap-agrees-4 in_three_tries in_three_tries tap_once 10.7.0.2
test_case tap-agrees-6 in_three_tries in_three_tries tap_once fd07::2
test_case taps-bracket in_three_tries bracket_once
test_case exact-delay-4 in_three_tries exact_once 10.66.0.2
test_case exact-delay-6 in_three_tries exact_once fd66::2
test_case rate-bounds-4 in_three_tries bounds_once 10.66.0.2
test_case rate-bounds-6 in_three_tries bounds_once fd66::2
test_case queue-is-drained-4 queue_is_drained 10.7.0.2
test_case queue-is-drained-6 queue_is_drained fd07::2
test_case errors-beside-stamps-4 errors_beside_stamps 10.66.0.2
test_case errors-beside-stamps-6 errors_beside_stamps fd66::2
test_case some-stamps-are-missing in_three_tries some_stamps_are_missing
test_case no-stamps-at-all no_stamps_at_all
test_case fragments-4 fragments 10.7.0.2
test_case fragments-6 fragments fd07::2
test_case user-and-rx users_stamps_only
