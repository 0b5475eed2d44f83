#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Installs the Debian or Ubuntu packages that a set needs and that are not there yet, and nothing
# else. A package may bring a service (nftables does): none is started, and none is left enabled.
# Where there is no apt-get the packages are named and nothing happens.
#
# usage: contrib/packages.sh SET           install what is missing of SET (root)
#        contrib/packages.sh missing SET   print what is missing, one line
#        contrib/packages.sh list SET      print the whole set, one line
# sets:  build (compile), try (build + the demonstration), test (try + everything the tests use),
#        bench (try + the programs that the benchmark stands beside)

set -eu
export LC_ALL=C

build='gcc make libc6-dev libcap-dev libjansson-dev libmnl-dev'
try="$build iproute2 util-linux"
test="$try clang clang-tidy cppcheck ethtool iputils-ping jq libcap2-bin libclang-rt-dev libcunit1-dev
	mandoc nftables procps shellcheck strace tcpdump"
bench="$try fping iputils-ping irtt libcunit1-dev"

say() { printf 'packages: %s\n' "$*"; }
die() { printf 'packages: %s\n' "$*" >&2; exit 1; }

command=install
case ${1:-} in
list | missing) command=$1; shift ;;
esac
case ${1:-} in
build) wanted=$build ;;
try) wanted=$try ;;
test) wanted=$test ;;
bench) wanted=$bench ;;
*) die "usage: contrib/packages.sh [list|missing] build|try|test|bench" ;;
esac
set_name=$1
read -r -a wanted <<<"$(tr '\n\t' '  ' <<<"$wanted")"

if [ "$command" = list ]; then
	echo "${wanted[*]}"
	exit 0
fi

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	[ "$command" = install ] || exit 0
	die "no apt-get here; install the equivalents of these Debian packages: ${wanted[*]}"
fi

missing=()
for package in "${wanted[@]}"; do
	is_installed "$package" || missing+=("$package")
done

if [ "$command" = missing ]; then
	echo "${missing[*]}"
	exit 0
fi
if [ ${#missing[@]} -eq 0 ]; then
	say "$set_name: all ${#wanted[@]} packages are installed"
	exit 0
fi
[ "$(id -u)" -eq 0 ] || die "missing: ${missing[*]}; run: sudo contrib/packages.sh $set_name"

# --- no service may start, and none may stay enabled ---
guard=/usr/sbin/policy-rc.d
guard_is_ours=
enabled_units() {
	[ -n "$has_systemctl" ] || return 0
	systemctl list-unit-files --state=enabled --no-legend --no-pager 2>/dev/null | cut -d' ' -f1 | sort
}
clean_up() {
	[ -z "$guard_is_ours" ] || rm -f "$guard"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
if [ ! -e "$guard" ] && [ ! -L "$guard" ]; then
	guard_is_ours=yes
	printf '#!/bin/sh\n# fping-bench made this for one apt-get run: no service starts.\nexit 101\n' \
		>"$guard"
	chmod 755 "$guard"
fi
has_systemctl=$(command -v systemctl || true)
enabled_before=$(enabled_units)

export DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l
say "$set_name: to be installed: ${missing[*]}"
apt=(apt-get -q -o DPkg::Lock::Timeout=120)
"${apt[@]}" update || say "the package lists could not be renewed; going on with the old ones"

# A release may lack one of the names (libclang-rt-dev is part of clang's own packages on some).
known=()
for package in "${missing[@]}"; do
	if apt-cache policy "$package" | grep -q 'Candidate: [^(]'; then
		known+=("$package")
	else
		say "this release has no package $package; going on without it"
	fi
done
[ ${#known[@]} -eq 0 ] || "${apt[@]}" install -y --no-install-recommends "${known[@]}"

comm -13 <(echo "$enabled_before") <(enabled_units) | while read -r unit; do
	[ -n "$unit" ] || continue
	say "a package enabled $unit: disabling it again"
	systemctl disable --now "$unit" || systemctl disable "$unit"
done
