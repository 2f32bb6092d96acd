#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Use what is shared without a lock, by two threads at once.

. "$(dirname "$0")/ktap.sh"

kcsan=/sys/module/kcsan/parameters/skip_watch
seconds=/sys/module/race/parameters/seconds

# Many at a time, as to start a program takes longer than to read a table.
look_at_workers() {
	table=$KPOOL_DEBUGFS/races/workers
	set --
	while [ $# -lt 64 ]; do
		set -- "$@" "$table"
	done
	while [ -e /tmp/looking ]; do
		cat "$@"
	done >/tmp/workers 2>/dev/null
}

# Fails if a running worker is shown with another function than the item's.
workers_may_be_looked_at() {
	: >/tmp/looking
	look_at_workers &
	run_case race workers_are_listed_while_running
	rm /tmp/looking
	wait
	ktap_is "a worker is shown with what it runs" "" \
		"$(awk '$2 == "running" && $5 != "tiny_item" { print; exit }' \
			/tmp/workers)"
}

# KCSAN watches one of "every" accesses, and a race goes on for "lasts" seconds. To watch one of 300
# takes about as long as all of them. With more, everything is slower, and what races comes less
# often by as much as it is seen more often.
listen_for() {
	[ -e "$kcsan" ] || return
	every=300 lasts=6
	case $1 in
	# it sleeps most of the time
	call_sees*) every=50 ;;
	# what races does so seldom
	item_sets*) lasts=15 ;;
	workers_start* | workers_of*) lasts=60 ;;
	esac
	echo "$every" >"$kcsan"
	echo "$lasts" >"$seconds"
}

run_races() {
	# shellcheck disable=SC2013 # a case's name is a word
	for name in $(cat /sys/module/race/parameters/list); do
		listen_for "$name"
		[ "$name" = workers_are_listed_while_running ] || run_case race "$name"
	done
}

ktap_begin
[ ! -e "$kcsan" ] || often=$(cat "$kcsan")
if load_tested race; then
	run_races
	! mount_debugfs || workers_may_be_looked_at
	unload_test race
fi
[ -z "${often:-}" ] || echo "$often" >"$kcsan"
ktap_end
