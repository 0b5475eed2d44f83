#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Runs a command as the user who called sudo, so that whatever it makes is that user's and a plain
# `make` works after `sudo make try`. Root-owned leftovers under the build directory are handed over
# before and after, also when the command fails or is interrupted. Without sudo it just runs the
# command; in a tree where the caller may not write, it runs as root and hands over the result.
#
# usage: contrib/as-caller.sh COMMAND [ARGUMENT...]        environment: BUILD (default build)

set -u
build=${BUILD:-build}

if [ "$(id -u)" -ne 0 ] || [ "${SUDO_UID:-0}" -eq 0 ]; then
	exec "$@"
fi
uid=$SUDO_UID
gid=${SUDO_GID:-$SUDO_UID}

# Only what root owns is touched, and never through a symbolic link or across a mount.
hand_over() {
	[ ! -d "$build" ] || find "$build" -xdev -user 0 -exec chown -h "$uid:$gid" {} +
}

# HOME goes along: git and compilers would otherwise look for root's settings and be refused.
if entry=$(getent passwd "$uid"); then
	groups=--init-groups
	HOME=$(cut -d: -f6 <<<"$entry")
else
	groups=--clear-groups
	HOME=/
fi
export HOME
become() {
	setpriv --reuid="$uid" --regid="$gid" "$groups" --inh-caps=-all -- "$@"
}

trap hand_over EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
hand_over
if become test -w . && { [ ! -e "$build" ] || become test -w "$build"; }; then
	become "$@"
else
	"$@"
fi
