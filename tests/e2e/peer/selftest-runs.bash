# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # the variables are those of selftest.sh
#
# Cases of selftest.sh: unasked packets, the clock, the end of a run, and the reading of scripts. $1
# is the family where both have a case.

noise() {
	whole 3 'request 1: send router-advertisement repeat 300 |
		send neighbour-advertisement repeat 300 |
		send neighbour-solicitation repeat 2 | reply delay 5ms' -c 3 -i 0.01 "$(host "$1")"
	equal "$(received)" 3 received
	equal "$(value .injected)" 602 injected
	unseen 'DUP|From' "$out"
}

forged() {
	whole 2 'request 2: send forged repeat 20000 | send forged, id +0, sequence +1, repeat 100 |
		delay 30ms' -c 2 -i 0.01 -W 0.5 "$(host "$1")"
	equal "$(value .injected)" 20100 injected
	between "$(column 6 | tr ' ' '\n' | grep -c "^$(column 6 in | cut -d' ' -f1)\$")" 102 110 \
		'forgeries with the right id'
}

junk() {
	one 'all: send packet 4500001400010000400100000a4200020a420001 |
		send packet 00ff | send icmp 0b01ffff |
		reply' -c 1 "$(host "$1")"
	equal "$(received)" 1 received
	equal "$(value '.write_errors >= 1')" true 'no IP version: refused by the kernel'
}

times() {
	whole 4 'all: stall 80ms-200ms' -c 4 -i 0.05 "$(host "$1")"
	equal "$(value .replies)" 4 replies
	equal "$(awk '$2 == "in" && ($11 == 8 || $11 == 128) && !first { first = $1 }
		$2 == "out" && $1 >= first + 80e6 && $1 < first + 200e6' "$log")" '' \
		'left during the stall'
	between "$(value '.lateness_ns.samples')" 1 4 'stalled replies'
	one 'time 0-200ms: drop' -c 3 -i 0.15 -W 0.5 "$(host "$1")"
	equal "$(column 7)" 3 'answered from 200 ms on'
	one 'request 1-2: drop' -c 4 -i 0.01 -W 0.2 "$(host "$1")"
	equal "$(received)" 2 'received from request 3 on'
	one 'at 50ms: send router-advertisement' -c 2 -i 0.3 "$(host "$1")"
	equal "$(value .injected)" 1 'sent by the clock'
}

stuck() {
	whole 4 'request 2: stuck 150ms' -c 4 -i 0.02 "$(host "$1")"
	equal "$(value .replies)" 4 replies
	between "$(value '.gap_ns.max / 1e6')" 149 400 'milliseconds without an arrival'
	start 'request 1: stuck 500ms' --txqueuelen 4 || return
	pings -q -c 200 -i 0.001 -W 0.1 "$(host "$1")"
	stop
	between "$(value '.requests + .device_drops')" 180 400 'read or dropped by the kernel'
	between "$(value .device_drops)" 1 200 'dropped by the kernel'
}

dont_fragment() {
	one 'df packet 1401-: error too-big mtu 1400' -M 'do' -s 1440 -c 2 -i 0.05 -W 0.2 10.66.0.2
	seen 'mtu ?= ?1400' "$out"
	one 'df packet 1401-: error too-big mtu 1400' -M dont -s 1440 -c 2 -i 0.05 10.66.0.2
	equal "$(received)" 2 'received without DF'
}

mutations() {
	whole 1 'request 1: error host-unreachable quote full mutate 5 repeat 3000 |
		mutate 3 repeat 3000' \
		-c 1 -W 0.3 "$(host "$1")"
	equal "$(value '.errors, .replies' | xargs)" '3000 3000' counts
	equal "$(value .write_errors)" 0 'write errors'
}

endings() {
	local began
	start '' -c 3 || return
	pings -c 3 -i 0.01 10.66.0.2
	wait "$peer" || fail "status $?"
	equal "$(value .requests)" 3 'requests at --count'
	began=$(date +%s%N)
	"$PEER" -e 'default: drop' -t 0.2s >"$json" || fail "status $?"
	between $((($(date +%s%N) - began) / 1000000)) 190 1000 'milliseconds of -t 0.2s'
	equal "$(value '.first_arrival_ns, .smallest_request, .gap_ns.p50' | xargs)" \
		'null null null'
}

many() {
	local i
	start '' -r 10.67.0.0/16 || return
	for i in {1..70}; do echo "10.67.1.$i"; done >targets
	xargs -P 8 -n 1 ping -n -q -c 1 <targets >/dev/null || fail 'a target did not answer'
	stop
	equal "$(value '.destinations, (.per_destination | length)' | xargs)" '70 64' destinations
}

scripts() {
	local text
	while IFS= read -r text; do
		"$PEER" --check -e "$text" 2>peer.err
		equal "$?" 2 "status for: $text"
		equal "$(wc -l <peer.err)" 1 "lines for: $text"
		seen '^peer: -e:1: ' peer.err
	done <<'END'
all: dorp
sometimes: drop
every 0: drop
every 4 offset 4: drop
request x: drop
request 5-3: drop
all: delay 5
all: delay 5 ms
all: delay -1ms
all: hold 5
all: repeat 0
all: truncate 3x
all: truncate +3
all: options 0
all: options 01x41
all: options 0g
all: ttl 256
all: fragment 12
all: fragment 800 order sideways
all: error sideways
all: error
all: mtu 4294967296
all: from
all: from 10.66.0.256
all: wrong everything
all: wrong
all: send
chance 101%: drop
chance nan: drop
fragment first size 3: drop
fragment first: delay 3ms
at 5: drop
at 5ms request 3: drop
incomplete: delay 1ms
dst 10.0.0.0/33: drop
request : drop
all: drop | continue
reassembly 0
seed -1
router here
END
	printf 'all: drop\n# a remark\n\nall: frop # a remark\n' >script.txt
	"$PEER" --check script.txt 2>peer.err
	equal "$?: $(cat peer.err)" '2: peer: script.txt:4: unknown word "frop"'
	awk '/^```/ { inside = !inside && /peer$/; next } inside' "$here/README.md" >readme.txt
	between "$(wc -l <readme.txt)" 20 200 'lines of examples'
	"$PEER" --check readme.txt || fail 'an example of the README is refused'
	"$PEER" -4 10.0.0.1/33 2>peer.err
	equal "$?" 2 'status for a bad option'
}
