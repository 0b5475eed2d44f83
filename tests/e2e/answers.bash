# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What replies, damaged, errors, special and hosts share: one run of the probe whose text and document
# are both there to look at, and an assertion on all counters of a target at once, so that a packet
# that is booked twice or in the wrong place cannot hide behind the ones that were named.

DOCUMENT=$TMP/document.json

# measure ARGUMENT...: runs the probe; its text is in $OUT, its document in $DOCUMENT. Whatever was
# measured, the account is closed, and the document holds nothing that is no number or no share.
measure() {
	rm -f "$DOCUMENT"
	run_probe --json="$DOCUMENT" "$@"
	assert_document "$DOCUMENT"
}

# assert_document FILE: strict JSON once its texts are taken out (jq itself would take a nan); the
# account of every target is closed; none of its numbers is below zero but the one that is a
# difference, no share is outside 0 to 1, and the loss is what the counters say.
assert_document() {
	sed -E 's/"([^"\\]|\\.)*"//g; s/\b(true|false|null)\b//g' "$1" >"$TMP/bare"
	assert_no_grep '[^][{}:,0-9.eE+ 	-]|-0(\.0*)?[],}]' "$TMP/bare" "no strict JSON"
	# The parts of assert_accounting and more, in one call: this is done hundreds of times.
	jq -js 'def wrong(condition; text): if condition then text else empty end;
		[wrong(length != 1; "not one document"), (.[0].targets[] | select(.error == null) |
		 wrong(.sent != .received + .lost + .in_flight_at_end or .lost != ([.lost_by_cause[]] | add);
			"the account is open"),
		 wrong(.rtt.user != null and .rtt.user.samples != .received; "samples of the RTT"),
		 (del(.in_flight.unexplained?) | .. | numbers | wrong(. < 0; "a negative number")),
		 (.loss, .loss_ci95[]?, (.fragments.loss_per_fragment | .one_way, .both_ways) | numbers |
			wrong(. < 0 or . > 1; "a share outside 0 to 1")),
		 (.sent - .in_flight_at_end) as $settled |
		 wrong(if $settled == 0 then .loss != null else
			.loss == null or (.loss - .lost / $settled | fabs > 1e-9) end; "the loss"))] |
		unique | join(", ")' "$1" >"$TMP/wrong" || fail "no JSON: $(head -c 200 "$1")"
	[ ! -s "$TMP/wrong" ] || {
		jq -c 'del(.. | .histogram?)' "$1" | head -c 6000
		fail "in the document: $(cat "$TMP/wrong")"
	}
}

# assert_counts INDEX COUNTER=NUMBER|LOW..HIGH...: of target INDEX these counters have these values,
# and all others are 0. The causes of losses are named by their own names.
assert_counts() {
	local index=$1
	shift
	jq -j --arg want "$*" ".targets[$index] |"'
		({sent, received, lost, in_flight_at_end, duplicates, reordered, late, corrupt, truncated,
		 mixed, forged, wrong_source, bad_checksum, short, bad_header, clock_errors, foreign,
		 icmp_errors, send_errors, local_drops, other_responders} + .lost_by_cause) as $is |
		($want | split(" ") | map(split("=") | {key: .[0], value: .[1]}) | from_entries) as $want |
		(($want | keys) - ($is | keys) | map("no counter " + .)) +
		[$is | to_entries[] | ($want[.key] // "0" | split("..") | map(tonumber)) as $range |
		 select(.value < $range[0] or .value > $range[-1]) |
		 "\(.key) is \(.value), not \($want[.key] // "0")"] |
		join(", ")' "$DOCUMENT" >"$TMP/differences"
	[ ! -s "$TMP/differences" ] || {
		cat "$OUT"
		fail "target $index: $(cat "$TMP/differences")"
	}
}

# ask SCRIPT ARGUMENT...: one host of either family behind the scripted peer, asked three times each
# in turns: requests 1, 3, 5 go to target 0 (IPv4), 2, 4, 6 to target 1 (IPv6).
ask() {
	local script=$1
	shift
	require tun ipv6
	lab_tun tp0 "$script"
	measure -c 3 -i 0.06 -W 0.4 "$@" 10.66.0.2 fd66::2
}

# assert_both COUNTER=NUMBER...: the same counters for both targets.
assert_both() {
	assert_counts 0 "$@"
	assert_counts 1 "$@"
}
