#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Sweeps over sizes: as many requests of each as were asked for, cut as was said (by tcpdump and by
# the kernel's own counters), and costs that are those of a peer whose delays are known.
. "$(dirname "$0")/../lib.sh"

# fragment_counter FAMILY: what this kernel has cut so far.
fragment_counter() {
	if [ "$1" = 4 ]; then
		in_lab awk '$1 == "Ip:" && !n { n = split($0, names); next }
			$1 == "Ip:" { for (i = 1; i <= n; i++) if (names[i] == "FragCreates") print $i }' /proc/net/snmp
	else
		in_lab awk '$1 == "Ip6FragCreates" { print $2 }' /proc/net/snmp6
	fi
}

# datagrams FAMILY: of the capture, how many datagrams of each number of packets: "2 6" for six of two.
datagrams() {
	if [ "$1" = 4 ]; then
		tcpdump -r "$CAPTURE" -n -v 'icmp and src 10.7.0.1' 2>/dev/null |
			sed -nE 's/.* id ([0-9]+), offset [0-9]+, flags \[(.*)\], proto ICMP.*/\1/p'
	else
		tcpdump -r "$CAPTURE" -n -v 'ip6 and src fd07::1' 2>/dev/null | tr '\n' ' ' |
			sed -E 's/ IP6 \(/\nIP6 (/g' |
			awk '/frag \(/ { match($0, /frag \(0x[0-9a-f]+/); print substr($0, RSTART, RLENGTH); next }
				/echo request/ { print "whole" NR }'
	fi | sort | uniq -c | awk '{ seen[$1]++ } END { for (n in seen) print n, seen[n] }' | sort -n
}

# Both sides of the first five boundaries: plan, wire and kernel agree.
boundaries() {
	local family=$1 mtu=$2 target=10.7.0.2 before
	[ "$family" = 4 ] || require ipv6
	[ "$family" = 4 ] || target=fd07::2
	lab_veth "$mtu"
	before=$(fragment_counter "$family")
	CAPTURE_BYTES=96 capture_start "$PEER" vb "$([ "$family" = 4 ] && echo "src 10.7.0.1" || echo "src fd07::1 and not icmp6[0] >= 133")"
	run_probe -j -f -c 3 --sweep-size boundaries "$target"
	capture_stop
	assert_status 0
	assert_json "$OUT" '.mode == "sweep-size" and (.targets[0].points | length) == 10 and
		all(.targets[0].points[]; .sent == 3 and .received == 3) and .targets[0].sent == 30'
	assert_json "$OUT" '[.targets[0].points[].fragments.per_request] == [1, 2, 2, 3, 3, 4, 4, 5, 5, 6]'
	jq -r '[.targets[0].points[] | {n: .fragments.per_request, sent}] | group_by(.n)[] |
		"\(.[0].n) \(map(.sent) | add)"' "$OUT" >planned
	datagrams "$family" >seen
	# IPv4 numbers whole packets too; each of them is a datagram of one packet.
	cmp -s planned seen || fail "planned $(tr '\n' ',' <planned), seen $(tr '\n' ',' <seen)"
	assert_equal $(($(fragment_counter "$family") - before)) \
		"$(jq '[.targets[0].points[] | select(.fragments.per_request > 1) | .fragments.per_request * .sent] | add' "$OUT")" \
		"fragments by the kernel's count"
	assert_json "$OUT" ".targets[0].fragments.created == $(($(fragment_counter "$family") - before))"
}

for mtu in 1500 1499 1400 1280 9000; do
	test_case "boundaries-4-$mtu" boundaries 4 "$mtu"
	test_case "boundaries-6-$mtu" boundaries 6 "$mtu"
done
test_case boundaries-4-576 boundaries 4 576

# size DELAY-RULES: what the peer adds for a size: base, per byte, per fragment, first fragmentation.
sizes='100 700 1472 1473 2200 2952 2953 3700 4432 4433 5200'
rules() {
	local size n
	for size in $sizes; do
		n=$((1 + (size + 8 > 1480 ? (size + 8 - 1480 + 1479) / 1480 : 0)))
		echo "size $size: delay $(($1 + size * $2 / 1000 + (n - 1) * $3 + (n > 1) * $4))us"
	done
}

# fit_of BASE BYTE FRAGMENT FIRST: sweeps over a peer with these delays (us; byte in ns).
fit_of() {
	lab_tun_awake tp0 "$(rules "$@")"
	run_command taskset -c 0 "$FPING_BENCH" -j --depth 1 -c 400 --stamps rx \
		--sweep-size "$(tr ' ' ',' <<<"$sizes")" 10.66.0.2
	assert_status 0
	peer_stop
	wait "$PEER_PROCESS" 2>/dev/null || true
	ip -n "$LAB" link delete tp0 2>/dev/null || true
}

# What the peer and this host take by themselves is measured in the same way and taken off.
costs_once() {
	fit_of 500 0 0 0
	jq .targets[0].fit "$OUT" >without
	fit_of 500 200 300 400
	jq --slurpfile without without '.targets[0].fit as $with | $without[0] as $own |
		def held(key; truth): (($with[key] - $own[key] - truth) | fabs) <=
			($with[key + "_ci95"][1] - $with[key + "_ci95"][0]) / 2 +
			($own[key + "_ci95"][1] - $own[key + "_ci95"][0]) / 2;
		def narrow(key): $with[key + "_ci95"][1] - $with[key + "_ci95"][0] < 0.1 * $with[key];
		{base: held("base_ns"; 0), byte: held("per_byte_ns"; 200),
		 fragment: held("per_fragment_ns"; 300000), first: held("first_fragmentation_ns"; 400000),
		 narrow: [narrow("base_ns"), narrow("per_byte_ns"), narrow("per_fragment_ns"),
			  narrow("first_fragmentation_ns")] | all}' "$OUT" >verdict
	assert_json verdict 'all(.[]; .)'
	# Each step is what its fragment costs, and one byte.
	assert_json "$OUT" '.targets[0] | .fit as $fit | .points[] | select(.boundary_step_ns != null and .fragments.per_request > 2) |
		.boundary_step_ns - $fit.per_fragment_ns | fabs < 20000'
}
test_case costs in_three_tries costs_once

# The way there alone: the replies come whole, whatever the request is cut into.
pieces() {
	lab_veth
	run_probe -j -f -c 60 -s 1000 --sweep-size pieces:8 "$1"
	assert_status 0
	assert_json "$OUT" '.targets[0] | [.points[].fragments.per_request] == [1, 2, 3, 4, 5, 6, 7, 8] and
		all(.points[]; .received == 60 and .fragments.largest_in_reply == null) and
		.fit.per_byte_ns == null and .fit.per_fragment_ns > 0 and .fit.why_not == null'
}
test_case pieces-4 pieces 10.7.0.2
test_case pieces-6 pieces fd07::2

# The blocks are there, each with every size once, and the table says what the document does.
report() {
	lab_veth
	run_probe --json=run.json -f -c 40 --sweep-size 1,100,1472,1473,3000:5000:1000,8:64:x2 10.7.0.2
	assert_status 0
	assert_json run.json '.targets[0] | [.points[].payload_bytes] ==
		[1, 8, 16, 32, 64, 100, 1472, 1473, 3000, 4000, 5000] and
		all(.points[]; (.block_p50_ns | length) == 4 and all(.block_p50_ns[]; . > 0)) and
		.rtt.user == null and .loss_model.verdict == "none" and .fit.points == 11'
	assert_json run.json '.targets[0] | .sent == ([.points[].sent] | add) and .received == ([.points[].received] | add)'
	assert_json run.json '.valid.ok and (.targets[0].points[] | .littles_law == null or true)'
	assert_grep '^ +1473 +2 +1622 +40 ' "$OUT"
	assert_grep 'a fragment each way costs' "$OUT"
	[ "$(awk '{ if (length > n) n = length } END { print n }' "$OUT")" -le 80 ] || fail "more than 80 columns"
}
test_case report report

refused() {
	local words=$1
	shift
	run_probe "$@" 127.0.0.1
	assert_status 2
	assert_equal "$(wc -l <"$ERR")" 1 "lines"
	assert_grep "$words" "$ERR"
	[ ! -s "$OUT" ] || fail "something on standard output"
}
lists() {
	lab_loopback
	refused "'' is" --sweep-size ''
	refused 'is no range' --sweep-size 1:2
	refused 'is empty' --sweep-size 9:2:1
	refused 'above 1' --sweep-size 1:100:x1
	refused 'more than 256' --sweep-size 1:1000:1
	refused '65527' --sweep-size 70000
	refused 'at most 65507' -4 --sweep-size 65510
	refused 'at least 3' -c 2 --sweep-size 1,2
	refused 'give one' --sweep-size 1 --find-mtu
	refused 'leave it out' --warmup 3 --sweep-size 1
	refused 'leave out -c' -c 3 --diagnose-fragments
	refused 'leave out -f' -f --find-mtu
	run_probe --sweep-size 1 127.0.0.1 127.0.0.2
	assert_status 2
	assert_grep 'is for one host, 2 are named' "$ERR"
}
test_case lists-refused lists

# A deadline, or a stop: what was measured is reported.
cut_short() {
	lab_tun tp0 'all: delay 5ms'
	run_probe -j -w 1 --depth 1 -c 1000 --sweep-size 56,1500 10.66.0.2
	assert_status 0
	assert_json "$OUT" '.ending == "deadline" and (.targets[0].points | length) == 2 and
		.targets[0].sent > 50 and .targets[0].sent < 400'
}
test_case deadline cut_short
