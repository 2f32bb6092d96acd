#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: stock
# icount: yes
# needs: kpool_bench
# No cost of kpool, as a ratio to that of kthread_worker in the same run, is more
# than 3 % above the one that bench/ratios has.  A lower one is no failure, but
# should be committed: see Documentation/performance.rst.

. "$(dirname "$0")/ktap.sh"

costs_bench=$SELFTESTS/../bench
costs_found=/tmp/costs.$$

# has_ratio CASE NOW: is it at most 3 % above the committed one?
has_ratio() {
	awk -v name="$1" -v now="$2" '
		$1 == name { found = 1; high = now > $2 * 1.03 }
		END { exit !found || high }' "$costs_bench/ratios"
}

ktap_begin
[ "${ICOUNT:-no}" = yes ] || ktap_skip_all "wants a clock that counts instructions"
sh "$costs_bench/ratios.sh" >"$costs_found.out" 2>&1
ktap_result $? "the bench runs"
sed -n 's/^RATIO //p' "$costs_found.out" >"$costs_found"
while read -r costs_case costs_ratio _; do
	has_ratio "$costs_case" "$costs_ratio"
	costs_status=$?
	ktap_diag "now $costs_ratio, in bench/ratios: $(grep "^$costs_case " "$costs_bench/ratios")"
	ktap_result "$costs_status" "$costs_case"
done <"$costs_found"
[ "$(cut -d ' ' -f 1 "$costs_found")" = "$(cut -d ' ' -f 1 "$costs_bench/ratios")" ]
ktap_result $? "the cases of bench/ratios are those of the bench"
ktap_end
