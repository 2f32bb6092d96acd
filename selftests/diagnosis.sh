#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What <pool>/diagnosis says of pools in which nothing starts.

. "$(dirname "$0")/ktap.sh"

file=$KPOOL_DEBUGFS/diagnosis/diagnosis

# said: the file, without stacks, pids and times
said() {
	grep -v '^    ' "$file" | sed -E 's/ [0-9]+: / PID: /; s/[0-9]+ ms/N ms/'
}

# reason_is TEXT: fails if another obstacle is named, or another figure
# shellcheck disable=SC2317 # wait_until calls it
reason_is() {
	said | head -n 1 | grep -qxE "$1"
}

names_the_reason() {
	wait_until reason_is "$1"
	names_failed=$?
	[ "$names_failed" = 0 ] || ktap_diag "$(cat "$file")"
	ktap_result "$names_failed" "$case: the reason is named"
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

# Fails if a thread is missing, shown twice, or in the wrong list, or if a time is not its own.
units_are_held() {
	ktap_is "units_are_held: pool and threads are shown" \
		"busy: running items hold all 2 units
pending 3, oldest for N ms
running 2
  worker PID: holds_a_unit [diagnosis] for N ms, 1 units
  worker PID: holds_a_unit [diagnosis] for N ms, 1 units
blocked 1
  submitter PID: holds_a_unit [diagnosis] for N ms" "$(said)"
	[ "$(ms_of '^pending')" -ge 100 ] && [ "$(ms_of '^  submitter')" -ge 50 ] &&
		[ "$(ms_of '^  worker')" -ge 100 ]
	ktap_result $? "units_are_held: the times are not too short"
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

# Fails if an item that its submitter runs is left out, or taken for a worker's.
submitter_runs_its_item() {
	ktap_is "submitter_runs_its_item: it is shown" \
		"idle: no item is pending, 0 are delayed
pending 0, oldest for N ms
running 2
  worker PID: holds_a_unit [diagnosis] for N ms, 1 units
  submitter PID: holds_a_unit [diagnosis] for N ms
blocked 0" "$(said)"
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
many_are_blocked() {
	ktap_is "many_are_blocked: the first are shown, the rest is counted" \
		"blocked 19 16 3 more" \
		"$(said | awk '$1 == "blocked" { print }
			$1 == "submitter" { n++ }
			$2 == "more" { print n, $1, $2 }' | xargs)"
}

# Fails if an item that has no place in the queue is not counted.
due_job_waits() {
	names_the_reason "busy: running items hold all 1 units"
	ktap_is "$case: it is counted" "pending 1," "$(said | grep -o '^pending [0-9]*,')"
}

ktap_begin
if load_tested diagnosis && mount_debugfs; then
	# shellcheck disable=SC2013 # a case's name is a word
	for case in $(cat /sys/module/diagnosis/parameters/list); do
		run_case diagnosis "$case"
		case $case in
		nothing_*) names_the_reason "idle: no item is pending, 0 are delayed" ;;
		units_*) units_are_held ;;
		pool_is_*) names_the_reason "paused: kpool_pause\(\) holds back 3 items" ;;
		submitter_waits_*) names_the_reason "busy: running items hold all 1 units" ;;
		next_item_* | blocked_item_*)
			names_the_reason "heavy: the next item, holds_a_unit \[diagnosis\], \
needs 4 units, 3 of 4 are free"
			;;
		stream_* | item_waits_for_its_earlier_run)
			names_the_reason \
				"ordered: 1 items wait for their streams or their earlier runs"
			;;
		drop_*) names_the_reason "dropping: 2 items wait for their drop functions" ;;
		due_job_*) due_job_waits ;;
		worker_cannot_* | worker_is_tried_*)
			names_the_reason \
				"no_thread: creating a worker failed \(-12\), next attempt in N ms"
			;;
		worker_is_in_its_init)
			names_the_reason \
				"creating: 1 workers are being created or are in worker_init"
			;;
		worker_is_in_its_exit)
			names_the_reason \
				"exiting: 1 exiting workers leave no room for another"
			;;
		submitter_runs_*) submitter_runs_its_item ;;
		many_run) many_run ;;
		many_are_*) many_are_blocked ;;
		esac
	done
	unload_test diagnosis
fi
ktap_end
