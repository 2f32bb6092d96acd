#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_bench
# Runs the bench in a guest and prints what it found: a line of CSV per round, a
# table, and a line per target.
#
# usage: bench.sh [ground [items [pings [rounds [cases]]]]]
#
# The ground is uml, stock or icount; in a guest of the test bed it is known.  On
# "icount" the guest's clock counts instructions, so the figures are instructions;
# elsewhere they are nanoseconds.  The cases are the beginnings of their names,
# with a + between; default is all.
# The exit status says whether the bench ran, not whether its targets were met.

ground=${KERNEL:-stock}
[ "${ICOUNT:-no}" = no ] || ground=icount
ground=${1:-$ground}
items=${2:-20000}
pings=${3:-2000}
rounds=${4:-7}
only=${5:-}

cd "$(dirname "$0")/.." || exit 1
debugfs=/sys/kernel/debug
[ -d $debugfs/tracing ] || [ -d $debugfs/bdi ] ||
	mount -t debugfs none $debugfs || exit 1

fail() {
	echo "bench: $*" >&2
	exit 1
}

# The clock of a guest that counts instructions jumps over what it waits for.
[ "$ground" != icount ] || [ ! -e /proc/sys/kernel/hung_task_timeout_secs ] ||
	echo 0 >/proc/sys/kernel/hung_task_timeout_secs

[ -d $debugfs/kpool ] || insmod kpool.ko || fail "cannot load kpool.ko"
insmod bench/kpool_bench.ko ground="$ground" items="$items" pings="$pings" \
	rounds="$rounds" ${only:+only="$only"} || fail "cannot run"

rounds_csv=$(cat $debugfs/kpool_bench/rounds)
rmmod kpool_bench || fail "cannot remove kpool_bench"

echo "$rounds_csv" | sed 's/^/CSV /'
echo "$rounds_csv" | awk -F, -f bench/report.awk
