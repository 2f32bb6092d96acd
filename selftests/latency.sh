#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# patches: yes
# See what <pool>/latency counts, and what it takes.

. "$(dirname "$0")/ktap.sh"

file=$KPOOL_DEBUGFS/latency/latency

# switched: a work does it, at once where time is simulated
switched() {
	if [ "${KERNEL:-}" = uml-time ]; then sleep 0.01; else sleep 0.5; fi
}

# switch_on FILE
switch_on() {
	echo on >"$1"
	switched
}

# rows: those that count something, as FROM:WAITING/RUNNING
rows() {
	awk 'NR > 2 && ($2 || $3) { printf "%s:%s/%s ", $1, $2, $3 }' "$file"
}

# total: as WAITING/RUNNING
total() {
	awk 'NR > 2 { w += $2; r += $3 } END { print w + 0 "/" r + 0 }' "$file"
}

# counts NAME TOTAL ROWS: which rows is known under simulated time only
counts() {
	ktap_is "$1: each time is counted" "$2" "$(total)"
	[ "${KERNEL:-}" != uml-time ] || ktap_is "$1: each time is in its row" "$3" "$(rows | sed 's/ $//')"
	echo reset >"$file"
}

# scene CASE TOTAL ROWS
scene() {
	run_case latency "$1"
	counts "$@"
}

# Fails if a word does something else, or the file says something else than it does.
words_switch() {
	ktap_is "latency is off at first" "state off" "$(head -n 1 "$file")"
	scene item_waits_3000_runs_700 0/0 ""
	switch_on "$file"
	ktap_is "latency is on after on is written" "state on" "$(head -n 1 "$file")"
	run_case latency item_waits_3000_runs_700
	echo off >"$file"
	ktap_is "latency is off after off is written" "state off" "$(head -n 1 "$file")"
	run_case latency item_waits_3000_runs_700
	counts "what was counted stays" 1/1 "512:0/1 2048:1/0"
	ktap_is "latency is empty after a reset" 2 "$(wc -l <"$file")"
}

# Fails if a bad word is taken, or the log does not say what is allowed.
bad_words_are_refused() {
	for word in yes 1 "on off" resets; do
		{ echo "$word" >"$file"; } 2>&1 | grep -q 'Invalid argument' &&
			dmesg | grep -qF "latency: bad latency \"$word\"; allowed: on, off or reset"
		ktap_result $? "\"$word\" is refused"
	done
	ktap_is "latency stays off after what is refused" "state off" "$(head -n 1 "$file")"
}

# Fails if a pool counts because another one does.
each_pool_has_its_own() {
	switch_on "$KPOOL_DEBUGFS/latency-other/latency"
	scene item_waits_3000_runs_700 0/0 ""
	echo off >"$KPOOL_DEBUGFS/latency-other/latency"
}

# Fails if an item that was queued, or has begun to run, while it was off is counted with a time that
# was never taken.
counting_begins_when_switched_on() {
	# notes made before are old then
	sleep 1
	run_case latency item_waits_50000
	switch_on "$file"
	scene item_that_waits_runs_700 1/1 "512:0/1 32768:1/0"
	echo off >"$file"
	run_case latency item_is_held
	switch_on "$file"
	scene held_item_ends 0/0 ""
	run_case latency item_is_held
	echo off >"$file"
	switch_on "$file"
	run_case latency held_item_ends
	ktap_is "a run that began while latency was off is not counted" 1/0 "$(total)"
	echo reset >"$file"
}

# Fails if a time is in the row beside its own, or of something else.
times_are_in_their_rows() {
	scene item_waits_3000_runs_700 1/1 "512:0/1 2048:1/0"
	scene item_waits_1020_runs_1030 1/1 "512:1/0 1024:0/1"
	scene weighted_item_waits_50000 1/1 "512:0/1 32768:1/0"
	scene weighted_item_runs_twice 2/2 "0:2/2"
	scene pending_item_runs_without_weight 4/4 "0:2/2 1:2/0 512:0/2"
	# the last row has all that are longer: mutant wrapped-wait-is-short
	[ "${KERNEL:-}" != uml-time ] ||
		scene item_waits_for_72_minutes 1/1 "512:0/1 1073741824:1/0"
	scene delayed_job_waits_3000 1/1 "512:0/1 2048:1/0"
	scene backlog_waits_3000 3/3 "512:0/1 2048:1/0 4096:2/0 131072:0/2"
	scene ordered_job_waits_once 1/2 "512:0/1 2048:1/0 4096:0/1"
}

# Fails if an item is left out that a worker has started without the lock.
each_of_several_is_counted() {
	scene four_items_wait_3000 4/4 "0:0/4 2048:4/0"
	scene two_low_items_wait_2800 4/4 "512:2/0 2048:2/4"
}

# Fails if an item that its submitter runs is left out, or one that has not ended is counted.
submitters_count() {
	run_case latency submitter_runs_700
	switch_on "$file"
	# a second word changes nothing; if it counts, items_have_no_time sees it
	switch_on "$file"
	scene submitter_runs_700 1/1 "0:1/0 512:0/1"
}

ktap_begin
if load_tested latency && mount_debugfs; then
	run_case latency pool_is_made
	words_switch
	bad_words_are_refused
	each_pool_has_its_own
	counting_begins_when_switched_on
	# before a scene that tunes the pool, which closes the rings as well
	each_of_several_is_counted
	times_are_in_their_rows
	run_case latency pool_is_destroyed
	submitters_count
	run_case latency held_item_ends
	run_case latency pool_is_destroyed
	switched
	run_case latency items_have_no_time
	unload_test latency
fi
ktap_end
