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

# memory_used: by kernel objects, but for those of debugfs, tasks and stacks.  The memory freed last
# takes a second to be free.
memory_used() {
	sleep 1
	awk -v other='dentry|inode|task_struct|sig|cred|pid|vm' '
		FILENAME == "/proc/slabinfo" && $1 !~ other { sum += $2 * $4 }
		/^Percpu:/ { sum += $2 * 1024 }
		END { printf "%d\n", sum }' /proc/slabinfo /proc/meminfo
}

# kept KIND NUMBER: the memory that so many of them take, per piece
kept() {
	before=$(memory_used)
	insmod bench/kpool_bench.ko "keep_$1=$2" || fail "cannot keep $2 $1"
	after=$(memory_used)
	rmmod kpool_bench || fail "cannot remove kpool_bench"
	echo $(((after - before) / $2))
}

# Bytes of a pool without workers, and of a worker beside its task and stack.
measure_memory() {
	kept pools 10 >/dev/null
	echo "$ground,memory-pool,kpool,1,0,0,0,0,$(kept pools 1000)"
	kept threads 1000 >/dev/null
	thread=$(kept threads 1000)
	echo "$ground,memory-worker,kpool,1,0,0,0,0,$(($(kept workers 1000) - thread))"
}

is_wanted() {
	[ -z "$only" ] && return
	case "+$only" in *"+$1"*) return 0 ;; *) return 1 ;; esac
}

# The clock of a guest that counts instructions jumps over what it waits for.
[ "$ground" != icount ] || [ ! -e /proc/sys/kernel/hung_task_timeout_secs ] ||
	echo 0 >/proc/sys/kernel/hung_task_timeout_secs

echo 60000 >/proc/sys/kernel/threads-max
echo 120000 >/proc/sys/kernel/pid_max

[ -d $debugfs/kpool ] || insmod kpool.ko || fail "cannot load kpool.ko"
[ ! -e bench/spl.ko ] || insmod bench/spl.ko || fail "cannot load spl.ko"
insmod bench/kpool_bench.ko ground="$ground" items="$items" pings="$pings" \
	rounds="$rounds" ${only:+only="$only"} || fail "cannot run"

rounds_csv=$(cat $debugfs/kpool_bench/rounds)
rmmod kpool_bench || fail "cannot remove kpool_bench"
! is_wanted memory || rounds_csv="$rounds_csv
$(measure_memory)" || exit

echo "$rounds_csv" | sed 's/^/CSV /'
echo "$rounds_csv" | awk -F, -f bench/report.awk
