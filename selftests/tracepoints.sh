#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# patches: yes
# The tracepoints of kpool: which events a scene has, in which order, with which fields.

. "$(dirname "$0")/ktap.sh"

tracing=/sys/kernel/tracing
events=$tracing/events/kpool

mount_tracefs() {
	[ -e "$tracing/trace" ] || mount -t tracefs none "$tracing" 2>/dev/null
	[ -e "$tracing/trace" ]
}

# seen: the events, without thread, CPU and time. An address is @1, @2 in the order of appearance, and
# @0 if it is NULL. A pid that is the thread's own is "own", another one "other". A worker that has
# not expired is retired by itself or by another thread.
seen() {
	awk '/^#/ { next }
		{
			match($0, /-[0-9]+ /)
			own = substr($0, RSTART + 1, RLENGTH - 2)
			sub(/^.* [0-9.]+: /, "")
			for (i = 2; i <= NF; i++) {
				if ($i ~ /^pid=/ && /^purge: .* expired=0 /)
					$i = "pid=any"
				else if ($i ~ /^pid=/)
					$i = $i == "pid=" own ? "pid=own" : "pid=other"
				if ($i !~ /^item=/)
					continue
				if ($i ~ /^item=(0+|\(null\))$/)
					$i = "item=@0"
				else {
					if (!($i in nr))
						nr[$i] = ++items
					$i = "item=@" nr[$i]
				}
			}
			print
		}' "$tracing/trace"
}

# expected CASE: what it is to be, without the pool's name
expected() {
	case $1 in
	second_worker_*) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=probe_fn [tracepoints]
		submit: item=@2 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=2
		start: item=@2 function=probe_fn [tracepoints]
		end: item=@2 function=probe_fn [tracepoints] err=0
		end: item=@1 function=probe_fn [tracepoints] err=0
		purge: pid=any expired=0
		purge: pid=any expired=0
	END
	worker_comes_*) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=0 alive=1
		start: item=@1 function=probe_fn [tracepoints]
		end: item=@1 function=probe_fn [tracepoints] err=0
		purge: pid=any expired=0
	END
	delayed_job_*) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=probe_fn [tracepoints]
		end: item=@1 function=probe_fn [tracepoints] err=0
		purge: pid=any expired=0
	END
	item_runs) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=probe_fn [tracepoints]
		end: item=@1 function=probe_fn [tracepoints] err=-5
		purge: pid=any expired=0
	END
	function_runs_*) cat <<-END ;;
		submit: item=@1 function=by_argument [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=by_argument [tracepoints]
		end: item=@1 function=by_argument [tracepoints] err=0
		purge: pid=any expired=0
	END
	ordered_job_*) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=probe_fn [tracepoints]
		end: item=@1 function=probe_fn [tracepoints] err=0
		start: item=@1 function=completes [tracepoints]
		end: item=@1 function=completes [tracepoints] err=0
		purge: pid=any expired=0
	END
	submit_is_refused) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=probe_fn [tracepoints]
		refuse: item=@2 function=probe_fn [tracepoints] err=-11
		refuse: item=@2 function=probe_fn [tracepoints] err=-11
		refuse: item=@3 function=by_argument [tracepoints] err=-11
		refuse: item=@2 function=probe_fn [tracepoints] err=-108
		end: item=@1 function=probe_fn [tracepoints] err=0
		purge: pid=any expired=0
	END
	items_are_queued) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=probe_fn [tracepoints]
		submit: item=@2 function=probe_fn [tracepoints]
		submit: item=@3 function=probe_fn [tracepoints]
		submit: item=@4 function=probe_fn [tracepoints]
		end: item=@1 function=probe_fn [tracepoints] err=0
		start: item=@2 function=probe_fn [tracepoints]
		end: item=@2 function=probe_fn [tracepoints] err=0
		start: item=@3 function=probe_fn [tracepoints]
		end: item=@3 function=probe_fn [tracepoints] err=0
		start: item=@4 function=probe_fn [tracepoints]
		end: item=@4 function=probe_fn [tracepoints] err=0
		purge: pid=any expired=0
	END
	submitter_is_*) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=probe_fn [tracepoints]
		block: item=@2 function=probe_fn [tracepoints]
		unblock: item=@2 function=probe_fn [tracepoints] err=-110
		block: item=@3 function=by_argument [tracepoints]
		unblock: item=@3 function=by_argument [tracepoints] err=-110
		block: item=@2 function=probe_fn [tracepoints]
		unblock: item=@2 function=probe_fn [tracepoints] err=-125
		block: item=@2 function=probe_fn [tracepoints]
		tune: attribute=queue_depth old=0 new=1
		submit: item=@2 function=probe_fn [tracepoints]
		unblock: item=@2 function=probe_fn [tracepoints] err=0
		end: item=@1 function=probe_fn [tracepoints] err=0
		start: item=@2 function=probe_fn [tracepoints]
		end: item=@2 function=probe_fn [tracepoints] err=0
		purge: pid=any expired=0
	END
	item_is_dropped) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=1
		drop: item=@1 function=probe_fn [tracepoints] err=-62
		submit: item=@2 function=probe_fn [tracepoints]
		submit: item=@3 function=by_argument [tracepoints]
		drop: item=@2 function=probe_fn [tracepoints] err=-125
		drop: item=@3 function=by_argument [tracepoints] err=-125
		purge: pid=any expired=0
	END
	submitter_runs_*) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=probe_fn [tracepoints]
		submit: item=@2 function=probe_fn [tracepoints]
		start: item=@2 function=probe_fn [tracepoints]
		end: item=@2 function=probe_fn [tracepoints] err=-5
		submit: item=@3 function=by_argument [tracepoints]
		start: item=@3 function=by_argument [tracepoints]
		end: item=@3 function=by_argument [tracepoints] err=0
		end: item=@1 function=probe_fn [tracepoints] err=0
		purge: pid=any expired=0
	END
	worker_expires) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=probe_fn [tracepoints]
		end: item=@1 function=probe_fn [tracepoints] err=0
		purge: pid=other expired=1
	END
	run_stalls) cat <<-END ;;
		submit: item=@1 function=probe_fn [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=probe_fn [tracepoints]
		tune: attribute=stall_ms old=2147483647 new=100
		stall: item=@1 function=probe_fn [tracepoints] pid=other ran_ms=long
		end: item=@1 function=probe_fn [tracepoints] err=0
		purge: pid=any expired=0
	END
	worker_dies) cat <<-END ;;
		submit: item=@1 function=ends_its_thread [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=ends_its_thread [tracepoints]
		die: item=@1 function=ends_its_thread [tracepoints] pid=own
	END
	worker_dies_inside) cat <<-END ;;
		submit: item=@1 function=submits_a_dying_one [tracepoints]
		spawn: pid=own node=-1 alive=1
		start: item=@1 function=submits_a_dying_one [tracepoints]
		submit: item=@2 function=ends_its_thread [tracepoints]
		start: item=@2 function=ends_its_thread [tracepoints]
		die: item=@2 function=ends_its_thread [tracepoints] pid=own
	END
	pool_is_tuned) cat <<-END ;;
		tune: attribute=capacity old=1 new=7
		tune: attribute=capacity old=7 new=64
		tune: attribute=node old=0 new=1
		tune: attribute=cpumask old=all new=1
		tune: attribute=cpumask old=1 new=all
	END
	esac
}

# with_figures: what depends on the machine is a word
with_figures() {
	awk -v possible="$(possible_cpus)" '
		$1 == "tune:" && $2 == "attribute=cpumask" {
			for (i = 3; i <= 4; i++)
				if ($i != "old=1" && $i != "new=1" && substr($i, 5) == possible)
					sub(/=.*/, "=all", $i)
			if (possible == 1)
				$(NR % 2 ? 4 : 3) = NR % 2 ? "new=all" : "old=all"
		}
		$1 == "stall:" {
			for (i = 2; i <= NF; i++)
				if ($i ~ /^ran_ms=/ && substr($i, 8) + 0 >= 100)
					$i = "ran_ms=long"
		}
		{ print }'
}

possible_cpus() {
	awk -F '[-,]' '{ print $NF - $1 + 1 }' /sys/devices/system/cpu/possible
}

# Fails if an event is missing, comes twice or out of order, or a field has another's value.
scene_is_traced() {
	ktap_is "$1: the trace shows all of it" \
		"$(expected "$1" | sed 's/$/ pool=tracepoints/')" "$(seen | with_figures)"
}

# trace_scene CASE: with the kernel's tracing on while it runs; the clock puts the events of all CPUs
# in order
trace_scene() {
	echo counter >"$tracing/trace_clock"
	echo >"$tracing/trace"
	echo 1 >"$events/enable"
	run_case tracepoints "$1"
	echo 0 >"$events/enable"
	scene_is_traced "$1"
}

# filter_takes EVENT FILTER: a field that an event lacks is an error
filter_takes() {
	filter_failed=0
	{ echo "$2" >"$events/$1/filter"; } 2>/dev/null || filter_failed=1
	ktap_result "$filter_failed" "$1 can be filtered by its fields"
	echo 0 >"$events/$1/filter"
}

# Fails if the fields of an event are not known to the kernel, or an event is missing.
events_have_fields() {
	for event in submit block start; do
		filter_takes "$event" 'item == 1 && function == 1 && pool == "rx"'
	done
	for event in refuse drop unblock end; do
		filter_takes "$event" 'item == 1 && function == 1 && err < 0 && pool == "rx"'
	done
	filter_takes die 'item == 1 && function == 1 && pid == 1 && pool == "rx"'
	filter_takes stall 'item == 1 && function == 1 && pid == 1 && ran_ms > 9 && pool == "rx"'
	filter_takes spawn 'pid == 1 && node == 0 && alive > 9 && pool == "rx"'
	filter_takes purge 'pid == 1 && expired == 0 && pool == "rx"'
	filter_takes tune 'attribute == "capacity" && old < 1 && new > 1 && pool == "rx"'
	ktap_is "there are twelve events" 12 "$(find "$events" -name filter | grep -c "/kpool/[a-z]*/")"
}

# Fails if events of other pools pass, or none does.
pool_can_be_chosen() {
	echo >"$tracing/trace"
	for filter in tracepoints others; do
		echo "pool == \"$filter\"" >"$events/filter"
		echo 1 >"$events/submit/enable"
		echo item_runs >/sys/module/tracepoints/parameters/run
		echo 0 >"$events/enable"
		echo "#$filter $(grep -c ': submit: ' "$tracing/trace")"
		echo >"$tracing/trace"
	done >/tmp/filtered
	echo 0 >"$events/filter"
	ktap_is "a filter chooses the pool" "#tracepoints 1 #others 0" "$(xargs </tmp/filtered)"
}

ktap_begin
if ! mount_tracefs || [ ! -d "$events" ]; then
	ktap_skip_all "this kernel has no tracing"
fi
events_have_fields
if load_tested tracepoints; then
	# shellcheck disable=SC2013 # a case's name is a word
	for case in $(cat /sys/module/tracepoints/parameters/list); do
		trace_scene "$case"
	done
	pool_can_be_chosen
	unload_test tracepoints
fi
ktap_end
