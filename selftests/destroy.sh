#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Modules that come and go: clients, their pools and kpool itself, while their
# files in debugfs are read and written.

. "$(dirname "$0")/ktap.sh"

dir=$KPOOL_DEBUGFS/client

# said TEXT: how many lines of the log have it
said() {
	dmesg | grep -c -F "$1"
}

# Fails (oopses) if destroy returns while a worker is still on its way out of the client's code.
client_may_go_right_after_destroy() {
	go_failed=0
	go_said=$(said "client: WARNING")
	for items in 0 1 2 3 10 50 1 2 3 10 50 1 2 3 10; do
		load_test client "items=$items" && rmmod client || go_failed=1
	done
	[ "$(said "client: WARNING")" -eq "$go_said" ] || go_failed=1
	ktap_result "$go_failed" "a client may go right after it destroyed its pool"
}

# Fails if a running item, or the client's own exit, is not waited for.
client_may_go_while_its_item_runs() {
	load_test client
	echo 1 >/sys/module/client/parameters/hold
	wait_until grep -q 'running.*held_fn' "$dir/workers"
	ktap_is "a held item runs in a worker of the pool" 1 \
		"$(grep -c 'running.*held_fn' "$dir/workers")"
	rmmod client
	ktap_result $? "a client may go while its item runs"
}

# Fails if the pool's files outlive it, or (oopses) its memory does not outlive theirs.
open_files_survive_destroy() {
	load_test client
	exec 3<"$dir/stats" 4<"$dir/workers" 5<>"$dir/capacity"
	rmmod client
	open_failed=0
	! cat <&3 >/dev/null 2>&1 || open_failed=1
	! cat <&4 >/dev/null 2>&1 || open_failed=1
	! cat <&5 >/dev/null 2>&1 || open_failed=1
	! dd if=/dev/zero bs=1 count=1 2>/dev/null >&5 || open_failed=1
	exec 3<&- 4<&- 5>&-
	[ ! -e "$dir" ] || open_failed=1
	ktap_result "$open_failed" "files held open across destroy fail from then on"
}

# Read and write all that is there, for as long as /tmp/busy exists.
use_debugfs() {
	while [ -e /tmp/busy ]; do
		cat "$KPOOL_DEBUGFS"/pools "$KPOOL_DEBUGFS"/*/*
		for file in "$KPOOL_DEBUGFS"/*/capacity "$KPOOL_DEBUGFS"/*/nice; do
			echo "$1" >"$file"
		done
	done >/dev/null 2>&1
}

# Fails (oopses, hangs) if a file can be used while its pool is made or freed.
debugfs_may_be_used_all_the_while() {
	: >/tmp/busy
	use_debugfs 3 &
	use_debugfs 5 &
	used_failed=0
	for round in 1 2 3 4 5 6 7 8 9 10; do
		load_test client "items=$round" && rmmod client || used_failed=1
	done
	echo pools_are_created_and_destroyed >/sys/module/destroy/parameters/run || used_failed=1
	rm /tmp/busy
	wait
	ktap_result "$used_failed" "debugfs may be used while pools come and go"
}

# leave_pool PARAMETER...: a client goes without its pool, whose address is $pool then
leave_pool() {
	load_test client "$@"
	pool=$(cat /sys/module/client/parameters/address)
	rmmod client
}

# poke_pool: what another client that was given it finds in $pool
poke_pool() {
	load_test client "address=$pool" poke=1
	rmmod client
	dmesg | sed -n 's/.*client: poked: //p' | tail -n 1
}

# Fails if the pool can be opened again or freed by another client, takes anything in, keeps its name
# or kpool.ko. Also fails (oopses) if it calls what went with its owner.
orphaned_pool_is_closed_for_good() {
	orphaned_said=$(said "kpool: client: module client removed without")
	orphaned_warned=$(said "client: WARNING")
	leave_pool keep=1 items=5
	ktap_result $? "a client may go without destroying its pool"
	ktap_is "the log reports an orphaned pool" 1 \
		$(($(said "kpool: client: module client removed without") - orphaned_said))
	[ ! -e "$dir" ] && ! grep -q '^client ' "$KPOOL_DEBUGFS/pools"
	ktap_result $? "an orphaned pool is not seen any more"
	ktap_is "an orphaned pool takes nothing, starts nothing, and answers" \
		"closed 1, alive 0, pending 0, running 0, completed 5, dropped 0" "$(poke_pool)"
	ktap_is "each function says so" 0 $(($(said "client: WARNING") - orphaned_warned))
	first=$pool
	leave_pool keep=1 items=1
	ktap_result $? "the name of an orphaned pool is free"
	[ "$pool" != "$first" ]
	ktap_result $? "its memory is not"
	rmmod kpool 2>/dev/null
	ktap_is "orphaned pools do not keep kpool.ko" 0 "$(lsmod | grep -c '^kpool ')"
	load_kpool
}

# Fails if their destruction by another client pretends to have freed them: mutant
# orphaned-multi-is-freed.
several_orphaned_pools_are_not_freed() {
	several_warned=$(said "client: WARNING")
	leave_pool several=1
	load_test client "address=$pool" several=1
	rmmod client
	ktap_is "several orphaned pools are not freed by another client" 0 		$(($(said "client: WARNING") - several_warned))
}

# Fails (oopses) if a file of an orphaned pool can be used, or what kpool's exit frees is freed twice
# or used later.
kpool_goes_after_orphaned_pools() {
	ends_failed=0
	for round in 1 2 3 4 5 6 7 8 9 10; do
		load_test client keep=1 items=3
		exec 3<"$dir/stats" 4<>"$dir/capacity"
		rmmod client
		! cat <&3 >/dev/null 2>&1 || ends_failed=1
		! echo 3 2>/dev/null >&4 || ends_failed=1
		leave_pool "name=other" keep=1 items=1
		load_test client use_default=1 items=3 && rmmod client || ends_failed=1
		exec 5<"$KPOOL_DEBUGFS/default/stats"
		cat <&5 >/dev/null
		# open files keep it
		! rmmod kpool 2>/dev/null || ends_failed=1
		exec 3<&- 4>&- 5<&-
		rmmod kpool || ends_failed=1
		load_kpool
	done
	ktap_result "$ends_failed" "kpool.ko may go after orphaned pools, again and again"
}

# Fails (oopses) if what is pending is left to workers that run it when its code has gone. Also fails
# if the owner is not notified or what runs is not awaited.
orphaned_items_are_dropped() {
	orphaned_warned=$(said "client: WARNING")
	orphaned_dropped=$(said "client: dropped with -125")
	orphaned_ended=$(said "client: the running item ends")
	leave_pool leave=5 capacity=1
	ktap_result $? "a client may go with items pending"
	ktap_is "orphaned items are dropped, not run" "5 0" \
		"$(($(said "client: dropped with -125") - orphaned_dropped)) \
$(($(said "client: WARNING") - orphaned_warned))"
	ktap_is "an orphaned item that runs is awaited" "1" \
		"$(($(said "client: the running item ends") - orphaned_ended))"
	ktap_is "the pool of orphaned items is closed and drained" \
		"closed 1, alive 0, pending 0, running 0, completed 1, dropped 5" "$(poke_pool)"
}

# Fails if the second pool is left to go on until the first has ended, which waits for it.
orphaned_pools_are_closed_together() {
	together_said=$(said "client removed without")
	together_warned=$(said "client: WARNING")
	leave_pool cross=1 capacity=1
	ktap_result $? "a client may go with two pools that wait for each other"
	ktap_is "both are closed before one is awaited" "2 0" \
		"$(($(said "client removed without") - together_said)) \
$(($(said "client: WARNING") - together_warned))"
}

# Fails if the default pool holds a reference, or is not ended by kpool's exit.
default_pool_does_not_keep_kpool() {
	load_test client use_default=1 items=20
	ktap_is "the default pool is there, and kpool's own" kpool \
		"$(awk '$1 == "default" { print $NF }' "$KPOOL_DEBUGFS/pools")"
	rmmod client
	rmmod kpool
	ktap_result $? "the default pool does not keep kpool.ko"
	load_kpool
	ktap_is "kpool.ko can be loaded again" 1 "$(lsmod | grep -c '^kpool ')"
}

# rescuers: threads of the workqueue that kpool has of its own
rescuers() {
	ps | awk '/\[(kworker\/R-)?kpool\]/ { n++ } END { print n + 0 }'
}

# rescuers_are N: one that was stopped can be seen for a moment longer
# shellcheck disable=SC2317 # wait_until calls it
rescuers_are() {
	[ "$(rescuers)" -eq "$1" ]
}

# The kernel warns of a lack of places for callbacks.
# Fails if a load that fails leaves behind what it has made.
load_that_fails_leaves_nothing() {
	wait_until rescuers_are 1
	ktap_is "the workqueue has a rescuer" 1 "$(rescuers)"
	rmmod kpool
	echo "kpool-testbed: expect begin" >/dev/kmsg
	load_test cpuhp_exhaust
	! insmod "$KPOOL_KO" 2>/dev/null
	ktap_result $? "kpool.ko is not loaded without a place for its callback"
	rmmod cpuhp_exhaust
	echo "kpool-testbed: expect end" >/dev/kmsg
	wait_until rescuers_are 0
	ktap_is "a load that fails leaves nothing behind" "0 0" \
		"$(lsmod | grep -c '^kpool ') $(rescuers)"
	load_kpool
	ktap_result $? "kpool.ko can be loaded afterwards"
}

ktap_begin
if mount_debugfs; then
	client_may_go_right_after_destroy
	client_may_go_while_its_item_runs
	open_files_survive_destroy
	load_test destroy
	debugfs_may_be_used_all_the_while
	rmmod destroy
	orphaned_pool_is_closed_for_good
	several_orphaned_pools_are_not_freed
	kpool_goes_after_orphaned_pools
	orphaned_items_are_dropped
	orphaned_pools_are_closed_together
	default_pool_does_not_keep_kpool
	load_that_fails_leaves_nothing
fi
# the first user of the default pool sleeps for its worker, so that others come meanwhile
rmmod kpool
insmod "$KPOOL_KO" default_min_workers=1
run_cases destroy
ktap_end
