# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # bench.sh has the other half of the variables
#
# How well a sender keeps its schedule, seen by a tap on the sender's interface (tests/e2e/tap):
#
#   error       a request's stamp after its place on the absolute schedule, which begins where no
#               request is early; a place that is never made up for counts as missed, not as error
#   gap error   difference between two stamps, less the interval, without its sign
#   rate        requests a second over the whole run, as a share of what was asked for
#   cpu         processor time of the tool over the time in which it was to send, start included;
#               on a veth pair the responder's work is in it
#
# The tap stamps before the driver and sees a cold send path of 1 to 2 us that the sender cannot
# see; all tools have it alike. The senders are on processor 0, the tap and irtt's server on the
# last one. irtt sends UDP datagrams as large as the echo requests (64 bytes of IP payload); the Go
# runtime behind it works with threads, so it may use every processor.

pacing_seconds=0.5
pacing_port=2112
# Round numbers that ping, fping (milliseconds) and the others can be told.
pacing_intervals_us='1000 100 20'
pacing_tools='ours ours-user ping fping irtt'

pacing_label() {
	case $1 in
	ours) echo 'fping-bench -i' ;;
	ours-user) echo 'fping-bench -i --stamps user' ;;
	ping) echo 'ping -i' ;;
	fping) echo 'fping -i 0 -p' ;;
	irtt) echo 'irtt client -i' ;;
	esac
}

# pacing_send TOOL INTERVAL_US REQUESTS
pacing_send() {
	local tool=$1 us=$2 requests=$3 seconds milliseconds
	seconds=$(awk -v us="$us" 'BEGIN { printf "%.6f", us / 1e6 }')
	milliseconds=$(awk -v us="$us" 'BEGIN { printf "%.3f", us / 1e3 }')
	case $tool in
	ours) run "$build/fping-bench" -q -i "${us}us" -c "$requests" 10.7.0.2 ;;
	ours-user) run "$build/fping-bench" -q -i "${us}us" --stamps user -c "$requests" 10.7.0.2 ;;
	ping) run ping -q -i "$seconds" -c "$requests" 10.7.0.2 ;;
	fping) run fping -q -i 0 -p "$milliseconds" -c "$requests" 10.7.0.2 ;;
	irtt)
		run_on "0-$((processors - 1))" irtt client -Q -i "${us}us" -d "${pacing_seconds}s" -l 56 \
			--tstamp=none --stats=none --wait=10ms "10.7.0.2:$pacing_port"
		;;
	esac
}

# pacing_round TOOL INTERVAL_US: one run; appends `error_p50 error_p99 gap_p50 gap_p99 rate cpu` in
# us and percent to /run/pacing-TOOL-INTERVAL_US.
pacing_round() {
	local tool=$1 us=$2 requests what=() tap i
	requests=$(awk -v us="$us" -v s="$pacing_seconds" 'BEGIN { printf "%.0f", s * 1e6 / us }')
	[ "$tool" != irtt ] || what=(-u "$pacing_port,56")
	rm -f /run/ready
	ip netns exec a taskset -c "$((processors - 1))" "$build/tests/tap" -r va -i "$((us * 1000))" \
		"${what[@]}" --ready /run/ready >/run/tap &
	tap=$!
	for ((i = 0; i < 500; i++)); do
		[ ! -e /run/ready ] || break
		sleep 0.01
	done
	pacing_send "$tool" "$us" "$requests" ||
		die "$tool at $us us failed: $(tail -n 3 /run/err /run/out)"
	sleep 0.01
	kill -TERM "$tap"
	wait "$tap" || die "the tap failed"
	# Its JSON is flat enough for awk, so that the benchmark needs no jq.
	awk -v us="$us" -v seconds="$pacing_seconds" '
		function value(text, from, key) {
			text = substr(text, index(text, "\"" from "\":"))
			text = substr(text, index(text, "\"" key "\":") + length(key) + 3)
			return text + 0
		}
		FILENAME == "/run/times" { cpu_ns = $2 + $3; next }
		{
			if (value($0, "requests", "requests") < 3 || value($0, "dropped", "dropped") > 0)
				exit 1
			printf "%.2f %.2f %.2f %.2f %.3f %.1f\n", value($0, "error", "p50_ns") / 1000,
				value($0, "error", "p99_ns") / 1000, value($0, "gap_error", "p50_ns") / 1000,
				value($0, "gap_error", "p99_ns") / 1000,
				value($0, "schedule", "rate_per_s") * us / 1e4, cpu_ns / 1e7 / seconds
		}' /run/times /run/tap >>"/run/pacing-$tool-$us" ||
		die "the tap saw nothing usable of $tool: $(cat /run/tap)"
}

# pacing_row TOOL INTERVAL_US: its line in the table. Sets error_p99 and rate. A tool that sends at a
# rate far from what was asked for has no schedule to be compared with.
pacing_row() {
	local file=/run/pacing-$1-$2 errors
	error_p99=$(column 2 "$file" | median)
	rate=$(column 5 "$file" | median)
	errors=$(printf '%9.2f %9.2f' "$(column 1 "$file" | median)" "$error_p99")
	if ! awk -v r="$rate" 'BEGIN { exit !(r > 90 && r < 110) }'; then
		errors=$(printf '%9s %9s' - -)
		error_p99=
	fi
	printf '%-7s %-29s %s   %9.2f %9.2f   %8.2f %%   %5.0f %%\n' "$2 us" "$(pacing_label "$1")" \
		"$errors" "$(column 3 "$file" | median)" "$(column 4 "$file" | median)" \
		"$rate" "$(column 6 "$file" | median)"
}

# pacing_table: the rows, and the targets: the rate is kept, and the schedule better than by any tool
# that keeps its rate too.
pacing_table() {
	local us tool ours
	printf '%-7s %-29s %9s %9s   %9s %9s   %10s   %7s\n' interval tool 'error p50' p99 'gap p50' \
		p99 rate cpu
	for us in $pacing_intervals_us; do
		for tool in "$@"; do
			pacing_row "$tool" "$us"
			if [ "$tool" = ours ]; then
				ours=$error_p99
				at_least "rate at $us us, percent" "$rate" 99.9
				at_most "rate at $us us, percent" "$rate" 100.1
			elif [ "$tool" != ours-user ] && [ -n "$error_p99" ]; then
				at_most "p99 of the error at $us us" "${ours:-1e9}" "$error_p99"
			fi
		done
	done
}

# A round is every tool at every interval, so that all stand next to each other.
bench_pacing() {
	local round tool us tools='' server=''
	for tool in $pacing_tools; do
		case $tool in
		ours*) ;;
		*) command -v "$tool" >/dev/null || { echo "bench: no $tool here, left out"; continue; } ;;
		esac
		tools+=" $tool"
	done
	if [[ $tools == *irtt* ]]; then
		ip netns exec b taskset -c "$((processors - 1))" irtt server -i 0 -d 0 \
			-b "10.7.0.2:$pacing_port" >/run/server 2>&1 &
		server=$!
		sleep 0.5
	fi
	echo "pacing: a request every interval for $pacing_seconds s, seen by a tap on the sender's interface"
	echo "$rounds rounds, medians; times in us"
	for ((round = 1; round <= rounds; round++)); do
		for us in $pacing_intervals_us; do
			for tool in $tools; do
				pacing_round "$tool" "$us"
			done
		done
	done
	[ -z "$server" ] || { kill "$server"; wait "$server"; } 2>/dev/null
	# shellcheck disable=SC2086 # a word each
	pacing_table $tools
}
