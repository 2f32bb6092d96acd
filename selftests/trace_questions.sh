#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: stock
# patches: yes
# needs: tracepoints
# guest-needs: trace-cmd trace-cmd
# shellcheck disable=SC2016 # variables of histograms
# The questions of Documentation/tracing.rst, each with its commands: "make lint" compares them.  The answers
# are about scenes of tracepoints.c.

. "$(dirname "$0")/ktap.sh"

# scene CASE
scene() {
	echo "$1" >/sys/module/tracepoints/parameters/run
}

# reset_trace: remove all triggers, which must be in the reverse of their order, and what has been traced
reset_trace() {
	for file in events/synthetic/kpool_run events/kpool/end events/kpool/start events/kpool/submit \
		events/kpool/unblock events/kpool/block; do
		[ -e "$file/trigger" ] || continue
		grep -v '^#' "$file/trigger" | sed -e 's/^/!/' -e 's/ \[\(active\|paused\)\]$//' |
			while read -r trigger; do
				echo "$trigger" >"$file/trigger"
			done
	done
	echo 0 >events/kpool/enable
	echo >trace
}

# answers NAME FILE REGEX: a line of it does
answers() {
	grep -qE "$3" "$2"
	answer=$?
	[ "$answer" -eq 0 ] || ktap_diag "$(cat "$2")"
	ktap_result "$answer" "$1"
}

pool_is_chosen() {
	echo 'pool == "rx"' >events/kpool/filter
	ktap_is "a filter chooses the pool" 'pool == "rx"' "$(cat events/kpool/submit/filter)"
	echo 0 >events/kpool/filter
}

blocked_submitters_are_shown() {
	echo stacktrace >events/kpool/block/trigger
	echo 1 >events/kpool/block/enable
	echo 1 >events/kpool/unblock/enable
	scene submitter_is_blocked
	cat trace >/tmp/answer
	answers "a blocked submitter has its stack" /tmp/answer '^ => kpool_submit_timeout'
	answers "its submit returns" /tmp/answer ' unblock: .* err=-110 '
	reset_trace
	echo 'hist:keys=common_pid:ts=common_timestamp.usecs' >events/kpool/block/trigger
	echo 'hist:keys=common_pid:slept=common_timestamp.usecs-$ts:onmax($slept).save(function,err)' >events/kpool/unblock/trigger
	scene submitter_is_blocked
	cat events/kpool/unblock/hist >/tmp/answer
	answers "the longest sleep of a thread is known" /tmp/answer '^\s*max: +[1-9][0-9]* +function: +[0-9]+ +err:'
	reset_trace
}

late_item_is_explained() {
	echo 0 >options/hash-ptr
	echo 1 >events/kpool/enable
	echo 'hist:keys=item.hex:queued=common_timestamp.usecs' >events/kpool/submit/trigger
	echo 'hist:keys=item.hex:waited=common_timestamp.usecs-$queued:onmax($waited).save(function,common_pid)' >events/kpool/start/trigger
	scene item_runs
	cat events/kpool/start/hist >/tmp/answer
	answers "the longest wait of an item is known" /tmp/answer '^\s*max: +[1-9][0-9]* +function: +[0-9]+ +common_pid:'
	item=$(sed -n 's/.* item: *\([0-9a-f]\{1,\}\) .*/\1/p' /tmp/answer | head -n 1)
	cat trace >/tmp/answer
	answers "the trace has the item of the histogram" /tmp/answer " start: item=0*$item "
	ktap_is "a worker is spawned between submit and start" "submit: spawn: start:" \
		"$(grep -oE ' (submit|spawn|start|end): ' /tmp/answer | head -n 3 | xargs)"
	reset_trace
	echo 1 >options/hash-ptr
}

functions_are_summed() {
	echo 'kpool_run u64 fn; u64 us' >synthetic_events
	echo 'hist:keys=common_pid:began=common_timestamp.usecs' >events/kpool/start/trigger
	echo 'hist:keys=common_pid:us=common_timestamp.usecs-$began:onmatch(kpool.start).trace(kpool_run,function,$us)' >events/kpool/end/trigger
	echo 'hist:keys=fn.sym:vals=us:sort=us.descending' >events/synthetic/kpool_run/trigger
	scene item_runs
	cat events/synthetic/kpool_run/hist >/tmp/answer
	answers "the time of a function is known" /tmp/answer 'fn: .* probe_fn +\[tracepoints\] .* us: +[1-9]'
	reset_trace
	echo >synthetic_events
}

trace_cmd_records() {
	cd /tmp || return
	echo 'echo "$1" >/sys/module/tracepoints/parameters/run' >scene
	trace-cmd record -e kpool sh scene item_runs >recorded 2>&1
	trace-cmd report >answer
	answers "trace-cmd reports the events" answer ' end: .* function=probe_fn err=-5 pool=tracepoints'
	trace-cmd record -e kpool:block -f 'pool == "tracepoints"' -T sh scene submitter_is_blocked >recorded 2>&1
	trace-cmd report >answer
	answers "trace-cmd reports stacks" answer '=> kpool_submit_timeout$'
	ktap_is "only the chosen event is recorded" "block:" \
		"$(grep -oE ' (submit|start|end|block|unblock): ' answer | sort -u | xargs)"
}

ktap_begin
mount -t tracefs none /sys/kernel/tracing
cd /sys/kernel/tracing || exit
if load_tested tracepoints; then
	pool_is_chosen
	blocked_submitters_are_shown
	late_item_is_explained
	functions_are_summed
	trace_cmd_records
	unload_test tracepoints
fi
ktap_end
