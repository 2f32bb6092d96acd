#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# soak.sh [PARAMETER...]: items, tunings and pools, very many with parameters
# for soak.ko such as items=1000000000, and oopses with deaths=N.  Tells what the
# guest's memory was before and is after each.

. "$(dirname "$0")/ktap.sh"

# memory: what would grow if something were left
memory() {
	awk '/^(MemFree|SUnreclaim|KernelStack|VmallocUsed):/ { printf "%s %s kB  ", $1, $2 }' \
		/proc/meminfo
}

# threads: those of pools
threads() {
	cat /proc/[0-9]*/comm | grep -c '^kpool/'
}

# no_threads: one that was stopped may be seen for a moment longer
# shellcheck disable=SC2317 # wait_until calls it
no_threads() {
	[ "$(threads)" -eq 0 ]
}

# soak MODULE CASE
soak() {
	ktap_diag "before $2: $(memory)"
	run_case "$1" "$2"
	ktap_diag "after $2:  $(memory)"
	ktap_diag "$(dmesg | grep "soak: .* \(items\|tunings\|pools\)" | tail -n 1)"
}

deaths=
others=
for parameter; do
	case $parameter in
	deaths=*) deaths=$parameter ;;
	*) others="$others $parameter" ;;
	esac
done

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
