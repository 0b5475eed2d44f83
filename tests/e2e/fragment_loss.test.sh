#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# Fragments that are lost, mixed up, many, or squeezed through a slow link: what the report makes of
# them is what was done to them, and the other host's memory is spared.
. "$(dirname "$0")/../lib.sh"

# lose RULES: the responder drops fragments, and forgets incomplete datagrams after a second.
lose() {
	require nft-numgen
	lab_veth
	ip netns exec "$PEER" sysctl -qw net.ipv4.ipfrag_time=1
	in_peer nft -f - <<-END
		add table inet t
		add chain inet t early { type filter hook prerouting priority -450; }
		add rule inet t early $1
	END
}

# Of the requests' fragments one in twenty is lost: each size tells so within four standard errors.
independent() {
	lose 'ip frag-off & 0x3fff != 0 numgen random mod 100 < 5 drop'
	run_probe -j -i 2ms -c 1200 --sweep-size 2048,8000,14000 --allow-harm 10.7.0.2
	assert_json "$OUT" '.targets[0].points | length == 3 and all(.[];
		(.fragments | .loss_per_fragment.one_way as $p | .per_request as $n | [$p, $n]) as [$p, $n] |
		.loss as $q | ((($q * (1 - $q) / 1200) | sqrt) / ($n * pow(0.95; $n - 1))) as $error |
		.sent == 1200 and ($p - 0.05 | fabs) < 4 * $error)'
	assert_json "$OUT" '.targets[0].loss_model | .verdict == "independent" and
		.slope_ci95[0] < 1 and .slope_ci95[1] > 1'
	# One figure from the other: the loss of the datagrams is that of their fragments.
	assert_json "$OUT" '.targets[0].points | all(.[]; (1 - pow(1 - .fragments.loss_per_fragment.one_way;
		.fragments.per_request) - .loss) | fabs < 1e-9)'
}

# A policer takes nothing from small ones and much from large ones.
policed() {
	lose 'ip frag-off & 0x3fff != 0 limit rate over 800/second burst 100 packets drop'
	run_probe -j -i 5ms -c 400 --sweep-size 56,2048,8000,14000 --allow-harm 10.7.0.2
	assert_json "$OUT" '.targets[0].loss_model | .verdict == "policed"'
}

# What lost fragments hold at the other host ends the run, in time, with what was measured.
harm() {
	local family=$1 target=$2 rule='ip frag-off & 0x1fff != 0 drop'
	[ "$family" = 4 ] || rule='frag frag-off != 0 drop'
	require nft-numgen
	lab_veth
	in_peer nft -f - <<-END
		add table inet t
		add chain inet t early { type filter hook prerouting priority -450; }
		add rule inet t early $rule
	END
	run_probe -j -W 0.3 -i 2ms -s 8000 -c 2000 "$target"
	assert_status 6
	assert_grep 'allow-harm' "$ERR"
	# 1 MiB of about 11,000 bytes each, and those that were out meanwhile.
	assert_json "$OUT" '.ending == "fault" and .valid.reasons[0].code == "harm-budget" and
		.targets[0].lost >= 90 and .targets[0].lost < 110 and .targets[0].sent < 400 and
		.targets[0].fragments.pinned_bytes_estimate > 1048576 and
		.targets[0].fragments.pinned_bytes_estimate < 1300000'
	assert_json "$OUT" '.targets[0] | .sent == .received + .lost + .in_flight_at_end'
	run_probe -j -W 0.3 -i 2ms -s 8000 -c 300 --allow-harm "$target"
	assert_status 1
	assert_json "$OUT" '.targets[0] | .sent == 300 and .lost == 300'
}

# Whole requests hold nothing, however many are lost.
harmless() {
	require nft
	lab_veth
	in_peer nft add table inet t
	in_peer nft add chain inet t c '{ type filter hook input priority 0; }'
	in_peer nft add rule inet t c icmp type echo-request drop
	run_probe -j -W 0.3 -i 2ms -s 1400 -c 1000 10.7.0.2
	assert_status 1
	assert_json "$OUT" '.targets[0] | .lost == 1000 and .fragments.pinned_bytes_estimate == null'
}

harm_is_for_root() {
	lab_loopback
	install_copy plain
	run_command setpriv --reuid 65534 --regid 65534 --clear-groups "$COPY" -j --allow-harm -c 1 127.0.0.1
	assert_status 5
	assert_grep 'user.allow-harm' "$ERR"
}

# Two replies whose second pieces have changed places, checksums untouched.
swapped() {
	lab_tun tp0 'request 1: mix 1472 with 2; request 2: mix 1472 with 1'
	run_probe --json=run.json -q -i 20ms -c 4 -s 3000 "$1"
	assert_json run.json '.targets[0] | .sent == 4 and .received == 2 and .mixed == 2 and
		.lost_by_cause.damaged_reply == 2 and (.mixed_requests | sort) == [[1, 2], [2, 1]]'
	assert_grep '2 mixed from two requests \((1 with 2, 2 with 1|2 with 1, 1 with 2)\)' "$OUT"
}

# 16 datagrams of 45 fragments at once.
many() {
	lab_veth
	run_probe --json=run.json --depth 16 -s 65507 -c 500 10.7.0.2
	assert_status 0
	assert_json run.json '.targets[0] | .received == 500 and .lost == 0 and .local_drops == 0 and
		.fragments.per_request == 45 and .fragments.created == 45 * 500'
	assert_grep '^fragments +45 per datagram each way' "$OUT"
}

# The wire of 1992: 10 Mbit/s for each way. What passes it is what the shaper counts.
slow_link() {
	lab_veth
	in_lab tc qdisc add dev va root tbf rate 10mbit burst 3200 limit 200000 || skip "no TBF here"
	in_peer tc qdisc add dev vb root tbf rate 10mbit burst 3200 limit 200000
	run_probe -j -f -l 8 -s 2048 -w 4 10.7.0.2
	assert_json "$OUT" '.targets[0] | .lost == 0 and
		(.throughput.frame_bytes_per_s * 8 / 1e7 - 1 | fabs) < 0.02'
}

# A test at 95 % misses what is true now and then.
test_case independent in_three_tries independent
test_case policed in_three_tries policed
test_case harm-4 harm 4 10.7.0.2
test_case harm-6 harm 6 fd07::2
test_case harmless harmless
test_case harm-is-for-root harm_is_for_root
test_case swapped-4 swapped 10.66.0.2
test_case swapped-6 swapped fd66::2
test_case many many
test_case slow-link slow_link
