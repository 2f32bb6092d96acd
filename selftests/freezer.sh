#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# patches: yes
# Suspend and resume, as far as the freezer goes, between the cases of a module.

. "$(dirname "$0")/ktap.sh"

# go_to_sleep [SECONDS]: freeze everything for so long, by default for one, and thaw it
go_to_sleep() {
	echo "${1:-1}" >/sys/module/suspend/parameters/pm_test_delay
	echo freezer >/sys/power/pm_test
	sleep_failed=0
	echo freeze >/sys/power/state || sleep_failed=1
	echo none >/sys/power/pm_test
	return "$sleep_failed"
}

# go_to_sleep_under_load: until the pool that is not frozen had the time to show it. Each sleep is
# longer than the one before, since what the pool has to show grows with their number.
go_to_sleep_under_load() {
	for sleep_nr in 1 2 3 4 5 6 7 8 9 10; do
		echo "$sleep_nr" >/sys/module/freezer/parameters/sleeps
		go_to_sleep "$sleep_nr" || return
		[ "$(cat /sys/module/freezer/parameters/went_on)" != 1 ] || return 0
	done
}

# suspend_fails MS: with a freezer that waits for so long
suspend_fails() {
	vain_timeout=$(cat /sys/power/pm_freeze_timeout)
	echo "$1" >/sys/power/pm_freeze_timeout
	go_to_sleep 2>/dev/null
	vain_status=$?
	echo "$vain_timeout" >/sys/power/pm_freeze_timeout
	[ "$vain_status" -ne 0 ]
}

under_load() {
	for round in 1 2 3; do
		run_case freezer load_begins
		go_to_sleep_under_load
		ktap_result $? "the system suspends under load, $round"
		run_case freezer only_the_freezable_pool_stops
	done
}

with_a_queue() {
	run_case freezer queue_begins
	go_to_sleep
	ktap_result $? "the system suspends beside a queue of items"
	run_case freezer queue_runs_after_the_thaw
}

while_idle() {
	run_case freezer idle_begins
	go_to_sleep
	ktap_result $? "the system suspends beside an idle pool"
	run_case freezer idle_workers_thaw
}

with_a_long_item() {
	run_case freezer long_item_begins
	# for longer than what is a stall there
	suspend_fails 3000
	ktap_result $? "an item that outlasts the freezer's timeout fails the suspend"
	run_case freezer pools_run_after_a_failed_suspend
}

with_a_sleeping_submitter() {
	run_case freezer full_pool_begins
	echo 1 >/proc/kpool_selftest_submit &
	submitter_pid=$!
	run_case freezer submitter_sleeps
	suspend_fails 300
	ktap_result $? "a submitter that outlasts the freezer's timeout fails the suspend"
	run_case freezer submitter_continues_after_a_failed_suspend
	wait "$submitter_pid"
	ktap_result $? "its submit is accepted"
}

ktap_begin
if [ ! -e /sys/power/pm_test ]; then
	ktap_skip "the system suspends and resumes" "this kernel cannot test them"
elif load_tested freezer; then
	under_load
	with_a_queue
	while_idle
	with_a_long_item
	with_a_sleeping_submitter
	unload_test freezer
fi
ktap_end
