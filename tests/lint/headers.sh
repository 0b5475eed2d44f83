#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Each header compiles alone and twice (its guard works), with the language of its floor.
. "$(dirname "$0")/lint.bash"

make_scratch

problems=$(find src include -name '*.h' 2>/dev/null | sort | while read -r header; do
	gnu=-D_GNU_SOURCE
	[[ $header != */base/* && $header != */core/* ]] || gnu=-DPURE=1
	printf '#include "%s"\n' "$PWD/$header" "$PWD/$header" >"$work/one.c"
	echo 'extern int nothing;' >>"$work/one.c"
	gcc -std=c11 "$gnu" -Iinclude -Wall -Wextra -Wpedantic -Wundef -Werror -fsyntax-only \
		"$work/one.c" 2>"$work/errors" || echo "$header: $(grep -m 1 error "$work/errors")"
done)
result headers "$problems"

problems=$(find include -name '*.h' 2>/dev/null | sort | while read -r header; do
	guard=$(tr 'a-z/.-' 'A-Z___' <<<"FPING_BENCH_${header#include/}")
	grep -q "^#ifndef $guard\$" "$header" && grep -q "^#define $guard\$" "$header" ||
		echo "$header: the guard is not $guard"
done)
result header-guards "$problems"
