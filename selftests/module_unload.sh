#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A client is removed without having flushed what it gave to the default pool. Pending and delayed
# items are cancelled, running ones awaited, others' items left alone, and the log says so.

. "$(dirname "$0")/ktap.sh"

# said TEXT: how many lines of the log have it
said() {
	dmesg | grep -c -F "$1"
}

# reported CANCELLED [RUNS]: how many lines report so many items
reported() {
	dmesg | grep -c "kpool: default: .*module_unload.* $1 cancelled, ${2:-}"
}

# stat_of KEY: of the default pool
stat_of() {
	awk -v key="$1" '$1 == key { print $2 }' "$KPOOL_DEBUGFS/default/stats"
}

# rest_of_it: what is left in the pool: pending, delayed, running
rest_of_it() {
	echo "$(stat_of pending) $(stat_of delayed) $(stat_of running)"
}

# shellcheck disable=SC2317 # wait_until calls it
rest_is() {
	[ "$(rest_of_it)" = "$1" ]
}

# shellcheck disable=SC2317 # wait_until calls it
blocked_are() {
	[ "$(stat_of blocked)" = "$1" ]
}

# of_client PARAMETER: its value
of_client() {
	cat "/sys/module/client/parameters/$1"
}

# shellcheck disable=SC2317 # wait_until calls it
submit_returned() {
	[ "$(of_client submit_got)" != 1 ]
}

# client_holds_the_unit: of the default pool, which has one
client_holds_the_unit() {
	insmod "$KPOOL_KO" default_capacity=1 default_queue_depth=unlimited
	load_test client use_default=1
	echo 1 >/sys/module/client/parameters/hold
	wait_until rest_is "0 0 1"
}

# Fails (oopses) if what is pending or delayed runs when its code has gone. Also fails if rmmod
# returns while an item still runs, or is to be completed; or if the log does not count both.
# orphan WHAT CAPACITY RUNNING CANCELLED [TAKER]: of the client's own; with a thread that takes the
# second while the search stands at it
orphan() {
	orphan_name="orphaned $1, $3 running${5:+, $5}"
	insmod "$KPOOL_KO" "default_capacity=$2" default_queue_depth=unlimited
	orphan_warned=$(said "module_unload: WARNING")
	orphan_ended=$(said "module_unload: a running item ends")
	# elsewhere, the run can have ended when the search comes to it
	case ${KERNEL:-}:$3 in uml-time:1) orphan_runs="1 runs awaited" ;; *) orphan_runs= ;; esac
	orphan_logged=$(reported "$4" "$orphan_runs")
	load_test module_unload "leave=$1" "runs=$3" ${5:+"taker=$5"}
	rmmod module_unload
	ktap_result $? "$orphan_name: the client can go"
	ktap_is "$orphan_name: the running are awaited" "$3" \
		"$(($(said "module_unload: a running item ends") - orphan_ended))"
	ktap_is "$orphan_name: nothing is left" "0 0 0" "$(rest_of_it)"
	ktap_is "$orphan_name: all are accounted for" "$4 $(($(stat_of submitted) - $4))" \
		"$(stat_of cancelled) $(stat_of completed)"
	# an item can be taken by the taker, before or after the search comes to it
	[ -n "${5:-}" ] ||
		ktap_is "$orphan_name: the log reports it" 1 $(($(reported "$4" "$orphan_runs") - orphan_logged))
	load_test client use_default=1 items=30 && rmmod client
	ktap_result $? "$orphan_name: the pool goes on"
	# until a delay of the client's would be over
	case ${KERNEL:-}:$1 in uml-time:delayed) sleep 6 ;; *:delayed) ! is_long || sleep 6 ;; esac
	ktap_is "$orphan_name: nothing runs afterwards" 0 \
		"$(($(said "module_unload: WARNING") - orphan_warned))"
	rmmod kpool
}

# Fails if items are distinguished by anything but the module that they are of.
others_are_left_alone() {
	insmod "$KPOOL_KO" default_capacity=3 default_queue_depth=unlimited
	load_test client use_default=1
	echo 1 >/sys/module/client/parameters/hold
	load_test module_unload leave=pending runs=2
	echo 1 >/sys/module/client/parameters/wait
	rmmod module_unload
	wait_until rest_is "0 1 1"
	ktap_is "another client's item runs on" 1 "$(stat_of running)"
	ktap_is "another client's delayed item waits on" 1 "$(stat_of delayed)"
	ktap_is "another client's items are not cancelled" 16 "$(stat_of cancelled)"
	rmmod client
	ktap_is "it ends with its own client" "0 0 0" "$(rest_of_it)"
	rmmod kpool
}

# Fails (oopses) if rmmod returns while the owner's drop function still runs; or if its item is
# counted as cancelled.
a_drop_is_awaited() {
	insmod "$KPOOL_KO" default_capacity=1 default_queue_depth=16 default_when_full=drop_oldest
	drop_ended=$(said "module_unload: a drop function ends")
	load_test module_unload leave=drops runs=1
	rmmod module_unload
	ktap_is "a drop function that runs is awaited" 1 \
		"$(($(said "module_unload: a drop function ends") - drop_ended))"
	ktap_is "what was dropped is not cancelled" "1 16 1" \
		"$(stat_of dropped) $(stat_of cancelled) $(stat_of completed)"
	rmmod kpool
}

# Fails if an item that comes back each time it has run is accepted again: it would for ever.
an_item_that_comes_again_is_refused() {
	insmod "$KPOOL_KO" default_capacity=2 default_queue_depth=unlimited
	again_refused=$(said "module_unload: comes again no more: -108")
	again_warned=$(said "module_unload: comes again no more: -40")
	load_test module_unload "leave=$1" runs=1
	rmmod module_unload
	ktap_is "$1: what comes again is refused" "1 0" \
		"$(($(said "module_unload: comes again no more: -108") - again_refused)) \
$(($(said "module_unload: comes again no more: -40") - again_warned))"
	ktap_is "$1: nothing is left" "0 0 0" "$(rest_of_it)"
	rmmod kpool
}

# Fails if an item is known by its own function and memory alone: its drop function would be
# called when that has gone.
foreign_items_with_a_drop_function_are_cancelled() {
	client_holds_the_unit
	load_test module_unload leave=foreign "fn=$(of_client fn)"
	ktap_is "items with a function of another's wait" 16 "$(stat_of pending)"
	rmmod module_unload
	ktap_is "they are cancelled with the module of their drop function" "16 0" \
		"$(stat_of cancelled) $(stat_of pending)"
	rmmod client
	ktap_is "no drop function is called" "0 1" "$(stat_of dropped) $(stat_of completed)"
	rmmod kpool
}

# Fails (oopses) if a pending job is not known by its completion function: mutant
# orphan-known-without-completion.
foreign_job_with_a_completion_function_is_cancelled() {
	client_holds_the_unit
	load_test module_unload leave=completion "fn=$(of_client fn)"
	rmmod module_unload
	ktap_is "a job is cancelled with the module of its completion function" "1 0" \
		"$(stat_of cancelled) $(stat_of pending)"
	rmmod client
	rmmod kpool
}

# Fails if only what is to run is searched for: mutant orphan-to-drop-left.
items_to_be_dropped_are_cancelled() {
	insmod "$KPOOL_KO" default_capacity=2 default_queue_depth=unlimited
	dropping_logged=$(reported 16)
	load_test client use_default=1
	load_test module_unload leave=dropping "fn=$(of_client fn)" "drop_fn=$(of_client drop_fn)"
	ktap_is "items wait behind a drop function of another's" 17 "$(stat_of pending)"
	rmmod module_unload
	ktap_is "items to be dropped are cancelled" "16 1 1" \
		"$(stat_of cancelled) $(stat_of pending) $(($(reported 16) - dropping_logged))"
	rmmod client
	ktap_is "the other's is dropped" "1 17" "$(stat_of dropped) $(stat_of submitted)"
	rmmod kpool
}

# The module's own pool, which it orphans, runs an item that makes the default pool.
# Fails (oopses) if only a default pool that was there before is searched: mutant default-made-late.
default_pool_made_late_is_searched() {
	insmod "$KPOOL_KO"
	late_ended=$(said "module_unload: a running item ends")
	late_warned=$(said "module_unload: WARNING")
	load_test module_unload leave=late
	rmmod module_unload
	ktap_is "what runs in a default pool made late is awaited" 1 \
		"$(($(said "module_unload: a running item ends") - late_ended))"
	ktap_is "what is delayed there is cancelled" "0 0 0 1" "$(rest_of_it) $(stat_of cancelled)"
	ktap_is "nothing was refused, or ran when it had gone" 0 \
		"$(($(said "module_unload: WARNING") - late_warned))"
	rmmod kpool
}

# An item of the module in the default pool makes a pool of the module.
# Fails if only pools that were there before are ended: mutant pool-made-late.
pool_made_late_is_ended() {
	insmod "$KPOOL_KO"
	late_ended=$(said "made-late: module module_unload removed without kpool_destroy()")
	load_test module_unload leave=creates runs=1
	rmmod module_unload
	ktap_is "a pool that is made late is closed" 1 \
		"$(($(said "made-late: module module_unload removed without kpool_destroy()") - late_ended))"
	[ ! -e "$KPOOL_DEBUGFS/made-late" ]
	ktap_result $? "its name is free"
	rmmod kpool
}

# An item of the module is making a pool, whose workers cannot all be created.
# Fails (oopses) if the pool is freed by that item and by the removal: mutant
# failing-create-frees-an-orphan.
pool_that_is_not_made_is_ended_once() {
	insmod "$KPOOL_KO" default_capacity=2
	failing_warned=$(said "module_unload: WARNING")
	failing_ended=$(said "made-late: module module_unload removed without kpool_destroy()")
	load_test module_unload leave=fails runs=1
	rmmod module_unload
	ktap_result $? "a client can go while a pool of it fails to be made"
	ktap_is "the pool is closed, and its creation fails" "1 0" \
		"$(($(said "made-late: module module_unload removed without kpool_destroy()") - failing_ended)) \
$(($(said "module_unload: WARNING") - failing_warned))"
	[ ! -e "$KPOOL_DEBUGFS/made-late" ]
	ktap_result $? "the name of a pool that was not made is free"
	rmmod kpool
}

# Fails if the submitter sleeps on, or gets another error: mutants orphan-submitter-errno,
# orphan-call-stays-blocked.
# blocked_client_is_refused ACTION WHAT: submit or call what has that parameter
blocked_client_is_refused() {
	insmod "$KPOOL_KO" default_capacity=1
	load_test client use_default=1
	echo 1 >/sys/module/client/parameters/hold
	wait_until rest_is "0 0 1"
	load_test module_unload leave=offered
	cat "/sys/module/module_unload/parameters/$2" >"/sys/module/client/parameters/$1"
	wait_until blocked_are 1
	blocked_said=$(said "removed with items")
	rmmod module_unload
	wait_until submit_returned
	ktap_is "a client is refused that waits for room to $1" "0 0 -108" \
		"$(stat_of blocked) $(stat_of cancelled) $(of_client submit_got)"
	ktap_is "no item is reported that waits for room to $1" 0 \
		"$(($(said "removed with items") - blocked_said))"
	rmmod client
	rmmod kpool
}

# A call that is queued is ended in the same way.
# Fails (oopses) if its function is called when it has gone: mutant orphan-call-stays-queued.
queued_call_is_refused() {
	client_holds_the_unit
	load_test module_unload leave=offered
	cat /sys/module/module_unload/parameters/called >/sys/module/client/parameters/call
	wait_until rest_is "1 0 1"
	call_reported=$(reported 1)
	rmmod module_unload
	wait_until submit_returned
	ktap_is "a client is refused whose call of it is queued" "0 0 1 -125 1" \
		"$(rest_of_it) $(of_client submit_got) $(($(reported 1) - call_reported))"
	rmmod client
	rmmod kpool
}

# Fails (hangs) if its pools are awaited before its items in the default pool are cancelled: mutant
# orphans-of-the-default-pool-last.
wait_across_pools_ends() {
	insmod "$KPOOL_KO"
	load_test module_unload leave=across
	rmmod module_unload
	ktap_result $? "a client can go whose pool waits for its item in the default pool"
	ktap_is "that item is cancelled" "1 0 0 0" "$(stat_of cancelled) $(rest_of_it)"
	rmmod kpool
}

# goes NAME: its exit function has been entered, perhaps left
goes() {
	grep -q "^$1 .* Unloading" /proc/modules
}

# removal_waits NAME: until what the client holds has ended
removal_waits() {
	rmmod module_unload &
	wait_until goes module_unload
	# to see it gone if nothing is awaited
	sleep 0.3
	goes module_unload
	ktap_result $? "$1"
	echo 1 >/sys/module/client/parameters/open
	wait $!
}

# Fails if memory of a module is freed while a function of another's has it as its item.
borrowed_functions_are_awaited() {
	insmod "$KPOOL_KO" default_capacity=2 default_queue_depth=unlimited
	load_test client use_default=1
	load_test module_unload leave=borrowed runs=1 "fn=$(of_client hold_fn)"
	wait_until rest_is "0 0 1"
	removal_waits "a run is awaited of which only the memory is the module's"
	ktap_is "it goes when that has ended" "0 0 0 1" "$(rest_of_it) $(stat_of completed)"
	rmmod client
	rmmod kpool
}

# Fails if a completion function is called when it has gone: mutant orphan-completion-not-awaited.
completion_of_a_borrowed_function_is_awaited() {
	insmod "$KPOOL_KO" default_capacity=2 default_queue_depth=unlimited
	completion_ended=$(said "module_unload: a completion ends")
	load_test client use_default=1
	load_test module_unload leave=completion "fn=$(of_client hold_fn)"
	wait_until rest_is "0 0 1"
	removal_waits "a run is awaited of which only the completion function is the module's"
	ktap_is "it goes when that has ended, too" "0 0 0 1" \
		"$(rest_of_it) $(($(said "module_unload: a completion ends") - completion_ended))"
	rmmod client
	rmmod kpool
}

# Fails if a job that is only to be completed is not counted: mutant awaited-completion-not-counted.
completion_that_waits_for_its_turn_is_reported() {
	insmod "$KPOOL_KO" default_capacity=2 default_queue_depth=unlimited
	turn_log="module module_unload removed with items in the pool: 0 cancelled, 1 runs awaited"
	turn_reported=$(said "$turn_log")
	turn_ended=$(said "module_unload: a completion ends")
	load_test client use_default=1
	load_test module_unload leave=finished "fn=$(of_client hold_fn)"
	wait_until rest_is "0 0 1"
	removal_waits "a completion is awaited that waits for its turn"
	ktap_is "the log reports it" "0 0 0 1 1" "$(rest_of_it) \
$(($(said "module_unload: a completion ends") - turn_ended)) \
$(($(said "$turn_log") - turn_reported))"
	rmmod client
	rmmod kpool
}

# Fails if a run is known by the function alone that it calls: mutants orphan-completed-by-another,
# orphan-dropped-by-another, orphan-completion-of-a-dropped-job.
# function_of_another_is_awaited LEAVE WHAT STAT: what runs is the client's
function_of_another_is_awaited() {
	insmod "$KPOOL_KO" default_capacity=2 default_queue_depth=unlimited
	load_test client use_default=1
	load_test module_unload "leave=$1" "fn=$(of_client hold_fn)" "drop_fn=$(of_client drop_fn)"
	removal_waits "$2 of another module is awaited"
	ktap_is "it goes when $2 has returned" "0 0 0 1" "$(rest_of_it) $(stat_of "$3")"
	rmmod client
	rmmod kpool
}

# abandon_call: one whose argument module_unload releases
abandon_call() {
	insmod "$KPOOL_KO" default_capacity=2 default_queue_depth=unlimited
	releasing=$(said "module_unload: an argument is to be released")
	released=$(said "module_unload: an argument is released")
	load_test client use_default=1
	load_test module_unload leave=call "fn=$(of_client hold_call_fn)"
}

# end_abandoned_call NAME
end_abandoned_call() {
	ktap_is "$1" 1 "$(($(said "module_unload: an argument is released") - released))"
	rmmod client
	rmmod kpool
}

# Fails (oopses) if the argument of a call is released when its module has gone:
# mutant orphan-release-not-awaited.
abandoned_call_is_awaited() {
	abandon_call
	removal_waits "a run is awaited of which only the release of the argument is the module's"
	end_abandoned_call "it goes when that has returned"
}

# shellcheck disable=SC2317 # wait_until calls it
is_releasing() {
	[ "$(said "module_unload: an argument is to be released")" -gt "$releasing" ]
}

# Fails (oopses) if the release is not known to run: mutant orphan-release-not-found.
release_is_awaited() {
	abandon_call
	echo 1 >/sys/module/client/parameters/open
	wait_until is_releasing
	rmmod module_unload
	end_abandoned_call "the release of an argument is awaited"
}

# give_up PATIENCE_MS: a call of the client's, which cannot start
give_up() {
	releasing=$(said "module_unload: an argument is to be released")
	released=$(said "module_unload: an argument is released")
	echo "$1" >/sys/module/client/parameters/patience_ms
	cat /sys/module/module_unload/parameters/releasing >/sys/module/client/parameters/give_up
}

# The call has not started, and nothing else is in the pool when its caller releases the argument.
# Fails (oopses) if only items are searched for: mutant release-by-callers-not-awaited.
release_by_the_caller_is_awaited() {
	client_holds_the_unit
	release_reported=$(reported 0 "1 runs awaited")
	load_test module_unload leave=offered
	give_up 100
	wait_until is_releasing
	echo 1 >/sys/module/client/parameters/open
	wait_until rest_is "0 0 0"
	rmmod module_unload
	ktap_is "the release of an argument by a caller is awaited" 1 \
		"$(($(said "module_unload: an argument is released") - released))"
	[ "${KERNEL:-}" != uml-time ] ||
		ktap_is "the log reports it, too" 1 \
			$(($(reported 0 "1 runs awaited") - release_reported))
	wait_until submit_returned
	ktap_is "that caller has given up" -110 "$(of_client submit_got)"
	rmmod client
	rmmod kpool
}

# The call is to be dropped behind the drop function of another module when its module goes, and then
# its time is over.
# Fails (oopses) if its caller gives up: mutant caller-of-a-dropped-call-gives-up.
caller_of_a_dropped_call_does_not_give_up() {
	client_holds_the_unit
	load_test module_unload leave=dropping "fn=$(of_client fn)" "drop_fn=$(of_client drop_fn)"
	give_up 10000
	wait_until rest_is "18 0 1"
	rmmod module_unload
	wait_until submit_returned
	ktap_is "a call that is to be dropped has failed when its time is over" "-125 0" \
		"$(of_client submit_got) \
$(($(said "module_unload: an argument is to be released") - releasing))"
	echo 1 >/sys/module/client/parameters/open
	rmmod client
	rmmod kpool
}

# Fails (oopses) if only the innermost run of a thread is searched for: mutant
# orphan-outer-run-not-found.
run_around_a_foreign_one_is_awaited() {
	insmod "$KPOOL_KO" default_capacity=1 default_when_full=caller_runs
	nested_ended=$(said "module_unload: a running item ends")
	load_test client use_default=1
	echo 1 >/sys/module/client/parameters/hold
	wait_until rest_is "0 0 1"
	load_test module_unload leave=nested "fn=$(of_client hold_fn)"
	cat /sys/module/module_unload/parameters/item >/sys/module/client/parameters/submit
	wait_until rest_is "0 0 3"
	removal_waits "a run is awaited in which another module's item runs"
	ktap_is "it goes when both have ended" "0 0 0 1" \
		"$(rest_of_it) $(($(said "module_unload: a running item ends") - nested_ended))"
	rmmod client
	rmmod kpool
}

# shellcheck disable=SC2317 # wait_until calls it
pool_is_closed() {
	[ "$(said "kpool: client: module client removed without")" -gt "$1" ]
}

# Fails (oopses) if the pool is taken for one without items of the caller's: mutant
# orphan-destroy-does-not-wait.
destroy_of_an_orphaned_pool_waits() {
	insmod "$KPOOL_KO"
	adopted_said=$(said "kpool: client: module client removed without")
	adopted_ended=$(said "module_unload: a running item ends")
	adopted_warned=$(said "module_unload: WARNING")
	load_test client leave_held=1 capacity=2
	load_test module_unload leave=adopted "address=$(of_client address)"
	rmmod client &
	wait_until pool_is_closed "$adopted_said"
	rmmod module_unload
	ktap_is "destroy of an orphaned pool waits for the caller's own item" "1 0" \
		"$(($(said "module_unload: a running item ends") - adopted_ended)) \
$(($(said "module_unload: WARNING") - adopted_warned))"
	wait $!
	rmmod kpool
}

# Fails if the removal of a module waits for the runs of another that is being removed.
two_may_go_at_once() {
	insmod "$KPOOL_KO" default_capacity=2 default_queue_depth=unlimited
	load_test client use_default=1 leave_held=1
	echo 1 >/sys/module/client/parameters/hold
	wait_until rest_is "0 0 1"
	rmmod client &
	wait_until goes client
	load_test module_unload leave=pending runs=1
	rmmod module_unload
	ktap_is "one may go while another waits for a run of its own" "16 yes" \
		"$(stat_of cancelled) $(goes client && echo yes)"
	load_test module_unload leave=itself runs=1
	rmmod module_unload
	ktap_is "it is refused as it would be alone" "0 0 1" "$(rest_of_it)"
	echo 1 >/sys/module/client/parameters/open
	wait $!
	ktap_result $? "the other goes when its run has ended"
	rmmod kpool
}

# Fails if others' items are looked at under one hold of the pool's lock, with interrupts off: then
# the timer comes through once or twice. Most often, if the machine is busy.
others_items_cause_no_delay() {
	if [ "${KERNEL:-}" = uml-time ]; then
		ktap_skip "others' items cause no delay" "no time passes"
		return
	fi
	insmod "$KPOOL_KO"
	load_test client use_default=1 crowd=100000
	crowd_ticks=
	for crowd_round in 1 2 3; do
		# the module leaves nothing: all that its removal takes is the search
		load_test module_unload leave=running
		rmmod module_unload
		crowd_ticks="$crowd_ticks $(of_client ticks)"
	done
	ktap_diag "round 1 to $crowd_round: the timer came through$crowd_ticks times"
	# shellcheck disable=SC2086 # each word is a number
	[ "$(printf '%s\n' $crowd_ticks | sort -n | sed -n 2p)" -ge 10 ]
	ktap_result $? "others' items cause no delay"
	ktap_is "others' delayed items wait on" 100000 "$(stat_of delayed)"
	rmmod client
	rmmod kpool
}

# Fails (they are left, and run when it has gone) if others' items end the search when they fill a
# whole batch: mutant scan-ends-with-a-batch.
items_behind_those_of_others_are_cancelled() {
	insmod "$KPOOL_KO"
	load_test client use_default=1 crowd=100
	# half of them are hastened as it goes, the others stay behind the crowd
	load_test module_unload leave=delayed
	rmmod module_unload
	ktap_is "items behind a hundred of others are cancelled" "16 100" \
		"$(stat_of cancelled) $(stat_of delayed)"
	# items left of the module would be waited for
	[ "$(stat_of delayed)" = 100 ] || return
	rmmod client
	rmmod kpool
}

# Fails (what is due after them is left) if the search follows jobs of another module. These are moved
# to the end while the search stands at them: mutant orphan-cursor-left-in-tree.
search_does_not_follow_jobs_that_are_moved() {
	insmod "$KPOOL_KO"
	# the client leaves them to the search, too: a flush would wait until they are due
	load_test client use_default=1 leave_held=1
	moved_warned=$(said "module_unload: WARNING")
	load_test module_unload leave=delayed taker=move "fn=$(of_client fn)"
	rmmod module_unload
	ktap_is "items behind those that are moved are cancelled" "16 2 0" \
		"$(stat_of cancelled) $(stat_of delayed) $(($(said "module_unload: WARNING") - moved_warned))"
	# items left of the module would be waited for
	[ "$(stat_of delayed)" = 2 ] || return
	rmmod client
	rmmod kpool
}

# Fails if a client that has flushed is reported.
a_tidy_client_is_not_reported() {
	insmod "$KPOOL_KO"
	tidy_said=$(said "removed with items")
	load_test module_unload runs=2
	rmmod module_unload
	ktap_is "a client that flushed is not reported" 0 \
		"$(($(said "removed with items") - tidy_said))"
	ktap_is "its items have run" "2 0" "$(stat_of completed) $(stat_of cancelled)"
	rmmod kpool
}

ktap_begin
if ! mount_debugfs; then
	ktap_skip "orphaned items are cancelled" "no debugfs"
else
	rmmod kpool
	orphan pending 1 1 16
	orphan functions 1 1 16
	orphan delayed 4 0 16
	orphan stream 4 1 16
	orphan ordered 2 2 16
	orphan group 2 2 16
	orphan held 4 4 4
	orphan kept 4 3 1
	orphan running 4 4 0
	orphan pending 1 1 16 cancel
	orphan delayed 4 1 16 cancel
	orphan delayed 4 1 16 hasten
	an_item_that_comes_again_is_refused itself
	an_item_that_comes_again_is_refused itself_later
	an_item_that_comes_again_is_refused its_function
	foreign_items_with_a_drop_function_are_cancelled
	foreign_job_with_a_completion_function_is_cancelled
	items_to_be_dropped_are_cancelled
	default_pool_made_late_is_searched
	pool_made_late_is_ended
	pool_that_is_not_made_is_ended_once
	blocked_client_is_refused submit item
	blocked_client_is_refused call called
	queued_call_is_refused
	wait_across_pools_ends
	borrowed_functions_are_awaited
	completion_of_a_borrowed_function_is_awaited
	completion_that_waits_for_its_turn_is_reported
	function_of_another_is_awaited completed "a completion function" completed
	function_of_another_is_awaited dropped "a drop function" dropped
	function_of_another_is_awaited incomplete "a drop function, not the completion," dropped
	abandoned_call_is_awaited
	release_is_awaited
	release_by_the_caller_is_awaited
	caller_of_a_dropped_call_does_not_give_up
	run_around_a_foreign_one_is_awaited
	destroy_of_an_orphaned_pool_waits
	two_may_go_at_once
	others_items_cause_no_delay
	items_behind_those_of_others_are_cancelled
	search_does_not_follow_jobs_that_are_moved
	others_are_left_alone
	a_drop_is_awaited
	a_tidy_client_is_not_reported
	load_kpool
fi
ktap_end
