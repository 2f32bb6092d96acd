#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# See what submit does when there is no room, by call and through debugfs.

. "$(dirname "$0")/ktap.sh"

dir=$KPOOL_DEBUGFS/client

# policy_is WHEN_FULL NONBLOCKING: as the files and stats show it
policy_is() {
	[ "$(cat "$dir/when_full") $(cat "$dir/nonblocking")" = "$1 $2" ] &&
		grep -q "^when_full $1\$" "$dir/stats"
}

# refused FILE TEXT: the write fails, and nothing changes
refused() {
	refused_before=$(cat "$dir/when_full" "$dir/nonblocking")
	! echo "$2" 2>/dev/null >"$dir/$1" &&
		[ "$(cat "$dir/when_full" "$dir/nonblocking")" = "$refused_before" ]
}

# created PARAMETER...: a client's pool
created() {
	rmmod client
	load_test client worker_data=0 "$@"
}

# not_permitted FILE TEXT: the write is -EPERM, the log says why, and nothing changes
not_permitted() {
	permitted_said=$(dmesg | grep -c "kpool: client: $1 cannot be ")
	refused "$1" "$2" &&
		{ echo "$2" >"$dir/$1"; } 2>&1 | grep -q 'not permitted' &&
		[ "$(dmesg | grep -c "kpool: client: $1 cannot be ")" -eq $((permitted_said + 2)) ]
}

# Fails if a word means another policy than it says, or a person can choose one that the owner did
# not create the pool with.
policy_is_tunable() {
	for word in caller_runs drop_oldest wait; do
		policy_failed=0
		case $word in
		wait) created when_full=0 ;;
		caller_runs) created when_full=1 ;;
		drop_oldest) created when_full=2 ;;
		esac
		policy_is $word no || policy_failed=1
		for other in caller_runs drop_oldest; do
			[ $other = $word ] || not_permitted when_full $other || policy_failed=1
		done
		policy_is $word no || policy_failed=1
		echo wait >"$dir/when_full" && policy_is wait no || policy_failed=1
		echo $word >"$dir/when_full" && policy_is $word no || policy_failed=1
		ktap_result "$policy_failed" "debugfs tunes when_full of a pool created with $word"
	done
}

# Fails if a person can make a submit under a raw spinlock sleep.
nonblocking_stays() {
	stays_failed=0
	rmmod client
	rmmod kpool
	insmod "$KPOOL_KO" nonblocking=yes
	load_test client worker_data=0
	not_permitted nonblocking no || stays_failed=1
	echo yes >"$dir/nonblocking" || stays_failed=1
	policy_is wait yes || stays_failed=1
	ktap_result "$stays_failed" "debugfs cannot make a pool blocking that was created nonblocking"
}

# Fails if a write is not looked at together with the other attribute.
combinations_are_refused() {
	combination_failed=0
	rmmod client
	rmmod kpool
	insmod "$KPOOL_KO"
	load_test client worker_data=0 when_full=1
	refused nonblocking yes || combination_failed=1
	echo wait >"$dir/when_full"
	echo yes >"$dir/nonblocking" && policy_is wait yes || combination_failed=1
	refused when_full caller_runs || combination_failed=1
	echo no >"$dir/nonblocking"
	echo caller_runs >"$dir/when_full" && policy_is caller_runs no || combination_failed=1
	refused nonblocking yes || combination_failed=1
	refused when_full 3 || combination_failed=1
	refused when_full -1 || combination_failed=1
	refused when_full run || combination_failed=1
	policy_is caller_runs no || combination_failed=1
	ktap_result "$combination_failed" "debugfs refuses caller_runs where it cannot be"
}

# Fails if a counter has no line.
counters_are_shown() {
	ktap_is "stats have the counters of what found no room" "caller_ran displaced expired" \
		"$(awk '$1 ~ /^(expired|displaced|caller_ran)$/ { print $1 }' "$dir/stats" |
			sort | xargs)"
}

# Fails if the parameters are not looked at together.
parameters_are_refused() {
	rmmod kpool
	if insmod "$KPOOL_KO" default_when_full=caller_runs default_nonblocking=yes 2>/dev/null; then
		parameters_failed=1
	else
		parameters_failed=0
		insmod "$KPOOL_KO" default_when_full=drop_oldest default_nonblocking=yes ||
			parameters_failed=1
	fi
	ktap_result "$parameters_failed" "parameters refuse caller_runs where it cannot be"
	rmmod kpool
}

# Fails if a person can choose for all pools what their creators were not written for. Also fails if
# the log does not say what is allowed.
policy_is_not_for_all_pools() {
	for word in caller_runs drop_oldest; do
		! insmod "$KPOOL_KO" when_full=$word 2>/dev/null &&
			dmesg | grep -qF "bad when_full \"$word\" for all pools; allowed: wait"
		ktap_result $? "$word cannot be the default of all pools"
	done
	insmod "$KPOOL_KO" when_full=wait
	ktap_result $? "wait can be the default of all pools"
	rmmod kpool
}

ktap_begin
run_cases overflow
if mount_debugfs; then
	load_test client
	policy_is_tunable
	nonblocking_stays
	combinations_are_refused
	counters_are_shown
	rmmod client
	parameters_are_refused
	policy_is_not_for_all_pools
fi
ktap_end
