#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: uml-debug x86-debug
# A lock held across the flush of an ordered job: lockdep's one report.

. "$(dirname "$0")/ktap.sh"

ktap_begin
if load_tested lock_order; then
	run_case lock_order lock_held_across_flush_of_an_ordered_job_is_reported
	unload_test lock_order
fi
ktap_end
