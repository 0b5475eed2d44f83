#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs beside others.
#
# Privileges: what each kind of install starts with, that all of it is gone before anything of the
# caller's is read, that it stays gone, and what happens where there is none to begin with.
. "$(dirname "$0")/../lib.sh"

USER_ID=4242
GROUP_ID=5001
# A member and a non-member of the group that an install is for. The env at the end is needed: setpriv
# itself still holds root's capabilities at its exec.
MEMBER=(setpriv "--reuid=$USER_ID" "--regid=$USER_ID" "--groups=$USER_ID,$GROUP_ID" --inh-caps=-all)
STRANGER=(setpriv "--reuid=$USER_ID" "--regid=$USER_ID" --clear-groups --inh-caps=-all)

# install_group KIND: as install_copy, for the members of the group only.
install_group() {
	install_copy "$1"
	chown 0:$GROUP_ID "$COPY"
	case $1 in
	setuid) chmod 4750 "$COPY" ;;
	capability) chmod 0750 "$COPY" && setcap cap_net_raw=p "$COPY" ;;
	plain) chmod 0755 "$COPY" ;;
	esac
}

# status_field NAME: a line of the running probe's status, words separated by one space.
status_field() { awk -v name="$1:" '$1 == name { $1 = ""; print substr($0, 2) }' "/proc/$PROBE/status"; }

# started: the first reply is shown, so everything before the first packet is behind the probe.
started() { wait_until 10 grep -q '^64 bytes' "$OUT"; }

# assert_powerless UID: all of the running probe's ids are UID, no capability is left in any set.
assert_powerless() {
	local set
	assert_equal "$(status_field Uid)" "$1 $1 $1 $1" "uids"
	for set in CapInh CapPrm CapEff CapAmb; do
		assert_equal "$(status_field $set)" 0000000000000000 "$set"
	done
	assert_equal "$(status_field NoNewPrivs)" 1 "no_new_privs"
}

# ---- during the run ----

powerless_setuid() {
	lab_loopback
	install_group setuid
	start_command "${MEMBER[@]}" env "$COPY" -i 0.2 127.0.0.1
	started
	assert_powerless $USER_ID
	assert_equal "$(status_field CapBnd)" 0000000000000000 "bounding set"
	assert_equal "$(status_field Groups)" "$USER_ID $GROUP_ID" "the caller's own groups"
	kill -INT "$PROBE"
	wait_probe
	assert_status 0
}

powerless_capability() {
	lab_loopback
	install_group capability
	start_command "${MEMBER[@]}" env "$COPY" -i 0.2 127.0.0.1
	started
	assert_powerless $USER_ID
	kill -INT "$PROBE"
	wait_probe
	assert_status 0
}

powerless_root() {
	local service group
	service=$(id -u fping-bench 2>/dev/null) || service=65534
	group=$(id -g fping-bench 2>/dev/null) || group=65534
	lab_loopback
	start_probe -i 0.2 127.0.0.1
	started
	assert_powerless "$service"
	assert_equal "$(status_field Gid)" "$group $group $group $group" "gids"
	assert_equal "$(status_field Groups | tr -d ' ')" "" "supplementary groups"
	assert_equal "$(status_field CapBnd)" 0000000000000000 "bounding set"
	kill -INT "$PROBE"
	wait_probe
	assert_status 0
}

powerless_unprivileged() {
	lab_loopback
	install_group plain
	in_lab sysctl -qw net.ipv4.ping_group_range='0 2147483647'
	start_command "${MEMBER[@]}" env "$COPY" -i 0.2 127.0.0.1
	started
	assert_powerless $USER_ID
	kill -INT "$PROBE"
	wait_probe
	assert_status 0
}

members_only() {
	lab_loopback
	install_group setuid
	run_command "${STRANGER[@]}" env "$COPY" -c 1 127.0.0.1
	assert_status 126
}

test_case setuid-run-has-no-privilege powerless_setuid
test_case capability-run-has-no-privilege powerless_capability
test_case root-run-has-no-privilege powerless_root
test_case unprivileged-run-has-no-privilege powerless_unprivileged
test_case install-for-a-group-is-for-its-members members_only

# ---- the order ----

# What only some runs need, beside a second one for ICMPv6. The last belongs to no protocol, so no
# packet reaches it.
OTHER_SOCKETS='AF_INET, SOCK_RAW.* IPPROTO_RAW\)|AF_INET6, SOCK_RAW.* (IPPROTO_FRAGMENT|0x2c.*)\)'
OTHER_SOCKETS="$OTHER_SOCKETS|AF_PACKET, SOCK_DGRAM.* (htons\\()?0( .*)?\\)"

# Everything between the exec of the program and its last change of capabilities, of the process
# itself: only the dynamic loader may have opened or read anything, and the only sockets are the raw
# ones. The name and the file of --targets show that input is read afterwards.
drops_first() {
	require strace
	lab_loopback
	install_group "$1"
	echo 127.0.0.1 >"$TMP/targets"
	chmod 0755 "$TMP"
	run_command strace -f -s 64 -o "$TMP/trace" "${MEMBER[@]}" \
		env LD_LIBRARY_PATH="$TMP" TZ=:/etc/shadow RES_OPTIONS=debug HOSTALIASES=/etc/shadow \
		LOCPATH="$TMP" "$COPY" -c 1 --targets "$TMP/targets" localhost
	assert_status 0
	awk -v copy="$COPY" '
		index($0, "execve(\"" copy "\"") { process = $1; count = 0 }
		process != "" && $1 == process { line[++count] = $0; if (/ capset\(/) last = count }
		END {
			for (i = 1; i <= count; i++)
				print line[i] > (i <= last ? "before" : "after")
		}' "$TMP/trace"
	[ -s before ] || fail "no change of capabilities was seen"
	assert_grep 'execve' before
	assert_grep 'SOCK_RAW.*ICMP.* = [0-9]' before "no raw socket was opened before the last capset"
	# Those that nobody has asked for are closed before the first file of the caller's is opened.
	grep -E ' socket\(.* = [0-9]' before | sed -n '3,$s/.* = //p' >others
	assert_equal "$(wc -l <others)" 4 "sockets for what may be asked"
	grep -m 1 -B 1000 '"[^"]*/targets"' after | sed -n 's/.* close(\([0-9]*\)).*/\1/p' | sort -u >closed
	assert_equal "$(sort others | comm -23 - closed)" "" "sockets left open that nobody asked for"
	assert_grep '"[^"]*/targets"' after "the targets were not read after it"
	grep -vE ' (openat|access)\(.*"(/etc/ld\.so\.(cache|preload)|/etc/suid-debug|(/usr)?/lib[^"]*\.so[.0-9]*)"' before |
		grep -E ' (open|openat|openat2|creat|access|faccessat2?|readlink(at)?|l?stat|statx|chdir|getdents64)\(' >wrong || true
	grep -E ' newfstatat\(' before | grep -v '""' >>wrong || true
	# Both what the loader reads: the head of a library.
	grep -E ' (read|pread64|readv|recv[a-z]*)\(' before | grep -vE '"\\177ELF|pread64\([0-9]+, "\\[0-9]' >>wrong || true
	grep -E ' (connect|bind|send[a-z]*|clone3?|fork|vfork)\(' before >>wrong || true
	grep -E ' socket\(' before | grep -vE "SOCK_RAW.*ICMP|$OTHER_SOCKETS" >>wrong || true
	[ ! -s wrong ] || fail "before the last capset: $(head -n 3 wrong)"
	grep -v ' execve(' "$TMP/trace" >rest
	assert_no_grep "/etc/shadow|\"$TMP/(lib|glibc|C)" rest "the environment was obeyed"
}

test_case setuid-drops-before-it-reads drops_first setuid
test_case capability-drops-before-it-reads drops_first capability

# Every raw socket is shut by a filter before the next call that is not about it; for those that
# only send that filter is locked.
# filter_at_once SOCKETS SENDERS COMMAND...: so many of each are opened.
filter_at_once() {
	local sockets=$1 senders=$2 opened='(AF_INET6?, SOCK_RAW|AF_PACKET).* = [0-9]'
	shift 2
	require strace
	lab_loopback
	[ "$1" = "$FPING_BENCH" ] || install_group setuid
	run_command strace -f -o "$TMP/trace" "$@" -c 1 127.0.0.1
	assert_status 0
	grep -E -A 1 "$opened" "$TMP/trace" | grep -c 'SO_ATTACH_FILTER.*= 0' >count || true
	assert_equal "$(cat count)" "$(grep -cE "$opened" "$TMP/trace")" "filters set at once"
	assert_equal "$(cat count)" "$sockets" "sockets that need a right"
	grep -E -A 2 "$opened" "$TMP/trace" | grep -c 'SO_LOCK_FILTER, \[1\].*= 0' >count || true
	assert_equal "$(cat count)" "$senders" "filters locked at once"
}

# Root, whose options are known, opens what they ask for and nothing else.
test_case raw-sockets-are-shut-at-once filter_at_once 2 0 "$FPING_BENCH"
test_case fragment-sockets-are-shut-at-once filter_at_once 5 3 "$FPING_BENCH" --fragment-size 64
test_case setuid-sockets-are-shut-at-once filter_at_once 6 3 "${MEMBER[@]}" env "$TMP/fping-bench-setuid"

# A socket that cannot be had is missed by those only who have asked for what it is for.
socket_is_missing() {
	local kind
	require strace
	lab_loopback
	install_copy setuid
	for kind in 3 4 5 6; do
		run_command strace -u nobody -o "$TMP/trace" -e inject=socket:error=EMFILE:when=$kind \
			"$COPY" -c 1 127.0.0.1
		assert_status 0
		assert_equal "$(wc -c <"$ERR")" 0 "what is said about socket $kind"
	done
	run_command strace -u nobody -o "$TMP/trace" -e inject=socket:error=EMFILE:when=3 \
		"$COPY" -c 1 --fragment-size 64 127.0.0.1
	assert_status 2
	assert_equal "$(wc -l <"$ERR")" 1 "lines"
	assert_grep 'fragments made by hand.*Too many open files' "$ERR"
}

test_case a-socket-that-is-missing-is-missed-when-needed socket_is_missing

# ---- theft ----

steal_fails() {
	lab_loopback
	install_group "$1"
	cp "$HELPERS/steal" "$TMP/steal"
	start_command "${MEMBER[@]}" env "$COPY" -i 0.2 127.0.0.1
	started
	run_theft "$PROBE"
	assert_equal "$STATUS" 0 "attempts that worked: $(cat theft)"
	kill -INT "$PROBE"
	wait_probe
	assert_status 0
	# The same thief does get at an ordinary process: the attempts are real.
	[ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" = 0 ] || return 0
	"${MEMBER[@]}" env sleep 30 &
	wait_until 5 grep -q '^Name:.sleep' "/proc/$!/status"
	run_theft $!
	[ "$STATUS" -ge 4 ] || fail "the thief is no good: $(cat theft)"
}

run_theft() {
	STATUS=0
	"${MEMBER[@]}" env "$TMP/steal" "$1" >theft || STATUS=$?
}

test_case setuid-sockets-cannot-be-stolen steal_fails setuid
test_case capability-sockets-cannot-be-stolen steal_fails capability

# ---- a drop that fails ----

# Each row: what goes wrong, by strace, in a run as root. All of them end it with status 2 and a
# sentence before anything is sent.
failed_drop() {
	local row
	require strace
	lab_loopback
	counters_start "$LAB"
	for row in setresuid:error=EAGAIN setresuid:retval=0 setresgid:error=EPERM setresgid:retval=0 \
		setgroups:error=EPERM capset:error=EPERM:when=1 capset:error=EPERM:when=2 \
		capset:error=EPERM:when=3+ capset:retval=0:when=4+ prctl:error=EINVAL:when=2+ \
		prctl:retval=0:when=2+ setsockopt:error=ENOMEM:when=1; do
		run_command strace -f -o /dev/null -e inject="$row" "$FPING_BENCH" -c 1 127.0.0.1
		assert_equal "$STATUS" 2 "status with $row"
		assert_grep '^fping-bench: ' "$ERR" "no sentence with $row"
		assert_equal "$(wc -l <"$ERR")" 1 "lines with $row"
	done
	assert_equal "$(counter "$LAB" out_request)" 0 "packets sent"
}

test_case a-drop-that-fails-ends-the-run failed_drop

# ---- without privilege ----

# assert_refused WHAT: status 2 and one line that names the capability; --help works all the same.
assert_refused() {
	assert_equal "$STATUS" 2 "status of $1"
	assert_equal "$(wc -l <"$ERR")" 1 "lines of $1"
	assert_grep 'CAP_NET_RAW' "$ERR" "$1 does not name what is missing"
}

no_raw_socket() {
	local kind way
	lab_loopback
	in_lab sysctl -qw net.ipv4.ping_group_range='1 0'
	for kind in plain setuid capability; do
		install_group $kind
		for way in "--bounding-set=-net_raw" "--no-new-privs"; do
			run_command "${MEMBER[@]}" "$way" env "$COPY" -c 1 127.0.0.1
			assert_refused "$kind $way"
			run_command "${MEMBER[@]}" "$way" env "$COPY" --help
			assert_status 0
			run_command "${MEMBER[@]}" "$way" env "$COPY" --version
			assert_status 0
		done
	done
	# Root without it, as in a container.
	run_command setpriv --bounding-set=-net_raw --inh-caps=-all env "$FPING_BENCH" -c 1 127.0.0.1
	assert_refused "root without CAP_NET_RAW"
}

nosuid_mount() {
	lab_loopback
	in_lab sysctl -qw net.ipv4.ping_group_range='1 0'
	install_group setuid
	mkdir -m 0755 nosuid
	mount -t tmpfs -o nosuid,mode=0755 tmpfs nosuid
	cp -p "$COPY" nosuid/probe
	chmod 4755 nosuid/probe
	run_command "${MEMBER[@]}" env "$TMP/nosuid/probe" -c 1 127.0.0.1
	umount nosuid
	assert_refused "setuid on a nosuid mount"
}

user_namespace() {
	lab_loopback
	"${MEMBER[@]}" env unshare -Urn true 2>/dev/null || skip "users may not make user namespaces"
	install_copy plain
	in_lab sysctl -qw net.ipv4.ping_group_range='1 0'
	# Its own network: raw sockets are permitted there, and uid 0 has nobody else to become.
	# shellcheck disable=SC2016 # the inner shell expands it
	run_command "${MEMBER[@]}" env unshare -Urn sh -c 'ip link set lo up; exec "$0" -i 0.01 -c 3 127.0.0.1' "$COPY"
	assert_status 0
	assert_grep '^3 packets transmitted, 3 received' "$OUT"
	# Somebody else's network: they are not.
	run_command "${MEMBER[@]}" env unshare -Ur "$COPY" -c 1 127.0.0.1
	assert_refused "root of a user namespace"
	run_command "${MEMBER[@]}" env unshare -Ur "$COPY" --help
	assert_status 0
}

# Uid 0 with CAP_NET_RAW and nothing else: it cannot become anybody else, and has no need to.
container() {
	lab_loopback
	run_command setpriv --bounding-set=-all,+net_raw --inh-caps=-all env "$FPING_BENCH" -i 0.01 -c 3 127.0.0.1
	assert_status 0
	assert_grep '^3 packets transmitted, 3 received' "$OUT"
}

ping_socket() {
	lab_loopback
	require ipv6
	install_group plain
	in_lab sysctl -qw net.ipv4.ping_group_range='0 2147483647'
	run_command "${MEMBER[@]}" env "$COPY" -i 0.1 -c 5 127.0.0.1 ::1
	assert_status 0
	assert_equal "$(grep -c '^5 packets transmitted, 5 received, 0% packet loss' "$OUT")" 2 "targets with 5 of 5"
	assert_equal "$(grep -cE '^64 bytes from .*icmp_seq=[1-5] ttl=64 ' "$OUT")" 10 "reply lines"
	run_command "${MEMBER[@]}" env "$COPY" -i 0.01 -c 5 -j 127.0.0.1 ::1
	assert_status 0
	assert_json "$OUT" '.settings.transport == "ping"'
	assert_json "$OUT" '[.targets[] | .received == 5 and .foreign == 0 and .bad_header == 0] | all'
}

test_case no-raw-socket-is-told no_raw_socket
test_case setuid-on-a-nosuid-mount nosuid_mount
test_case user-namespace user_namespace
test_case container-with-cap-net-raw-only container
test_case ping-socket-fallback ping_socket

# ---- descriptors and files ----

# The shell closes them, after the command that enters the namespace: that one would use them up.
# shellcheck disable=SC2016 # the inner shell expands it
closed_descriptors() {
	lab_loopback
	# With stdout closed a socket must not become it, and what cannot be written is a failure.
	run_command sh -c 'exec "$0" -c 1 127.0.0.1 >&-' "$FPING_BENCH"
	assert_status 6
	assert_grep 'standard output' "$ERR"
	run_command sh -c 'exec "$0" -c 1 127.0.0.1 <&- 2>&-' "$FPING_BENCH"
	assert_status 0
	assert_grep '^1 packets transmitted, 1 received' "$OUT"
	# The document's file must not become standard output either, nor be left behind half made.
	mkdir files
	run_command sh -c 'exec "$0" -c 1 --json="$1" 127.0.0.1 <&- >&- 2>&-' "$FPING_BENCH" "$TMP/files/a"
	assert_status 6
	assert_equal "$(ls -A files)" "" "files"
	run_command sh -c 'exec "$0" -c 1 --json="$1" 127.0.0.1 <&- 2>&-' "$FPING_BENCH" "$TMP/files/a"
	assert_status 0
	assert_json "$TMP/files/a" '.targets[0].received == 1'
}

# Files are opened as the caller: no install reads or writes what its caller cannot.
files_of_others() {
	local kind
	lab_loopback
	mkdir -m 0700 closed
	echo 127.0.0.1 >closed/targets
	for kind in setuid capability; do
		install_group $kind
		run_command "${MEMBER[@]}" env "$COPY" -c 1 --json="$TMP/closed/out" 127.0.0.1
		assert_status 2
		run_command "${MEMBER[@]}" env "$COPY" -c 1 --json="$TMP/out.json" 127.0.0.1
		assert_status 2
		run_command "${MEMBER[@]}" env "$COPY" -c 1 --targets "$TMP/closed/targets"
		assert_status 2
		assert_no_grep 127.0.0.1 "$ERR"
	done
	assert_equal "$(ls -A closed)" targets "files in the closed directory"
}

# Root writes into anybody's directory as it always may, though it is nobody by then.
root_file() {
	lab_loopback
	mkdir -m 0700 theirs
	chown $USER_ID:$USER_ID theirs
	echo old >theirs/out.json
	chmod 0600 theirs/out.json
	start_probe -q -i 0.2 --json="$TMP/theirs/out.json" 127.0.0.1
	wait_until 10 sh -c "ls -A '$TMP/theirs' | grep -q tmp"
	wait_until 10 grep -q '^NoNewPrivs:.1' "/proc/$PROBE/status"
	assert_equal "$(cat theirs/out.json)" old "content before the end"
	sleep 0.5
	kill -INT "$PROBE"
	wait_probe
	assert_status 0
	assert_json "$TMP/theirs/out.json" '.targets[0].received > 0'
	assert_equal "$(stat -c %a theirs/out.json)" 600 "mode"
	assert_equal "$(ls -A theirs)" out.json "files"
}

# keeper: the process beside the probe that will give root's file its name.
keeper() { pgrep -P "$PROBE"; }

keeper_dies() {
	local signal keeper
	lab_loopback
	mkdir files
	for signal in KILL TERM HUP; do
		start_probe -q -i 0.2 --json="$TMP/files/out.json" 127.0.0.1
		wait_until 10 keeper
		keeper=$(keeper)
		assert_grep '^CapPrm:.000000000000000a$' "/proc/$keeper/status" "rights of the keeper"
		assert_grep '^NoNewPrivs:.1$' "/proc/$keeper/status"
		# Not the whole group's signals, only its parent's end.
		kill -INT "$keeper"
		kill -TERM "$keeper"
		kill -HUP "$keeper"
		kill -0 "$keeper"
		sleep 0.3
		kill -$signal "$PROBE"
		wait_probe
		wait_until 5 sh -c "! kill -0 $keeper || grep -q '^State:.Z' /proc/$keeper/status"
		assert_equal "$(find files -name '.*')" "" "temporary files after $signal"
	done
	assert_equal "$(ls -A files)" out.json "files at the end"
}

test_case closed-descriptors closed_descriptors
test_case files-are-opened-as-the-caller files_of_others
test_case root-writes-in-others-directories root_file
test_case keeper-dies-with-the-probe keeper_dies
