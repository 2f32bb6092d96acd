#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: uml-debug x86-debug
# Pools that wait for each other: lockdep's one report.

. "$(dirname "$0")/ktap.sh"

ktap_begin
if load_tested lock_order; then
	run_case lock_order cycle_of_pools_is_reported
	unload_test lock_order
fi
ktap_end
