#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Privilege is handled in one file: no capability call or token, no change of ids and no prctl about
# privilege outside src/os/privilege.c; socket options are set there and in src/os/socket_options.c.
# Comments and texts may speak of them.
. "$(dirname "$0")/lint.bash"

make_scratch
product_files | code_of >"$work/code"

# search PATTERN FILE...: where the pattern stands in the code of the product, FILEs left out.
search() {
	local pattern=$1
	shift
	grep -vF "$(printf '%s:\n' "$@")" "$work/code" | grep -E "$pattern" | sort -u
}

privilege=src/os/privilege.c
calls='\bcap_[a-z_]+ *\('
types='\bcap_(t|value_t|flag_t|flag_value_t|iab_t|mode_t)\b'
tokens='\bCAP_[A-Z_]+|\bcap(set|get)\b'
result capability "$(search "$calls|$types|$tokens" "$privilege")"
ids='\b(set(res|re|e|fs)?[ug]id|setgroups|initgroups) *\('
flags='\bPR_(SET_(KEEPCAPS|NO_NEW_PRIVS|DUMPABLE|SECUREBITS)|CAP)[A-Z_]*'
result identity "$(search "$ids|$flags" "$privilege")"
result socket-options "$(search '\bsetsockopt *\(' "$privilege" src/os/privilege_sockets.c src/os/socket_options.c src/os/socket_options_sending.c)"
