#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Nothing is left half done in the tree (a mark is a promise to nobody), no file knows the machine
# it was written on, and every file says its licence.
. "$(dirname "$0")/lint.bash"

# The files of the project: what git knows or would add; without git, all but the build.
tree() {
	git ls-files --cached --others --exclude-standard 2>/dev/null ||
		find . -type f -not -path './build/*' -not -path './.git/*' | sed 's|^\./||'
}
text_files() {
	tree | grep -vE '^(LICENSE|tests/fuzz/corpus/.*|tests/golden/.*\.(txt|json))$' | sort -u
}

marks='TO''DO|FIX''ME|X''XX|HA''CK'
result marks "$(text_files | xargs -r -d '\n' grep -nwIE "$marks" 2>/dev/null)"

paths='/(ho''me|Us''ers|wo''rk|ro''ot)/[A-Za-z0-9_.]+'
result machine-paths "$(text_files |
	xargs -r -d '\n' grep -nIE "(^|[^A-Za-z0-9_.~-])$paths" 2>/dev/null)"

result licence-lines "$(text_files | grep -E '\.(c|h|sh|bash)$|^Makefile$|^\.ci/run$' |
	xargs -r -d '\n' grep -L 'SPDX-License-Identifier: BSD-2-Clause' 2>/dev/null)"
