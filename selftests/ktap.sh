# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Sourced by each selftest script: KTAP output and the running of a test
# module's cases.  A script, and what run.sh does without one, is
#
#	ktap_begin
#	run_cases MODULE
#	ktap_end
#
# after sourcing this, and exits with 0 (passed), 1 (something failed) or 4 (all skipped).  The plan
# comes last, so that a script that dies halfway is not taken for a pass.

SELFTESTS=$(cd "$(dirname "$0")" && pwd)
KPOOL_KO=${KPOOL_KO:-${SELFTESTS%/ported}/../kpool.ko}
KPOOL_DEBUGFS=/sys/kernel/debug/kpool

KTAP_SKIP=4
ktap_nr=0
ktap_failed=0
ktap_skipped=0

ktap_begin() {
	echo "KTAP version 1"
	if ! load_kpool; then
		ktap_skip_all "kpool.ko cannot be loaded"
	fi
}

# ktap_diag TEXT: one "# " line per line of text
ktap_diag() {
	printf '%s\n' "$1" | sed 's/^/# /'
}

ktap_ok() {
	ktap_nr=$((ktap_nr + 1))
	echo "ok $ktap_nr $1"
}

ktap_not_ok() {
	ktap_nr=$((ktap_nr + 1))
	ktap_failed=$((ktap_failed + 1))
	echo "not ok $ktap_nr $1"
}

# ktap_skip NAME REASON
ktap_skip() {
	ktap_nr=$((ktap_nr + 1))
	ktap_skipped=$((ktap_skipped + 1))
	echo "ok $ktap_nr $1 # SKIP $2"
}

# ktap_result STATUS NAME: by the exit status of what was tried
ktap_result() {
	if [ "$1" -eq 0 ]; then
		ktap_ok "$2"
	else
		ktap_not_ok "$2"
	fi
}

# ktap_is NAME EXPECTED ACTUAL: both must be the same text
ktap_is() {
	if [ "$2" = "$3" ]; then
		ktap_ok "$1"
	else
		ktap_diag "expected: $2"
		ktap_diag "actual:   $3"
		ktap_not_ok "$1"
	fi
}

ktap_skip_all() {
	echo "1..0 # SKIP $1"
	exit "$KTAP_SKIP"
}

ktap_end() {
	ktap_passed=$((ktap_nr - ktap_failed - ktap_skipped))
	echo "1..$ktap_nr"
	echo "# Totals: pass:$ktap_passed fail:$ktap_failed skip:$ktap_skipped"
	[ "$ktap_failed" -eq 0 ] || exit 1
	[ "$ktap_passed" -gt 0 ] || exit "$KTAP_SKIP"
	exit 0
}

# wait_until COMMAND...: it succeeds; false if it does not within a minute, as after a hang
wait_until() {
	wait_tries=1200
	until "$@"; do
		wait_tries=$((wait_tries - 1))
		[ "$wait_tries" -gt 0 ] || return
		sleep 0.05
	done
}

# is_long: has the test all the time it wants, as on a real machine?
is_long() {
	[ "${LONG:-yes}" = yes ]
}

is_loaded() {
	[ -d "/sys/module/$1" ]
}

# load_kpool: the one that was built beside the selftests, or else the one that is installed
load_kpool() {
	is_loaded kpool && return
	if [ -e "$KPOOL_KO" ]; then
		insmod "$KPOOL_KO"
	else
		modprobe kpool
	fi
}

# load_test MODULE [PARAMETER...]: load one of the modules beside the scripts
load_test() {
	load_module=$1
	shift
	insmod "$SELFTESTS/$load_module.ko" "$@"
}

# case_parameters: what selftest.h needs to know of the kernel
case_parameters() {
	case ${KERNEL:-} in
	uml-time) echo "exact=1" ;;
	*debug | kcsan) echo "slow=10" ;;
	esac
}

# log_since MARK: the kernel's log from the last line with MARK on
log_since() {
	dmesg | awk -v mark="$1" '
		index($0, mark) { n = 0 }
		{ line[n++] = $0 }
		END { for (i = n > 30 ? n - 30 : 0; i < n; i++) print line[i] }'
}

# run_case MODULE CASE
run_case() {
	case_dir=/sys/module/$1/parameters
	if echo "$2" 2>/dev/null >"$case_dir/run"; then
		ktap_ok "$2"
		return
	fi
	case_result=$(cat "$case_dir/result")
	case $case_result in
	skip*)
		ktap_skip "$2" "${case_result#skip }"
		;;
	*)
		ktap_diag "$(log_since "$1: case $2")"
		ktap_not_ok "$2"
		;;
	esac
}

# pools_left: the pools, named in debugfs, that still exist but for the default;
# after a test module's cases there must be none
pools_left() {
	awk 'NR > 1 && $1 != "default" { print $1 }' "$KPOOL_DEBUGFS/pools"
}

# mount_debugfs: false if this kernel has none, or hides it
mount_debugfs() {
	[ -r "$KPOOL_DEBUGFS/pools" ] && return
	mount -t debugfs none /sys/kernel/debug 2>/dev/null
	[ -r "$KPOOL_DEBUGFS/pools" ]
}

# unload_test MODULE: it must go, and leave no pool of its cases behind
unload_test() {
	unload_name="$1 leaves no pool behind"
	unload_pools=
	! mount_debugfs || unload_pools=$(pools_left)
	if [ -n "$unload_pools" ]; then
		ktap_diag "$unload_pools"
		ktap_not_ok "$unload_name"
		return
	fi
	rmmod "$1"
	ktap_result $? "$unload_name"
}

# load_tested MODULE [PARAMETER...]: load it, for this kernel, or fail
load_tested() {
	tested_module=$1
	shift
	# shellcheck disable=SC2046 # each word is a parameter
	load_test "$tested_module" $(case_parameters) "$@" && return
	ktap_not_ok "$tested_module loads"
	return 1
}

# run_listed MODULE [CASE]: run each of its cases, but for that one
run_listed() {
	# shellcheck disable=SC2013 # a case's name is a word
	for listed_name in $(cat "/sys/module/$1/parameters/list"); do
		[ "$listed_name" = "${2:-}" ] || run_case "$1" "$listed_name"
	done
}

# run_cases MODULE [PARAMETER...]: load it, run each of its cases, unload it
run_cases() {
	load_tested "$@" || return
	run_listed "$1"
	unload_test "$1"
}
