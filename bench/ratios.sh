#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_bench
# Prints what kpool, workqueues and a kthread per item cost in a guest whose clock
# counts instructions.  Each cost is a ratio to kthread_worker's: of the same case, or of a tiny item
# where kthread_worker has no such case.  In a round trip, the median of the rounds counts: few rounds
# are far below it by chance.  Elsewhere the lower quartile counts.  A tick and what it starts only
# add to a round.  The half of the rounds that it adds to can be one more or one less.  "make bench
# RATIOS=yes" writes the ratios to the file whose second column selftests/costs.sh compares with.
#
# usage: ratios.sh

[ "${ICOUNT:-no}" = yes ] || {
	echo "ratios: wants a clock that counts instructions: testbed.sh -i" >&2
	exit 1
}
csv=/tmp/ratios.$$
bench=$(dirname "$0")
sh "$bench/bench.sh" icount 6000 800 10 \
	tiny-1-1+tiny-1-2+tiny-1-4+tiny-4-4+work-1us+trip+job >$csv || exit
sed -n 's/^CSV //p' $csv | awk -F, -v quartile='^(tiny|work|job)' \
	-f "$bench/medians.awk" | awk '
	NR == 1 {
		for (i = 2; i <= NF; i++)
			column[$i] = i
		next
	}
	function ratio(contender) {
		if ($column[contender] == "-")
			return "-"
		return sprintf("%.3f", $column[contender] / peer)
	}
	{
		peer = $column["kthread_worker"]
		if ($1 == "tiny-1-1")
			tiny = peer
		if (peer == "-")
			peer = tiny
		print "RATIO", $1, ratio("kpool"), ratio("WQ_UNBOUND"),
		      ratio("WQ_PERCPU"), ratio("kthread_run")
	}
	END { exit NR < 2 }'
status=$?
rm -f $csv
exit $status
