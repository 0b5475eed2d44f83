#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The manual page is well formed, and it and --help speak of the same options.
. "$(dirname "$0")/lint.bash"

page=man/fping-bench.8
program=${BUILD:-build}/fping-bench

if command -v mandoc >/dev/null; then
	result mandoc "$(mandoc -T lint -W warning "$page" 2>&1)"
else
	echo "skip lint/mandoc: mandoc is not installed"
fi

# --help: the options stand at the start of an indented line, before the first wide gap.
in_help() {
	"$program" --help 2>&1 | sed -nE 's/^ {1,8}(-.*)$/\1/p' | sed -E 's/ {2,}.*//' |
		grep -oE '(^|[ ,])--?[A-Za-z0-9][A-Za-z0-9-]*' | tr -d ' ,' | sort -u
}
# The page: the Fl macros of item lines.
in_page() {
	grep -E '^\.It .*Fl ' "$page" | grep -oE 'Fl +[^ ]+' |
		sed -E 's/^Fl +/-/; s/\\-/-/g; s/[,=].*//' | sort -u
}

if [ -x "$program" ]; then
	result options-in-page "$(comm -23 <(in_help) <(in_page) | sed 's|^|in --help only: |')"
	result options-in-help "$(comm -13 <(in_help) <(in_page) | sed 's|^|in the page only: |')"
	result options-found "$([ "$(in_help | wc -l)" -ge 2 ] || echo "no options seen in --help")"
else
	result options-in-page "$program is not built"
fi
