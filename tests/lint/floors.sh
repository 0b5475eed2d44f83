#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The floor rule: base < core < os < run and report < apps. A file includes headers of its own floor
# and of lower ones; report sees base and core only; run sees of os only the six interfaces; a
# program sees no other program. core includes no header that brings a system call, allocation,
# stdio, errno or a clock.
. "$(dirname "$0")/lint.bash"

problems=$(product_files | includes | awk '
	function floor_of(path, part) {
		split(path, part, "/")
		return part[2]
	}
	BEGIN {
		split("base core os run report apps", names, " ")
		sees["base"] = " base "
		sees["core"] = " base core "
		sees["os"] = " base core os "
		sees["run"] = " base core run "
		sees["report"] = " base core report "
		sees["apps"] = " base core os run report apps "
		split("transport.h clock.h real_time.h waiter.h signals.h fragment_capture.h", list, " ")
		for (i in list)
			interface["os/" list[i]] = 1
	}
	{
		from = floor_of($1)
		n = split($2, part, "/")
		to = n == 1 ? from : part[1]
		if (!(from in sees))
			print $1 ": unknown floor " from
		else if (from == "run" && $2 in interface)
			next
		else if (index(sees[from], " " to " ") == 0)
			print $1 ": " from " must not include \"" $2 "\""
		else if (from == "apps" && to == "apps" && n > 1) {
			split($1, own, "/")
			if (own[3] != part[2])
				print $1 ": a program must not include another: \"" $2 "\""
		}
	}')
result floors "$problems"

pure='assert|float|inttypes|limits|math|stdalign|stdbool|stddef|stdint|stdnoreturn|string'
problems=$(find src/core include/core -name '*.[ch]' 2>/dev/null | sort |
	xargs -r grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<' |
	grep -vE "<($pure)\.h>")
result core-system-headers "$problems"
