#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_sim
# run.sh FIRST SEEDS [PARAMETER=VALUE...]: simulate in this guest, which has
# simulated time.  Exits with 1 if a seed fails; what is to be said about it is
# printed then.  The parameters are those of the module: mask, variant, trace,
# shrink, again.

SIM_PARAMETERS=/sys/module/kpool_sim/parameters
SIM_CHUNK=50000

set_parameter() {
	echo "$2" >"$SIM_PARAMETERS/$1"
}

show_report() {
	cat /sys/kernel/debug/kpool_simulate
}

# A warning of the kernel is a failure of the seed: the panic names it.
prepare() {
	echo 1 >/proc/sys/kernel/panic_on_warn
	[ -d "$SIM_PARAMETERS" ] || insmod "${0%/*}/kpool_sim.ko" || exit 1
}

# run_chunk FIRST SEEDS
run_chunk() {
	set_parameter first "$1"
	set_parameter seeds "$2"
	set_parameter run 1 2>/dev/null
}

prepare
first=$1
left=$2
shift 2
trace=0
for pair in "$@"; do
	set_parameter "${pair%%=*}" "${pair#*=}"
	[ "$pair" != trace=1 ] || trace=1
done
while [ "$left" -gt 0 ]; do
	chunk=$SIM_CHUNK
	[ "$left" -gt "$chunk" ] || chunk=$left
	if ! run_chunk "$first" "$chunk"; then
		show_report
		exit 1
	fi
	[ "$trace" = 0 ] || show_report
	first=$((first + chunk))
	left=$((left - chunk))
	echo "simulate: done up to $first"
done
