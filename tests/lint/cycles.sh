#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# No include cycle, neither between files nor between modules (x.c with x.h and x_internal.h): two
# modules that need each other are one module in two files.
. "$(dirname "$0")/lint.bash"

# Edges `file included-file`, with the included name made a path of the tree.
edges() {
	product_files | includes | while read -r file name; do
		if [ -e "include/$name" ]; then
			echo "$file include/$name"
		elif [ -e "$(dirname "$file")/$name" ]; then
			echo "$file $(dirname "$file")/$name"
		else
			echo "$file: no such header: \"$name\"" >&2
		fi
	done
}

cycle_in() { tsort 2>&1 >/dev/null | sed 's/^tsort: //' | grep -v '^-: input contains a loop:$'; }

result missing-headers "$(edges 2>&1 >/dev/null)"
result include-cycles "$(edges 2>/dev/null | cycle_in)"
result module-cycles "$(edges 2>/dev/null |
	sed -E 's#(^| )(src|include)/#\1#g; s#(_internal)?\.[ch]( |$)#\2#g' |
	awk '$1 != $2' | sort -u | cycle_in)"
