#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_holds kpool_holds_gone
# How long does kpool hold a pool's lock, or keep interrupts off, with many items
# pending or delayed, many callers asleep, many workers?  In a guest whose clock
# counts instructions.
#
# usage: holds.sh [KIND=N,N...]... [OPERATION...]
#
# The kinds are one (operations on one item beside n), items (on all n), groups,
# sleepers and workers.  Of each operation, a COST line tells for each n what it
# costs per item and its longest hold.  TARGET lines tell the longest hold of all, with the functions
# in which it began and ended.  They also tell by what factor the cost has grown from the least n to
# the greatest.  hold-elsewhere is of what prepares and ends the operations.

one="1000 100000 1000000"
items="1000 100000 1000000"
groups="1000 10000"
sleepers="1000 4000"
workers="1000 10000"
limit=20000
growth=2
holds=/sys/module/kpool_holds/parameters
wanted=

cd "$(dirname "$0")/holds" || exit 1

fail() {
	echo "holds: $*" >&2
	exit 1
}

# sizes KIND
sizes() {
	case $1 in
	one) echo "$one" ;;
	items) echo "$items" ;;
	groups) echo "$groups" ;;
	sleepers) echo "$sleepers" ;;
	workers) echo "$workers" ;;
	esac
}

is_wanted() {
	case $wanted in '' | *" $1 "*) return 0 ;; *) return 1 ;; esac
}

# target NAME VALUE LIMIT [TEXT]
target() {
	awk -v name="$1" -v value="$2" -v limit="$3" -v text="${4:-}" 'BEGIN {
		print "TARGET", name, "icount", value <= limit ? "met" : "short", value,
		      "(<= " limit ")" text }'
}

# measure OPERATION SIZE...: one after the other
measure() {
	operation=$1
	shift
	longest=-1
	first_cost=
	for size; do
		[ -d /sys/module/kpool_holds_gone ] || insmod kpool_holds_gone.ko || fail "insmod"
		echo "$operation $size" >"$holds/run" || fail "$operation $size"
		read -r hold outside cost from to <"$holds/result"
		echo "COST $operation icount $size $cost hold $hold"
		first_cost=${first_cost:-$cost}
		if [ "$hold" -gt "$longest" ]; then
			longest=$hold where=" from $from to $to"
		fi
		if [ "$outside" -gt "$elsewhere" ]; then
			elsewhere=$outside elsewhere_in=" in $operation"
		fi
	done
	target "hold-$operation" "$longest" "$limit" "$where"
	target "growth-$operation" "$(awk -v a="$first_cost" -v b="$cost" \
		'BEGIN { printf "%.2f", b / (a + 1) }')" "$growth"
}

for arg; do
	case $arg in
	one=* | items=* | groups=* | sleepers=* | workers=*)
		eval "${arg%%=*}=\$(echo \"\${arg#*=}\" | tr , ' ')"
		;;
	*) wanted="$wanted $arg " ;;
	esac
done
[ "${ICOUNT:-no}" = yes ] || fail "wants a clock that counts instructions: testbed.sh -i"
echo 60000 >/proc/sys/kernel/threads-max
echo 120000 >/proc/sys/kernel/pid_max
# the clock of such a guest jumps over what it waits for
echo 0 >/proc/sys/kernel/hung_task_timeout_secs
most=0
for size in $one $items $groups $workers; do
	[ "$size" -le "$most" ] || most=$size
done
[ -d /sys/module/kpool_holds ] || insmod kpool_holds.ko || fail "insmod"
echo "$most" >"$holds/jobs" || fail "no memory for $most items"

elsewhere=0
elsewhere_in=
list=$(cat "$holds/list")
while read -r name kind; do
	# shellcheck disable=SC2046 # sizes
	! is_wanted "$name" || measure "$name" $(sizes "$kind")
done <<END
$list
END
target hold-elsewhere "$elsewhere" "$limit" "$elsewhere_in"
