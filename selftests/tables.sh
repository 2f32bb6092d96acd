#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Read the tables in debugfs of pools whose state is known.

. "$(dirname "$0")/ktap.sh"

dir=$KPOOL_DEBUGFS/tables

# column NAME: of the pool's line in pools, by the header
column() {
	awk -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
		$1 == "tables" { print $column }' "$KPOOL_DEBUGFS/pools"
}

# stat_of KEY
stat_of() {
	awk -v key="$1" '$1 == key { print $2 }' "$dir/stats"
}

# Fails if a column has another's figure, or a counter in stats has.
no_two_figures_are_equal() {
	ktap_is "stats shows units" 8 "$(stat_of units)"
	for pair in state:paused alive:5 idle:2 running:3 pending:4 blocked:1 submitted:13 \
		completed:6 owner:tables; do
		ktap_is "pools shows ${pair%:*}" "${pair#*:}" "$(column "${pair%:*}")"
		[ "${pair%:*}" = owner ] ||
			ktap_is "stats shows ${pair%:*}" "${pair#*:}" "$(stat_of "${pair%:*}")"
	done
}

# Fails if a worker has done what the one before it did.
worker_memory_is_used_again() {
	ktap_is "a new worker has done one item" "idle 1 -" \
		"$(awk 'NR > 1 { print $2, $4, $5 }' "$dir/workers")"
}

# Fails if items that it started without the lock are not counted, or if it sleeps as one that waits
# for a disk: mutant idle-worker-is-load.
items_follow_each_other() {
	ktap_is "a worker has done all items" "idle 21 -" \
		"$(awk 'NR > 1 { print $2, $4, $5 }' "$dir/workers")"
	idle_pid=$(awk 'NR > 1 { print $1 }' "$dir/workers")
	ktap_is "an idle worker is no load" I \
		"$(awk '/^State:/ { print $2 }' "/proc/$idle_pid/status")"
}

# shellcheck disable=SC2317 # wait_until calls it
one_is_blocked() {
	[ "$(awk 'NR > 1 { print $2, $5 }' "$dir/workers" | sort | xargs)" = \
		"blocked waits_for_the_first running probe_fn" ]
}

# Fails if a worker whose item sleeps in kpool is shown as any other.
item_waits_for_another() {
	wait_until one_is_blocked
	ktap_result $? "a worker whose item waits in its own pool is blocked"
}

# one_starts: and sleeps, the other runs
# shellcheck disable=SC2317 # wait_until calls it
one_starts() {
	[ "$(awk 'NR > 1 { print $1 }' "$dir/workers" | wc -l)" = 2 ] &&
		starting=$(awk '$2 != "running" && NR > 1 { print $1 }' "$dir/workers") &&
		grep -q '^State:.[DI]' "/proc/$starting/status"
}

# Fails if it is shown as one whose item sleeps: mutant worker-in-init-shown-as-blocked.
worker_init_waits_for_an_item() {
	wait_until one_starts
	ktap_is "a worker whose worker_init waits is starting" "running starting" \
		"$(awk 'NR > 1 { print $2 }' "$dir/workers" | sort | xargs)"
}

# states: of the workers, with their functions
# shellcheck disable=SC2317 # wait_until calls it
states() {
	awk 'NR > 1 { print $2, $5 }' "$dir/workers" | sort | xargs
}

# Fails if a state has another's word, or one that has none is not shown.
each_worker_has_another_state() {
	states_expected="blocked waits_for_another dead ends_its_thread exiting - idle - "
	states_expected="${states_expected}running probe_fn starting -"
	wait_until states_are "$states_expected"
	ktap_is "each state of a worker has its word" "$states_expected" "$(states)"
	ktap_is "all of these workers but the new one are alive" 5 "$(stat_of alive)"
}

# shellcheck disable=SC2317 # wait_until calls it
states_are() {
	[ "$(states)" = "$1" ]
}

# two_are_dead: for less time than since the scene began, in which they ran for 3 s before
# shellcheck disable=SC2317 # wait_until calls it
two_are_dead() {
	cat "$dir/workers" /proc/uptime >/tmp/workers
	[ "$(awk -v began="$began" '$2 == "dead" { age[n++] = $3 }
		END { for (i in age) near += age[i] < ($1 - began) * 1000 - 2900; print near }' \
		/tmp/workers)" = 2 ]
}

# Fails if the time of the run is shown for that of the death: mutant dead-since-it-ran.
dead_workers_wait() {
	wait_until two_are_dead
	ktap_result $? "a dead worker has been so since it died"
}

# Fails if its time begins anew when it is reaped: mutant dead-since-it-is-reaped.
next_dead_worker_is_reaped() {
	ktap_is "a dead worker that is reaped has been dead since it died" 1 \
		"$(awk '$2 == "dead" && $3 >= 290' "$dir/workers" | wc -l)"
}

# Fails if it is shown as one that wakes: mutant unneeded-worker-wakes.
unneeded_worker_exits() {
	ktap_is "a worker that is not needed is exiting" "exiting - running probe_fn" "$(states)"
}

# Fails if one of the two ways to exit has another's word.
expired_worker_exits() {
	ktap_is "a worker that has expired is exiting" "exiting -" "$(states)"
}

# between VALUE... : are all of these seconds since boot in the scene?
between() {
	between_now=$(cut -d ' ' -f 1 /proc/uptime)
	for value in "$@"; do
		awk -v v="$value" -v a="$began" -v b="$between_now" \
			'BEGIN { exit !(v >= a && v <= b + 0.01) }' || return
	done
}

# Fails if a column has another thread's figure, or another unit.
threads_are_known() {
	IFS=, read -r failed died runs </sys/module/tables/parameters/pids
	errors_expected="-5 $failed returned notes_its_thread [tables]"
	errors_expected="$errors_expected -5 $died died ends_its_thread [tables]"
	ktap_is "errors shows the threads of the items" "$errors_expected" \
		"$(awk 'NR > 1 { print $2, $3, $4, $5, $6 }' "$dir/errors" | xargs)"
	ktap_is "the log names the thread that has died" 1 "$(dmesg |
		grep -c "kpool: tables: worker $died died in ends_its_thread \[tables\]\$")"
	# shellcheck disable=SC2046 # two words
	between $(awk 'NR > 1 { print $1 }' "$dir/errors")
	ktap_result $? "errors shows when that was"
	ktap_is "errors shows microseconds" 2 "$(grep -c '^ *[0-9]*[.][0-9]\{6\} ' "$dir/errors")"
	ktap_is "workers shows the thread of an item" "$runs running notes_its_thread" \
		"$(awk '$2 == "running" { print $1, $2, $5 }' "$dir/workers")"
	state_ms=$(awk '$2 == "running" { print $3 }' "$dir/workers")
	[ "$state_ms" -ge 100 ] &&
		between "$(awk -v b="$(cut -d ' ' -f 1 /proc/uptime)" -v ms="$state_ms" \
			'BEGIN { printf "%.3f", b - ms / 1000 + 0.02 }')"
	ktap_result $? "workers shows for how long it has run"
}

# Fails if an error is recorded only when the handler has returned: mutant
# error-recorded-after-handler.
handler_is_held() {
	ktap_is "errors shows an error before its handler has returned" "-5 returned" \
		"$(awk 'NR > 1 { print $2, $4 }' "$dir/errors")"
}

# Fails if the copy is too small, or workers are copied twice.
many_workers_run() {
	ktap_is "workers lists each worker once" "200 200" \
		"$(awk 'NR > 1 && $2 == "running"' "$dir/workers" | wc -l) $(
			awk 'NR > 1 { print $1 }' "$dir/workers" | sort -u | wc -l)"
}

# Fails if a person can turn what the owner has pinned.
pool_is_pinned() {
	pinned_failed=0
	for pair in capacity:4 queue_depth:1 nice:3 stall_ms:1000 max_bypass:1 cpumask:0 \
			capacity:x; do
		pinned_said=$(dmesg | grep -c "kpool: tables: ${pair%:*} is pinned by tables")
		{ echo "${pair#*:}" >"$dir/${pair%:*}"; } 2>&1 | grep -q 'not permitted' &&
			[ "$(dmesg | grep -c "kpool: tables: ${pair%:*} is pinned by tables")" -eq \
				$((pinned_said + 1)) ] && continue
		ktap_diag "$pair"
		pinned_failed=1
	done
	ktap_result "$pinned_failed" "debugfs cannot tune a pinned pool"
	echo on >"$dir/latency"
	ktap_is "its histograms are no attribute" "state on" "$(head -n 1 "$dir/latency")"
	ktap_is "a pinned pool is as created" "3 0 0 never 15 all" \
		"$(for file in capacity queue_depth nice stall_ms max_bypass cpumask; do
			cat "$dir/$file"
		done | sed 's/^none$/0/' | xargs)"
}

# Fails if a pool seems open that takes nothing: mutant closed-is-shown-late.
closed_pool_runs_on() {
	ktap_is "pools shows a closed pool" "closed 1" "$(column state) $(column running)"
	ktap_is "stats shows it, too" closed "$(stat_of state)"
}

# Fails if the name of a module is cut to the length of a pool's.
owner_has_its_whole_name() {
	load_test client_with_a_name_longer_than_that_of_a_pool name=tables
	ktap_is "pools shows the whole name of an owner" \
		client_with_a_name_longer_than_that_of_a_pool "$(column owner)"
	rmmod client_with_a_name_longer_than_that_of_a_pool
}

ktap_begin
if load_tested tables; then
	# shellcheck disable=SC2013 # a case's name is a word
	for case in $(cat /sys/module/tables/parameters/list); do
		began=$(cut -d ' ' -f 1 /proc/uptime)
		run_case tables "$case"
		mount_debugfs || continue
		case $case in
		closed_*) closed_pool_runs_on ;;
		expired_*) expired_worker_exits ;;
		dead_workers_*) dead_workers_wait ;;
		next_dead_*) next_dead_worker_is_reaped ;;
		unneeded_*) unneeded_worker_exits ;;
		no_two_*) no_two_figures_are_equal ;;
		worker_memory_*) worker_memory_is_used_again ;;
		items_follow_*) items_follow_each_other ;;
		item_waits_*) item_waits_for_another ;;
		worker_init_*) worker_init_waits_for_an_item ;;
		threads_*) threads_are_known ;;
		each_worker_*) each_worker_has_another_state ;;
		handler_is_*) handler_is_held ;;
		many_*) many_workers_run ;;
		pool_is_*) pool_is_pinned ;;
		esac
	done
	unload_test tables
	! mount_debugfs || owner_has_its_whole_name
fi
ktap_end
