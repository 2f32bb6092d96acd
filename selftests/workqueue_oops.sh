#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: stock x86-debug
# oopses: yes
# Compare the cost of an oops in an item, to a pool and to a workqueue.  The module stays: some of its
# threads wait for ever.

. "$(dirname "$0")/ktap.sh"

# silence FILE: a watchdog that would report those
silence() {
	[ ! -e "$1" ] || echo 0 >"$1"
}

ktap_begin
silence /proc/sys/kernel/hung_task_timeout_secs
silence /sys/module/workqueue/parameters/watchdog_thresh
if load_tested workqueue_oops; then
	run_listed workqueue_oops
	ktap_diag "$(cat /sys/module/workqueue_oops/parameters/table)"
fi
ktap_end
