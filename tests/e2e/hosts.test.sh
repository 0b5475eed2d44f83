#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# Who is asked and by which way: link-local addresses, hosts that many answer for, interfaces, names,
# thousands of targets. Every test is a case of a list of troubles that tools of this kind have had,
# and begins with its number there.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/answers.bash"

# ---- addresses ----

# The same link-local address behind two interfaces: the zone is part of the address.
link_local() {
	local index
	require ipv6
	lab_veth
	ip -n "$LAB" link add vc type veth peer name vd netns "$PEER"
	in_peer sysctl -qw net.ipv6.conf.vd.addr_gen_mode=1 net.ipv6.conf.vb.accept_dad=0
	ip -n "$LAB" link set vc up
	ip -n "$PEER" link set vd up
	ip -n "$PEER" address add fe80::77/64 dev vb nodad
	ip -n "$PEER" address add fe80::77/64 dev vd nodad
	index=$(in_lab cat /sys/class/net/va/ifindex)
	run_probe -c 1 fe80::77
	assert_status 2
	assert_grep '%' "$ERR"
	for host in fe80::77%va "fe80::77%$index" '-I va fe80::77' fd07::2%va; do
		# shellcheck disable=SC2086 # words
		measure -q -6 -c 2 -i 0.05 $host
		assert_status 0
		assert_counts 0 sent=2 received=2
		[[ $host = fd07* ]] || assert_json "$DOCUMENT" '.targets[0] | .address | test("^fe80::77%(va|[0-9]+)$")'
	done
	measure -c 2 -i 0.2 fe80::77%va fe80::77%vc
	assert_status 0
	assert_both sent=2 received=2
	assert_grep '^64 bytes from fe80::77%(vc|[0-9]+): icmp_seq=[1-4] ' "$OUT"
	# One of them silent: the other's replies are not its own.
	in_peer nft 'add table ip6 t; add chain ip6 t c { type filter hook input priority 0; }; add rule ip6 t c iifname vd icmpv6 type echo-request drop'
	measure -q -c 2 -i 0.05 -W 0.2 fe80::77%va fe80::77%vc
	assert_status 1
	assert_counts 0 sent=2 received=2
	assert_counts 1 sent=2 lost=2 unknown=2
	for host in fe80::77%nosuch 'fd07::2%nosuch' ff02::1%va; do
		run_probe -c 2 "$host"
		assert_status 2
	done
}

# Three hosts answer for one address: one of them is the reply, the others are no duplicates.
to_many() {
	lab_tun tp0 'from 10.66.0.2 10.66.0.3 10.66.0.4 fd66::2 fd66::3 fd66::4'
	in_lab ip address replace 10.66.0.1/24 broadcast 10.66.0.255 dev tp0
	for host in 10.66.0.255 ff02::1%tp0; do
		run_probe -c 2 $host
		assert_status 2
		assert_grep 'cast.*-b' "$ERR"
		run_probe -f -b -c 2 $host
		assert_status 2
		measure -b -L -c 3 -i 0.2 $host
		assert_status 0
		assert_counts 0 sent=3 received=3 other_responders=6
		assert_json "$DOCUMENT" '.targets[0].loss == 0'
		assert_grep 'arrivals +6 from further hosts' "$OUT"
		assert_equal "$(grep -cE '^64 bytes from (10\.66\.0|fe80:|fd66:).*icmp_seq=[123] ' "$OUT")" 9 "lines of replies"
		assert_no_grep 'DUP' "$OUT"
	done
}

to_many_twice() {
	lab_tun tp0 'from 10.66.0.2 10.66.0.3 10.66.0.2 10.66.0.3 10.66.0.3'
	in_lab ip address replace 10.66.0.1/24 broadcast 10.66.0.255 dev tp0
	measure -q -b -c 3 -i 0.2 10.66.0.255
	assert_counts 0 sent=3 received=3 other_responders=3 duplicates=9
}

# -I works as an ordinary user of an install, or is refused; nothing leaves by another interface.
interface_or_nothing() {
	lab_tun tp0 ''
	ip -n "$LAB" link add other type veth peer name end
	ip -n "$LAB" address add 10.99.0.1/24 dev other
	ip -n "$LAB" link set other up
	ip -n "$LAB" link set end up
	install_copy setuid
	for value in tp0 10.66.0.1; do
		run_command "${AS_NOBODY[@]}" "$COPY" --json -q -c 2 -i 0.01 -I $value 10.66.0.2
		assert_status 0
		assert_json "$OUT" '.targets[0] | .interface == "tp0" and .source == "10.66.0.1" and .received == 2'
	done
	for value in nosuch abcdefghijklmnopqrst 10.66.0.99 fd66::1 ''; do
		run_command "${AS_NOBODY[@]}" "$COPY" -c 1 -I "$value" 10.66.0.2
		[ "$STATUS" = 2 ] || fail "-I '$value': exit status $STATUS"
		assert_grep '^fping-bench: -I' "$ERR"
	done
	run_command "${AS_NOBODY[@]}" "$COPY" -q -c 2 -i 0.01 -W 0.2 -I other 10.66.0.2
	assert_status 1
	peer_stop
	assert_json "$PEER_JSON" '.requests == 4'
}

# ---- names, many targets ----

names() {
	local words
	lab_loopback
	measure -q -c 2 -i 0.01 127.0.0.1 bad.invalid ::1
	assert_status 1
	assert_counts 0 sent=2 received=2
	assert_counts 2 sent=2 received=2
	assert_json "$DOCUMENT" '.targets[1] | .error != null and .sent == 0'
	assert_grep 'bad\.invalid' "$ERR"
	for words in '-4 ::1' '-6 127.0.0.1' '-4 -6 127.0.0.1'; do
		# shellcheck disable=SC2086 # words
		run_probe -c 1 $words
		assert_status 2
	done
	run_probe -c 1 ''
	assert_status 2
	for words in '-4 -4 127.0.0.1' '-6 -6 ::1' ::ffff:127.0.0.1 127.1; do
		# shellcheck disable=SC2086 # words
		measure -q -c 1 $words
		assert_status 0
		assert_json "$DOCUMENT" '.targets[0].address | . == "127.0.0.1" or . == "::1"'
	done
	in_lab ip route add blackhole 8.0.0.0/8
	for words in '1 0.0.0.1' '010.0.0.1 8.0.0.1'; do
		run_probe -q -c 1 -W 0.1 "${words% *}"
		[ "$STATUS" != 0 ] || fail "${words% *} answered"
		assert_grep "\(${words#* }\)" "$OUT" "the address that is used"
	done
}

no_name_is_asked() {
	local hosts=() i
	lab_loopback
	slow_names
	for ((i = 1; i <= 50; i++)); do hosts+=("127.0.0.$i"); done
	measure -c 3 -i 0.2 "${hosts[@]}"
	assert_status 0
	assert_json "$DOCUMENT" '[.targets[].received == 3] | all'
	assert_json "$DOCUMENT" '.elapsed_ns < 1e9'
	assert_equal "$(asked)" 0 "packets to the name server"
	umount /etc/resolv.conf
	LC_ALL=C run_probe -c 1 xn--bcher-kva.invalid
	assert_status 2
	assert_grep 'xn--bcher-kva\.invalid: ([Nn]ame|[Uu]nknown|[Tt]emporary|[Hh]ost|[Nn]o )' "$ERR"
	assert_no_grep 'encod' "$ERR"
}

# Thousands of targets, few descriptors, sends spread over the interval.
thousands_of_targets() {
	local i many
	for ((i = 0; i < 2500; i++)); do echo "10.67.$((i / 250)).$((i % 250 + 1))"; done >list
	lab_tun tp0 '' --route 10.67.0.0/16
	(
		ulimit -n 16
		run_probe --json -q -c 3 -i 1 -W 3 --targets list
		cp "$OUT" "$DOCUMENT"
		assert_status 0
	)
	assert_document "$DOCUMENT"
	assert_json "$DOCUMENT" '(.targets | length) == 2500 and ([.targets[] | .sent == 3 and .received == 3 and
		.lost == 0 and .duplicates == 0 and .foreign == 0] | all)'
	peer_stop
	assert_json "$PEER_JSON" '.requests == 7500 and .destinations == 2500 and
		.last_arrival_ns - .first_arrival_ns > 2.9e9'
	awk '$2 == "in" { at = int($1 / 1e8); if (++n[at] > most) most = n[at] } END { print most }' "$PEER_LOG" >most
	assert_between "$(cat most)" 200 1000 "requests in a tenth of a second"
	# Ten times the targets cost ten times the processor, not a hundred times.
	lab_tun tp1 '' --route 10.67.0.0/16
	many=$(json_value "$DOCUMENT" .cpu.per_round_trip_ns)
	head -n 250 list >fewer
	measure -q -c 3 -i 1 -W 3 --targets fewer
	assert_json "$DOCUMENT" ".cpu.per_round_trip_ns * 1.5 > $many"
}

test_case b46-link-local link_local
test_case b47-to-many to_many
test_case b47-to-many-twice to_many_twice
test_case b48-interface-or-nothing interface_or_nothing
test_case b62-names names
test_case b63-no-name-is-asked no_name_is_asked
test_case b64-thousands-of-targets thousands_of_targets
