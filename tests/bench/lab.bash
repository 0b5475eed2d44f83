# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # bench.sh has the other half of the variables
#
# What the topics of the benchmark share: two namespaces a and b joined by a veth pair with MTU 1500
# (10.7.0.1 on va, 10.7.0.2 on vb), where the other side's kernel answers within the send call, on
# the sender's processor; one measured run; medians; targets.
#
# A machine's speed drifts by more than what is to be seen. Only runs that stand next to each other
# can be compared, so every comparison is made of rounds in which each side runs once, and what is
# shown and judged is the median of the rounds' ratios.

die() { printf 'bench: %s\n' "$*" >&2; exit 1; }

lab_start() {
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
}

# run COMMAND...: in namespace a on processor 0; what it cost is in /run/times (wall, user, system
# time in ns), its output in /run/out and /run/err.
run() { run_on 0 "$@"; }
run_on() {
	local processors=$1
	shift
	taskset -c "$processors" ip netns exec a "$build/tests/timed" /run/times "$@" \
		>/run/out 2>/run/err
}

# measure COMMAND...: one run of a tool that ends with ping's line `N packets transmitted, N
# received, ... time N ms`; prints `rate cpu_us_per_round_trip`. The rate is the tool's own count of
# replies over the time it prints; the processor time is what the kernel accounts to the process (and
# contains the responder's work, for all alike).
measure() {
	run "$@" || die "failed: $*: $(cat /run/err)"
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
least() { sort -g | head -n 1; }
most() { sort -g | tail -n 1; }

# column N FILE, ratio N M FILE: a column of a file of rounds, the ratios of two.
column() { cut -d' ' -f"$1" "$2"; }
ratio() { awk -v n="$1" -v m="$2" '{ printf "%.4f\n", $n / $m }' "$3"; }

misses=0
# at_least NAME VALUE LIMIT, at_most NAME VALUE LIMIT: a target; counts a miss.
at_least() { awk -v v="$2" -v l="$3" 'BEGIN { exit !(v >= l) }' || miss "$1 is $2, below $3"; }
at_most() { awk -v v="$2" -v l="$3" 'BEGIN { exit !(v <= l) }' || miss "$1 is $2, above $3"; }
miss() { echo "bench: $*"; misses=$((misses + 1)); }
