#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: uml-debug x86-debug
# See which misuse debugobjects is notified of.  Its reports would use up the few that the kernel
# prints in a boot.

. "$(dirname "$0")/ktap.sh"

stats=/sys/kernel/debug/debug_objects/stats

# stat NAME: how many there have been
stat() {
	sed -n "s/^$1 *: //p" "$stats"
}

# expected CASE: reports, and repairs
expected() {
	case $1 in
	*_is_reported) echo "1 1" ;;
	*) echo "0 0" ;;
	esac
}

# Fails if a report comes twice, or not, or repairs nothing.
run_counted() {
	warnings=$(stat warnings)
	fixups=$(stat fixups)
	run_case debugobjects "$1"
	ktap_is "$1: reports and repairs are those expected" "$(expected "$1")" \
		"$(($(stat warnings) - warnings)) $(($(stat fixups) - fixups))"
}

ktap_begin
mount_debugfs
[ -e "$stats" ] || ktap_skip_all "this kernel has no debugobjects"
if load_tested debugobjects; then
	# shellcheck disable=SC2013 # a case's name is a word
	for case in $(cat /sys/module/debugobjects/parameters/list); do
		run_counted "$case"
	done
	unload_test debugobjects
fi
ktap_end
