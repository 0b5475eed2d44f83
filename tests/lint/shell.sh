#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Every shell file, whatever its name, is clean under shellcheck.
. "$(dirname "$0")/lint.bash"

if ! command -v shellcheck >/dev/null; then
	echo "skip lint/shellcheck: shellcheck is not installed"
	exit
fi
files=$({
	find contrib tests .ci -name '*.sh' -o -name '*.bash'
	find contrib tests .ci -type f -exec awk 'FNR == 1 && /^#!.*sh$/ { print FILENAME }' {} +
} | sort -u)
result shellcheck "$(xargs -d '\n' shellcheck --format=gcc <<<"$files" 2>&1)"
