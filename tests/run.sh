#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Runs the parts of the test suite and adds them up. A part is a program or script that prints one
# line per test on its standard output:
#
#     ok NAME        not ok NAME: reason        skip NAME: reason
#
# Anything else that it prints goes to its log only. A part that is killed, times out, ends with a
# failure that none of its lines explains, or prints no result line at all, counts as one failed
# test. The last line is the sum, alone: `N passed, N failed` and, if there are any, `, N skipped`.
# The exit status is 0 only if something passed and nothing failed.
#
# usage: tests/run.sh check|unit|e2e|lint [EXTRA...]
#   check  packages (as root), lint, the unit part, end-to-end
#   unit   unit, contract, simulation, golden and fuzz-corpus tests
#   EXTRA  more parts to count along: asan (the unit part under sanitizers), fuzz (a few seconds a
#          target), analyze
# environment: BUILD, MAKE, CC as the Makefile sets them

set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
export BUILD=${BUILD:-build} MAKE=${MAKE:-make} CC=${CC:-gcc}

mode=${1:-check}
shift || true
logs=$BUILD/tests/log
passed=0
failures=()
skips=()
running=() names=() limits=() starts=()
label=

# Everything that does not need root runs as the user who called sudo, and all files end up theirs.
as_caller() { contrib/as-caller.sh "$@"; }

finish() {
	[ ${#running[@]} -eq 0 ] || { kill -TERM "${running[@]}" && wait "${running[@]}"; } 2>/dev/null
	as_caller true
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Takes the result lines out of a log: sets ok, bad and skip to their numbers.
read_results() {
	local line
	ok=0 bad=0 skip=0
	while IFS= read -r line; do
		case $line in
		'ok '*) ok=$((ok + 1)) ;;
		'not ok '*) bad=$((bad + 1)) failures+=("$label${line#not ok }") ;;
		'skip '*) skip=$((skip + 1)) skips+=("$label${line#skip }") ;;
		esac
	done < <(tr -d '\000\r' <"$1")
	passed=$((passed + ok))
}

# begin NAME SECONDS COMMAND...: starts one part with its output in a log. It runs in the background
# so that a signal to this script is acted on at once; bash starts such commands with SIGINT and
# SIGQUIT ignored, which env takes back.
begin() {
	local log=$logs/${1//\//-}.log
	names+=("$1") limits+=("$2") starts+=("$SECONDS")
	shift 2
	env --default-signal=INT,QUIT timeout -k 10 "${limits[-1]}" "$@" >"$log" 2>&1 </dev/null &
	running+=("$!")
}

# Waits for the part that was begun first, and says how it went.
settle_one() {
	local name=${names[0]} seconds=${limits[0]} started=${starts[0]} status=0 why=''
	local log=$logs/${name//\//-}.log
	wait "${running[0]}" || status=$?
	running=("${running[@]:1}") names=("${names[@]:1}")
	limits=("${limits[@]:1}") starts=("${starts[@]:1}")
	read_results "$log"
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
		why="stopped after $seconds s"
	elif [ "$status" -gt 128 ]; then
		why="died by signal $((status - 128))"
	elif [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
		why="ended with status $status"
	elif [ $((ok + bad + skip)) -eq 0 ]; then
		why="printed no result"
	fi
	[ -z "$why" ] || { bad=$((bad + 1)) failures+=("$label$name: $why (see $log)"); }
	printf '%-28s %4d ok' "$label$name" "$ok"
	[ "$bad" -eq 0 ] || printf ', %d FAILED' "$bad"
	[ "$skip" -eq 0 ] || printf ', %d skipped' "$skip"
	printf ' (%d s)\n' $((SECONDS - started))
	if [ "$bad" -gt 0 ]; then
		grep -a '^not ok ' "$log" | sed 's/^/    /'
		[ -z "$why" ] || { echo "    $name: $why"; tail -n 15 "$log" | sed 's/^/    | /'; }
	fi
}

settle() {
	while [ ${#running[@]} -gt 0 ]; do
		settle_one
	done
}

# part NAME SECONDS COMMAND...: one part, with nothing beside it.
part() {
	settle
	begin "$@"
	settle
}

# beside NAME SECONDS COMMAND...: one part while others may run, one more than there are processors,
# since they mostly wait. For what does not measure time.
beside() {
	while [ ${#running[@]} -gt "$(nproc)" ]; do
		settle_one
	done
	begin "$@"
}

# step NAME COMMAND...: something that must work before any test can run. It is no test itself.
step() {
	local name=$1 log=$logs/$1.log
	shift
	printf '%s ...\n' "$name"
	if ! "$@" >"$log" 2>&1; then
		sed 's/^/    | /' "$log" | tail -n 40
		failures+=("$name failed (see $log)")
		conclude
	fi
}

conclude() {
	local line
	if [ ${#skips[@]} -gt 0 ]; then
		printf '\nskipped:\n'
		printf '%s\n' "${skips[@]}" | sed 's/^[^:]*: //' | sort | uniq -c |
			while read -r count reason; do printf '    %d: %s\n' "$count" "$reason"; done
	fi
	if [ ${#failures[@]} -gt 0 ]; then
		printf '\nfailed:\n'
		for line in "${failures[@]}"; do printf '    %s\n' "$line"; done
	fi
	printf '\nlogs: %s\n' "$logs"
	line="$passed passed, ${#failures[@]} failed"
	[ ${#skips[@]} -eq 0 ] || line+=", ${#skips[@]} skipped"
	echo "$line"
	[ ${#failures[@]} -eq 0 ] && [ "$passed" -gt 0 ]
	exit $?
}

run_lint() {
	local script
	for script in tests/lint/*.sh; do
		part "lint/$(basename "$script" .sh)" 300 contrib/as-caller.sh "$script"
	done
}

# The transports' contract is about sockets: as root it gets a network namespace of its own, with lo
# up and ping sockets permitted; otherwise it tries what the user may do.
run_contract() {
	local with=(contrib/as-caller.sh)
	if [ "$(id -u)" -eq 0 ] && unshare --net true 2>/dev/null; then
		with=(unshare --net sh -c 'ip link set lo up
			echo 0 2147483647 >/proc/sys/net/ipv4/ping_group_range
			exec "$@"' sh)
	fi
	part contract 300 "${with[@]}" "$BUILD/tests/contract"
}

run_unit() {
	local name script target
	for name in unit sim golden; do
		[ ! -x "$BUILD/tests/$name" ] || beside "$name" 300 contrib/as-caller.sh "$BUILD/tests/$name"
	done
	[ ! -x "$BUILD/tests/contract" ] || run_contract
	for script in tests/sim/*.sh; do
		[ -e "$script" ] || continue
		beside "sim/$(basename "$script" .sh)" 300 contrib/as-caller.sh bash "$script"
	done
	for target in tests/fuzz/fuzz_*.c; do
		[ -e "$target" ] || continue
		target=$(basename "$target" .c)
		target=${target#fuzz_}
		beside "fuzz-corpus/$target" 120 contrib/as-caller.sh "$BUILD/tests/replay-$target" "$target" \
			"tests/fuzz/corpus/$target"
	done
	settle
}

# A neighbour on the same processors spoils the timing of what measures time, so only the scripts that
# say so in a line of their own run beside each other.
run_e2e() {
	local script alone=()
	# The peer proves itself before anything is believed that was tested with it.
	if [ "$(id -u)" -ne 0 ]; then
		skips+=("e2e/peer: needs root")
	elif [ -e tests/e2e/peer/selftest.sh ]; then
		part e2e/peer 600 env PEER="$BUILD/tests/peer" bash tests/e2e/peer/selftest.sh
	fi
	for script in tests/e2e/*.test.sh; do
		if grep -qx '# Runs beside others.' "$script"; then
			beside "e2e/$(basename "$script" .test.sh)" 600 bash "$script"
		else
			alone+=("$script")
		fi
	done
	for script in "${alone[@]}"; do
		part "e2e/$(basename "$script" .test.sh)" 600 bash "$script"
	done
}

compile() {
	local jobs
	jobs=-j$(nproc)
	# Under a parallel make this one takes its share of that one's jobs.
	[[ " ${MAKEFLAGS:-}" != *' -j'* ]] || jobs=
	as_caller "$MAKE" -k ${jobs:+"$jobs"} "$@"
}

# The unit part again with the sanitizers, its lines under names of their own.
run_asan() {
	local keep=$BUILD
	BUILD=$BUILD/asan
	step build-asan compile BUILD="$BUILD" SANITIZE=address,undefined test-programs
	logs=$BUILD/tests/log
	as_caller mkdir -p "$logs"
	label=asan/
	run_unit
	label=
	BUILD=$keep
	logs=$BUILD/tests/log
}

as_caller mkdir -p "$logs"

if [ "$mode" = check ]; then
	if [ "$(id -u)" -eq 0 ]; then
		contrib/packages.sh test || { failures+=("the test packages could not be installed"); conclude; }
	else
		missing=$(contrib/packages.sh missing test)
		[ -z "$missing" ] || echo "not root: these packages stay missing: $missing"
	fi
fi
if [ "$mode" != lint ]; then
	step build compile all test-programs
else
	step build compile all
fi

case $mode in
check) run_lint; run_unit; run_e2e ;;
unit) run_unit ;;
e2e) run_e2e ;;
lint) run_lint ;;
*) echo "usage: tests/run.sh check|unit|e2e|lint [EXTRA...]" >&2; exit 2 ;;
esac
for extra in "$@"; do
	case $extra in
	asan) run_asan ;;
	fuzz) part fuzz 900 contrib/as-caller.sh "$MAKE" fuzz FUZZ_SECONDS="${FUZZ_SECONDS:-5}" ;;
	analyze) part analyze 900 contrib/as-caller.sh "$MAKE" analyze ;;
	esac
done
conclude
