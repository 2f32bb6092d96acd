#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: debian uml uml-debug x86-debug
# oopses: yes
# Items that oops.  Each oops ends lockdep's work, and taints the kernel.  On
# User Mode Linux, which does not survive one, they end their thread instead.

. "$(dirname "$0")/ktap.sh"

dir=$KPOOL_DEBUGFS/oops

# Fails if the death is not among the errors, or is counted in no statistic.
death_can_be_seen() {
	ktap_is "debugfs shows the death" "-5 died victim_fn" \
		"$(awk '/victim_fn/ { print $2, $4, $5 }' "$dir/errors")"
	ktap_is "stats count it" "died 1" "$(grep '^died' "$dir/stats")"
	ktap_is "the dead worker is not listed" 1 "$(wc -l <"$dir/workers")"
}

# Fails if a worker counts as running, or is left out, while the handler is called for it or another.
unreaped_workers_are_listed() {
	unreaped_tries=100
	until [ "$(grep -c ' dead ' "$dir/workers")" = 2 ] || [ "$unreaped_tries" = 0 ]; do
		unreaped_tries=$((unreaped_tries - 1))
		sleep 0.1
	done
	ktap_is "dead workers are listed until they are reaped" "dead victim_fn dead victim_fn" \
		"$(awk 'NR > 1 { print $2, $5 }' "$dir/workers" | xargs)"
}

# Fails if kpool's reap work, spawn work or a test died as well.
no_other_task_oopsed() {
	[ -e /sys/kernel/oops_count ] || return
	ktap_is "all oopses were provoked" "$(cat /sys/module/oops/parameters/provoked)" \
		"$(cat /sys/kernel/oops_count)"
}

# Fails (oopses, hangs) if an ended thread can return to code that has gone.
kpool_can_go_and_come_back() {
	rmmod kpool && load_kpool
	ktap_result $? "kpool.ko can go and come back after deaths"
}

ktap_begin
if load_tested oops; then
	# shellcheck disable=SC2013 # a case's name is a word
	for case in $(cat /sys/module/oops/parameters/list); do
		run_case oops "$case"
		[ "$case" != pool_with_dead_worker_stays ] || ! mount_debugfs || death_can_be_seen
		[ "$case" != pool_with_unreaped_workers_stays ] || ! mount_debugfs || unreaped_workers_are_listed
	done
	no_other_task_oopsed
	unload_test oops
	kpool_can_go_and_come_back
fi
ktap_end
