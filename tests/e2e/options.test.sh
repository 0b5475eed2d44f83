#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# The command line from outside: what is refused is refused with the right status, in one line that
# names the option, with nothing sent and nothing on standard output but a whole document where
# --json asked for one; what is accepted does what it says.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# one_line PATTERN: standard error is one line, and it matches.
one_line() {
	assert_equal "$(wc -l <"$ERR")" 1 "lines on standard error"
	assert_grep "$1" "$ERR"
}

# refuses OPTION VALUE: usage error that names the option.
refuses() {
	run_probe "$1" "$2" 127.0.0.1
	[ "$STATUS" = 2 ] || fail "$1 '$2': exit status $STATUS, not 2"
	[ ! -s "$OUT" ] || fail "$1 '$2': something on standard output"
	one_line "^fping-bench: $1[: ]"
}

help_and_version() {
	local option
	for option in -h --help -V --version; do
		run_probe "$option"
		assert_status 0
		[ -s "$OUT" ] || fail "$option printed nothing"
		[ ! -s "$ERR" ] || fail "$option wrote to standard error"
	done
	run_probe --help
	assert_grep '^usage: fping-bench \[options\] host' "$OUT"
	assert_equal "$(awk 'length > 79' "$OUT" | wc -l)" 0 "lines of more than 79 columns"
	run_command sh -c '"$1" --help >/dev/full' sh "$FPING_BENCH"
	assert_status 6
}

no_host() {
	run_probe
	assert_status 2
	one_line 'no host given'
}

# Negative, not a number, endless, empty, with white space, hexadecimal: for every time.
odd_times() {
	local option value
	lab_loopback
	for option in -i -w -W; do
		for value in -0.5 -1 nan inf -inf 1e308 1e-12 '' ' 1' -0 0 0x1p-3 0,5 1e-9 1m 2h; do
			refuses "$option" "$value"
		done
	done
	refuses -i 1e10
	refuses -W 4294968
	refuses -W 0.00001
	refuses -w 9223372036854775807
}

odd_numbers() {
	local value
	lab_loopback
	for value in 3x 1e3 0x10 +3 ' 3' 3.0 -1 0 '' 18446744073709551617; do refuses -c "$value"; done
	for value in 56k 2147483647 4294967352 65528 -1; do refuses -s "$value"; done
	for value in 8,000 0 65537 -1; do refuses --depth "$value"; done
	for value in 0 256 -1 500; do refuses -t "$value"; done
	for value in 0 1e6 -5 1000001; do refuses --rate "$value"; done
	refuses -S 10.0.0.1
	refuses -M 10.0.0.1
	refuses -p xyz
}

# Numbers beyond 32 bits and long waits are taken exactly.
large_numbers() {
	lab_loopback
	run_probe --json -c 4294967299 -w 0.2 -i 0.01 127.0.0.1
	assert_json "$OUT" '.settings.count == 4294967299'
	run_probe --json -W 2148 -c 1 127.0.0.1
	assert_status 0
	assert_json "$OUT" '.settings.timeout_ns == 2148000000000'
	run_probe --json --depth 65536 -s 65507 -c 1 127.0.0.1
	assert_status 0
	assert_json "$OUT" '.targets[0].received == 1 and .settings.depth == 65536'
}

largest_size() {
	lab_loopback
	run_probe -q -4 -c 1 -s 65507 127.0.0.1
	assert_status 0
	run_probe -q -4 -c 1 -s 65508 127.0.0.1
	assert_status 2
	one_line '65507'
	run_probe -q -6 -c 1 -s 65527 ::1
	assert_status 0
	run_probe -q -6 -c 1 -s 65528 ::1
	assert_status 2
	one_line '65527'
	assert_no_packet "$LAB" lo icmp run_probe -c 1 -s 65520 127.0.0.1 ::1
	assert_status 2
	one_line '127\.0\.0\.1.*65507'
}

contradictions() {
	lab_loopback
	local line
	while read -r line; do
		# shellcheck disable=SC2086 # words of the line
		run_probe $line 127.0.0.1
		[ "$STATUS" = 2 ] || fail "$line: exit status $STATUS, not 2"
		one_line '^fping-bench: -'
	done <<-END
		-4 -6
		-i 1 --rate 5
		--depth 4 -l 4
		--depth 4 -i 1
		-A --rate 5
		-f -b
		--depth 4 -b
		-p ff --payload random
		--payload distinct -p ff
		--payload random -p ff
		-4 -F 12
		--sim loss=0.1
		--transport sim -I lo
		--transport sim -t 3
		--transport sim -Q 4
		--transport sim -F 5
		--transport sim -L
		--transport sim -S 1000
		--transport sim -b
		--transport sim --clock raw
		--transport ping -m 5
		-c 1000000000000000 ::1
	END
}

letters_of_others() {
	local letter
	for letter in a B C d g G H J k K N o P r R T u U x X z; do
		run_probe "-$letter" 127.0.0.1
		assert_status 2
		one_line "^fping-bench: -$letter: "
	done
	run_probe -b 1000 127.0.0.1
	assert_status 2
	one_line '-s 1000'
}

# What a later version may bring is not known to this one, and names are not guessed.
unknown_options() {
	local option
	for option in --bogus --count-down --cou --sweep-depth --threads --csv --dry-run -9; do
		run_probe "$option" 3 127.0.0.1
		assert_status 2
		one_line "unknown option $option"
	done
}

pings_options_work() {
	lab_loopback
	run_probe -c 2 -i 0.01 -t 33 -Q af41 -e 77 -n -L -S 100000 -W 1s -p 00ff -M dont -I lo -I 127.0.0.1 127.0.0.1
	assert_status 0
	run_probe -6 -c 2 -i 0.01 -F 12345 -t 33 -Q 0xb8 ::1
	assert_status 0
	run_probe -c 3 -i 0.11 -D 127.0.0.1
	assert_equal "$(grep -cE '^\[[0-9]{10}\.[0-9]{6}\] 64 bytes from 127\.0\.0\.1: icmp_seq=[123] ' "$OUT")" 3 "lines with -D"
	run_probe -c 3 -i 0.01 127.0.0.1
	assert_no_grep 'icmp_seq' "$OUT" "a line for a reply in a fast mode"
	run_probe -f -v -w 1 127.0.0.1
	assert_between "$(grep -c 'icmp_seq' "$OUT")" 1 20 "lines with -f -v"
	run_probe -q -c 3 -i 0.11 127.0.0.1
	assert_no_grep 'icmp_seq' "$OUT" "a line for a reply with -q"
	run_probe -f -c10000 127.0.0.1 -s 2048
	assert_grep '^10000 packets transmitted, 10000 received, 0% packet loss' "$OUT"
}

header_fields() {
	require tcpdump
	lab_veth
	capture_start "$PEER" vb icmp
	run_probe -c 1 -t 33 -Q af41 -e 77 10.7.0.2
	capture_stop
	tcpdump -r "$CAPTURE" -nv 2>/dev/null >"$TMP/text"
	assert_grep 'tos 0x88, ttl 33,' "$TMP/text"
	assert_grep 'echo request, id 77, seq 1,' "$TMP/text"
	capture_start "$PEER" vb 'icmp6 and ip6[40] == 128'
	run_probe -c 1 -t 33 -Q 0xb8 -F 12345 fd07::2
	assert_status 0
	capture_stop
	tcpdump -r "$CAPTURE" -nv 2>/dev/null >"$TMP/text"
	assert_grep 'class 0xb8, flowlabel 0x12345, hlim 33,' "$TMP/text"
}

outstanding() {
	lab_veth
	in_peer nft -f - <<-END
		add table ip t
		add chain ip t c { type filter hook input priority 0; }
		add rule ip t c icmp type echo-request drop
	END
	run_probe -O -c 3 -i 0.2 -W 0.3 10.7.0.2
	assert_status 1
	assert_equal "$(grep -c 'no answer yet for icmp_seq=[12]$' "$OUT")" 2 "lines with -O"
}

mark_is_set() {
	lab_veth
	in_lab nft -f - <<-END || skip "nft does not work here"
		add table inet t
		add counter inet t marked
		add chain inet t c { type filter hook output priority 0; }
		add rule inet t c meta mark 0x2a counter name marked
	END
	run_probe -q -c 3 -i 0.01 -m 42 10.7.0.2
	assert_status 0
	assert_equal "$(in_lab nft -j list counter inet t marked | jq '[.nftables[].counter? // empty | .packets] | add')" 3 "marked packets"
}

# A reply that does not come is waited for as long as was said, neither for ever nor not at all.
timeouts() {
	local wait seconds
	lab_veth
	in_peer nft -f - <<-END
		add table ip t
		add chain ip t c { type filter hook input priority 0; }
		add rule ip t c icmp type echo-request drop
	END
	for wait in 0.4 0.0004; do
		PROBE_SECONDS=5 run_probe --json -c 1 -W "$wait" 10.7.0.2
		assert_status 1
		seconds=$(json_value "$OUT" .cpu.wall_s)
		assert_between "$seconds" "$wait" "$(awk "BEGIN { print $wait + 0.05 }")" "seconds with -W $wait"
		assert_json "$OUT" '.targets[0] | .sent == 1 and .lost == 1'
	done
}

# ---- hosts ----

bad_name_among_good() {
	lab_loopback
	run_probe --json -c 2 -i 0.01 127.0.0.1 bad.invalid ::1
	assert_status 1
	one_line '^fping-bench: bad\.invalid'
	assert_json "$OUT" '[.targets[].received] == [2, 0, 2]'
	assert_json "$OUT" '[.targets[].error != null] == [false, true, false]'
	assert_accounting "$OUT"
}

odd_names() {
	local name
	lab_loopback
	for name in '' bad.invalid xn--bcher-kva.invalid fe80::1 'fe80::1%nosuch' 300.1.1.1 "a b" \
		"$(printf 'x%.0s' {1..300})"; do
		run_probe "$name"
		[ "$STATUS" = 2 ] || fail "'$name': exit status $STATUS, not 2"
		[ ! -s "$OUT" ] || fail "'$name': something on standard output"
		assert_equal "$(wc -l <"$ERR")" 1 "lines for '$name'"
	done
	run_probe "$(printf 'a\033[2J.invalid')"
	assert_status 2
	assert_no_grep "$(printf '\033')" "$ERR" "a control byte is printed"
	run_probe -4 ::1
	assert_status 2
	run_probe -6 127.0.0.1
	assert_status 2
	run_probe -q -c 1 -4 -4 127.0.0.1
	assert_status 0
}

# The address that is really used is always shown.
numeric_forms() {
	lab_loopback
	run_probe -c 1 127.1
	assert_status 0
	assert_grep '^PING 127\.1 \(127\.0\.0\.1\)' "$OUT"
	run_probe -c 1 ::ffff:127.0.0.1
	assert_status 0
	assert_grep '\(127\.0\.0\.1\)' "$OUT"
	run_probe -c 1 -W 0.1 010.0.0.1
	assert_grep '\(8\.0\.0\.1\)' "$OUT"
}

same_address_twice() {
	lab_loopback
	run_probe -q -c 3 -i 0.01 127.0.0.1 127.0.0.1
	assert_status 0
	run_probe -q -c 3 -i 0.01 -s 8 127.0.0.1 127.0.0.1
	assert_status 2
	one_line 'same address.*-s 16'
}

targets_file() {
	lab_loopback
	printf '# hosts\n\n 127.0.0.1 \n::1 # mine\n' >list
	run_probe --json -c 1 --targets list 127.0.0.2
	assert_status 0
	assert_json "$OUT" '[.targets[].name] == ["127.0.0.2", "127.0.0.1", "::1"]'
	run_command sh -c '"$1" --json -c 1 --targets - <list' sh "$FPING_BENCH"
	assert_status 0
	assert_json "$OUT" '[.targets[].name] == ["127.0.0.1", "::1"]'
	printf 'a b\n' >list
	run_probe --targets list
	assert_status 2
	one_line 'list: line 1'
	printf '\0\033[2J' >list
	run_probe --targets list
	assert_status 2
	run_probe --targets /nonexistent
	assert_status 2
	run_probe --targets /
	assert_status 2
	: >list
	run_probe --targets list
	assert_status 2
	one_line 'no host given'
}

# Numeric targets ask nobody; a stop does not wait for a name server.
names() {
	local start
	lab_loopback
	slow_names
	start=$(date +%s%N)
	run_probe -q -c 3 -i 0.2 127.0.0.1 127.0.0.{2..50}
	assert_status 0
	assert_between "$((($(date +%s%N) - start) / 1000000))" 400 1500 "milliseconds for numeric targets"
	assert_equal "$(asked)" 0 "packets to the name server"
	start_probe --json 127.0.0.1 slow.example
	sleep 0.7
	start=$(date +%s%N)
	kill -INT "$PROBE"
	wait_probe
	assert_between "$((($(date +%s%N) - start) / 1000000))" 0 500 "milliseconds to the report"
	assert_json "$OUT" '.targets[1].error != null and .targets[0].sent == 0'
	assert_status 1
	umount /etc/resolv.conf
}

# ---- ways ----

link_local() {
	local address index
	require ipv6
	lab_veth
	ip -n "$LAB" link add vc type veth peer name vd netns "$PEER"
	ip -n "$LAB" link set vc up
	ip -n "$PEER" link set vd up
	address=$(ip -n "$PEER" -j -6 address show vb scope link | jq -r '[.[].addr_info[].local | strings][0]')
	index=$(in_lab cat /sys/class/net/va/ifindex)
	run_probe -6 -c 2 -i 0.01 "$address"
	assert_status 2
	one_line '%'
	run_probe -6 -q -c 2 -i 0.01 "$address%va"
	assert_status 0
	run_probe -6 -c 2 -i 0.01 "$address%$index"
	assert_status 0
	assert_grep "%(va|$index)" "$OUT" "the zone is not shown"
	run_probe -6 -q -c 2 -i 0.01 -I va "$address"
	assert_status 0
	run_probe -6 -q -c 2 -i 0.01 "$address%nosuch"
	assert_status 2
	run_probe -6 -q -c 2 -i 0.01 -W 0.3 "$address%vc"
	assert_status 1
	run_probe -6 -q -c 2 -i 0.01 fd07::2%va
	assert_status 0
}

broadcast() {
	lab_veth
	ip -n "$LAB" address replace 10.7.0.1/24 broadcast 10.7.0.255 dev va
	in_peer sh -c 'echo 0 >/proc/sys/net/ipv4/icmp_echo_ignore_broadcasts'
	ip -n "$PEER" address add 10.7.0.2/24 broadcast 10.7.0.255 dev vb 2>/dev/null ||
		ip -n "$PEER" address replace 10.7.0.2/24 broadcast 10.7.0.255 dev vb
	run_probe -c 2 10.7.0.255
	assert_status 2
	one_line 'broadcast.*-b'
	run_probe -f -b -c 2 10.7.0.255
	assert_status 2
	run_probe --json -b -c 2 -i 0.2 10.7.0.255
	assert_status 0
	assert_json "$OUT" '.targets[0] | .sent == 2 and .received == 2 and .duplicates == 0 and .loss == 0'
	run_probe -c 2 ff02::1%va
	assert_status 2
	one_line 'multicast.*-b'
	run_probe --json -b -L -c 2 -i 0.2 ff02::1%va
	assert_status 0
	assert_json "$OUT" '.targets[0] | .sent == 2 and .received == 2 and .loss == 0'
}

# -I works or is refused; packets never leave by another interface.
interface() {
	lab_veth
	install_copy setuid
	run_command "${AS_NOBODY[@]}" "$COPY" -q -c 2 -i 0.01 -I va 10.7.0.2
	assert_status 0
	run_command "${AS_NOBODY[@]}" "$COPY" -q -c 2 -i 0.01 -I 10.7.0.1 10.7.0.2
	assert_status 0
	assert_no_packet "$PEER" vb icmp interface_refused
}

interface_refused() {
	local value
	for value in nosuch abcdefghijklmnopqrst 10.7.0.99 fd07::1 ::2; do
		run_command "${AS_NOBODY[@]}" "$COPY" -c 1 -I "$value" 10.7.0.2
		assert_status 2
		one_line "^fping-bench: -I $value"
	done
	run_command "${AS_NOBODY[@]}" "$COPY" -c 1 -W 0.3 -I lo 10.7.0.2
	[ "$STATUS" != 0 ] || fail "answered by way of lo"
}

# A family that no target needs may be missing without a word.
one_family_only() {
	require strace
	lab_loopback
	run_command strace -f -qq -o /dev/null -e trace=socket -e inject=socket:error=EAFNOSUPPORT:when=2+1000 \
		"$FPING_BENCH" -q -c 1 ::1
	assert_status 2
	one_line 'no IPv6'
	in_lab sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6'
	run_probe -q -c 1 127.0.0.1
	assert_status 0
	[ ! -s "$ERR" ] || fail "something on standard error"
	run_probe -q -c 1 -4 127.0.0.1
	assert_status 0
	run_probe -c 1 ::1
	assert_status 2
	assert_equal "$(wc -l <"$ERR")" 1 "lines on standard error"
}

# ---- --json ----

# However the program ends, standard output is one document that says so.
document_is_whole() {
	lab_loopback
	local line
	while read -r line; do
		# shellcheck disable=SC2086 # words of the line
		run_probe --json $line
		assert_json "$OUT" '.schema == "fping-bench/1" and .valid.ok == false'
		assert_json "$OUT" '.fault != null or ([.targets[].error] | any)'
		assert_status 2
	done <<-END
		bad.invalid
		bad.invalid worse.invalid
		-c 3x 127.0.0.1
		-I nosuch 127.0.0.1
		-s 65520 127.0.0.1
		-4 ::1
		--targets /nonexistent
	END
	ip -n "$LAB" route add prohibit 192.0.2.0/24
	run_probe --json -c 3 -i 0.01 192.0.2.1
	assert_json "$OUT" '.targets[0] | .sent == 0 and .send_errors == 3 and .loss == null and .errors[0].count == 3'
	run_probe --json -q
	assert_status 2
	assert_json "$OUT" '.targets == []'
}

document_in_file() {
	lab_loopback
	run_probe --json=result.json -c 3 -i 0.01 127.0.0.1
	assert_status 0
	assert_grep '^3 packets transmitted, 3 received' "$OUT"
	assert_json result.json '.targets[0].received == 3'
	assert_equal "$(find . -name '.fping-bench*' -o -name '*.tmp' | wc -l)" 0 "files left behind"
	run_probe --json=/nonexistent/result.json -c 1 127.0.0.1
	assert_status 2
	run_probe --json=refused.json -I nosuch 127.0.0.1
	assert_status 2
	assert_json refused.json '.fault != null'
	run_probe --json=/dev/full -q -c 1 127.0.0.1
	assert_status 6
	run_command sh -c '"$1" --json -c 1 127.0.0.1 >/dev/full' sh "$FPING_BENCH"
	assert_status 6
	run_command sh -c '"$1" -i 0.1 127.0.0.1 >/dev/full' sh "$FPING_BENCH"
	assert_status 6
	run_command sh -c '"$1" -i 0.1 127.0.0.1 | head -n 2' sh "$FPING_BENCH"
	assert_status 0
	run_command timeout -s KILL 10 sh -c 'trap "" TERM; "$1" -i 0.1 127.0.0.1 | head -n 2' \
		sh "$FPING_BENCH"
	assert_status 0
}

# ---- rules ----

rules_for_users() {
	lab_loopback
	install_copy setuid
	assert_no_packet "$LAB" lo 'icmp or icmp6' refused_runs
	run_command "${AS_NOBODY[@]}" "$COPY" -q -c 3 -i 2ms -l 3 127.0.0.1
	assert_status 0
	run_command "${AS_NOBODY[@]}" "$COPY" -q -f -c 3 --transport sim 127.0.0.1
	assert_status 0
}

refused_runs() {
	local line
	while read -r line; do
		# shellcheck disable=SC2086 # words of the line
		run_command "${AS_NOBODY[@]}" "$COPY" $line 127.0.0.1
		[ "$STATUS" = 5 ] || fail "$line: exit status $STATUS, not 5"
		[ ! -s "$OUT" ] || fail "$line: something on standard output"
		one_line '^fping-bench: refused: .*rule user\.'
	done <<-END
		-f
		-A
		--depth 2
		-i 1.999ms
		-f -i 1ms
		-l 4
		-m 1
		--rate 501
		-b -i 0.5
	END
	run_command "${AS_NOBODY[@]}" "$COPY" --json -f -l 9 -m 3 name.invalid
	assert_status 5
	assert_equal "$(grep -c '^fping-bench: refused: ' "$ERR")" 3 "broken rules"
	assert_json "$OUT" '[.refused[].rule] == ["user.flood", "user.preload", "user.mark"]'
}

# Without any right the help still works, and the message says what is missing.
no_rights() {
	local kind
	lab_loopback
	for kind in plain setuid capability; do
		install_copy "$kind"
		run_command setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-net_raw env "$COPY" -c 1 127.0.0.1
		assert_status 2
		one_line CAP_NET_RAW
		run_command setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-net_raw env "$COPY" --help
		assert_status 0
		run_command setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs env "$COPY" --version
		assert_status 0
	done
}

# The ping socket steps in where root has opened it.
ping_socket() {
	lab_loopback
	install_copy plain
	in_lab sysctl -qw net.ipv4.ping_group_range='0 2147483647'
	run_command "${AS_NOBODY[@]}" "$COPY" --json -c 5 -i 0.01 127.0.0.1 ::1
	assert_status 0
	assert_json "$OUT" '[.targets[].received] == [5, 5]'
	assert_json "$OUT" '.settings.transport == "ping"'
	run_probe --json --transport ping -c 5 -i 0.01 127.0.0.1
	assert_status 0
	run_probe --transport ping -c 1 -e 0 127.0.0.1
	assert_status 2
}

locale_changes_nothing() {
	mkdir -p l
	localedef -i de_DE -f UTF-8 l/de 2>/dev/null || skip "no German locale to build"
	export LOCPATH=$PWD/l LC_ALL=de
	lab_loopback
	run_probe -i 0.5 -c 2 127.0.0.1
	assert_status 0
	assert_no_grep '[0-9],[0-9]' "$OUT" "a comma in a number"
	run_probe --json -i 0.5 -c 2 127.0.0.1
	assert_json "$OUT" '.targets[0].received == 2'
	refuses -i 0,5
}

test_case help-and-version help_and_version
test_case no-host no_host
test_case odd-times odd_times
test_case odd-numbers odd_numbers
test_case large-numbers large_numbers
test_case largest-size largest_size
test_case contradictions contradictions
test_case letters-of-others letters_of_others
test_case unknown-options unknown_options
test_case pings-options-work pings_options_work
test_case header-fields header_fields
test_case outstanding outstanding
test_case mark-is-set mark_is_set
test_case timeouts timeouts
test_case bad-name-among-good bad_name_among_good
test_case odd-names odd_names
test_case numeric-forms numeric_forms
test_case same-address-twice same_address_twice
test_case targets-file targets_file
test_case names names
test_case link-local link_local
test_case broadcast broadcast
test_case interface interface
test_case one-family-only one_family_only
test_case document-is-whole document_is_whole
test_case document-in-file document_in_file
test_case rules-for-users rules_for_users
test_case no-rights no_rights
test_case ping-socket ping_socket
test_case locale-changes-nothing locale_changes_nothing
