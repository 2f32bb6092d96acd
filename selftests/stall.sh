#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Items that run for too long.

. "$(dirname "$0")/ktap.sh"

# stall_is_listed: it is counted first
# shellcheck disable=SC2317 # wait_until calls it
stall_is_listed() {
	grep -q 'sleeps_too_long .*has run for' "$KPOOL_DEBUGFS/stall/stalls"
}

# stack_in_log: how many entries the last stall has there, if they are logged one by one
stack_in_log() {
	dmesg | awk '/kpool: .* has run for/ { n = 0; on = 1; next }
		on && /kpool:   stack not available/ { next }
		on && /kpool:   / { n++; next }
		{ on = 0 }
		END { print n + 0 }'
}

# Fails if a stall is only in the log, which can have lost it.
stall_can_be_seen() {
	wait_until stall_is_listed
	ktap_is "debugfs shows the stall" 1 \
		"$(grep -c 'sleeps_too_long .*has run for' "$KPOOL_DEBUGFS/stall/stalls")"
	# an entry too far is what the memory behind them holds
	ktap_is "log and debugfs show the same stack" \
		"$(grep -c '^  ' "$KPOOL_DEBUGFS/stall/stalls")" "$(stack_in_log)"
	ktap_is "nothing but the stack follows in debugfs" 1 \
		"$(grep -vc '^  ' "$KPOOL_DEBUGFS/stall/stalls")"
	stall_worker=$(awk 'NR > 1 { print $1 }' "$KPOOL_DEBUGFS/stall/workers")
	ktap_is "log and debugfs name its thread" "$stall_worker $stall_worker" "$(
		dmesg | sed -n 's/.*kpool: stall: .* has run for .* in thread //p' | tail -n 1) $(
		sed -n 's/.* has run for .* in thread //p' "$KPOOL_DEBUGFS/stall/stalls")"
	# the stall time is 40 ms, fewer ticks: mutant stall-time-in-ticks
	ktap_is "log and debugfs say for how many milliseconds it has run" 2 "$({
		dmesg | grep 'kpool: stall: .* has run for' | tail -n 1
		cat "$KPOOL_DEBUGFS/stall/stalls"
	} | sed -n 's/.* has run for \([0-9]*\) ms .*/\1/p' | awk '$1 >= 40' | wc -l)"
	ktap_is "stats count it" "stalled 1" "$(grep '^stalled' "$KPOOL_DEBUGFS/stall/stats")"
}

# times_of_stalls: four, which are the last
# shellcheck disable=SC2317 # wait_until calls it
times_of_stalls() {
	times=$(awk '/ has run for / { print $1 }' "$KPOOL_DEBUGFS/stall/stalls")
	[ "$(echo "$times" | wc -l)" = 4 ]
}

# Fails if they are shown in another order: mutant stalls-newest-first.
stalls_are_shown_oldest_first() {
	wait_until times_of_stalls
	ktap_result $? "the last four stalls are remembered"
	ktap_is "stalls are shown oldest first" "$(echo "$times" | sort -n)" "$times"
	ktap_is "stalls shows microseconds" 4 "$(echo "$times" | grep -c '^[0-9]*[.][0-9]\{6\}$')"
	ktap_is "stalls shows when they were found" 4 "$(echo "$times" |
		awk -v a="$began" -v b="$(cut -d ' ' -f 1 /proc/uptime)" \
			'$1 >= a && $1 <= b + 0.01' | wc -l)"
}

# Fails if names are looked up when they are read, when the addresses mean nothing. Also fails if
# the stack is shown with one entry too many.
stall_of_an_unloaded_module_has_names() {
	names=$KPOOL_DEBUGFS/default/stalls
	wait_until grep -q 'has run for' "$names"
	ktap_is "stalls names a function that has been unloaded" 1 \
		"$(grep -c ' sleeps_too_long \[stall\] has run for' "$names")"
	ktap_is "each line of a stack names a function" "" \
		"$(grep '^  ' "$names" | grep -v '^  [A-Za-z_][A-Za-z0-9_.]*+0x')"
}

ktap_begin
if load_tested stall; then
	# shellcheck disable=SC2013 # a case's name is a word
	for case in $(cat /sys/module/stall/parameters/list); do
		began=$(cut -d ' ' -f 1 /proc/uptime)
		run_case stall "$case"
		[ "$case" != a_stall_lasts ] || ! mount_debugfs || stall_can_be_seen
		[ "$case" != six_stalls_last ] || ! mount_debugfs || stalls_are_shown_oldest_first
	done
	unload_test stall
	! mount_debugfs || stall_of_an_unloaded_module_has_names
fi
ktap_end
