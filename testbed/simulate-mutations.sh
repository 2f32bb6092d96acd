#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# simulate-mutations.sh [NAME...]: break the engine in one way at a time, and see after how many seeds
# the simulation notices. The mutations are selftests/simulate/mutations/NAME.sed, in the form of
# those that mutants.sh knows. SEEDS is how many are tried before one is given up.
#
# The table goes to the standard output. A mutation that the simulation cannot see names a selftest
# that does, and on which kernel.
# shellcheck disable=SC2154,SC2034 # shared with what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"
for part in packages source kernel modules uml qemu guest; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
mutations=$tree/selftests/simulate/mutations

# A line of a mutation's head.
head_of() {
	sed -n "s/^# $1: //p" "$mutations/$2.sed"
}

# What differs from the last build is new: times are not kept. False if nothing is changed.
apply() {
	local pattern file excludes=()
	for pattern in "${products[@]}"; do
		excludes+=("--exclude=$pattern")
	done
	rsync -rlpc --delete "${excludes[@]}" "$tree/" "$build/"
	file=$build/$(head_of file "$1")
	sed -i -f "$mutations/$1.sed" "$file"
	! cmp -s "$file" "$tree/$(head_of file "$1")"
}

build_mutation() {
	make -j"$(nproc)" -C "$kernel_dir" ARCH="$kernel_arch" M="$build" \
		KPOOL_WITH=selftests/simulate modules >"$run/make" 2>&1 </dev/null
}

# Boot it; its console shows which seed did not survive, its output which one failed.
simulate() {
	local stage=$run/tree
	rm -rf "$stage" "$run/output" "$run/verdict"
	mkdir -p "$stage/kpool/selftests/simulate"
	cp "$build/selftests/simulate"/{kpool_sim.ko,run.sh} "$stage/kpool/selftests/simulate/"
	pack_initramfs "$stage" "$initramfs" selftests/simulate/run.sh 1 "$seeds" shrink=0
	run_guest >"$run/printed"
}

# after: print how many seeds it took, and what was noticed.
after() {
	local seed text
	read -r seed text < <(sed -n 's/^seed \([0-9]*\): \(.*\)/\1 \2/p' "$run/printed" | head -n 1)
	if [ -n "$seed" ]; then
		echo "$seed|$text"
		return
	fi
	seed=$(sed -n 's/.*simulate: panic in FIRST=\([0-9]*\) .*/\1/p' "$console" | tail -n 1)
	if [ -n "$seed" ]; then
		echo "$seed|the kernel panics"
	elif [ "$hung" = yes ]; then
		echo "$(sed -n 's/^simulate: done up to //p' "$run/printed" | tail -n 1)+|the guest spins"
	elif [ "$verdict" != 0 ]; then
		echo "?|the guest ends"
	else
		return 1
	fi
}

try() {
	local name=$1 row
	if ! apply "$name"; then
		row="-|changes nothing"
	elif ! build_mutation; then
		row="-|does not compile"
	else
		simulate
		row=$(after) || row="not in $seeds|$(head_of tests "$name") on $(head_of kernel "$name")"
	fi
	printf '%-28s | %-14s | %s\n' "$name" "${row%%|*}" "${row#*|}"
}

main() {
	local name names=("$@")
	kernel=uml-time seeds=${SEEDS:-300000} timeout=${TIMEOUT:-300} icount=no append='' coverage=''
	# shellcheck source=/dev/null
	. "$here/kernels/$kernel.sh"
	cpus=$default_cpus memory=$default_memory
	need_packages gcc libc6-dev make rsync cpio kmod busybox-static
	prepare_kernel
	if [ $# = 0 ]; then
		for name in "$mutations"/*.sed; do
			name=${name##*/}
			names+=("${name%.sed}")
		done
	fi
	run=$(mktemp -d "${TMPDIR:-/tmp}/kpool-mutations.XXXXXX")
	build=$cache/build/mutations-$kernel_key-$tree_id
	mkdir -p "$build"
	trap 'end_guest 2>/dev/null; rm -rf "$run"' EXIT
	trap 'exit 130' INT
	initramfs=$run/initramfs console=$run/console
	prepare_guest_uml
	printf '%-28s | %-14s | %s\n' mutation "after seeds" noticed
	for name in "${names[@]}"; do
		try "$name"
	done
}

main "$@"
