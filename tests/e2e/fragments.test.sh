#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# Fragments made by hand: what is on the wire is what was asked for, piece by piece, the other host
# puts it together, and nobody can be made to send in somebody else's name.
. "$(dirname "$0")/../lib.sh"

# pieces SOURCE: of the capture, a line for each piece that came from there: id, offset, bytes after
# the headers, + if more follow. Whole packets have no line.
pieces() {
	tcpdump -r "$CAPTURE" -n -v "src $1" 2>/dev/null | tr '\n' ' ' |
		sed -E 's/ (IP6? \()/\n\1/g' | sed -nE '
			s/^IP \(.* id ([0-9]+), offset ([0-9]+), flags \[(D?F?,? ?)(\+|none)?\].* length ([0-9]+)\).*/4 \1 \2 \5 \4/p
			s/^IP6 \(.*next-header Fragment.*length: ([0-9]+)\).*frag \((0x[0-9a-f]+):([0-9]+)\|([0-9]+)\).*/6 \2 \3 \4/p' |
		awk '$1 == 4 && ($3 > 0 || $5 == "+") { print $2, $3, $4 - 20 }
			$1 == 6 { print $2, $3, $4 }'
}

# expected ORDER BYTES PIECE: offset and length of each piece of a datagram, as it should be sent.
expected() {
	awk -v order="$1" -v bytes="$2" -v piece="$3" '
		function one(i) { at = i * piece; print at, bytes - at < piece ? bytes - at : piece }
		BEGIN {
			n = int((bytes + piece - 1) / piece)
			if (order == "reverse")
				for (i = n - 1; i >= 0; i--) one(i)
			else if (order == "odd-even") {
				for (i = 0; i < n; i += 2) one(i)
				for (i = 1; i < n; i += 2) one(i)
			} else
				for (i = 0; i < n; i++) one(i)
		}'
}

# ip_counter NAMESPACE FAMILY NAME: a counter of the kernel's, as Ip.NAME or Ip6NAME.
ip_counter() {
	if [ "$2" = 4 ]; then
		ip netns exec "$1" awk -v name="$3" '
			$1 == "Ip:" && !n { n = split($0, names); next }
			$1 == "Ip:" { for (i = 1; i <= n; i++) if (names[i] == name) print $i }' /proc/net/snmp
	else
		ip netns exec "$1" awk -v name="Ip6$3" '$1 == name { print $2 }' /proc/net/snmp6
	fi
}

family_addresses() {
	OURS=10.7.0.1 THEIRS=10.7.0.2
	[ "$1" = 4 ] || OURS=fd07::1 THEIRS=fd07::2
}

# cut_on_the_wire FAMILY MTU DATA/PIECE/ORDER...: three requests of each.
cut_on_the_wire() {
	local family=$1 mtu=$2 way data piece order before
	shift 2
	[ "$family" = 4 ] || require ipv6
	lab_veth "$mtu"
	family_addresses "$family"
	before=$(ip_counter "$PEER" "$family" ReasmOKs)
	capture_start "$PEER" vb "host $THEIRS"
	for way in "$@"; do
		IFS=/ read -r data piece order <<<"$way"
		run_probe -j -c 3 -i 0.02 -s "$data" --fragment-size "$piece" --fragment-order "$order" "$THEIRS"
		assert_status 0
		expected "$order" $((data + 8)) "$piece" >one
		assert_json "$OUT" ".targets[0] | .received == 3 and .fragments.per_request == $(wc -l <one)
			and .fragments.created == null and (.fragments.sizes | length) == .fragments.per_request"
		assert_json "$OUT" ".settings.fragment_size_bytes == $piece and .settings.fragment_order == \"$order\""
		cat one one one >>wanted
	done
	capture_stop
	pieces "$OURS" >sent
	cut -d' ' -f2- sent >offsets
	cmp -s wanted offsets || fail "offsets on the wire: $(diff wanted offsets | head -n 12)"
	assert_equal "$(cut -d' ' -f1 sent | uniq | wc -l)" $((3 * $#)) "identifications"
	assert_no_grep '^0 |^0x0+ ' sent "an identification of 0"
	assert_equal "$(tcpdump -r "$CAPTURE" -n "ip$([ "$family" = 4 ] || echo 6) and dst $THEIRS and not src $OURS" 2>/dev/null)" \
		"" "other sources"
	assert_equal "$(($(ip_counter "$PEER" "$family" ReasmOKs) - before))" $((3 * $#)) "datagrams put together"
	assert_equal "$(ip_counter "$LAB" "$family" FragCreates)" 0 "fragments that the kernel made"
}

test_case cut-orders-ip4 cut_on_the_wire 4 1500 300/64/forward 300/64/reverse 300/64/odd-even
test_case cut-orders-ip6 cut_on_the_wire 6 1500 300/64/forward 300/64/reverse 300/64/odd-even
test_case cut-sizes-ip4 cut_on_the_wire 4 1500 200/48/odd-even 8000/1480/reverse 9000/48/forward
test_case cut-sizes-ip6 cut_on_the_wire 6 1500 100/8/reverse 8000/1448/odd-even 3000/8/forward
test_case cut-1280-ip4 cut_on_the_wire 4 1280 8000/1256/odd-even
test_case cut-1280-ip6 cut_on_the_wire 6 1280 8000/1232/odd-even

# Connection tracking of this host joins pieces in the output hook, but leaves these alone.
cut_tracked() {
	require nft
	lab_veth
	in_lab nft -f - <<-END || skip "nft does not track connections here"
		add table ip t
		add chain ip t c { type filter hook output priority 0; }
		add rule ip t c ct state new counter accept
	END
	capture_start "$PEER" vb "host 10.7.0.2"
	run_probe -j -c 2 -i 0.02 -s 300 --fragment-size 64 --fragment-order reverse 10.7.0.2
	capture_stop
	assert_status 0
	expected reverse 308 64 >one
	cat one one >wanted
	pieces 10.7.0.1 | cut -d' ' -f2- >offsets
	cmp -s wanted offsets || fail "offsets on the wire: $(cat offsets)"
	# It is there and at work: a datagram that the kernel cuts is tracked.
	run_probe -c 1 -s 3000 10.7.0.2
	assert_status 0
	in_lab nft list chain ip t c >rules
	assert_grep 'packets [1-9]' rules
}

# What other options put into headers is in those of all pieces.
cut_headers() {
	lab_veth
	capture_start "$PEER" vb "src 10.7.0.1"
	run_probe -c 1 -t 33 -Q 0x20 -s 200 --fragment-size 64 10.7.0.2
	assert_status 0
	capture_stop
	tcpdump -r "$CAPTURE" -n -v 2>/dev/null | grep -c 'IP (tos 0x20, ttl 33,' >count || true
	assert_equal "$(cat count)" 4 "pieces with both"
	assert_no_grep 'DF' <(tcpdump -r "$CAPTURE" -n -v 2>/dev/null)
	require ipv6
	capture_start "$PEER" vb "src fd07::1"
	run_probe -c 1 -t 33 -Q 0x20 -F 12345 -s 200 --fragment-size 64 fd07::2
	assert_status 0
	capture_stop
	tcpdump -r "$CAPTURE" -n -v 2>/dev/null |
		grep -c 'IP6 (class 0x20, flowlabel 0x12345, hlim 33, next-header Fragment' >count || true
	assert_equal "$(cat count)" 4 "IPv6 pieces with all three"
}

# The host's own times to live where none was asked for: that of multicast is one hop.
cut_times_to_live() {
	lab_veth
	in_lab sysctl -qw net.ipv4.ip_default_ttl=77
	capture_start "$PEER" vb "src 10.7.0.1"
	run_probe -c 1 -s 200 --fragment-size 64 10.7.0.2
	assert_status 0
	run_probe -b -c 1 -W 0.1 -I va -s 200 --fragment-size 64 224.0.0.1
	capture_stop
	tcpdump -r "$CAPTURE" -n -v "dst 10.7.0.2" 2>/dev/null | grep -c ' ttl 77,' >count || true
	assert_equal "$(cat count)" 4 "pieces with the host's time to live"
	tcpdump -r "$CAPTURE" -n -v "dst 224.0.0.1" 2>/dev/null >multicast
	assert_equal "$(grep -c 'IP (' multicast)" 4 "pieces to a group"
	assert_equal "$(grep -cE 'ttl 1,|IP \(tos 0x0, id' multicast)" 4 "pieces of one hop"
}

# The source of -I; for IPv6 the checksum must be right for it.
cut_source() {
	lab_veth
	ip -n "$LAB" address add 10.7.0.9/24 dev va
	capture_start "$PEER" vb "ip and dst 10.7.0.2"
	run_probe -c 2 -i 0.02 -I 10.7.0.9 -s 200 --fragment-size 64 10.7.0.2
	capture_stop
	assert_status 0
	assert_equal "$(pieces 10.7.0.9 | wc -l)" "$CAPTURED" "pieces from the address of -I"
	require ipv6
	ip -n "$LAB" address add fd07::9/64 dev va nodad
	ip -n "$PEER" neigh replace fd07::9 lladdr "$(in_lab cat /sys/class/net/va/address)" dev vb nud permanent
	for source in fd07::9 va; do
		run_probe -c 2 -i 0.02 -I $source -s 201 --fragment-size 64 fd07::2
		assert_status 0
	done
}

# Link-local addresses and the loop-back: sources that the kernel chooses by rules of its own.
cut_other_sources() {
	lab_veth
	run_probe -c 2 -i 0.02 -s 200 --fragment-size 64 127.0.0.1
	assert_status 0
	require ipv6
	run_probe -c 2 -i 0.02 -s 200 --fragment-size 64 ::1
	assert_status 0
	run_probe -c 2 -i 0.02 -s 200 --fragment-size 64 \
		"$(ip -n "$PEER" -6 -br address show dev vb scope link | awk '{ sub("/.*", "", $3); print $3 }')%va"
	assert_status 0
}

cut_flood() {
	lab_veth
	run_probe -j -f -q -c 3000 -l 4 -s "$2" --fragment-size "$3" "$1"
	assert_status 0
	assert_accounting "$OUT"
	assert_json "$OUT" '.targets[0] | .received == 3000 and .lost == 0 and .mixed == 0 and .corrupt == 0'
	# Pieces leave by a socket whose stamps nobody reads: no figure is made up of them.
	assert_json "$OUT" '.targets[0] | .rtt.kernel == null and .in_flight.sending == null'
}

# A piece that finds no room waits for it, so that no datagram stays half sent: behind a slow link the
# smallest buffer holds fewer pieces than one datagram has.
cut_small_buffer() {
	require tc
	lab_veth
	in_lab tc qdisc add dev va root tbf rate 20mbit burst 10k limit 200k || skip "no tbf here"
	run_command setpriv --bounding-set=-net_admin --inh-caps=-all \
		"$FPING_BENCH" -j -f -q -c 20 -S 4608 -s 8000 --fragment-size 504 10.7.0.2
	assert_status 0
	assert_json "$OUT" '.targets[0] | .sent == 20 and .received == 20 and .send_errors == 0'
	assert_equal "$(ip_counter "$PEER" 4 ReasmOKs)" 20 "datagrams put together"
	assert_equal "$(ip_counter "$PEER" 4 ReasmReqds)" $((20 * 16)) "pieces received"
}

# refused PATTERN ARGUMENT...: exit status 2 and one line that matches, nothing is sent.
refused() {
	local pattern=$1
	shift
	run_probe "$@"
	assert_status 2
	assert_equal "$(wc -l <"$ERR")" 1 "lines for $*"
	assert_grep "$pattern" "$ERR"
}

cut_refused() {
	lab_veth
	counters_start "$LAB"
	refused 'units of 8 bytes: use 56' -c 1 --fragment-size 63 10.7.0.2
	refused '48 to 1480 bytes.*IPv4.*1500' -c 1 --fragment-size 40 10.7.0.2
	refused '48 to 1480 bytes' -c 1 --fragment-size 1488 -s 3000 10.7.0.2
	refused 'number|from 8' -c 1 --fragment-size x 10.7.0.2
	refused '--fragment-size' -c 1 --fragment-size 0 10.7.0.2
	refused 'forward, reverse or odd-even' -c 1 --fragment-size 64 --fragment-order sideways 10.7.0.2
	refused '--fragment-order.*--fragment-size' -c 1 --fragment-order reverse 10.7.0.2
	refused '-M' -c 1 -M 'do' --fragment-size 64 10.7.0.2
	refused '-M' -c 1 -M probe --fragment-size 64 10.7.0.2
	refused '--transport ping' -c 1 --transport ping --fragment-size 64 10.7.0.2
	refused '--transport sim' -c 1 --transport sim --fragment-size 64 10.7.0.2
	if [ -e /proc/net/if_inet6 ]; then
		refused '8 to 1448 bytes.*IPv6' -c 1 --fragment-size 1456 -s 3000 fd07::2
	fi
	assert_equal "$(counter "$LAB" out_request)$(counter "$LAB" out_request6)" 00 "packets sent"
}

# Who has ping sockets only has no such fragments, and is told so.
cut_without_right() {
	lab_veth
	install_copy plain
	in_lab sysctl -qw net.ipv4.ping_group_range='0 2147483647'
	run_command "${AS_NOBODY[@]}" "$COPY" -c 1 -s 200 --fragment-size 64 10.7.0.2
	assert_status 2
	assert_equal "$(wc -l <"$ERR")" 1 "lines"
	assert_grep 'by hand.*CAP_NET_RAW' "$ERR"
}

cut_installed() {
	lab_veth
	install_copy "$1"
	run_command "${AS_NOBODY[@]}" "$COPY" -c 2 -i 0.02 -s 200 --fragment-size 64 10.7.0.2
	assert_status 0
	require ipv6
	run_command "${AS_NOBODY[@]}" "$COPY" -c 2 -i 0.02 -s 200 --fragment-size 64 fd07::2
	assert_status 0
}

cut_text() {
	lab_veth
	run_probe -c 2 -i 0.02 -s 200 --fragment-size 64 10.7.0.2
	assert_status 0
	tr '\n' ' ' <"$OUT" | tr -s ' ' >text
	assert_grep 'fragments 4 per request \(3 x 84 \+ 36 bytes, cut by hand\)' text
	assert_grep 'replies came whole' text
	assert_no_grep '(wire|datagram) each way' text
	assert_no_grep 'sent 0' text
	run_probe -c 2 -i 0.02 -s 3000 --fragment-size 64 10.7.0.2
	tr '\n' ' ' <"$OUT" | tr -s ' ' >text
	assert_grep 'replies came in fragments of up to 1500 bytes; received [0-9]+ by' text
}

test_case cut-is-left-alone-by-tracking cut_tracked
test_case cut-has-the-headers-asked-for cut_headers
test_case cut-has-the-hosts-times-to-live cut_times_to_live
test_case cut-from-the-source-asked-for cut_source
test_case cut-from-other-sources cut_other_sources
test_case cut-flood-ip4 cut_flood 10.7.0.2 3000 1480
test_case cut-flood-ip6 cut_flood fd07::2 300 64
test_case cut-waits-for-room cut_small_buffer
test_case cut-refusals cut_refused
test_case cut-needs-a-right cut_without_right
test_case cut-setuid cut_installed setuid
test_case cut-capability cut_installed capability
test_case cut-in-words cut_text
