#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_bench
# Runs the bench in a guest and prints what it found.
#
# usage: bench.sh [ground [items [pings [rounds]]]]
#
# The ground is a label; in a guest of the test bed it is known.  On "icount" the
# guest's clock counts instructions, so the figures are instructions per item;
# elsewhere they are nanoseconds, for which no targets are set yet.
# The exit status says whether the bench ran, not whether its targets were met.

ground=${KERNEL:-stock}
[ "${ICOUNT:-no}" = no ] || ground=icount
ground=${1:-$ground}
items=${2:-20000}
pings=${3:-2000}
rounds=${4:-7}

cd "$(dirname "$0")/.." || exit 1
debugfs=/sys/kernel/debug
[ -d $debugfs/tracing ] || [ -d $debugfs/bdi ] ||
	mount -t debugfs none $debugfs || exit 1

fail() {
	echo "bench: $*" >&2
	exit 1
}

[ -d $debugfs/kpool ] || insmod kpool.ko || fail "cannot load kpool.ko"
insmod bench/kpool_bench.ko ground="$ground" items="$items" pings="$pings" \
	rounds="$rounds" || fail "cannot run"

rounds_csv=$(cat $debugfs/kpool_bench/rounds)
rmmod kpool_bench || fail "cannot remove kpool_bench"

# One line per round in, a table and the targets out.
echo "$rounds_csv" | awk -F, -f bench/report.awk
