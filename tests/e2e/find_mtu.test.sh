#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# The path MTU by probing, over a router to a narrower link: found to the byte, whether the router
# says why it drops or not, and with packets lost by chance.
. "$(dirname "$0")/../lib.sh"

router=router
trap 'ip netns delete "$router" 2>/dev/null; exit "$lab_failed"' EXIT

# narrow_path MTU: $LAB, a router, $PEER at 10.9.2.2 and fd92::2 behind a link of this MTU.
narrow_path() {
	LAB=lab PEER=peer
	ip netns delete "$router" 2>/dev/null || true
	lab_namespace "$LAB"
	lab_namespace "$router"
	lab_namespace "$PEER"
	ip link add va netns "$LAB" type veth peer name ra netns "$router"
	ip link add rb netns "$router" type veth peer name vb netns "$PEER"
	ip -n "$LAB" address add 10.9.1.1/24 dev va
	ip -n "$router" address add 10.9.1.254/24 dev ra
	ip -n "$router" address add 10.9.2.254/24 dev rb
	ip -n "$PEER" address add 10.9.2.2/24 dev vb
	if [ "$1" -ge 1280 ]; then
		ip -n "$LAB" address add fd91::1/64 dev va nodad
		ip -n "$router" address add fd91::fe/64 dev ra nodad
		ip -n "$router" address add fd92::fe/64 dev rb nodad
		ip -n "$PEER" address add fd92::2/64 dev vb nodad
	fi
	ip -n "$LAB" link set va up
	ip -n "$router" link set ra up
	ip -n "$router" link set rb mtu "$1" up
	ip -n "$PEER" link set vb mtu "$1" up
	ip -n "$LAB" route add default via 10.9.1.254
	ip -n "$PEER" route add default via 10.9.2.254
	if [ "$1" -ge 1280 ]; then
		ip -n "$LAB" -6 route add default via fd91::fe
		ip -n "$PEER" -6 route add default via fd92::fe
	fi
	ip netns exec "$router" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
}

silence_router() {
	require nft
	ip netns exec "$router" nft -f - <<-END
		add table inet t
		add chain inet t out { type filter hook output priority 0; }
		add rule inet t out icmp type destination-unreachable drop
		add rule inet t out icmpv6 type packet-too-big drop
	END
}

found() {
	run_probe -j --find-mtu "$2"
	assert_status 0
	assert_json "$OUT" ".mode == \"find-mtu\" and .targets[0].find_mtu.mtu == $1"
	# At both its sides: it passes, one byte more does not.
	assert_json "$OUT" ".targets[0].find_mtu.steps | any(.[]; .packet_bytes == $1 and .received > 0)"
}

told() {
	narrow_path "$1"
	found "$1" "$2"
	assert_json "$OUT" ".targets[0].find_mtu | .told and any(.steps[]; .told_mtu == $1) and
		any(.steps[]; .packet_bytes == $1 + 1 and .received == 0 and .sent >= 4)"
}

untold() {
	narrow_path "$1"
	silence_router
	found "$1" "$2"
	assert_json "$OUT" ".targets[0].find_mtu | (.told | not) and all(.steps[]; .told_mtu == null) and
		any(.steps[]; .packet_bytes == $1 + 1 and .received == 0 and .sent >= 4)"
}

lossy() {
	narrow_path "$1"
	silence_router
	ip netns exec "$router" nft -f - <<-END || skip "nft has no numgen here"
		add table inet l
		add chain inet l f { type filter hook forward priority 0; }
		add rule inet l f numgen random mod 100 < 5 drop
	END
	found "$1" "$2"
}

direct() {
	lab_veth "$1"
	found "$1" "$2"
	run_probe --find-mtu "$2"
	assert_grep "^path MTU +$1 bytes, that of the interface" "$OUT"
}

for mtu in 1400 1280; do
	test_case "told-4-$mtu" told "$mtu" 10.9.2.2
	test_case "told-6-$mtu" told "$mtu" fd92::2
	test_case "untold-4-$mtu" untold "$mtu" 10.9.2.2
	test_case "untold-6-$mtu" untold "$mtu" fd92::2
done
test_case told-4-576 told 576 10.9.2.2
test_case untold-4-1311 untold 1311 10.9.2.2
test_case lossy-4 lossy 1400 10.9.2.2
test_case lossy-6 lossy 1400 fd92::2
test_case direct-4-1500 direct 1500 10.7.0.2
test_case direct-6-1500 direct 1500 fd07::2
test_case direct-4-9000 direct 9000 10.7.0.2

# What an error says is not believed: it can be forged, and so small that nothing would pass.
lied_to() {
	lab_tun tp0 "packet 1301-: error too-big mtu $1; default: reply"
	run_probe -j --find-mtu 10.66.0.2
	assert_status 0
	assert_json "$OUT" '.targets[0].find_mtu.mtu == 1300'
	assert_json "$OUT" ".targets[0] | .path_mtu == 1500 and any(.errors[]; .mtu == ($1 | if . == 0 then null else . end))"
}
for mtu in 0 1 67 1000 65535; do
	test_case "lied-to-$mtu" lied_to "$mtu"
done

silent() {
	lab_tun tp0 'default: drop'
	run_probe -j --find-mtu 10.66.0.2
	assert_status 1
	assert_json "$OUT" '.targets[0].find_mtu | .mtu == null and .why_not == "the host does not answer short echoes"'
}
test_case silent silent
