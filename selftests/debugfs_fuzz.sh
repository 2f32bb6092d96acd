#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# 100,000 random reads, writes, seeks and opens of the pools' files, held open
# across destroy, while pools work, come and go.
#
# Fails (oopses, hangs) if a file can be used when its pool has been freed, as with
# debugfs_create_file_unsafe(), or if a text is trusted.

. "$(dirname "$0")/ktap.sh"

# count: of random calls, in all
count() {
	case ${KERNEL:-} in
	*debug | kcsan) echo 20000 ;;
	*) echo 100000 ;;
	esac
}

# stress SEED: by two programs at once
stress() {
	"$SELFTESTS/debugfs_stress" "$KPOOL_DEBUGFS" "$1" $(($(count) / 2)) >/tmp/stress-1 &
	stress_pid=$!
	"$SELFTESTS/debugfs_stress" "$KPOOL_DEBUGFS" $(($1 + 1)) $(($(count) / 2)) >/tmp/stress-2
	stress_status=$?
	wait "$stress_pid" || stress_status=1
	cat /tmp/stress-1 /tmp/stress-2
	return "$stress_status"
}

# Fails if a table can no longer be read.
tables_are_there() {
	cat "$KPOOL_DEBUGFS"/pools "$KPOOL_DEBUGFS"/staying/* >/dev/null
}

ktap_begin
if ! mount_debugfs; then
	ktap_skip "the pools' files accept random writes" "no debugfs"
elif load_tested debugfs_fuzz; then
	run_case debugfs_fuzz load_begins
	stress "${SEED:-1}"
	ktap_result $? "the pools' files accept random writes"
	tables_are_there
	ktap_result $? "the tables can be read afterwards"
	run_case debugfs_fuzz load_ends
	unload_test debugfs_fuzz
fi
ktap_end
