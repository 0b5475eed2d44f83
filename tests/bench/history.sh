#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Runs of 1992 again, each old figure beside the new one: flood pings over 10 Mbit/s Ethernet. The
# wire is a veth pair shaped to 10 Mbit/s in each direction, in namespaces of this script's own. The
# arithmetic of the old runs is done here from what was printed then, by the formulas of our report.
#
# usage: tests/bench/history.sh (as root; `make history`)

set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C
build=${BUILD:-build}

die() { printf 'history: %s\n' "$*" >&2; exit 1; }

if [ "${1:-}" != inside ]; then
	[ "$(id -u)" -eq 0 ] || die "needs root for the network namespaces; run: sudo make history"
	contrib/as-caller.sh "${MAKE:-make}" all
	exec unshare --mount --net "$0" inside
fi
for command in jq tc; do
	command -v "$command" >/dev/null || die "needs $command; run: sudo make packages"
done

mount -t tmpfs -o mode=0755 tmpfs /run
ip netns add here
ip netns add there
ip -n here link add eth0 mtu 1500 type veth peer name eth0 mtu 1500 netns there
ip -n here address add 10.9.0.1/24 dev eth0
ip -n there address add 10.9.0.2/24 dev eth0
for end in here there; do
	ip -n "$end" link set lo up
	ip -n "$end" link set eth0 up
	ip netns exec "$end" tc qdisc add dev eth0 root tbf rate 10mbit burst 3200 limit 300000 ||
		die "this kernel has no token bucket shaper (sch_tbf)"
done
sleep 1

run() {
	ip netns exec here "$build/fping-bench" -j "$@" 10.9.0.2 >/run/run.json || true
	printf '\n# fping-bench %s\n' "$*"
}

# row WHAT OLD NEW
row() { printf '%-44s %18s %18s\n' "$@"; }

# of FORMAT EXPRESSION: a number from the document. by FORMAT EXPRESSION: arithmetic.
of() { by "$1" "$(jq "$2" /run/run.json)"; }
by() { awk "BEGIN { printf \"$1\", $2 }"; }

run -f -c 10000
row '' '1992' 'now, at 10 Mbit/s'
row 'requests sent, received' '10012, 10000' "$(jq -r '.targets[0] | "\(.sent), \(.received)"' /run/run.json)"
row 'seconds' '37.90' "$(of %.2f '.targets[0].elapsed_ns / 1e9')"
row 'requests sent per second' "$(by %.1f 10012/37.90)" "$(of %.1f .targets[0].rate.sent_per_s)"
row 'ms per request sent' "$(by %.3f '37.90e3/10012')" "$(of %.3f '1000 / .targets[0].rate.sent_per_s')"
row 'rtt min/mean/max ms' '0/35/60' \
	"$(of %.3f '.targets[0].rtt.ping.min_ns / 1e6')/$(of %.3f '.targets[0].rtt.ping.mean_ns / 1e6')/$(of %.3f '.targets[0].rtt.ping.max_ns / 1e6')"
row 'in flight by rate x rtt' "$(by %.1f '10012/37.90*0.035') (a clock too coarse)" "$(of %.2f .targets[0].in_flight.littles_law)"
row 'on the wire, both ways, ms (122 bytes each)' "$(by %.3f '2*122*8/1e4')" "$(by %.3f '2*122*8/1e4')"

run -f -c 1000 -s 2048
row '' '1992' 'now, at 10 Mbit/s'
row 'requests sent, received' '1001, 1000' "$(jq -r '.targets[0] | "\(.sent), \(.received)"' /run/run.json)"
row 'seconds' '17.96' "$(of %.2f '.targets[0].elapsed_ns / 1e9')"
row 'datagrams per second' "$(by %.1f 1000/17.96)" "$(of %.1f .targets[0].rate.received_per_s)"
row 'kB/s of data each way (144 was printed)' "$(by %.1f '1000*2048/17.96/1e3')" \
	"$(of %.1f '.targets[0].throughput.payload_bytes_per_s / 1e3')"
row 'ms per datagram received' "$(by %.2f 17.96e3/1000)" "$(of %.2f '1000 / .targets[0].rate.received_per_s')"
row 'rtt min/mean/max ms' '20/35/50' \
	"$(of %.2f '.targets[0].rtt.ping.min_ns / 1e6')/$(of %.2f '.targets[0].rtt.ping.mean_ns / 1e6')/$(of %.2f '.targets[0].rtt.ping.max_ns / 1e6')"
row 'in flight by rate x rtt' "$(by %.2f '1000/17.96*0.035')" "$(of %.2f .targets[0].in_flight.littles_law)"
row 'fragments of a datagram (IP bytes)' '1500 + 596' "$(jq -r '.targets[0].fragments.sizes | join(" + ")' /run/run.json)"
row 'on the wire, both ways, ms' "$(by %.3f '2*(1538+634)*8/1e4')" \
	"$(of %.3f '2 * .targets[0].fragments.wire_bytes * 8 / 1e4')"

run -f -l 8 -s 2048 -w 4
row '' 'the wire allows' 'now, 8 in flight'
row 'frame bytes/s (what the shaper counts)' 1250000 "$(of %.0f .targets[0].throughput.frame_bytes_per_s)"
row 'datagrams per second' "$(by %.1f '1250000/(1514+610)')" "$(of %.1f .targets[0].rate.received_per_s)"
