#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# See what <pool>/diagnosis says of pools in which nothing starts.

. "$(dirname "$0")/ktap.sh"

file=$KPOOL_DEBUGFS/diagnosis/diagnosis

# said: the file, without stacks, pids and times
said() {
	grep -v '^    ' "$file" | sed -E 's/ [0-9]+: / PID: /; s/[0-9]+ ms/N ms/'
}

# expected CASE: what the file says then; for a case of many threads, nothing
expected() {
	worker="  worker PID: holds_a_unit [diagnosis] for N ms"
	submitter="  submitter PID: holds_a_unit [diagnosis] for N ms"
	heavy="heavy: the next item, holds_a_unit [diagnosis], needs 4 units, 3 of 4 are free"
	case $1 in
	nothing_is_pending)
		all_of "idle: no item is pending, 0 are delayed" 0
		;;
	jobs_are_delayed)
		all_of "idle: no item is pending, 2 are delayed" 0 "$worker, 3 units"
		;;
	units_are_held)
		all_of "busy: running items hold all 2 units" 3 "$worker, 1 units
$worker, 1 units" "$submitter"
		;;
	pool_is_paused)
		all_of "paused: kpool_pause() holds back 3 items" 3
		;;
	next_item_is_heavy)
		all_of "$heavy" 2 "$worker, 1 units"
		;;
	blocked_item_is_heavy)
		all_of "$heavy" 0 "$worker, 1 units" "$submitter"
		;;
	heavy_item_is_before_a_submitter)
		all_of "$heavy" 1 "$worker, 1 units" "$submitter"
		;;
	call_waits_for_a_unit)
		all_of "busy: running items hold all 1 units" 0 "$worker, 1 units" \
			"  submitter PID: called [diagnosis] for N ms"
		;;
	submitter_waits_for_a_unit)
		all_of "busy: running items hold all 1 units" 0 "$worker, 1 units" "$submitter"
		;;
	stream_is_busy | item_waits_for_its_earlier_run)
		all_of "ordered: 1 items wait for their streams or their earlier runs" 1 \
			"$worker, 1 units"
		;;
	blocked_item_waits_for_its_stream)
		all_of "ordered: 1 items wait for their streams or their earlier runs" 0 \
			"$worker, 1 units" "$submitter"
		;;
	due_job_waits_for_a_unit)
		all_of "busy: running items hold all 1 units" 1 "$worker, 1 units"
		;;
	completion_waits_for_a_unit)
		all_of "busy: running items hold all 1 units" 0 "$worker, 1 units"
		;;
	drop_function_is_held)
		all_of "dropping: 2 items wait for their drop functions" 0 \
			"  drop function PID: drops_late [diagnosis] for N ms"
		;;
	pool_is_shut_down)
		all_of "busy: running items hold all 1 units" 2 "$worker, 1 units"
		;;
	pool_is_aborted)
		all_of "dropping: 2 items wait for their drop functions" 0 "$worker, 1 units
  drop function PID: drops_late [diagnosis] for N ms"
		;;
	room_function_is_held)
		all_of "idle: no item is pending, 0 are delayed" 0 \
			"  room function PID: room_is_made [diagnosis] for N ms"
		;;
	release_function_is_held)
		all_of "idle: no item is pending, 0 are delayed" 0 "$worker, 1 units
  release function PID: releases [diagnosis] for N ms"
		;;
	fault_handler_is_held)
		all_of "busy: running items hold all 1 units" 1 \
			"  fault handler PID: ends_its_thread [diagnosis] for N ms"
		;;
	dead_worker_waits)
		all_of "busy: running items hold all 2 units" 1 \
			"  fault handler PID: ends_its_thread [diagnosis] for N ms"
		;;
	dead_submitter_waits)
		all_of "idle: no item is pending, 0 are delayed" 0 "$worker, 1 units
  fault handler PID: ends_its_thread [diagnosis] for N ms"
		;;
	worker_cannot_be_created | worker_is_tried_again)
		all_of "no_thread: creating a worker failed (-12), next attempt in N ms" 1
		;;
	worker_is_in_its_init | worker_starts_beside_an_exit)
		all_of "creating: 1 workers are being created or are in worker_init" 1
		;;
	worker_is_in_its_exit | failure_is_over)
		all_of "exiting: 1 exiting workers leave no room for another" 1
		;;
	worker_after_a_dead_one_is_no_submitter)
		all_of "idle: no item is pending, 0 are delayed" 0 \
			"  worker PID: runs_one_inside [diagnosis] for N ms, 1 units"
		;;
	submitter_runs_its_item | submitter_runs_its_item_after_a_death)
		all_of "idle: no item is pending, 0 are delayed" 0 "$worker, 1 units
$submitter"
		;;
	esac
}

# threads TITLE LINES
threads() {
	echo "$1 $(printf '%s' "$2" | grep -c .)"
	[ -z "$2" ] || echo "$2"
}

# all_of REASON PENDING [RUNNING [BLOCKED]]: the text, with these lines for threads
all_of() {
	printf '%s\npending %s, oldest for N ms\n' "$1" "$2"
	threads running "${3:-}"
	threads blocked "${4:-}"
}

# shellcheck disable=SC2317 # wait_until calls it
is_said() {
	[ "$(said)" = "$1" ]
}

# Fails if another obstacle is named, another figure, or a thread is missing, twice or in the wrong
# list.
scene_is_said() {
	scene_text=$(expected "$1")
	[ -n "$scene_text" ] || return
	# a fault of all scenes is waited for once
	[ "$scenes_failed" = yes ] || wait_until is_said "$scene_text" || scenes_failed=yes
	ktap_is "$1: pool and threads are shown" "$scene_text" "$(said)"
}

# Fails if a time is in another unit, or begins earlier than the scene: mutant thread-age-is-uptime.
# Two clocks, which are read in turn, count ticks; on a busy machine one of them can be behind.
times_are_since() {
	times=$(grep -v '^no_thread' "$file" | sed -nE 's/.* ([0-9]+) ms.*/\1/p' |
		sort -n | tail -n 1)
	times_most=$(($(uptime_ms) - $2 + 20))
	[ "${KERNEL:-}" = uml-time ] || times_most=$((times_most + 10000))
	[ "$times" -le "$times_most" ] || ktap_diag "$times ms in a scene of $times_most ms"
	[ "$times" -le "$times_most" ]
	ktap_result $? "$1: no time is too long"
}

uptime_ms() {
	sed 's/ .*//; s/[.]\(..\)$/\10/; s/^0*\(.\)/\1/' /proc/uptime
}

# ms_of PATTERN: the time in the line
ms_of() {
	sed -nE "s/.*$1.* ([0-9]+) ms.*/\\1/p" "$file" | head -n 1
}

# stack_below PATTERN: the first stack below such a line, or how to read it elsewhere
stack_below() {
	awk -v pattern="$1" '
		/^    / { if (on) print; next }
		{ on = !seen && $0 ~ pattern; seen = seen || on }' "$file"
}

# Fails if a time or a pid is not its own, mutant diagnosis-names-the-reader, or a stack is that of
# another.
units_are_held() {
	[ "$(ms_of '^pending')" -ge 100 ] && [ "$(ms_of '^  submitter')" -ge 50 ] &&
		[ "$(ms_of '^  worker')" -ge 100 ]
	ktap_result $? "units_are_held: the times are not too short"
	ktap_is "units_are_held: threads have their pids" \
		"$(awk 'NR > 1 { print $1 }' "${file%/*}/workers" | sort | xargs)" \
		"$(sed -n 's/^  worker \([0-9]*\): .*/\1/p' "$file" | sort | xargs)"
	case ${KERNEL:-} in *debug) ;; *)
		if stack_below '^  submitter' |
				grep -q -e 'see /proc/[0-9]*/stack' -e 'not available'; then
			ktap_skip "units_are_held: stacks are shown" "this kernel cannot"
			return
		fi
		;;
	esac
	stack_below '^  worker' | grep -q ' holds_a_unit+0x' &&
		stack_below '^  submitter' | grep -q ' kt_thread_main+0x'
	held_status=$?
	[ "$held_status" = 0 ] || ktap_diag "$(cat "$file")"
	ktap_result "$held_status" "units_are_held: stacks are shown"
}

# Fails if others than the longest are shown, in another order, or the rest is not counted.
many_run() {
	ktap_is "many_run: the longest are shown, the rest is counted" \
		"running 20 16 runs_first 4 more" \
		"$(said | awk '$1 == "running" { print }
			$1 == "worker" && ++n == 1 { first = $3 }
			$1 == "worker" && $3 == "runs_last" { print "the last" }
			$2 == "more" { print n, first, $1, $2 }' | xargs)"
}

# Fails if those that are not shown are not counted.
many_submitters_are_blocked() {
	ktap_is "many_submitters_are_blocked: the first are shown, the rest is counted" \
		"blocked 19 16 3 more" \
		"$(said | awk '$1 == "blocked" { print }
			$1 == "submitter" { n++ }
			$2 == "more" { print n, $1, $2 }' | xargs)"
}

# Fails if the time is in another unit: mutant retry-in-jiffies.
next_attempt_is_due() {
	[ "${KERNEL:-}" = uml-time ] || return
	attempt_ms=$(sed -n 's/^no_thread.* in \([0-9]*\) ms$/\1/p' "$file")
	[ "$attempt_ms" -ge 20 ] && [ "$attempt_ms" -le 60 ]
	ktap_result $? "$case: the next attempt is 100 ms after the last"
}

ktap_begin
scenes_failed=no
if load_tested diagnosis && mount_debugfs; then
	# shellcheck disable=SC2013 # a case's name is a word
	for case in $(cat /sys/module/diagnosis/parameters/list); do
		began=$(uptime_ms)
		run_case diagnosis "$case"
		case $case in scene_ends | worker_is_about_*) continue ;; esac
		[ "$case" != worker_cannot_be_created ] || next_attempt_is_due
		scene_is_said "$case"
		times_are_since "$case" "$began"
		case $case in
		units_*) units_are_held ;;
		many_run) many_run ;;
		many_submitters_*) many_submitters_are_blocked ;;
		esac
	done
	unload_test diagnosis
fi
ktap_end
