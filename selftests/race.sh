#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Use what is shared without a lock, by two threads at once.

. "$(dirname "$0")/ktap.sh"

kcsan=/sys/module/kcsan/parameters/skip_watch

# listen EVERY: KCSAN, where there is one, watches one of so many accesses
listen() {
	[ ! -e "$kcsan" ] || echo "$1" >"$kcsan"
}

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

# Fails if a running worker is shown with another function than the item's or kpool's own.
workers_may_be_looked_at() {
	: >/tmp/looking
	look_at_workers &
	run_case race workers_are_listed_while_running
	rm /tmp/looking
	wait
	ktap_is "a worker is shown with what it runs" "" \
		"$(awk '$2 == "running" && $5 !~ /^(tiny|kpool_fn_item_run)$/ { print; exit }' \
			/tmp/workers)"
}

# Where few accesses are shared, more of them are watched.
listen_for() {
	case $1 in
	item_is* | call_sees* | workers_start* | workers_are*) listen 15 ;;
	*) listen 50 ;;
	esac
}

run_while_listening() {
	# shellcheck disable=SC2013 # a case's name is a word
	for name in $(cat /sys/module/race/parameters/list); do
		listen_for "$name"
		[ "$name" = workers_are_listed_while_running ] || run_case race "$name"
	done
}

ktap_begin
[ ! -e "$kcsan" ] || often=$(cat "$kcsan")
if load_tested race; then
	run_while_listening
	! mount_debugfs || workers_may_be_looked_at
	unload_test race
fi
listen "${often:-}"
ktap_end
