#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: debian
# nodes: two
# Workers on one of two NUMA nodes.

. "$(dirname "$0")/ktap.sh"

ktap_begin
if load_tested tune; then
	run_case tune node_confines_workers
	run_case tune node_reaches_old_workers
	run_case tune node_and_cpumask_confine_workers
	unload_test tune
fi
if load_tested multi; then
	run_case multi refused_node_is_undone
	unload_test multi
fi
ktap_end
