#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tuning the live pool, by call and through debugfs.

. "$(dirname "$0")/ktap.sh"

dir=$KPOOL_DEBUGFS/client

# tune FILE TEXT[=SHOWN]...: written, the file and stats show the value in force
tune() {
	tune_file=$1
	tune_failed=0
	shift
	for pair in "$@"; do
		echo "${pair%%=*}" >"$dir/$tune_file" || tune_failed=1
		if [ "$(cat "$dir/$tune_file")" != "${pair#*=}" ] ||
		   ! grep -q "^$tune_file ${pair#*=}\$" "$dir/stats"; then
			ktap_diag "$tune_file: $pair, shows $(cat "$dir/$tune_file")"
			tune_failed=1
		fi
	done
	ktap_result "$tune_failed" "debugfs tunes $tune_file"
}

# Fails if a word or a number means another value than it says, or 0 is not the default.
every_file_tunes() {
	capacity=$(cat "$dir/capacity")
	tune capacity 1 unlimited 2147483647=unlimited 0="$capacity"
	tune min_workers 1 none=0 2 0
	tune queue_depth 7 unlimited none=0 5 0
	tune max_blocked 1 unlimited 3 0=unlimited
	tune nonblocking yes no 1=yes 0=no
	tune expiry_ms 1 never 86400000 250 0=10000
	tune nice -20 19 5 none=0 5 0
	tune rt_priority 99 1 50 0=1
	tune when_full wait 0=wait
	tune stall_ms 1 never 30000 0=never
	tune max_bypass 1 unlimited 2147483647=unlimited 40 0=15
	tune policy batch idle fifo rr normal 3=fifo 0=normal
	tune node 0 any
	tune cpumask 0 all 0-0=0 all
}

# Fails if a value with white space around it is none: mutant space-not-stripped.
white_space_is_ignored() {
	tune capacity " 3 =3" "  unlimited =unlimited" "0  =$capacity"
	tune policy " batch =batch" "normal  =normal"
	tune cpumask " 0 =0" "  all =all"
}

# worker_pid: of the pool's worker that runs an item, once it does
worker_pid() {
	# shellcheck disable=SC2016 # fields of awk
	wait_until awk '$2 == "running" { print $1; found = 1 } END { exit !found }' \
		"$dir/workers"
}

# Fails if a value is shown but not put in force.
worker_is_as_tuned() {
	echo 1 >/sys/module/client/parameters/hold
	pid=$(worker_pid)
	ktap_is "workers are named after the pool" "kpool/client" \
		"$(cut -c 1-12 "/proc/$pid/comm")"
	echo 7 >"$dir/nice"
	ktap_is "nice is the worker's" 7 "$(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 17)"
	echo 9 >"$dir/rt_priority"
	echo fifo >"$dir/policy"
	ktap_is "rt_priority and policy are the worker's" "9 1" \
		"$(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 38,39)"
	echo normal >"$dir/policy"
	echo 0 >"$dir/cpumask"
	ktap_is "cpumask is the worker's" 0 \
		"$(awk '/^Cpus_allowed_list/ { print $2 }' "/proc/$pid/status")"
}

# Fails if the state is not the pool's.
stats_are_complete() {
	ktap_is "stats have the state and every counter" \
		"state submitted completed failed cancelled dropped expired displaced caller_ran \
died stalled abandoned refused spawned purged retired alive idle running units \
pending delayed blocked oldest_pending_ms" \
		"$(awk 'NR <= 24 { print $1 }' "$dir/stats" | xargs)"
	ktap_is "stats show an open pool" "state open" "$(grep '^state' "$dir/stats")"
	ktap_is "stats count what runs" "running 1" "$(grep '^running' "$dir/stats")"
	ktap_is "workers name the function" 1 "$(grep -c "held_fn" "$dir/workers")"
	ktap_is "pools have a line for the pool and its owner" 1 \
		"$(grep '^client ' "$KPOOL_DEBUGFS/pools" | grep -c 'client$')"
}

ktap_begin
run_cases tune
if mount_debugfs; then
	load_test client
	every_file_tunes
	white_space_is_ignored
	worker_is_as_tuned
	stats_are_complete
	rmmod client
fi
ktap_end
