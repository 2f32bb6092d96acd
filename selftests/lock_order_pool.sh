#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: uml-debug x86-debug
# A lock held across the flush of a pool: lockdep's one report.

. "$(dirname "$0")/ktap.sh"

ktap_begin
if load_tested lock_order; then
	run_case lock_order wait_for_itself_is_reported
	run_case lock_order wait_of_a_callback_is_reported
	run_case lock_order lock_held_across_flush_is_reported
	unload_test lock_order
fi
ktap_end
