#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# The diagnosis of fragments against hosts and paths that are each broken in one way, made by nft in
# namespaces: the verdict must be that way. All of them run at once, since each mostly waits; then
# each is judged. `make check-diagnose` does so DIAGNOSE_RUNS times and counts.
. "$(dirname "$0")/../lib.sh"

results=/run/diagnose
mkdir -p "$results"

# Each is ROW FAMILY VERDICT.
rows='
	healthy 4 healthy
	healthy 6 healthy
	non-first 4 non-first-fragments-dropped
	non-first 6 non-first-fragments-dropped
	first 4 fragments-dropped
	all 4 fragments-dropped
	limit-1000 4 size-limit
	limit-3000 4 size-limit
	echo-rate 4 icmp-rate-limit
	policer 4 fragment-policer
	loss 4 packet-loss
	loss 6 packet-loss
	memory 4 reassembly-full
	reply 4 reply-direction-only
	reply 6 reply-direction-only
	hole 4 path-mtu-black-hole
	hole 6 path-mtu-black-hole
	told 4 healthy
	told 6 healthy
	narrow 6 undetermined
	short 4 undetermined
	refused 4 undetermined
	queue 4 responder-queue
	dead 4 undetermined
'

# Three namespaces in a row: ours, a router, the responder; $id names them.
make_path() {
	local a=$id-a r=$id-r b=$id-b
	lab_namespace "$a"
	lab_namespace "$r"
	lab_namespace "$b"
	ip link add va netns "$a" type veth peer name ra netns "$r"
	ip link add rb netns "$r" type veth peer name vb netns "$b"
	ip -n "$a" address add 10.9.1.1/24 dev va
	ip -n "$r" address add 10.9.1.254/24 dev ra
	ip -n "$r" address add 10.9.2.254/24 dev rb
	ip -n "$b" address add 10.9.2.2/24 dev vb
	ip -n "$a" address add fd91::1/64 dev va nodad
	ip -n "$r" address add fd91::fe/64 dev ra nodad
	ip -n "$r" address add fd92::fe/64 dev rb nodad
	ip -n "$b" address add fd92::2/64 dev vb nodad
	ip -n "$a" link set va up
	ip -n "$r" link set ra up
	ip -n "$r" link set rb up
	ip -n "$b" link set vb up
	ip -n "$a" route add default via 10.9.1.254
	ip -n "$b" route add default via 10.9.2.254
	ip -n "$a" -6 route add default via fd91::fe
	ip -n "$b" -6 route add default via fd92::fe
	ip netns exec "$r" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	responder_rules 'add table inet t
		add chain inet t early { type filter hook prerouting priority -450; }
		add chain inet t in { type filter hook input priority 0; }
		add table netdev t
		add chain netdev t out { type filter hook egress device vb priority 0; }'
}

responder_rules() { ip netns exec "$id-b" nft -f - <<<"$1"; }

break_path() {
	local early='add rule inet t early' in='add rule inet t in' out='add rule netdev t out'
	case $1 in
	healthy4 | healthy6) ;;
	non-first4) responder_rules "$early ip frag-off & 0x1fff != 0 drop" ;;
	non-first6) responder_rules "$early frag frag-off != 0 drop" ;;
	first4) responder_rules "$early ip frag-off & 0x3fff == 0x2000 drop" ;;
	all4) responder_rules "$early ip frag-off & 0x3fff != 0 drop" ;;
	limit-1000*) responder_rules "$in meta length > 1000 drop" ;;
	limit-3000*) responder_rules "$in meta length > 3000 drop" ;;
	echo-rate4)
		responder_rules "$in icmp type echo-request limit rate over 10/second burst 5 packets drop"
		;;
	policer4)
		responder_rules "$early ip frag-off & 0x3fff != 0 limit rate over 20/second burst 10 packets drop"
		;;
	loss*)
		# Without a neighbour everything is lost for a second, which is no plain loss.
		responder_rules "$early icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
			$early numgen random mod 100 < 5 drop"
		;;
	memory4) fill_memory ;;
	reply4) responder_rules "$out ip frag-off & 0x3fff != 0 drop" ;;
	reply6) responder_rules "$out ip6 nexthdr 44 drop" ;;
	hole*)
		ip -n "$id-r" link set rb mtu 1400
		ip -n "$id-b" link set vb mtu 1400
		ip netns exec "$id-r" nft -f - <<-END
			add table inet t
			add chain inet t out { type filter hook output priority 0; }
			add rule inet t out icmp type destination-unreachable drop
			add rule inet t out icmpv6 type packet-too-big drop
		END
		;;
	told*)
		ip -n "$id-r" link set rb mtu 1400
		ip -n "$id-b" link set vb mtu 1400
		;;
	narrow6)
		ip -n "$id-r" link set rb mtu 1400
		ip netns exec "$id-r" nft -f - <<-END
			add table inet t
			add chain inet t out { type filter hook output priority 0; }
			add rule inet t out icmpv6 type packet-too-big drop
		END
		;;
	short4) responder_rules "$early ip frag-off & 0x3fff == 0x2000 meta length < 100 drop" ;;
	refused4)
		ip netns exec "$id-a" nft -f - <<-END
			add table inet t
			add chain inet t out { type filter hook output priority 0; }
			add rule inet t out ip frag-off & 0x3fff != 0 drop
		END
		;;
	queue4) ip netns exec "$id-b" tc qdisc add dev vb root tbf rate 20mbit burst 3000 limit 1000000 ;;
	dead4) responder_rules "$in icmp type echo-request drop" ;;
	*) return 1 ;;
	esac
}

# Little memory for reassembly, and datagrams in it that will never be complete.
fill_memory() {
	ip netns exec "$id-b" sysctl -qw net.ipv4.ipfrag_low_thresh=10000 net.ipv4.ipfrag_high_thresh=20000
	responder_rules 'add rule inet t early ip frag-off & 0x2000 == 0 ip frag-off & 0x1fff != 0 drop'
	ip netns exec "$id-a" ping -q -c 60 -i 0.01 -W 1 -s 2000 10.9.2.2 >/dev/null || true
	responder_rules 'flush chain inet t early'
}

# One row in the background: its document is in $results/ID.json, its seconds in $results/ID.seconds.
run_row() {
	local id=$1$2 target=10.9.2.2 started
	[ "$2" = 4 ] || target=fd92::2
	make_path && break_path "$id" || return
	started=$SECONDS
	ip netns exec "$id-a" timeout -k 2 120 "$FPING_BENCH" -j --diagnose-fragments "$target" \
		>"$results/$id.json" 2>"$results/$id.err"
	echo $((SECONDS - started)) >"$results/$id.seconds"
	remove_row "$id"
}

remove_row() {
	local end
	for end in a r b; do
		ip netns delete "$1-$end" 2>/dev/null || true
	done
}

run_rows() {
	local row family verdict
	while read -r row family verdict; do
		[ -z "$verdict" ] || run_row "$row" "$family" >"$results/$row$family.log" 2>&1 &
	done <<<"$rows"
	wait
}

# Nineteen at once are a load of their own: a row that went wrong is run once more, alone.
judge() {
	local id=$1 verdict=$2
	if [ "$(jq -r '.targets[0].diagnosis.verdict' "$results/$id.json" 2>/dev/null)" != "$verdict" ]; then
		run_row "${id%?}" "${id: -1}" >"$results/$id.log" 2>&1
	fi
	[ -s "$results/$id.json" ] || fail "no document: $(cat "$results/$id.log" "$results/$id.err")"
	assert_json "$results/$id.json" ".targets[0].diagnosis | .verdict == \"$verdict\"
		and (.evidence | length) >= 1 and (.matrix | length) >= 1 and all(.matrix[]; .sent + .send_errors >= 1)"
	[ "$verdict" = undetermined ] ||
		assert_json "$results/$id.json" '[.targets[0].diagnosis.matrix[:8][] | .sent] | length == 8 and min >= 20'
	[ "$(cat "$results/$id.seconds")" -le 75 ] || fail "it took $(cat "$results/$id.seconds") s"
}

echo_rate() {
	judge echo-rate4 icmp-rate-limit
	assert_json "$results/echo-rate4.json" '.targets[0].diagnosis.bucket |
		.rate_per_s > 8 and .rate_per_s < 12 and .burst > 2.5 and .burst < 7.5'
}

# The size is told to the byte: 20 bytes of IP header and 8 of ICMP are in what nft measures.
size_limit() {
	judge "$1" size-limit
	assert_json "$results/$1.json" ".targets[0].diagnosis.size_limit_bytes == $2"
}

if [ -z "$lab_unavailable" ]; then
	command -v nft >/dev/null || lab_unavailable="no command nft"
fi
if [ -n "${DIAGNOSE_RUNS:-}" ] && [ -z "$lab_unavailable" ]; then
	for ((run = 1; run <= DIAGNOSE_RUNS; run++)); do
		run_rows
		while read -r row family verdict; do
			[ -n "$verdict" ] || continue
			found=$(jq -r '.targets[0].diagnosis.verdict' "$results/$row$family.json" 2>/dev/null)
			if [ "$found" = "$verdict" ]; then
				echo "ok e2e/diagnose/$row-$family-$run"
			else
				echo "not ok e2e/diagnose/$row-$family-$run: $found: $(jq -c '.targets[0].diagnosis |
					[.evidence, [.matrix[] | [.name, .sent, .received]]]' "$results/$row$family.json")"
				lab_failed=1
			fi
		done <<<"$rows"
	done
	exit
fi
[ -n "$lab_unavailable" ] || run_rows
while read -r row family verdict; do
	case $row$family in
	'') ;;
	echo-rate4) test_case echo-rate-4 echo_rate ;;
	limit-*) test_case "$row-$family" size_limit "$row$family" $((${row#limit-} - 28)) ;;
	*) test_case "$row-$family" judge "$row$family" "$verdict" ;;
	esac
done <<<"$rows"
