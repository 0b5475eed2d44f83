#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What the report counts against witnesses that know nothing of it: tcpdump on the other side, nft
# on the other side, the kernel's own counters; and losses that are exact because nft counts them.
. "$(dirname "$0")/../lib.sh"

# The address of the responder for family 4 or 6.
peer_address() { if [ "$1" = 4 ]; then echo 10.7.0.2; else echo fd07::2; fi; }

tcpdump_agrees() {
	local filter=icmp
	[ "$1" = 4 ] || filter=icmp6
	lab_veth
	if [ "$1" = 4 ]; then filter='icmp[0] = 8'; else filter='icmp6 and ip6[40] = 128'; fi
	capture_start "$PEER" vb "$filter"
	run_probe -f -q -c 5000 --json "$(peer_address "$1")"
	capture_stop
	assert_status 0
	assert_equal "$(json_value "$OUT" '.targets[0].sent')" "$CAPTURED" "sent and captured"
	assert_accounting "$OUT"
}

nft_agrees() {
	local suffix=
	[ "$1" = 4 ] || suffix=6
	lab_veth
	counters_start "$PEER"
	run_probe --depth 64 -q -c 50000 --json "$(peer_address "$1")"
	assert_status 0
	assert_equal "$(counter "$PEER" "in_request$suffix")" 50000 "requests at the other host"
	assert_json "$OUT" '.targets[0] | .sent == 50000 and .received == 50000 and .lost == 0'
	assert_equal "$(counter "$PEER" "out_reply$suffix")" 50000 "replies of the other host"
	assert_accounting "$OUT"
}

# One request in four is dropped by the other host's nft, on the way in.
drop_a_quarter() {
	require nft-numgen
	ip netns exec "$PEER" nft -f - <<-END
		add table inet quarter
		add chain inet quarter c { type filter hook input priority 0; }
		add rule inet quarter c icmp type echo-request numgen inc mod 4 0 drop
		add rule inet quarter c icmpv6 type echo-request numgen inc mod 4 0 drop
	END
}

a_quarter_is_lost() {
	lab_veth
	drop_a_quarter
	run_probe -q -c 4000 -W 0.3 --json "${@:2}" "$(peer_address "$1")"
	assert_status 0
	assert_json "$OUT" '.targets[0] | .loss == 0.25 and .sent == 4000 and .lost == 1000
		and .lost_by_cause.unknown == 1000 and .loss_ci95[0] < 0.25 and .loss_ci95[1] > 0.25'
	assert_json "$OUT" '.targets[0].in_flight |
		(.littles_law - .mean) / .mean | fabs < 0.01' "Little's law with losses"
	assert_accounting "$OUT"
}

# The last wait, for what never comes, is not part of the rate.
loss_does_not_slow_the_pump() {
	lab_veth
	drop_a_quarter
	run_probe -q --depth 64 -c 40000 -W 1 --json 10.7.0.2
	assert_json "$OUT" '.targets[0] | .lost == 10000 and .rate.received_per_s > 10000'
}

fragments_as_the_kernel_counts() {
	lab_veth
	capture_start "$PEER" vb "$2"
	run_probe -f -q -c 500 -s 2048 --json "$(peer_address "$1")"
	capture_stop
	assert_status 0
	assert_equal "$CAPTURED" 1000 "fragments on the wire"
	assert_json "$OUT" ".targets[0].fragments | .per_request == 2 and .sizes == $3
		and .created == 1000 and .reassembled == 500 and .largest_in_reply >= 1496"
	assert_accounting "$OUT"
}

# The rule for the number of fragments at MTUs that are no multiple of 8 above the header.
plan_is_what_the_kernel_does() {
	local size
	lab_veth "$1"
	for size in $2; do
		run_probe -q -c 20 -i 0.002 -s "$size" --json "$(peer_address "$3")"
		assert_status 0
		assert_json "$OUT" '.targets[0].fragments |
			if .per_request == 1 then .created == 0 else .created == 20 * .per_request end' \
			"$size bytes at MTU $1"
	done
}

# 5 % of the fragments of requests are lost at random; the other host forgets what is incomplete soon
# enough, and has memory for it until then.
fragment_loss_is_found() {
	require nft
	lab_veth
	in_peer sysctl -qw net.ipv4.ipfrag_time=1 net.ipv4.ipfrag_high_thresh=268435456
	# An ingress chain sees fragments before they are put together.
	in_peer nft -f - <<-END || skip "nft ingress chains do not work here"
		add table netdev loss
		add chain netdev loss c { type filter hook ingress device vb priority 0; }
		add rule netdev loss c ip protocol icmp numgen random mod 100 < 5 drop
	END
	run_probe -f -l 64 -q -c 20000 -s 2048 -W 0.5 --allow-harm --json 10.7.0.2
	assert_json "$OUT" '.targets[0].fragments.loss_per_fragment.one_way as $p |
		(.targets[0].loss * (1 - .targets[0].loss) / .targets[0].sent | sqrt) as $se |
		($se / (2 * (1 - $p))) as $se_fragment |
		($p - 0.05 | fabs) < 4 * $se_fragment' "5 % within four standard errors"
	assert_accounting "$OUT"
}

# --depth 64 with 64 requests: batches, not a system call each.
batches() {
	require strace
	lab_veth
	in_lab strace -f -c -o "$TMP/strace" -e trace=sendmmsg,sendmsg,sendto,recvmmsg,recvmsg,recvfrom,ppoll \
		"$FPING_BENCH" "$@" -q -c 64 10.7.0.2 >"$OUT"
	assert_grep '64 packets transmitted, 64 received' "$OUT"
	assert_between "$(awk '$NF == "total" { print $4 }' "$TMP/strace")" 2 48 "system calls"
}

for family in 4 6; do
	test_case "tcpdump-agrees-$family" tcpdump_agrees $family
	test_case "nft-agrees-$family" nft_agrees $family
	test_case "a-quarter-is-lost-depth-$family" a_quarter_is_lost $family --depth 8
	test_case "a-quarter-is-lost-flood-$family" a_quarter_is_lost $family -f -l 64
	test_case "a-quarter-is-lost-interval-$family" a_quarter_is_lost $family -i 0.0005
done
test_case loss-does-not-slow-the-pump loss_does_not_slow_the_pump
test_case fragments-4 fragments_as_the_kernel_counts 4 'ip proto 1 and src 10.7.0.1' '[1500, 596]'
test_case fragments-6 fragments_as_the_kernel_counts 6 'ip6 proto 44 and src fd07::1' '[1496, 656]'
test_case plan-4-1499 plan_is_what_the_kernel_does 1499 '1471 1472 2943 2944 65507' 4
test_case plan-4-1400 plan_is_what_the_kernel_does 1400 '1372 1373 2740 2741' 4
test_case plan-4-68 plan_is_what_the_kernel_does 68 '40 41 100' 4
test_case plan-6-1500 plan_is_what_the_kernel_does 1500 '1452 1453 2888 2889 65527' 6
test_case plan-6-1280 plan_is_what_the_kernel_does 1280 '1232 1233' 6
test_case fragment-loss-is-found fragment_loss_is_found
test_case batches-depth batches --depth 64
test_case batches-flood batches -f -l 64
