#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# core is pure: its objects may need four functions of the C library, the mathematics library, and
# functions of core and of those base objects that are pure themselves; they hold no data that can
# be written. A base object is pure if all it needs beside that makes text of memory or memory of
# text, or lies in another pure one. 128-bit division is a call into the compiler's own library.
. "$(dirname "$0")/lint.bash"

make_scratch
mkdir "$work/base" "$work/core"
compile_floor() {
	cd "$work/$1" && gcc -std=c11 -O1 -fno-pie -fno-stack-protector -U_FORTIFY_SOURCE \
		-I"$OLDPWD/include" -c "$OLDPWD/src/$1"/*.c
}
result purity-compile "$( (compile_floor base) 2>&1; (compile_floor core) 2>&1)"

{
	printf 'core %s\n' memcmp memcpy memmove memset
	echo '#include <math.h>' | gcc -std=c11 -E -P -x c - | grep -oE '\b[a-z][a-z0-9_]* \(' |
		sed 's/^/core /; s/ ($//'
	printf 'base %s\n' inet_ntop memchr snprintf strchr strcmp strcspn strerror strlen strncmp \
		strnlen strspn vsnprintf
} >"$work/allowed"

cd "$work" && nm -A base/*.o core/*.o >symbols
problems=$(awk '
	FILENAME == "allowed" { may[$1, $2] = 1; next }
	{
		object = $1
		sub(/:.*/, "", object)
		sub(/\.o$/, ".c", object)
		symbol = $NF
		kind = $(NF - 1)
		objects[object] = 1
		if (kind ~ /^[TRW]$/)
			home[symbol] = object
		else if (kind == "U" && symbol !~ /^__u?(div|mod|mul|divmod)ti[34]$/)
			needs[object] = needs[object] " " symbol
		if (object ~ /^core/ && kind ~ /^[BbCDdGgSs]$/)
			print "data src/" object " holds writable data " symbol
	}
	function is_allowed(symbol, floor) {
		if (("core", symbol) in may || (floor == "base" && ("base", symbol) in may))
			return 1
		return symbol in home && (home[symbol] ~ /^core/ || home[symbol] in pure)
	}
	END {
		do {
			added = 0
			for (object in objects) {
				if (object !~ /^base/ || object in pure)
					continue
				pure[object] = 1
				n = split(needs[object], list, " ")
				for (i = 1; i <= n; i++)
					if (home[list[i]] != object && !is_allowed(list[i], "base")) {
						delete pure[object]
						break
					}
				added += object in pure
			}
		} while (added)
		for (object in objects) {
			if (object !~ /^core/)
				continue
			n = split(needs[object], list, " ")
			for (i = 1; i <= n; i++)
				if (!is_allowed(list[i], "core"))
					print "need src/" object " needs " list[i]
		}
	}' allowed symbols | sort)
result purity "$(sed -n 's/^need //p' <<<"$problems")"
result core-globals "$(sed -n 's/^data //p' <<<"$problems")"
