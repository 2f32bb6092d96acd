#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: debian
# needs: submit tune
# Lockdown is raised after kpool was loaded, as a system can do late in its boot.  kpool works, its
# tables can be read, and a caller that must not write to debugfs can tune by call.  It cannot be
# lowered again, nor can modules be loaded then.

. "$(dirname "$0")/ktap.sh"

lockdown=/sys/kernel/security/lockdown
dir=$KPOOL_DEBUGFS/client
modules="submit tune"

# tables_can_be_read: fails if one has a mode but 0400, or can be mapped or written
tables_can_be_read() {
	tables_failed=0
	for file in "$KPOOL_DEBUGFS/pools" "$dir"/*; do
		[ "$(stat -c %a "$file")" = 400 ] || continue
		if ! cat "$file" >/dev/null; then
			ktap_diag "$file cannot be read"
			tables_failed=1
		fi
	done
	for table in stats workers errors stalls diagnosis latency; do
		cat "$dir/$table" >/dev/null || tables_failed=1
	done
	ktap_result "$tables_failed" "tables can be read at $1"
}

# no_tuning_by_debugfs: that is the kernel's own rule
no_tuning_by_debugfs() {
	stats=$(grep '^capacity' "$dir/stats")
	write_failed=0
	! echo 3 2>/dev/null >"$dir/capacity" || write_failed=1
	ktap_result "$write_failed" "debugfs takes no writes at $1"
	ktap_is "a refused write changes nothing at $1" "$stats" "$(grep '^capacity' "$dir/stats")"
}

# raise_to LEVEL: and try everything that needs no new module
raise_to() {
	echo "$1" >"$lockdown"
	ktap_is "lockdown is raised" "[$1]" "$(grep -o '\[.*\]' "$lockdown")"
	tables_can_be_read "$1"
	no_tuning_by_debugfs "$1"
	# fails if a pool cannot be made, tuned or used without debugfs
	for module in $modules; do
		run_listed "$module"
	done
}

ktap_begin
mount -t securityfs none /sys/kernel/security 2>/dev/null
if [ ! -w "$lockdown" ] || ! mount_debugfs; then
	ktap_skip "kpool works under lockdown" "this kernel has none"
else
	load_test client
	for module in $modules; do
		load_tested "$module"
	done
	echo 4 >"$dir/capacity"
	ktap_is "debugfs tunes before lockdown" "capacity 4" "$(grep '^capacity' "$dir/stats")"
	raise_to integrity
	raise_to confidentiality
	dd of=/sys/module/client/parameters/hold 2>/dev/null <<-END
		1
	END
	ktap_result $? "a pool made before lockdown takes an item"
	rmmod client
	ktap_result $? "its module can go"
	for module in $modules; do
		unload_test "$module"
	done
fi
ktap_end
