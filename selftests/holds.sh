#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: stock
# icount: yes
# memory: 2G
# needs: kpool_holds kpool_holds_gone
# No hold of a pool's lock takes more than 20,000 instructions.  The cost of an operation on one item
# does not grow with the number of others.  With as many as it takes to see five instructions for
# each; "make bench" has more.

. "$(dirname "$0")/ktap.sh"

ktap_begin
[ "${ICOUNT:-no}" = yes ] || ktap_skip_all "wants a clock that counts instructions"
holds_report=/tmp/holds.$$
sh "$SELFTESTS/../bench/holds.sh" one=500,5000 items=500,5000 groups=500,5000 \
	sleepers=300,2500 workers=31,62,600 "$@" >"$holds_report" 2>&1
holds_status=$?
while read -r word name ground verdict rest; do
	[ "$word" = TARGET ] || continue
	ktap_diag "$ground: $rest"
	[ "$verdict" = met ]
	ktap_result $? "$name"
done <"$holds_report"
[ "$holds_status" = 0 ] || ktap_diag "$(tail -n 5 "$holds_report")"
ktap_result "$holds_status" "every operation is measured"
ktap_end
