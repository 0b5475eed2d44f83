# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # the variables are those of selftest.sh
#
# Cases of selftest.sh: who is answered, when, how often and in which order. $1 is the family where
# both have a case.

plain() {
	local size sizes="0 1 7 8 56 1452 1453 1472 1473 2048 9000 65507"
	[ "$1" = 4 ] || sizes="$sizes 65527"
	start '' || return
	for size in $sizes; do
		pings -c 1 -s "$size" "$(host "$1")"
		equal "$(received)" 1 "received with $size bytes"
		unseen 'wrong|corrupt|DUP|truncated' "$out"
	done
	stop
	equal "$(value .bad_checksum)" 0 'bad checksums'
	equal "$(value .requests)" "$(wc -w <<<"$sizes")" requests
	equal "$(value .smallest_request)" 0 'smallest request'
}

flood() {
	one '' -f -q -c 5000 -l 64 "$(host "$1")"
	between "$(received)" 4900 5000 received # its own socket buffer may be too small
	equal "$(value '.requests, .replies, .sequence_gaps, .device_drops' | xargs)" \
		'5000 5000 0 0' counts
}

delay() {
	one 'all: delay 20ms' -c 10 -i 0.01 "$(host "$1")"
	equal "$(received)" 10 received
	between "$(sed -n 's/^rtt [^=]*= \([0-9.]*\).*/\1/p' "$out")" 20 60 'least round trip'
	between "$(value .lateness_ns.samples)" 10 10 'delayed answers'
	between "$(value .lateness_ns.min)" 0 5000000 'least lateness'
	between "$(value .max_outstanding)" 1 10 outstanding
}

# A closed loop of N = 32 against R0 = 500 us and S = 100 us has its rate from the server: 1/S.
service() {
	one 'all: service 100us, delay 500us' -f -q -c 2000 -l 32 "$(host "$1")"
	equal "$(received)" 2000 received
	between "$(value '(.last_arrival_ns - .first_arrival_ns) / (.requests - 32) / 1000')" 99 \
		1000 \
		'microseconds per request'
}

queue_limit() {
	one 'all: service 20ms queue 2' -c 20 -l 3 -i 0.002 10.66.0.2
	between "$(value .dropped)" 1 18 dropped
	equal "$(value '.replies + .dropped')" 20 'answered or dropped'
}

limit() {
	one 'all: limit 10 burst 3' -c 10 -l 3 -i 0.002 10.66.0.2
	equal "$(received)" 3 received
}

silent() {
	one 'all: silent' -c 3 -i 0.01 -W 0.2 "$(host "$1")"
	equal "$(received)" 0 received
	equal "$(value '.requests,.dropped,.replies' | xargs)" '3 3 0' counts
}

drop_every() {
	one 'every 4: drop' -c 20 -i 0.002 -W 0.2 "$(host "$1")"
	equal "$(received)" 15 received
	equal "$(column 7 | xargs)" '1 2 3 5 6 7 9 10 11 13 14 15 17 18 19' sequences
}

drop_list() {
	one 'request 3,7-8,10-: drop' -c 12 -i 0.002 -W 0.2 "$(host "$1")"
	equal "$(column 7)" '1 2 4 5 6 9' sequences
}

drop_chance() {
	local first
	one 'chance 25%: drop' -f -q -c 400 -W 0.2 "$(host "$1")"
	first=$(column 7 | md5sum)
	between "$(value .dropped)" 60 140 'dropped of 400'
	one 'seed 1; chance 0.25: drop' -f -q -c 400 -W 0.2 "$(host "$1")"
	equal "$(column 7 | md5sum)" "$first" 'the same seed'
	one 'seed 2; chance 0.25: drop' -f -q -c 400 -W 0.2 "$(host "$1")"
	[ "$(column 7 | md5sum)" != "$first" ] || fail 'another seed makes the same choices'
}

conditions() {
	start 'dst 10.66.0.8/30 : drop; dst fd66::8/126: drop; size 100-200: drop; sequence 3: drop
		not dst 10.66.0.0/24 ipv4: drop' -r 10.67.0.0/16 || return
	pings -c 1 -W 0.2 10.66.0.9 && fail 'dst 10.66.0.8/30 missed'
	pings -c 1 -W 0.2 fd66::a && fail 'dst fd66::8/126 missed'
	pings -c 1 -W 0.2 -s 100 10.66.0.2 && fail 'size 100-200 missed'
	pings -c 1 -W 0.2 10.67.3.2 && fail 'not dst missed'
	pings -c 1 -W 0.2 10.66.0.12 || fail 'too much was dropped'
	pings -c 4 -i 0.01 -W 0.2 fd66::2
	equal "$(received)" 3 'received without sequence 3'
	stop
	equal "$(value '[.rules[].matched] | @csv')" 1,1,1,1,1 'matches of the rules'
}

goes_on() {
	one 'all: delay 10ms, ttl 9, continue; every 2: delay 20ms; request 3: drop' -c 4 -i 0.1 \
		-W 0.3 \
		10.66.0.2
	equal "$(received)" 3 received
	equal "$(grep -c 'ttl=9' "$out")" 3 'replies with the ttl'
	between "$(sed -n 's/.*icmp_seq=1 .*time=\([0-9.]*\).*/\1/p' "$out")" 10 90 'first delay'
	between "$(sed -n 's/.*icmp_seq=2 .*time=\([0-9.]*\).*/\1/p' "$out")" 30 90 'second delay'
}

fragment_drop() {
	local which
	for which in first rest last 2; do
		one "fragment $which request 2: drop" -c 3 -i 0.01 -W 0.3 -s 4000 "$(host "$1")"
		equal "$(received)" 2 "received with fragment $which gone"
		equal "$(column 7 | tr -d ' -')" 13 "sequences with fragment $which gone"
	done
}

incomplete() {
	one 'reassembly 100ms; fragment rest: drop; incomplete: error reassembly-time-exceeded' -c \
		1 \
		-W 1 -s 4000 "$(host "$1")"
	equal "$(value '.reassembly_timeouts, .errors' | xargs)" '1 1' 'timeouts and errors'
	equal "$(column 11) $(column 12)" "$(if [ "$1" = 4 ]; then echo 11; else echo 3; fi) 1" \
		'type and code'
}

duplicates() {
	whole 3 'all: repeat at 0 20ms 100ms' -c 3 -i 0.2 "$(host "$1")"
	equal "$(value .replies)" 9 replies
	equal "$(awk '$2 == "in" { t[$7] = $1 }
		$2 == "out" { d = ($1 - t[$7]) / 1e6; printf "%d ", d < 20 ? 0 : d < 100 ? 20 : 100
		}' "$log")" \
		'0 20 100 0 20 100 0 20 100 ' 'milliseconds of the copies'
	seen 'DUP' "$out"
	whole 2 'request 1: repeat 10 every 1ms; default: drop' -c 2 -i 0.1 -W 0.2 "$(host "$1")"
	equal "$(value .replies)" 10 replies
	equal "$(received)" 1 received
}

reorder() {
	whole 5 'every 3: delay 200ms' -c 5 -i 0.03 "$(host "$1")"
	equal "$(column 7)" '1 2 4 5 3' 'order of sequences'
}

hold() {
	one 'request 1: hold until 3; request 4: hold until +1' -c 5 -i 0.01 -W 0.5 "$(host "$1")"
	equal "$(column 7)" '2 3 1 5 4' 'order of sequences'
	one 'request 2: hold until 99' -c 2 -i 0.01 -W 0.2 "$(host "$1")"
	equal "$(value .held_at_end)" 1 held
}
