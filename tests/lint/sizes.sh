#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# What fits on a few screens can be read: files up to about 400 lines (450 fail), functions up to
# about 60 (70 fail), lines up to 100 columns with tabs of 8. A function is what stands between an
# opening and a closing brace in the first column.
. "$(dirname "$0")/lint.bash"

result file-size "$(product_files | xargs -r wc -l | awk '$2 != "total" && $1 > 450 {
	print $2 ": " $1 " lines" }')"

result function-size "$(product_files | xargs -r awk '
	FNR == 1 { start = 0 }
	/^\{/ { start = FNR; head = previous }
	/^\}/ {
		if (start && FNR - start - 1 > 70)
			print FILENAME ":" start ": " FNR - start - 1 " lines: " head
		start = 0
	}
	{ previous = $0 }')"

result line-length "$(all_c_files | xargs -r awk '{
	columns = 0
	n = split($0, part, "\t")
	for (i = 1; i < n; i++)
		columns += length(part[i]) + 8 - (columns + length(part[i])) % 8
	columns += length(part[n])
	if (columns > 100)
		print FILENAME ":" FNR ": " columns " columns"
	}')"

result white-space "$(all_c_files | xargs -r grep -nE '[[:space:]]+$|^ +[^ *]')"
