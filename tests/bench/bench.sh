#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What the program can do, beside others in the same run. A topic is a file of this directory:
#
#   flood    -f beside ping -f: round trips a second, processor time
#   stamps   what the kernel's stamps cost in a flood
#   pacing   how well an interval is kept, beside ping -i, fping -p and irtt, and what that costs
#   core     single functions of the hot path (bench_core)
#
# usage: tests/bench/bench.sh [check] [TOPIC...]   all topics if none is named (root)
#        with check, fails below the targets
# environment: ROUNDS (7), COUNT (200000 requests of a flood run)

# shellcheck disable=SC2034 # the topics use the variables
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
build=${BUILD:-build}
rounds=${ROUNDS:-7}
count=${COUNT:-200000}
processors=$(nproc)

. tests/bench/lab.bash
. tests/bench/flood.bash
. tests/bench/stamps.bash
. tests/bench/pacing.bash

check=
if [ "${1:-}" = check ]; then
	check=yes
	shift
fi
topics=("$@")
[ ${#topics[@]} -gt 0 ] || topics=(flood stamps pacing core)
for topic in "${topics[@]}"; do
	case $topic in
	flood | stamps | pacing | core) ;;
	*) die "no topic $topic; there are: flood stamps pacing core" ;;
	esac
done

if [ -z "${FPING_BENCH_INSIDE:-}" ]; then
	[ "$(id -u)" -eq 0 ] || die "needs root for the network namespaces; run: sudo make bench"
	contrib/packages.sh bench || die "what the benchmark needs could not be installed"
	for tool in ip ping taskset; do
		command -v "$tool" >/dev/null || die "no command $tool; see contrib/packages.sh list bench"
	done
	contrib/as-caller.sh "${MAKE:-make}" all bench-programs >/dev/null || exit 1
	why=$(unshare --mount --net --pid --fork true 2>&1) || die "no namespaces here: $why"
	FPING_BENCH_INSIDE=1 exec unshare --mount --net --pid --fork --kill-child --mount-proc \
		"$0" ${check:+check} "${topics[@]}"
fi

lab_start
for topic in "${topics[@]}"; do
	if [ "$topic" = core ]; then
		# Nanoseconds a call say little on a machine that is not this one: no targets.
		[ -n "$check" ] || "$build/tests/bench_core"
	else
		"bench_$topic"
	fi
	echo
done

[ -n "$check" ] || exit 0
[ "$misses" -eq 0 ] || die "$misses target(s) missed"
echo "bench: all targets met"
