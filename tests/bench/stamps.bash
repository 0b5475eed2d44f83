# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # bench.sh has the other half of the variables
#
# What the kernel's stamps cost: the same flood without them, with receive stamps, and with send
# stamps on the sample that a flood takes.

# stamps_compare OPTION...: the rounds of the three. Sets rx_ratio (to user) and split_ratio (to rx).
stamps_compare() {
	local name="$*" round kind rate
	: >/run/rows
	for ((round = 1; round <= rounds; round++)); do
		for kind in user rx split; do
			rate=$(measure "$build/fping-bench" -q "$@" --stamps "$kind" -c "$count" 10.7.0.2) || exit 1
			printf '%s ' "${rate% *}" >>/run/rows
		done
		echo >>/run/rows
	done
	rx_ratio=$(ratio 2 1 /run/rows | median)
	split_ratio=$(ratio 3 2 /run/rows | median)
	printf '%-12s %9.0f/s %9.0f/s %9.0f/s   %6.3f (%.3f .. %.3f)   %6.3f (%.3f .. %.3f)\n' "$name" \
		"$(column 1 /run/rows | median)" "$(column 2 /run/rows | median)" \
		"$(column 3 /run/rows | median)" \
		"$rx_ratio" "$(ratio 2 1 /run/rows | least)" "$(ratio 2 1 /run/rows | most)" \
		"$split_ratio" "$(ratio 3 2 /run/rows | least)" "$(ratio 3 2 /run/rows | most)"
}

bench_stamps() {
	echo "stamps: round trips a second with --stamps user, rx, split; processor 0"
	echo "$rounds rounds of $count requests each, medians"
	printf '%-12s %11s %11s %11s   %24s   %24s\n' options user rx split 'rx / user' 'split / rx'
	stamps_compare -f
	stamps_compare -f -l 64
	at_least 'rate with rx to user, -f -l 64' "$rx_ratio" 0.92
	at_least 'rate with split to rx, -f -l 64' "$split_ratio" 0.95
}
