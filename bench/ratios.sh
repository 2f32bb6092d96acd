#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_bench
# Prints what kpool costs in a guest whose clock counts instructions, each cost as
# a ratio to kthread_worker's: of the same case, or of a tiny item where
# kthread_worker has no such case.  The least of the rounds counts.  "make bench
# RATIOS=yes" writes them to the file that selftests/costs.sh compares with.
#
# usage: ratios.sh

[ "${ICOUNT:-no}" = yes ] || {
	echo "ratios: wants a clock that counts instructions: testbed.sh -i" >&2
	exit 1
}
csv=/tmp/ratios.$$
sh "$(dirname "$0")/bench.sh" icount 6000 800 10 \
	tiny-1-1+tiny-1-2+tiny-1-4+tiny-4-4+work-1us+trip+job >$csv || exit
awk -F, '
	/^CSV icount/ {
		if (!($2 in known)) {
			known[$2]
			cases[++n] = $2
		}
		key = $2 SUBSEP $3
		if (!(key in least) || $5 + 0 < least[key])
			least[key] = $5 + 0
	}
	END {
		for (i = 1; i <= n; i++) {
			peer = cases[i] SUBSEP "kthread_worker"
			if (!(peer in least))
				peer = "tiny-1-1" SUBSEP "kthread_worker"
			printf "RATIO %s %.3f\n", cases[i],
			       least[cases[i], "kpool"] / least[peer]
		}
		exit !n
	}' $csv
status=$?
rm -f $csv
exit $status
