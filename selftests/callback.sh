#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone

. "$(dirname "$0")/ktap.sh"

# Fails if a destroyed pool has left one: mutant context-thread-left.
no_thread_is_left() {
	ktap_is "no thread for callbacks is left" "" "$(cat /proc/[0-9]*/comm | grep '^kpool-')"
}

# Fails (hangs) if a queue is destroyed that a dead thread keeps busy: mutant lost-queue-destroyed.
kpool_can_go_after_deaths() {
	rmmod kpool && load_kpool
	ktap_result $? "kpool.ko can go after deaths in callbacks"
}

ktap_begin
run_cases callback
no_thread_is_left
kpool_can_go_after_deaths
ktap_end
