#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Runs every fuzz program of a directory for some seconds each, from the stored corpus. New inputs
# are collected under the build directory, findings beside them; a finding that is mended belongs
# into tests/fuzz/corpus/TARGET/ as a regression test.
#
# usage: tests/fuzz/run.sh DIRECTORY SECONDS

set -u
directory=$1
seconds=$2

# One target, to its log; the last line of the log that it leaves says how it went.
run_target() {
	local target=${1##*/fuzz-} work dictionary=()
	work=$directory/found/$target
	mkdir -p "$work/corpus" "tests/fuzz/corpus/$target"
	[ ! -e "tests/fuzz/$target.dict" ] || dictionary=(-dict="tests/fuzz/$target.dict")
	if "$1" -max_total_time="$seconds" -max_len=4096 -timeout=5 -rss_limit_mb=1024 \
		-print_final_stats=1 "${dictionary[@]}" -artifact_prefix="$work/" \
		"$work/corpus" "tests/fuzz/corpus/$target" >"$work/log" 2>&1; then
		echo "ok fuzz/$target ($(awk '/number_of_executed_units/ { print $2 }' "$work/log") runs)"
	else
		tail -n 40 "$work/log"
		echo "not ok fuzz/$target: a finding in $work (see $work/log)"
		return 1
	fi
}

status=0
started=0
pids=()
for program in "$directory"/fuzz-*; do
	[ -x "$program" ] || continue
	# As many at once as there are processors.
	if [ ${#pids[@]} -ge "$(nproc)" ]; then
		wait "${pids[0]}" || status=2
		pids=("${pids[@]:1}")
	fi
	echo "fuzz/${program##*/fuzz-}: $seconds s"
	run_target "$program" &
	pids+=("$!")
	started=$((started + 1))
done
for pid in "${pids[@]}"; do
	wait "$pid" || status=2
done
[ "$started" -gt 0 ] || { echo "no fuzz program in $directory" >&2; status=1; }
exit "$status"
