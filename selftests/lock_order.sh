#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# See which waits lockdep is notified of.  What it is to report is left to lock_order_*.sh.

. "$(dirname "$0")/ktap.sh"

# noted_order: each pair of locks of which lockdep has seen one taken right after the other
noted_order() {
	awk '/^ -> / { sub(/^ -> [^ ]* /, ""); print before " " $0; next }
	     { sub(/^.*: /, ""); before = $0 }' /proc/lockdep
}

# is_noted REGEX REGEX: the first before the second
is_noted() {
	printf '%s\n' "$order" | grep -qE "^$1 $2\$"
}

# expect_noted NAME REGEX REGEX
expect_noted() {
	is_noted "$2" "$3" || ktap_diag "$(printf '%s\n' "$order" | grep -E "^$2 | $3\$")"
	is_noted "$2" "$3"
	ktap_result $? "$1"
}

# With all of these, to hold across a wait what items take is an order that goes round.
waits_are_noted() {
	order=$(noted_order)
	for wait in flush destroy shutdown group-wait group-next; do
		expect_noted "lockdep knows a waiter for the pool: $wait" "held-$wait" "$wait"
	done
	for wait in flush-item cancel disable call; do
		expect_noted "lockdep knows a waiter for the item: $wait" "held-$wait" "$item"
	done
	expect_noted "lockdep knows an item that waits for another pool" "$item" across
	expect_noted "lockdep knows whose items run" flush "$item"
	expect_noted "lockdep knows what items take" "$item" taken_by_items
}

item='kpool_item(#[0-9]+)?'

ktap_begin
if load_tested lock_order; then
	# shellcheck disable=SC2013 # a case's name is a word
	for case in $(cat /sys/module/lock_order/parameters/list); do
		case $case in
		*_is_reported) continue ;;
		esac
		run_case lock_order "$case"
		[ "$case" != locks_are_held_across_waits ] || [ ! -e /proc/lockdep ] ||
			waits_are_noted
	done
	unload_test lock_order
fi
ktap_end
