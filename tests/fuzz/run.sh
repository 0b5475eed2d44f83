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
status=1

for program in "$directory"/fuzz-*; do
	[ -x "$program" ] || continue
	target=${program##*/fuzz-}
	work=$directory/found/$target
	mkdir -p "$work/corpus" "tests/fuzz/corpus/$target"
	[ "$status" -eq 2 ] || status=0
	dictionary=()
	[ ! -e "tests/fuzz/$target.dict" ] || dictionary=(-dict="tests/fuzz/$target.dict")
	echo "fuzz/$target: $seconds s"
	if "$program" -max_total_time="$seconds" -max_len=4096 -timeout=5 -rss_limit_mb=1024 \
		-print_final_stats=1 "${dictionary[@]}" -artifact_prefix="$work/" \
		"$work/corpus" "tests/fuzz/corpus/$target" >"$work/log" 2>&1; then
		echo "ok fuzz/$target ($(awk '/number_of_executed_units/ { print $2 }' "$work/log") runs)"
	else
		tail -n 40 "$work/log"
		echo "not ok fuzz/$target: a finding in $work (see $work/log)"
		status=2
	fi
done
[ "$status" -ne 1 ] || echo "no fuzz program in $directory" >&2
exit "$status"
