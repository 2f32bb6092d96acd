#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Items that fail, and what debugfs shows of them afterwards.

. "$(dirname "$0")/ktap.sh"

dir=$KPOOL_DEBUGFS/kept

# Fails if the oldest are kept, the order or the count is wrong, or a success is listed.
last_eight_errors_are_listed() {
	echo 1 >/sys/module/fault/parameters/keep
	ktap_is "errors lists the last eight, oldest first" \
		"-3 bad_one -4 bad_other -5 bad_one -6 bad_other -7 bad_one -8 bad_other \
-9 bad_one -6 bad_fn" \
		"$(awk 'NR > 1 { print $2, $5 }' "$dir/errors" | xargs)"
	ktap_is "an error that was returned is no death" 8 "$(grep -c ' returned ' "$dir/errors")"
	ktap_is "stats count what failed" "failed 10" "$(grep '^failed ' "$dir/stats")"
	ktap_is "errors is there for root alone" "400" "$(stat -c %a "$dir/errors")"
	echo 1 >/sys/module/fault/parameters/keep
}

# Fails if the name is looked up when it is read: the address means nothing then.
error_of_an_unloaded_module_has_its_name() {
	ktap_is "errors names a function that has been unloaded" "-6 returned bad_fn [fault]" \
		"$(awk 'END { print $2, $4, $5, $6 }' "$KPOOL_DEBUGFS/default/errors")"
}

ktap_begin
load_tested fault
run_listed fault
if mount_debugfs; then
	last_eight_errors_are_listed
fi
unload_test fault
! mount_debugfs || error_of_an_unloaded_module_has_its_name
ktap_end
