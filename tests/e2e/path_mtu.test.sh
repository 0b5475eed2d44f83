#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# The six modes of -M over a router to a link of 1400 bytes, and what a host has learned of a path: it
# is shown, and obeyed only where the mode says so. What errors tell is reported and not believed.
. "$(dirname "$0")/../lib.sh"

router=router
trap 'ip netns delete "$router" 2>/dev/null; exit "$lab_failed"' EXIT

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
	ip -n "$LAB" address add fd91::1/64 dev va nodad
	ip -n "$router" address add fd91::fe/64 dev ra nodad
	ip -n "$router" address add fd92::fe/64 dev rb nodad
	ip -n "$PEER" address add fd92::2/64 dev vb nodad
	ip -n "$LAB" link set va up
	ip -n "$router" link set ra up
	ip -n "$router" link set rb mtu 1400 up
	ip -n "$PEER" link set vb mtu 1400 up
	ip -n "$LAB" route add default via 10.9.1.254
	ip -n "$PEER" route add default via 10.9.2.254
	ip -n "$LAB" -6 route add default via fd91::fe
	ip -n "$PEER" -6 route add default via fd92::fe
	ip netns exec "$router" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
}

# mode FAMILY MODE SIZE FILTER: three requests; what becomes of them.
mode() {
	local target=10.9.2.2 asked=(-M "$2")
	[ "$1" = 4 ] || target=fd92::2
	[ "$2" != default ] || asked=()
	narrow_path
	wait_until 5 in_lab ping -c 1 -W 0.2 "$target"
	run_probe -j -c 3 -i 50ms -W 0.5 -s "$3" "${asked[@]}" "$target"
	assert_json "$OUT" ".targets[0] | $4"
}
refused='.sent == 0 and .send_errors == 3 and .errors[0].errno == 90'
learned='.sent == 3 and .received == 2 and .lost_by_cause.error_reply == 1 and
	.errors[0].mtu == 1400 and .errors[0].count == 1'
test_case do-4-1472 mode 4 'do' 1472 '.sent == 1 and .received == 0 and .lost_by_cause.error_reply == 1 and
	.send_errors == 2 and ([.errors[].mtu] | unique) == [1400]'
test_case do-4-2000 mode 4 'do' 2000 "$refused"
test_case want-4-1472 mode 4 want 1472 "$learned"
test_case want-4-2000 mode 4 want 2000 '.received == 3 and .fragments.created == 6'
test_case dont-4-1472 mode 4 dont 1472 '.received == 3 and .fragments.created == 0'
test_case dont-4-2000 mode 4 dont 2000 '.received == 3'
test_case probe-4-1472 mode 4 probe 1472 '.sent == 3 and .received == 0 and .errors[0].mtu == 1400 and .errors[0].count == 3'
test_case probe-4-2000 mode 4 probe 2000 "$refused"
test_case interface-4-1472 mode 4 interface 1472 '.received == 3 and .fragments.created == 0'
test_case interface-4-2000 mode 4 interface 2000 "$refused"
test_case omit-4-1472 mode 4 omit 1472 '.received == 3 and .fragments.created == 0'
test_case omit-4-2000 mode 4 omit 2000 '.received == 3 and .fragments.created == 6 and .fragments.sizes == [1500, 548]'
test_case default-4-1472 mode 4 default 1472 '.received == 3'
test_case default-6-1452 mode 6 default 1452 "$learned"
test_case do-6-1452 mode 6 'do' 1452 '.sent == 1 and .received == 0 and .send_errors == 2'
test_case probe-6-1452 mode 6 probe 1452 '.sent == 3 and .received == 0 and .errors[0].count == 3'
test_case omit-6-2000 mode 6 omit 2000 '.sent == 3 and .received == 0 and .errors[0].mtu == 1400'

# What a first run has learned, a second one is told of, and goes by if its mode says so.
known() {
	narrow_path
	run_probe -j -M want -c 2 -i 50ms -W 0.5 -s 1472 10.9.2.2
	run_probe -j -c 2 -i 50ms -s 2000 10.9.2.2
	assert_grep 'path MTU to 10.9.2.2 for 1400 bytes, the interface has 1500; this run does not go by it' "$ERR"
	assert_json "$OUT" '.targets[0] | .mtu == 1500 and .path_mtu == 1400 and .received == 2 and
		.fragments.sizes == [1500, 548] and .fragments.created == 4'
	run_probe -j -M dont -c 2 -i 50ms -s 2000 10.9.2.2
	assert_grep 'this run goes by it' "$ERR"
	assert_json "$OUT" '.targets[0] | .received == 2 and .fragments.sizes == [1396, 652] and .fragments.created == 4'
	run_probe -j -M want -c 1 -s 1300 10.9.2.254
	assert_equal "$(cat "$ERR")" '' 'another destination'
}
test_case known known

# forged MTU: what the error says is reported as it came; no plan is made of it.
forged() {
	lab_tun tp0 "request 1: error too-big mtu $1; default: reply"
	run_probe -j -c 3 -i 50ms -W 0.5 -s 1400 "$2"
	assert_json "$OUT" ".targets[0] | .sent == 3 and .received == 2 and .mtu == 1500 and
		.fragments.per_request == 1 and .errors[0].mtu == ($1 | if . == 0 then null else . end)"
}
for mtu in 0 1 20 552 65535; do
	test_case "forged-4-$mtu" forged "$mtu" 10.66.0.2
done
