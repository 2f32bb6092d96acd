#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Bugs that pools of this kind have had, and 1,000 pools without a leak.

. "$(dirname "$0")/ktap.sh"

# slab_counts: NAME OBJECTS of each cache, without what can be given back at once
slab_counts() {
	echo 3 >/proc/sys/vm/drop_caches
	awk 'NR > 2 { print $1, $2 }' /proc/slabinfo
}

# grown BEFORE AFTER: the caches with at least 900 objects more; the kernel
# itself gives back the address ranges of dead threads' stacks late
# shellcheck disable=SC2317 # no_slab_grown calls it
grown() {
	printf '%s\n--\n%s\n' "$1" "$2" | awk '
		$1 == "--" { after = 1; next }
		!after { count[$1] = $2; next }
		$1 == "vmap_area" { next }
		$2 >= count[$1] + 900 { print $1, count[$1] + 0, "->", $2 }'
}

# slabs_show_nothing: print why, or fail if they do show something
slabs_show_nothing() {
	if [ ! -r /proc/slabinfo ]; then
		echo "this kernel has no /proc/slabinfo"
	elif grep -q " kasan_report$" /proc/kallsyms; then
		echo "KASAN keeps freed objects; kmemleak is its test"
	else
		return 1
	fi
}

# no_slab_grown: since slabs_before; else slabs_grown says which
# shellcheck disable=SC2317 # wait_until calls it
no_slab_grown() {
	slabs_grown=$(grown "$slabs_before" "$(slab_counts)")
	[ -z "$slabs_grown" ]
}

# 1,000 pools, each with a worker, were made between the two counts: an object
# lost for each is seen in some cache.  Fails if destroy forgets to free
# anything.
slabs_do_not_grow() {
	if slabs_blind=$(slabs_show_nothing); then
		run_case known_bugs next_1000_pools_leave_no_thread
		ktap_skip slabs_do_not_grow "$slabs_blind"
		return
	fi
	slab_counts >/dev/null
	sleep 1
	slabs_before=$(slab_counts)
	run_case known_bugs next_1000_pools_leave_no_thread
	wait_until no_slab_grown
	ktap_is slabs_do_not_grow "" "$slabs_grown"
}

ktap_begin
if load_tested known_bugs; then
	run_listed known_bugs next_1000_pools_leave_no_thread
	slabs_do_not_grow
	unload_test known_bugs
fi
ktap_end
