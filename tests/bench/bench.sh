#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# fping-bench beside `ping -f`, in pairs: on a machine whose speed drifts, only runs that stand next
# to each other can be compared, so the result is the median of the rounds' ratios. Both run on
# processor 0 from one namespace to another over a veth pair with MTU 1500; the other side's kernel
# answers on the same processor, within the send call.
#
# A round trip rate is the tool's own count of replies over the time it prints; the processor time
# is what the kernel accounts to the process (and contains the responder's work, for both alike).
#
# usage: tests/bench/bench.sh [check]      with check, fails below the targets (root)
# environment: ROUNDS (7), COUNT (200000 requests a run)

set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
build=${BUILD:-build}
rounds=${ROUNDS:-7}
count=${COUNT:-200000}

die() { printf 'bench: %s\n' "$*" >&2; exit 1; }

if [ -z "${FPING_BENCH_INSIDE:-}" ]; then
	[ "$(id -u)" -eq 0 ] || die "needs root for the network namespaces; run: sudo make bench"
	for tool in ip ping taskset; do
		command -v "$tool" >/dev/null || die "no command $tool; sudo make packages installs it"
	done
	contrib/as-caller.sh "${MAKE:-make}" all test-programs >/dev/null || exit 1
	why=$(unshare --mount --net true 2>&1) || die "no namespaces here: $why"
	FPING_BENCH_INSIDE=1 exec unshare --mount --net "$0" "$@"
fi

mount -t tmpfs -o mode=0755 tmpfs /run || exit 1
set -e
ip netns add a
ip netns add b
ip -n a link add va mtu 1500 type veth peer name vb mtu 1500 netns b
ip -n a address add 10.7.0.1/24 dev va
ip -n b address add 10.7.0.2/24 dev vb
ip -n a link set va up
ip -n b link set vb up
set +e
sleep 0.5

# measure COMMAND...: one run; prints `rate cpu_us_per_round_trip`. Both tools end with ping's line
# `N packets transmitted, N received, ... time N ms`.
measure() {
	taskset -c 0 ip netns exec a "$build/tests/timed" /run/times "$@" >/run/out 2>/run/err ||
		die "failed: $*: $(cat /run/err)"
	awk '
		FILENAME == "/run/times" { cpu_ns = $2 + $3; next }
		/packets transmitted/ {
			sent = $1
			received = $4
			ms = $0
			sub(/.*time /, "", ms)
			sub(/ ?ms.*/, "", ms)
		}
		END {
			if (received == 0 || ms == 0 || received < 0.999 * sent)
				exit 1
			printf "%.1f %.4f\n", received * 1000 / ms, cpu_ns / 1000 / received
		}' /run/times /run/out || die "no usable summary from: $*: $(cat /run/out)"
}

median() {
	sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# compare NAME OPTION...: the rounds of one pair. Sets rate_ratio and cpu_ratio (ours to ping's).
compare() {
	local name=$1 round ours theirs
	shift
	: >/run/rows
	for ((round = 1; round <= rounds; round++)); do
		ours=$(measure "$build/fping-bench" -q "$@" -c "$count" 10.7.0.2) || exit 1
		theirs=$(measure ping -q "$@" -c "$count" 10.7.0.2) || exit 1
		echo "$ours $theirs" >>/run/rows
	done
	rate_ratio=$(awk '{ print $1 / $3 }' /run/rows | median)
	cpu_ratio=$(awk '{ print $2 / $4 }' /run/rows | median)
	printf '%-12s %9.0f/s %8.2f us   %9.0f/s %8.2f us   %6.3f   %6.3f   (%s .. %s)\n' "$name" \
		"$(cut -d' ' -f1 /run/rows | median)" "$(cut -d' ' -f2 /run/rows | median)" \
		"$(cut -d' ' -f3 /run/rows | median)" "$(cut -d' ' -f4 /run/rows | median)" \
		"$rate_ratio" "$cpu_ratio" \
		"$(awk '{ printf "%.3f\n", $1 / $3 }' /run/rows | sort -g | head -n 1)" \
		"$(awk '{ printf "%.3f\n", $1 / $3 }' /run/rows | sort -g | tail -n 1)"
}

misses=0
# at_least NAME VALUE LIMIT, at_most NAME VALUE LIMIT: a target; counts a miss.
at_least() { awk -v v="$2" -v l="$3" 'BEGIN { exit !(v >= l) }' || miss "$1 is $2, below $3"; }
at_most() { awk -v v="$2" -v l="$3" 'BEGIN { exit !(v <= l) }' || miss "$1 is $2, above $3"; }
miss() { echo "bench: $*"; misses=$((misses + 1)); }

echo "veth, MTU 1500, 56 data bytes, both tools on processor 0"
echo "$rounds rounds of $count requests each, medians; cpu is per round trip"
printf '%-12s %11s %11s   %11s %11s   %6s   %6s   %s\n' options fping-bench cpu ping cpu \
	rate cpu 'rate ratios'
compare '-f' -f
at_least 'rate ratio of -f' "$rate_ratio" 1.0
compare '-f -l 64' -f -l 64
at_least 'rate ratio of -f -l 64' "$rate_ratio" 1.12
at_most 'cpu ratio of -f -l 64' "$cpu_ratio" 0.88

if [ "${1:-}" != check ]; then
	[ ! -x "$build/tests/bench_core" ] || { echo; "$build/tests/bench_core"; }
	exit 0
fi
[ "$misses" -eq 0 ] || die "$misses target(s) missed"
echo "bench: all targets met"
