#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# soak.sh [PARAMETER...]: items, tunings and pools, very many with parameters
# for soak.ko such as items=1000000000, and oopses with deaths=N.  Tells what the
# guest's memory was before and is after each; tasks, stacks, slabs and memory
# that each leaves behind are failures.

. "$(dirname "$0")/ktap.sh"

# memory: what would grow if something were left
memory() {
	awk '/^(MemFree|SUnreclaim|KernelStack|VmallocUsed):/ { printf "%s %s kB  ", $1, $2 }' \
		/proc/meminfo
	awk '$1 == "task_struct" { print "task_struct:", $2 }' /proc/slabinfo 2>/dev/null
}

# threads: those of pools
threads() {
	cat /proc/[0-9]*/comm | grep -c '^kpool/'
}

# no_threads: one that was stopped can be seen for a moment longer
# shellcheck disable=SC2317 # wait_until calls it
no_threads() {
	[ "$(threads)" -eq 0 ]
}

# left: NAME COUNT of all that could be left behind: objects of each slab, kB, tasks
left() {
	echo 3 >/proc/sys/vm/drop_caches
	[ ! -e /sys/kernel/slab/task_struct/shrink ] || echo 1 >/sys/kernel/slab/task_struct/shrink
	[ "$kasan" = yes ] || awk 'NR > 2 { print $1, $2 }' /proc/slabinfo 2>/dev/null
	awk -F '[: ]+' '/^(SUnreclaim|KernelStack):/ { print $1, $2 }' /proc/meminfo
	echo "tasks $(echo /proc/[0-9]* | wc -w)"
}

# grown BEFORE AFTER: the counts that have grown by more than chance
grown() {
	printf '%s\n--\n%s\n' "$1" "$2" | awk '
		BEGIN {
			most["task_struct"] = most["tasks"] = 50
			most["KernelStack"] = 2048
			most["SUnreclaim"] = 8192
		}
		$1 == "--" { after = 1; next }
		!after { count[$1] = $2; next }
		# given back late by the kernel itself
		$1 == "vmap_area" { next }
		$2 >= count[$1] + ($1 in most ? most[$1] : 900) {
			print $1, count[$1] + 0, "->", $2
		}'
}

# wait_until_left: look again and again, as memory is given back late; left_grown
# names the counts that have grown since left_before
wait_until_left() {
	left_tries=100
	while left_grown=$(grown "$left_before" "$(left)") && [ -n "$left_grown" ]; do
		left_tries=$((left_tries - 1))
		[ "$left_tries" -gt 0 ] || return
		sleep 0.1
	done
}

# soak MODULE CASE: fails if tasks that have ended, or memory, are not given back
soak() {
	left_before=$(left)
	ktap_diag "before $2: $(memory)"
	run_case "$1" "$2"
	wait_until_left
	ktap_diag "after $2:  $(memory)"
	ktap_diag "$(dmesg | grep "soak: .* \(items\|tunings\|pools\)" | tail -n 1)"
	ktap_is "$2 leaves nothing" "" "$left_grown"
}

deaths=
others=
for parameter; do
	case $parameter in
	deaths=*) deaths=$parameter ;;
	*) others="$others $parameter" ;;
	esac
done

# KASAN keeps freed objects; kmemleak is its test.
kasan=no
! grep -q " kasan_report$" /proc/kallsyms || kasan=yes
# and the kernel does not log each look
echo 4 >/proc/sys/vm/drop_caches

ktap_begin
if [ "${KERNEL:-}" = uml-time ]; then
	ktap_skip_all "simulated time does not pass in a busy guest"
fi
# shellcheck disable=SC2086 # each word is a parameter
if load_tested soak $others; then
	# shellcheck disable=SC2013 # a case's name is a word
	for case in $(cat /sys/module/soak/parameters/list); do
		soak soak "$case"
	done
	unload_test soak
fi
if [ -n "$deaths" ] && load_tested oops "$deaths"; then
	soak oops many_die_in_a_row
	unload_test oops
fi
wait_until no_threads
ktap_is "no thread of a pool is left" 0 "$(threads)"
rmmod kpool
ktap_result $? "kpool.ko can go"
load_kpool
ktap_end
