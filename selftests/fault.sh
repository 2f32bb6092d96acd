#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Items that fail, and what debugfs tells of them afterwards.

. "$(dirname "$0")/ktap.sh"

dir=$KPOOL_DEBUGFS/kept

# Fails if the oldest are kept, the order or the count is wrong, or a success is listed.
last_eight_errors_are_listed() {
	echo 1 >/sys/module/fault/parameters/keep
	ktap_is "errors lists the last eight, oldest first" \
		"-3 bad_one -4 bad_other -5 bad_one -6 bad_other -7 bad_one -8 bad_other -9 bad_one -6 bad_fn" \
		"$(awk 'NR > 1 { print $2, $4 }' "$dir/errors" | xargs)"
	ktap_is "stats count what failed" "failed 10" "$(grep '^failed ' "$dir/stats")"
	ktap_is "errors is there for root alone" "400" "$(stat -c %a "$dir/errors")"
	echo 1 >/sys/module/fault/parameters/keep
}

ktap_begin
load_tested fault
run_listed fault
if mount_debugfs; then
	last_eight_errors_are_listed
fi
unload_test fault
ktap_end
