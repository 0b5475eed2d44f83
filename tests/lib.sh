# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What the end-to-end tests share. A test file looks like this:
#
#     #!/bin/bash
#     . "$(dirname "$0")/../lib.sh"
#
#     loses_nothing() {
#         lab_veth
#         run_probe -f -q -c 1000 10.7.0.2
#         assert_status 0
#         assert_grep '1000 packets transmitted, 1000 received' "$OUT"
#     }
#     test_case veth-flood-loses-nothing loses_nothing
#
# Sourcing this file starts the test file again inside network, mount and process namespaces of its
# own, with a private /run: no interface, namespace name, process or scratch file of a test can be
# seen by the machine or outlive the test file, however it ends. So names need not be unique, and
# background processes need no bookkeeping. A test case runs in a subshell under `set -e`: the first
# command that fails ends it as `not ok`, with the place; fail and skip say the reason in words.
#
# Inside a test case: $TMP (empty directory, gone afterwards; also the working directory),
# $FPING_BENCH (the program under test), $TOP (root of the tree), $HELPERS (directory of the helper
# programs), $LAB (namespace of the probe), $PEER (namespace of the responder, if it has one),
# $OUT $ERR $STATUS (last run of the probe).

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
case ${BUILD:=build} in
/*) ;;
*) BUILD=$TOP/$BUILD ;;
esac
FPING_BENCH=${FPING_BENCH:-$BUILD/fping-bench}
HELPERS=$BUILD/tests
CASE=/run/case TMP=/run/case/tmp OUT=/run/case/tmp/out ERR=/run/case/tmp/err
export TOP BUILD FPING_BENCH HELPERS TMP LC_ALL=C TZ=UTC

# ---- the file's own namespaces ----

lab_file=$(basename "$0" .test.sh)
lab_unavailable=
if [ -z "${FPING_BENCH_INSIDE:-}" ]; then
	if [ "$(id -u)" -ne 0 ]; then
		lab_unavailable="needs root"
	elif ! lab_why=$(unshare --mount --net --pid --fork true 2>&1); then
		lab_unavailable="no namespaces here ($lab_why)"
	else
		FPING_BENCH_INSIDE=1 exec unshare --mount --net --pid --fork --kill-child --mount-proc \
			bash "$0" "$@"
	fi
else
	mount -t tmpfs -o mode=0755 tmpfs /run || exit 1
	mkdir /run/netns || exit 1
	ip link set lo up
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	unset SUDO_UID SUDO_GID
fi

# ---- test cases ----

# fail REASON: ends the test case as failed.
fail() {
	printf '%s\n' "$*" | tr '\n' ' ' >"$CASE/reason"
	exit 1
}

# skip REASON: ends the test case as skipped: it could not be tried here.
skip() {
	printf '%s\n' "$*" >"$CASE/reason"
	exit 77
}

lab_error() {
	[ -s "$CASE/reason" ] || printf 'line %s: %s' "$1" "$2" | tr '\n' ' ' >"$CASE/reason"
}

# test_case NAME FUNCTION [ARGUMENT...]: runs the function and prints the result line of
# e2e/FILE/NAME. What the function wrote, and the last run of the probe, are shown if it failed.
test_case() {
	local name=e2e/$lab_file/$1 status
	shift
	if [ -n "$lab_unavailable" ]; then
		echo "skip $name: $lab_unavailable"
		return
	fi
	rm -rf "$CASE"
	mkdir -p "$CASE/tmp"
	chmod 0711 "$CASE" "$CASE/tmp"
	set +e
	(
		set -eE
		STATUS='' LAB='' PEER=''
		cd "$TMP"
		trap 'lab_error "$LINENO" "$BASH_COMMAND"' ERR
		trap lab_end EXIT
		"$@"
	) >"$CASE/log" 2>&1 </dev/null
	status=$?
	case $status in
	0) echo "ok $name" ;;
	77) echo "skip $name: $(cat "$CASE/reason")" ;;
	*)
		awk '{ print "    | " $0 }' "$CASE/log"
		for file in out err peer.err; do
			[ ! -s "$CASE/tmp/$file" ] || head -c 4000 "$CASE/tmp/$file" |
				awk -v file="$file" '{ print "    " file ": " $0 }'
		done
		echo "not ok $name: $(cat "$CASE/reason" 2>/dev/null || echo "status $status")"
		lab_failed=1
		;;
	esac
}
lab_failed=0
trap 'exit "$lab_failed"' EXIT

# require WORD...: skips the test case unless each is there: a command, or one of the features
# tun, ipv6, nft-numgen.
require() {
	local word
	for word in "$@"; do
		case $word in
		tun) [ -c /dev/net/tun ] || skip "no /dev/net/tun" ;;
		ipv6) [ -e /proc/net/if_inet6 ] || skip "no IPv6" ;;
		nft-numgen)
			command -v nft >/dev/null || skip "no command nft"
			ip netns add require-nft
			ip netns exec require-nft nft -f - <<-END 2>/dev/null || skip "nft numgen does not work here"
				add table ip t
				add chain ip t c { type filter hook input priority 0; }
				add rule ip t c numgen inc mod 4 0 drop
			END
			ip netns delete require-nft
			;;
		*) command -v "$word" >/dev/null || skip "no command $word" ;;
		esac
	done
}

# ---- laboratories: each makes fresh namespaces; a test case may call one of them ----

# A namespace without IPv6 start-up traffic: no duplicate address detection, no router solicitation.
lab_namespace() {
	ip netns add "$1"
	ip netns exec "$1" sh -c '
		cd /proc/sys/net/ipv6/conf/default 2>/dev/null || exit 0
		echo 0 >accept_dad; echo 0 >accept_ra; echo 0 >router_solicitations'
	ip -n "$1" link set lo up
}

# lab_loopback: one namespace with lo up. Sets LAB (and PEER to the same).
lab_loopback() {
	LAB=lab PEER=lab
	lab_namespace "$LAB"
}

# lab_veth [MTU]: two namespaces joined by a veth pair, va in $LAB with 10.7.0.1/24 and fd07::1/64,
# vb in $PEER with 10.7.0.2/24 and fd07::2/64 (no duplicate address detection), neighbours entered
# by hand so that the first packet finds the way open. MTU is 1500 if not given.
lab_veth() {
	local mtu=${1:-1500} mac_a mac_b i why
	LAB=lab PEER=peer
	lab_namespace "$LAB"
	lab_namespace "$PEER"
	why=$(ip -n "$LAB" link add va mtu "$mtu" type veth peer name vb mtu "$mtu" netns "$PEER" 2>&1) ||
		case $why in
		*'nknown device type'*) skip "no veth devices" ;;
		*) fail "no veth pair: $why" ;;
		esac
	ip -n "$LAB" address add 10.7.0.1/24 dev va
	ip -n "$PEER" address add 10.7.0.2/24 dev vb
	if [ -e /proc/net/if_inet6 ] && [ "$mtu" -ge 1280 ]; then
		ip -n "$LAB" address add fd07::1/64 dev va nodad
		ip -n "$PEER" address add fd07::2/64 dev vb nodad
	fi
	ip -n "$LAB" link set va up
	ip -n "$PEER" link set vb up
	for ((i = 0; i < 100; i++)); do
		[[ $(ip -n "$LAB" -br link show va) != *' UP '* ]] || break
		sleep 0.02
	done
	mac_a=$(in_lab cat /sys/class/net/va/address)
	mac_b=$(in_peer cat /sys/class/net/vb/address)
	ip -n "$LAB" neigh replace 10.7.0.2 lladdr "$mac_b" dev va nud permanent
	ip -n "$PEER" neigh replace 10.7.0.1 lladdr "$mac_a" dev vb nud permanent
	if [ -e /proc/net/if_inet6 ] && [ "$mtu" -ge 1280 ]; then
		ip -n "$LAB" neigh replace fd07::2 lladdr "$mac_b" dev va nud permanent
		ip -n "$PEER" neigh replace fd07::1 lladdr "$mac_a" dev vb nud permanent
	fi
}

# lab_tun NAME SCRIPT [OPTION...]: the scripted peer behind TUN device NAME, in a fresh namespace
# (or in that of the laboratory, if there is one). Here is 10.66.0.1/24 and fd66::1/64, and every
# other address there answers as SCRIPT says (language: tests/e2e/peer/README.md); OPTIONs are the
# peer's own. Sets PEER_PROCESS; the peer logs each packet to $PEER_LOG.
#
# peer_stop: ends the peer; what it counted is then in $PEER_JSON.
PEER_LOG=$TMP/peer.log PEER_JSON=$TMP/peer.json
lab_tun() {
	local name=$1 script=$2
	shift 2
	require tun
	if [ -z "$LAB" ]; then
		LAB=lab
		lab_namespace "$LAB"
	fi
	rm -f "$TMP/ready"
	ip netns exec "$LAB" env --default-signal=INT,QUIT "$HELPERS/peer" --device "$name" \
		-4 10.66.0.1/24 -6 fd66::1/64 --log "$PEER_LOG" --ready "$TMP/ready" "$@" -e "$script" \
		>"$PEER_JSON" 2>"$TMP/peer.err" &
	PEER_PROCESS=$!
	wait_until 5 lab_peer_settled
	[ -e "$TMP/ready" ] || fail "the peer did not start: $(cat "$TMP/peer.err")"
}
lab_peer_settled() { [ -e "$TMP/ready" ] || ! kill -0 "$PEER_PROCESS" 2>/dev/null; }

peer_stop() {
	kill -TERM "$PEER_PROCESS" || fail "the peer had ended: $(cat "$TMP/peer.err")"
	wait "$PEER_PROCESS" || fail "the peer failed: $(cat "$TMP/peer.err")"
}

# lab_tun_awake NAME SCRIPT [OPTION...]: the same with a peer that never sleeps, for two minutes at
# most: its answers leave within a microsecond or two, also to a request that finds it idle. It has
# the last processor; where there is only one it sleeps as usual.
lab_tun_awake() {
	local name=$1 script=$2
	shift 2
	if [ "$(nproc)" -gt 1 ]; then set -- -t 120 --spin 1000s "$@"; fi
	lab_tun "$name" "$script" "$@"
	taskset -cp $(($(nproc) - 1)) "$PEER_PROCESS" >/dev/null
}

# lab_end: kills what the test case left running and removes its namespaces. Called by itself.
lab_end() {
	local name pids
	for name in "$LAB" "$PEER"; do
		[ -n "$name" ] || continue
		pids=$(ip netns pids "$name" 2>/dev/null) || true
		# shellcheck disable=SC2086 # one word each
		[ -z "$pids" ] || kill -KILL $pids 2>/dev/null || true
		ip netns delete "$name" 2>/dev/null || true
	done
	# shellcheck disable=SC2046 # one word each
	kill -KILL $(jobs -p) 2>/dev/null || true
}

# in_lab COMMAND..., in_peer COMMAND...: runs it in the namespace of the probe, of the responder.
in_lab() { if [ -n "$LAB" ]; then ip netns exec "$LAB" "$@"; else "$@"; fi; }
in_peer() { if [ -n "$PEER" ]; then ip netns exec "$PEER" "$@"; else "$@"; fi; }

# background COMMAND...: starts it with SIGINT and SIGQUIT as a terminal would leave them (bash
# ignores both in what it starts with &). Sets SPAWNED to its process id.
background() {
	env --default-signal=INT,QUIT "$@" &
	SPAWNED=$!
}

# wait_until SECONDS COMMAND...: polls until the command succeeds; else the test case fails.
wait_until() {
	local end=$((SECONDS + $1 + 1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || fail "waited in vain for: $*"
		sleep 0.02
	done
}

# in_three_tries FUNCTION ARGUMENT...: a limit on time that holds once in three tries is kept by the
# program; what breaks it now and then is a busy machine.
in_three_tries() {
	local status
	for _ in 1 2 3; do
		status=0
		(
			trap lab_end EXIT
			"$@"
		) || status=$?
		[ "$status" -ne 0 ] || return 0
	done
	exit "$status"
}

# ---- running the probe ----

# run_probe ARGUMENT...: runs it in $LAB and waits. Its output is in $OUT and $ERR, its exit status
# in $STATUS. It may take PROBE_SECONDS (60); one that does not end is killed, the test case fails.
run_probe() { run_command "$FPING_BENCH" "$@"; }

# run_command COMMAND...: the same for another command (a setuid copy, strace around the probe).
run_command() {
	STATUS=0
	if [ -n "$LAB" ]; then set -- ip netns exec "$LAB" "$@"; fi
	timeout -k 2 "${PROBE_SECONDS:-60}" "$@" >"$OUT" 2>"$ERR" </dev/null || STATUS=$?
	case $STATUS in
	124 | 137) fail "did not end within ${PROBE_SECONDS:-60} s: $*" ;;
	esac
}

# start_probe ARGUMENT...: starts it in the background; PROBE is its process id.
# wait_probe [SECONDS]: waits for its end (at most 10 if not given) and sets $STATUS.
start_probe() { start_command "$FPING_BENCH" "$@"; }

# start_command COMMAND...: the same for another command.
start_command() {
	if [ -n "$LAB" ]; then set -- ip netns exec "$LAB" "$@"; fi
	env --default-signal=INT,QUIT "$@" >"$OUT" 2>"$ERR" </dev/null &
	PROBE=$!
}

wait_probe() {
	local i limit=${1:-10} state
	for ((i = 0; i < limit * 50; i++)); do
		state=$(cut -d' ' -f3 "/proc/$PROBE/stat" 2>/dev/null) || state=Z
		[ "$state" != Z ] || break
		sleep 0.02
	done
	[ "$state" = Z ] || { kill -KILL "$PROBE"; fail "the probe did not end within $limit s"; }
	STATUS=0
	wait "$PROBE" || STATUS=$?
}

# install_copy setuid|capability|plain: a copy of the probe in $TMP as an operator would install it;
# COPY is its path. Anybody may run it.
install_copy() {
	COPY=$TMP/fping-bench-$1
	cp "$FPING_BENCH" "$COPY"
	chown 0:0 "$COPY"
	chmod 0755 "$COPY"
	case $1 in
	setuid) chmod 4755 "$COPY" ;;
	capability) require setcap && setcap cap_net_raw=p "$COPY" ;;
	esac
}

# "${AS_NOBODY[@]}" COMMAND...: runs it as uid and gid 65534 without any capability, as in
# run_command "${AS_NOBODY[@]}" "$COPY" -c 1 127.0.0.1. The env at its end is needed: setpriv itself
# still holds root's capabilities at its exec.
export AS_NOBODY=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env)

# ---- assertions ----

# assert_status NUMBER: the exit status of the last run.
assert_status() {
	[ "$STATUS" = "$1" ] || fail "exit status $STATUS, not $1: $(head -c 200 "$ERR")"
}

# assert_equal ACTUAL EXPECTED [MESSAGE]
assert_equal() { [ "$1" = "$2" ] || fail "${3:-values differ}: '$1', not '$2'"; }

# assert_between ACTUAL LOW HIGH [MESSAGE]: for integers and decimals.
assert_between() {
	awk -v x="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(x != "" && x + 0 >= a && x + 0 <= b) }' ||
		fail "${4:-value}: $1, not within $2..$3"
}

# assert_grep PATTERN FILE [MESSAGE], assert_no_grep PATTERN FILE [MESSAGE]: a line matches the
# extended regular expression, or none does.
assert_grep() { grep -qE -- "$1" "$2" || fail "${3:-no line matches $1}: $(head -c 300 "$2")"; }
assert_no_grep() {
	! grep -qE -- "$1" "$2" || fail "${3:-a line matches $1}: $(grep -m 1 -E -- "$1" "$2")"
}

# assert_json FILE EXPRESSION [MESSAGE]: the jq expression is true of the (single) document.
assert_json() {
	jq -es 'length == 1' "$1" >/dev/null 2>"$CASE/jq" ||
		fail "not one JSON document: $(head -c 200 "$1")"
	jq -e "$2" "$1" >/dev/null 2>"$CASE/jq" && return
	jq -c 'del(.. | .histogram?)' "$1" | head -c 6000
	fail "${3:+$3: }not true of the document: $2 $(cat "$CASE/jq")"
}

# json_value FILE EXPRESSION: prints what jq finds.
json_value() { jq -r "$2" "$1"; }

# assert_accounting FILE: the one accounting rule, for every target of a document.
assert_accounting() {
	assert_json "$1" '[.targets[] | select(.error == null) |
		.sent == .received + .lost + .in_flight_at_end and
		.lost == ([.lost_by_cause[]] | add) and
		(.rtt.user == null or .rtt.user.samples == .received)] | all' accounting
}

# ---- name service ----

# slow_names: names are asked of a server that never answers; asked prints how many packets went to it.
# The test case ends with umount /etc/resolv.conf.
slow_names() {
	require nft
	mkdir -p /run/etc
	echo 'nameserver 127.0.0.1' >/run/etc/resolv.conf
	mount --bind /run/etc/resolv.conf /etc/resolv.conf
	in_lab nft -f - <<-END
		add table ip t
		add counter ip t asked
		add chain ip t c { type filter hook input priority 0; }
		add rule ip t c udp dport 53 counter name asked drop
	END
}
asked() { in_lab nft -j list counter ip t asked | jq '[.nftables[].counter? // empty | .packets] | add'; }

# ---- independent witnesses ----

# capture_start NAMESPACE INTERFACE FILTER: tcpdump is listening when this returns. capture_stop
# ends it; CAPTURED is the number of packets then, $CAPTURE the pcap file (CAPTURE_BYTES, 2048, of
# each: with more, fewer find room in the kernel's buffer before tcpdump gets to run).
capture_start() {
	require tcpdump
	CAPTURE=$TMP/capture.pcap
	background ip netns exec "$1" tcpdump -i "$2" -n -p -s "${CAPTURE_BYTES:-2048}" -B 65536 \
		-U --immediate-mode -Z root -w "$CAPTURE" "$3" 2>"$TMP/tcpdump"
	capture_pid=$SPAWNED
	wait_until 10 grep -q 'listening on' "$TMP/tcpdump"
}

capture_stop() {
	local size=-1
	# What the kernel has queued for tcpdump is only written while it runs.
	while [ "$(stat -c %s "$CAPTURE")" != "$size" ]; do
		size=$(stat -c %s "$CAPTURE")
		sleep 0.2
	done
	kill -INT "$capture_pid"
	wait "$capture_pid" || true
	grep -q '^0 packets dropped by kernel' "$TMP/tcpdump" || skip "the capture itself dropped packets"
	CAPTURED=$(tcpdump -r "$CAPTURE" -n 2>/dev/null | wc -l)
}

# assert_no_packet NAMESPACE INTERFACE FILTER COMMAND...: while the command runs (its status does
# not matter), no packet that matches the filter passes.
assert_no_packet() {
	local namespace=$1 interface=$2 filter=$3
	shift 3
	capture_start "$namespace" "$interface" "$filter"
	"$@" || true
	capture_stop
	[ "$CAPTURED" -eq 0 ] ||
		fail "$CAPTURED packet(s) passed: $(tcpdump -r "$CAPTURE" -n -c 1 2>/dev/null)"
}

# tap_start OPTION...: tests/e2e/tap watches in $LAB, on the last processor. tap_stop ends it; what it
# saw is then in $TAP_JSON.
TAP_JSON=$TMP/tap.json
tap_start() {
	rm -f "$TMP/tap.ready"
	background ip netns exec "$LAB" taskset -c $(($(nproc) - 1)) "$HELPERS/tap" \
		--ready "$TMP/tap.ready" "$@" >"$TAP_JSON"
	tap_pid=$SPAWNED
	wait_until 5 test -e "$TMP/tap.ready"
}

tap_stop() {
	kill -TERM "$tap_pid"
	wait "$tap_pid" || fail "the tap failed"
	assert_json "$TAP_JSON" '.dropped == 0' "the tap missed packets"
}

# counters_start NAMESPACE: nft counts the ICMP messages that come in and go out there, after
# reassembly and before fragmentation. counter NAMESPACE NAME prints one: in_request, in_reply,
# out_request, out_reply (IPv4), in_request6, in_reply6, out_request6, out_reply6.
counters_start() {
	local direction
	require nft
	for direction in in out; do
		cat <<-END
			add table inet count_$direction
			add chain inet count_$direction c { type filter hook ${direction}put priority -300; }
			add counter inet count_$direction ${direction}_request
			add counter inet count_$direction ${direction}_reply
			add counter inet count_$direction ${direction}_request6
			add counter inet count_$direction ${direction}_reply6
			add rule inet count_$direction c icmp type echo-request counter name ${direction}_request
			add rule inet count_$direction c icmp type echo-reply counter name ${direction}_reply
			add rule inet count_$direction c icmpv6 type echo-request counter name ${direction}_request6
			add rule inet count_$direction c icmpv6 type echo-reply counter name ${direction}_reply6
		END
	done | ip netns exec "$1" nft -f - || skip "nft does not work here"
}

counter() {
	ip netns exec "$1" nft -j list counter inet "count_${2%%_*}" "$2" |
		jq '[.nftables[] | .counter? // empty | .packets] | add'
}
