#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# No thread can be made, or no memory be had.  Of allocations, those of the
# tasks that the module marks fail, where the kernel injects faults.

. "$(dirname "$0")/ktap.sh"

# inject_into DIRECTORY PROBABILITY [Y]: false if this kernel does not have it.  With Y, what can
# wait does not fail.
inject_into() {
	inject_dir=/sys/kernel/debug/$1
	[ -d "$inject_dir" ] || return
	echo "$2" >"$inject_dir/probability"
	echo -1 >"$inject_dir/times"
	echo 0 >"$inject_dir/verbose"
	echo Y >"$inject_dir/task-filter"
	echo "${3:-N}" >"$inject_dir/ignore-gfp-wait"
	[ ! -e "$inject_dir/min-order" ] || echo 0 >"$inject_dir/min-order"
}

# arm CASE: with the faults that it is about
arm() {
	inject=
	case $1 in
	*_may_not_wait)
		! inject_into failslab 100 Y || inject=slab
		;;
	*-slab | each_*)
		! inject_into failslab 100 || inject=slab
		;;
	*-pages)
		! inject_into fail_page_alloc 100 || inject=pages
		;;
	esac
	echo "$inject" >/sys/module/alloc_fail/parameters/inject
}

disarm() {
	inject_into failslab 0
	inject_into fail_page_alloc 0
}

ktap_begin
mount_debugfs
if load_tested alloc_fail; then
	# shellcheck disable=SC2013 # a case's name is a word
	for case in $(cat /sys/module/alloc_fail/parameters/list); do
		arm "$case"
		run_case alloc_fail "$case"
		disarm
	done
	unload_test alloc_fail
fi
ktap_end
