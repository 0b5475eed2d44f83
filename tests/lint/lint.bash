# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What the lint scripts share. Each script states one or more rules; result() prints a rule's line
# in the form that tests/run.sh counts, with the places that break it above.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
export LC_ALL=C
lint_status=0
work=
trap '[ -z "$work" ] || rm -rf "$work"; exit $lint_status' EXIT

# make_scratch: $work is a directory that is gone at the end.
make_scratch() { work=$(mktemp -d); }

# result NAME PROBLEMS: ok if PROBLEMS is empty; else the problems, one a line, and not ok.
result() {
	if [ -z "$2" ]; then
		echo "ok lint/$1"
	else
		printf '%s\n' "$2"
		echo "not ok lint/$1: $(wc -l <<<"$2") problem(s), first: $(head -n 1 <<<"$2")"
		lint_status=1
	fi
}

# The C files of the product, sources and headers.
product_files() { find src include -name '*.[ch]' 2>/dev/null | sort; }

# The C files of product and tests.
all_c_files() { find src include tests -name '*.[ch]' 2>/dev/null | sort; }

# The #include "..." lines of the files on standard input, one `file included` a line.
includes() {
	xargs -r awk '/^[ \t]*#[ \t]*include[ \t]*"/ { split($0, part, "\""); print FILENAME, part[2] }'
}

# The code alone of the files on standard input: comments and what literals say are taken out. Each
# line comes as `file:line`.
code_of() {
	xargs -r awk -v quote="'" '
		FNR == 1 { in_comment = 0 }
		{
			line = $0
			code = ""
			while (line != "") {
				if (in_comment) {
					end = index(line, "*/")
					line = end ? substr(line, end + 2) : ""
					in_comment = !end
				} else if (match(line, "/[*]|//|[\"" quote "]")) {
					token = substr(line, RSTART, RLENGTH)
					code = code substr(line, 1, RSTART - 1)
					line = substr(line, RSTART + RLENGTH)
					if (token == "/*")
						in_comment = 1
					else if (token == "//")
						line = ""
					else
						line = after_literal(line, token)
				} else {
					code = code line
					line = ""
				}
			}
			print FILENAME ":" code
		}
		function after_literal(line, end, character) {
			do {
				character = substr(line, 1, 1)
				line = substr(line, character == "\\" ? 3 : 2)
			} while (character != end && line != "")
			return line
		}'
}
