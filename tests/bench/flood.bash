# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # bench.sh has the other half of the variables
#
# The flood beside that of ping: round trips a second and what one costs.

# flood_compare NAME OPTION...: the rounds of one pair. Sets rate_ratio and cpu_ratio (ours to
# ping's).
flood_compare() {
	local name=$1 round ours theirs
	shift
	: >/run/rows
	for ((round = 1; round <= rounds; round++)); do
		ours=$(measure "$build/fping-bench" -q "$@" -c "$count" 10.7.0.2) || exit 1
		theirs=$(measure ping -q "$@" -c "$count" 10.7.0.2) || exit 1
		echo "$ours $theirs" >>/run/rows
	done
	rate_ratio=$(ratio 1 3 /run/rows | median)
	cpu_ratio=$(ratio 2 4 /run/rows | median)
	printf '%-12s %9.0f/s %8.2f us   %9.0f/s %8.2f us   %6.3f   %6.3f   (%.3f .. %.3f)\n' "$name" \
		"$(column 1 /run/rows | median)" "$(column 2 /run/rows | median)" \
		"$(column 3 /run/rows | median)" "$(column 4 /run/rows | median)" \
		"$rate_ratio" "$cpu_ratio" \
		"$(ratio 1 3 /run/rows | least)" "$(ratio 1 3 /run/rows | most)"
}

bench_flood() {
	echo "flood: 56 data bytes, both tools on processor 0"
	echo "$rounds rounds of $count requests each, medians; cpu is per round trip"
	printf '%-12s %11s %11s   %11s %11s   %6s   %6s   %s\n' options fping-bench cpu ping cpu \
		rate cpu 'rate ratios'
	flood_compare '-f' -f
	at_least 'rate ratio of -f' "$rate_ratio" 1.0
	flood_compare '-f -l 64' -f -l 64
	at_least 'rate ratio of -f -l 64' "$rate_ratio" 1.12
	at_most 'cpu ratio of -f -l 64' "$cpu_ratio" 0.88
}
