# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # the variables are those of selftest.sh
#
# Cases of selftest.sh: what an answer looks like, byte by byte. $1 is the family where both have
# a case.

lengths() {
	local header=$(($(header "$1") + 8))
	one 'request 1: truncate 0; request 2: truncate 8; request 3: truncate half
		request 4: truncate -1; request 5: lengthen 1; request 6: lengthen 1000' \
		-c 6 -i 0.01 -W 0.2 \
		-s 56 "$(host "$1")"
	equal "$(column 8)" \
		"$(for size in 0 8 28 55 57 1056; do echo $((header + size)); done |
			xargs)" 'IP lengths'
	equal "$(value .bad_checksum)" 0
}

icmp_lengths() {
	local header
	header=$(header "$1")
	one 'request 1: icmp-length 4; request 2: icmp-length 5; request 3: icmp-length 7
		request 4: icmp-length 0; request 5: icmp-length 8' \
		-c 5 -i 0.01 -W 0.2 "$(host "$1")"
	equal "$(column 8)" \
		"$((header + 4)) $((header + 5)) $((header + 7)) $header $((header + 8))" \
		'IP lengths'
}

corrupt() {
	local data=$(($(header "$1") * 2 + 17))
	look 'request 1: corrupt 20; request 2: corrupt 20 unrepaired; request 3: wrong checksum
		request 4: wrong tag; request 5: set 16 deadbeef' \
		"$(replies "$1")" -c 5 -i 0.01 -W 0.2 \
		"$(host "$1")"
	seen 'wrong data byte #20' "$out"
	equal "$(grep -cE 'wrong icmp cksum|bad icmp6 cksum' capture.txt)" 2 'bad checksums'
	equal "$(hex | wc -l)" 5 'captured replies'
	equal "$(hex | sed -n 5p | cut -c$((data + 32))-$((data + 39)))" deadbeef 'bytes 16 to 19'
}

# Bytes 8 to 15 of the data differ between request and reply, and no others.
tag() {
	local data=$(($(header "$1") * 2 + 17)) request reply
	look 'all: wrong tag' 'icmp or icmp6' -c 1 -W 0.2 "$(host "$1")"
	request=$(hex | sed -n 1p | cut -c"$data"-) reply=$(hex | sed -n 2p | cut -c"$data"-)
	equal "${request:0:16}${request:32}" "${reply:0:16}${reply:32}" 'the other bytes'
	[ "${request:16:16}" != "${reply:16:16}" ] || fail 'the tag is right'
	unseen 'wrong icmp cksum|bad icmp6 cksum' capture.txt
}

mix() {
	local data=$(($(header "$1") * 2 + 17))
	start 'request 1: mix 32 with 2; request 2: delay 20ms' || return
	capture "$(replies "$1")"
	timeout 5 ping -n -W 1 -c 1 -p aa "$(host "$1")" >first.out 2>&1 &
	sleep 0.1
	pings -c 1 -p bb "$(host "$1")"
	wait $!
	captured
	stop
	equal "$(hex | sed -n 1p | cut -c$((data + 32))-$((data + 111)))" \
		"$(printf 'aa%.0s' {1..16})$(printf 'bb%.0s' {1..24})" 'the spliced data'
	unseen 'wrong icmp cksum|bad icmp6 cksum' capture.txt
}

wrong_identity() {
	one 'request 1: wrong id 7; request 2: wrong id; request 3: wrong sequence 999
		request 4: wrong sequence -1; request 5: wrong source; request 6: wrong source \
			10.66.0.77
		request 7: wrong source fd66::77' -c 7 -i 0.01 -W 0.2 "$(host "$1")"
	equal "$(column 7 | cut -d' ' -f3,4)" '999 3' sequences
	equal "$(column 6 | cut -d' ' -f1)" 7 id
	if [ "$1" = 4 ]; then
		equal "$(column 4 | cut -d' ' -f5-7)" '10.66.0.66 10.66.0.77 10.66.0.2' sources
	else
		equal "$(column 4 | cut -d' ' -f5-7)" 'fd66::42 fd66::2 fd66::77' sources
	fi
}

header_checksum() {
	look 'all: wrong header-checksum' "$replies4" -c 1 -W 0.2 10.66.0.2
	seen 'bad cksum' capture.txt
	equal "$(received)" 0 received
}

options() {
	if [ "$1" = 4 ]; then
		look 'request 1: options 01x4; request 2: options 01x20; request 3: options 01x40
			request 4: options 9f04beef' "$replies4" -c 4 -i 0.01 -W 0.2 10.66.0.2
		equal "$(column 8)" '88 104 124 88' 'IP lengths'
		seen 'options \(NOP' capture.txt
	else
		look 'all: options 010400000000' 'ip6[6] = 60' -c 2 -i 0.01 -W 0.2 fd66::2
		seen 'DSTOPT' capture.txt
	fi
	between "$(received)" 2 4 received
	unseen 'bad cksum|bad icmp6 cksum|wrong icmp' capture.txt
}

overrides() {
	one 'request 1: type 14; request 2: code 5; request 3: ttl 7; request 4: tos 184' -c 4 -i \
		0.01 -W 0.2 \
		"$(host "$1")"
	equal "$(column 11)" \
		"$(if [ "$1" = 4 ]; then echo 14 0 0 0; else echo 14 129 129 129; fi)" types
	equal "$(column 12)" '0 5 0 0' codes
	seen 'ttl=7' "$out"
}

errors4() {
	one 'request 1: error type 3 code 1; request 2: error port-unreachable
		request 3: error type 3 code 4 mtu 1400 from 10.66.0.99; request 4: error type 11 \
			code 1
		request 5: error type 12 code 0 pointer 8; request 6: error type 11 code 0' \
		-c 6 -i 0.01 -W 0.2 \
		10.66.0.2
	seen 'From 10.66.0.254 icmp_seq=1 Destination Host Unreachable' "$out"
	seen 'icmp_seq=2 Destination Port Unreachable' "$out"
	seen 'From 10.66.0.99 icmp_seq=3 Frag needed and DF set \(mtu = 1400\)' "$out"
	equal "$(column 11) $(column 12)" '3 3 3 11 12 11 1 3 4 1 0 0' 'types and codes'
	seen 'icmp_seq=5 Parameter problem: pointer = 8' "$out"
	seen 'icmp_seq=6 Time to live exceeded' "$out"
	equal "$(value .errors)" 6 errors
}

errors6() {
	one 'request 1: error type 1 code 0; request 2: error type 1 code 4
		request 3: error type 3 code 0
		request 4: error type 4 code 0 pointer 40; request 5: error type 1 code 6
		request 6: error type 2 code 0 mtu 1280' -c 6 -i 0.01 -W 0.2 fd66::2
	seen 'From fd66::fe icmp_seq=1 Destination unreachable: No route' "$out"
	seen 'icmp_seq=2 Destination unreachable: Port unreachable' "$out"
	seen 'icmp_seq=3 Time exceeded: Hop limit' "$out"
	seen 'icmp_seq=4 Parameter problem' "$out"
	seen 'icmp_seq=6 Packet too big: mtu=1280' "$out"
	equal "$(value .errors)" 6 errors
}

# What is quoted, byte by byte: the captured error against the captured request.
quotes() {
	local head=$(($(header "$1") + 8)) length
	for length in 0 20 27 28 40 60 full; do
		one "all: error host-unreachable quote $length" -c 1 -W 0.1 -s 100 "$(host "$1")"
		[ "$length" != full ] || length=$((head + 100))
		equal "$(column 8)" $((head + length)) "IP length with a quote of $length"
	done
	look 'all: error host-unreachable' 'icmp or icmp6' -c 1 -W 0.1 -s 2000 "$(host "$1")"
	equal "$(hex | grep -cE "^.{$((head * 2))}$(hex | head -n 1 | cut -c1-200)")" 1 \
		'quotes of the first fragment'
	unseen 'wrong icmp cksum|bad icmp6 cksum' capture.txt
}

mtus() {
	local at=$(($(header "$1") * 2 + 9)) mtu
	for mtu in 0 68 1280 65535 100000; do
		look "all: error too-big mtu $mtu" \
			"$(if [ "$1" = 4 ]; then echo 'icmp[0] = 3'; else echo 'ip6[40] = 2'; fi)" \
			-c 1 -W 0.1 "$(host "$1")"
		equal "$(hex | cut -c"$at"-$((at + 7)))" "$(printf %08x "$mtu")" "mtu $mtu"
	done
}

quoted_fields() {
	local quote
	if [ "$1" = 4 ]; then
		look 'all: error host-unreachable quote full quoted-ihl 15 quoted-protocol 17,
			quoted-source 1.2.3.4 quoted-destination 5.6.7.8,
			quoted-id 0x1234 quoted-sequence 0xabcd \
				quoted-length 9,
			quoted-offset 800' 'icmp[0] = 3' -c 1 -W 0.1 10.66.0.2
		quote=$(hex | cut -c57-)
		equal "${quote:0:2} ${quote:4:4} ${quote:12:4} ${quote:18:2} ${quote:24:16} \
${quote:48:8}" \
			'4f 0009 4064 11 0102030405060708 1234abcd' 'the quoted fields'
		look 'all: error host-unreachable quote full quoted-options 01x8' 'icmp[0] = 3' -c \
			1 -W 0.1 10.66.0.2
		quote=$(hex | cut -c57-)
		equal "${quote:0:8} ${quote:40:20}" "4700005c 01010101010101010800" \
			'the quoted options'
	else
		look 'all: error host-unreachable quote full quoted-protocol 17,
			quoted-source fd01::1 quoted-destination fd02::2,
			quoted-id 0x1234 quoted-sequence 0xabcd' 'ip6[40] = 1' \
			-c 1 -W 0.1 fd66::2
		quote=$(hex | cut -c97-)
		equal "${quote:12:2} ${quote:16:64} ${quote:88:8}" \
			"11 fd01$(printf %028d 1)fd02$(printf %028d 2) 1234abcd" 'the quoted fields'
		unseen 'bad icmp6 cksum' capture.txt
	fi
}

fragments() {
	local case script offsets
	# 2008 bytes of IP payload in pieces of 800: 0 800 1600
	for case in 'forward|0 800 1600' 'reverse|1600 800 0' 'odd-even|0 1600 800' \
		'forward skip 2|0 1600' 'forward skip last|0 800' 'forward skip rest|0' \
			'forward skip all|' \
		'forward twice 2|0 800 800 1600' 'reverse overlap 8|1592 792 0'; do
		script=${case%|*} offsets=${case#*|}
		one "all: fragment 800 order $script" -c 1 -W 0.2 -s 2000 "$(host "$1")"
		equal "$(column 9)" "$offsets" "offsets with $script"
		case $script in
		*skip* | *overlap*) equal "$(received)" 0 "received with $script" ;;
		*) equal "$(received)" 1 "received with $script" ;;
		esac
	done
	one 'all: fragment 8 order random' -c 1 -W 0.3 -s 300 "$(host "$1")"
	equal "$(received) $(value .fragments_out)" '1 39' 'many small fragments'
	one 'all: fragment 800, pause 20ms' -c 1 -s 2000 "$(host "$1")"
	between "$(sed -n 's/^rtt [^=]*= \([0-9.]*\).*/\1/p' "$out")" 40 400 \
		'round trip with pauses'
}

# Linux cuts as the peer does: request and reply have the same pieces.
fragments_like_linux() {
	local size
	for size in 1452 1453 1472 1473 2888 2889 2943 2944 2952 2953; do
		one '' -c 1 -s "$size" "$(host "$1")"
		equal "$(column 9)" "$(column 9 in)" "offsets with $size bytes"
		equal "$(column 8)" "$(column 8 in)" "lengths with $size bytes"
	done
}

atomic() {
	look 'request 1: fragment atomic; request 2: fragment none' 'ip6[6] = 44 or ip6[40] = 129' \
		-c 2 -i 0.01 -W 0.2 \
		-s 1400 fd66::2
	seen 'frag \(0x' capture.txt
	equal "$(received)" 2 received
}

groups4() {
	one 'all: from 10.66.0.5 fd66::5 10.66.0.6 10.66.0.7' -c 2 -i 0.05 -W 0.2 -I "$device" \
		224.0.0.99
	equal "$(column 4)" '10.66.0.5 10.66.0.6 10.66.0.7 10.66.0.5 10.66.0.6 10.66.0.7' sources
	equal "$(received)" 2 received
	seen '[+]2 duplicates' "$out"
	one '' -b -c 1 10.66.0.255
	equal "$(column 4)" 10.66.0.254 'who answers a broadcast'
}

groups6() {
	one 'all: from fe80::5 10.66.0.5 fe80::6 fe80::7' -c 2 -i 0.05 -W 0.2 -I "$device" ff02::99
	equal "$(column 4)" 'fe80::5 fe80::6 fe80::7 fe80::5 fe80::6 fe80::7' sources
}
