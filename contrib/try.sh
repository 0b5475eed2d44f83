#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The demonstration behind `sudo make try`: two network namespaces joined by a veth pair are a real
# network path of this machine's own, so the reports are real and nobody else's network is touched.
# The namespaces live in a mount and network namespace of this script's own: they are removed by
# name at the end, and the kernel would remove them with the last process in any case.

set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
make=${MAKE:-make}

say() { printf 'try: %s\n' "$*"; }
die() { printf 'try: %s\n' "$*" >&2; exit 1; }

if [ "${1:-}" != inside ]; then
	[ "$(id -u)" -eq 0 ] || die "needs root for the network namespaces; run: sudo make try"
	contrib/packages.sh try
	say "building $build/fping-bench"
	contrib/as-caller.sh "$make" all
	why=$(unshare --mount --net true 2>&1) ||
		die "no namespaces here (a container without CAP_SYS_ADMIN?): $why"
	exec unshare --mount --net "$0" inside
fi

a=fping-bench-try-a-$$
b=fping-bench-try-b-$$
# shellcheck disable=SC2317 # the trap calls it
finish() {
	trap - EXIT
	trap '' INT TERM HUP
	ip netns delete "$a" 2>/dev/null || true
	ip netns delete "$b" 2>/dev/null || true
	say "the two namespaces are removed"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# A private /run keeps the names of the namespaces out of the machine's own list.
mount -t tmpfs -o mode=0755 tmpfs /run
ip netns add "$a"
ip netns add "$b"
ip -n "$a" link add eth0 mtu 1500 type veth peer name eth0 mtu 1500 netns "$b" ||
	die "this kernel has no veth devices"
ip -n "$a" address add 10.9.0.1/24 dev eth0
ip -n "$b" address add 10.9.0.2/24 dev eth0
for name in "$a" "$b"; do
	ip -n "$name" link set lo up
	ip -n "$name" link set eth0 up
done
for ((i = 0; i < 100; i++)); do
	[[ $(ip -n "$a" -br link show eth0) != *' UP '* ]] || break
	sleep 0.02
done
say "10.9.0.1 ($a) and 10.9.0.2 ($b) are joined by a veth pair, MTU 1500"

status=0
run() {
	printf '\n# fping-bench %s\n' "$*"
	ip netns exec "$a" "$build/fping-bench" "$@" || status=$?
}
run -f -c10000 10.9.0.2
run -f -c1000 -s 2048 10.9.0.2
echo
exit "$status"
