#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# check.sh KERNEL [TEST...]: run selftests, all or those named, in the test bed; prove judges what they
# printed. With LONG=yes all means also those that are long on this kernel, with each number of
# processors that suits it. CPUS has other numbers.
#
# The tests share a guest, but for those whose script says otherwise in its head:
#
#	# long: KERNEL...	on these it is long
#	# boots: alone		in a guest of its own, once, with the first of these numbers
#	# kernels: KERNEL...	only on these
#	# append: WORD...	to the kernel's command line
#	# memory: SIZE		of the guest
#	# icount: yes		its clock counts instructions, on one CPU
#	# oopses: yes		an oops does not end the guest
#	# patches: yes		the kernel patches its code while it runs
#	# nodes: two		it has two NUMA nodes
#
# debian stands for all of Debian's own kernels.
#
# With a number in KPOOL_MUTANT, all is built (testbed.sh).
#
# For what a test needs built, see needed_modules() in lib/modules.sh.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"
# shellcheck source=/dev/null
. "$here/lib/packages.sh"
# shellcheck source=/dev/null
. "$here/lib/guest.sh"

# head_of KEY TEST: what the test's script says in its head
head_of() {
	sed -n "2,/^[^#]/s/^# $1: //p" "$tree/selftests/$2.sh" 2>/dev/null
}

# is_among KERNEL...: is the kernel one of these, or one of such a family?
is_among() {
	[[ " $* " = *" $kernel "* || " $* " = *" ${kernel_family:-$kernel} "* ]]
}

suits_kernel() {
	local kernels
	kernels=$(head_of kernels "$1")
	[ -z "$kernels" ] || is_among "$kernels"
}

# is_left_out TEST: it has not been named, and is too long on this kernel
is_left_out() {
	[ "$long" = no ] && is_among "$(head_of long "$1")"
}

# Sets alone to those of the tests that boot alone on this kernel, together to the rest.
divide_tests() {
	local test
	alone=() together=()
	for test; do
		if [ "$(head_of boots "$test")" != alone ]; then
			together+=("$test")
		elif suits_kernel "$test"; then
			alone+=("$test")
		else
			say "$test is not for $kernel"
		fi
	done
}

# The scripts that boot alone on this kernel.
all_alone() {
	local script test
	for script in "$tree"/selftests/*.sh; do
		test=${script##*/}
		test=${test%.sh}
		[ "$(head_of boots "$test")" = alone ] && suits_kernel "$test" && ! is_left_out "$test" &&
			echo "$test"
	done
}

begin_test() {
	name=$1 began=$EPOCHREALTIME
	: >"$results/$name.tap"
}

# Time on the host: the guest's can be simulated.
end_test() {
	echo "$2" >"$results/$1.status"
	name=''
	say "$(printf '%s, %s CPUs: %s %d ms' "$kernel" "$cpus" "$1" \
		$(((${EPOCHREALTIME/./} - ${began/./}) / 1000)))"
}

# Cut the guest's output into one file per test; what no test printed is shown.
split_output() {
	local line name='' began words
	while IFS= read -r line; do
		read -ra words <<<"$line"
		case $line in
		'# kpool-selftest begin '*) begin_test "${words[3]}" ;;
		'# kpool-selftest end '*) end_test "${words[3]}" "${words[4]}" ;;
		*)
			if [ -n "$name" ]; then
				printf '%s\n' "$line" >>"$results/$name.tap"
			else
				printf '%s\n' "$line"
			fi
			;;
		esac
	done
}

ok() {
	if "${@:2}"; then echo "ok $1"; else echo "not ok $1"; fi
}

some_test_ran() {
	compgen -G "$results/$1.status" >/dev/null
}

# judge_boot STATUS TESTS: what the tests cannot say themselves. 0 and 1 are verdicts of the tests.
judge_boot() {
	echo "TAP version 13"
	echo "1..3"
	ok "1 - the guest lives and ends" test "$1" != 125
	ok "2 - its kernel does not complain" test "$1" != 124
	ok "3 - tests ran" some_test_ran "$2"
	case $1 in 0 | 1 | 124 | 125) ;; *) echo "Bail out! the test bed fails ($1)" ;; esac
}

# boot_guest NAME TESTS OPTION... selftests/run.sh [TEST...]
boot_guest() {
	local name=$1 tests=$2 status
	shift 2
	[ "${STUTTER:-no}" != yes ] || set -- -s "$@"
	"$here/testbed.sh" -k "$kernel" -c "$cpus" -t "$check_timeout" -n "$@" | split_output
	status=${PIPESTATUS[0]}
	judge_boot "$status" "$tests" >"$results/$name.tap"
	echo 0 >"$results/$name.status"
}

run_alone() {
	local options=()
	read -ra options < <(head_of memory "$1" | sed 's/^/-m /')
	[ "$(head_of oopses "$1")" != yes ] || options+=(-O)
	[ "$(head_of patches "$1")" != yes ] || options+=(-1)
	[ "$(head_of icount "$1")" != yes ] || options+=(-i)
	[ "$(head_of nodes "$1")" != two ] || options+=(-N)
	boot_guest "$1-boot" "$1" -o "$results/$1-console" -a "$(head_of append "$1")" \
		"${options[@]}" selftests/run.sh "$1"
}

# run_tests [TEST...]: without any, all that share a guest
run_tests() {
	boot_guest boot '*' -o "$results/console" selftests/run.sh "$@"
}

show_failures() {
	local tap
	for tap; do
		if grep -q '^not ok' "$tap"; then
			say "$tap:"
			grep -B 32 '^not ok' "$tap" | grep -e '^#' -e '^not ok' >&2
		elif ! "$BASH" "$here/replay.sh" "$tap" >/dev/null; then
			say "$tap ends so:"
			tail -n 5 "$tap" >&2
		fi
	done
}

# beside CMD...: run it, beside no more than one other. Most tests keep one processor busy.
beside() {
	[ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
	"$@" </dev/null &
}

check_all() {
	local cpus test results taps=()
	[ "${KPOOL_MUTANT:-0}" != 0 ] || "$here/testbed.sh" -k "$kernel" -b selftests/run.sh "$@" || exit 1
	stop_jobs_when_interrupted
	for cpus in ${CPUS:-$check_cpus}; do
		[ "$shared" = yes ] || [ ${#alone[@]} -gt 0 ] || break
		results=$kernel-${cpus}cpu
		rm -rf "$results"
		mkdir -p "$results"
		[ "$shared" = no ] || beside run_tests "${together[@]}"
		for test in "${alone[@]}"; do
			beside run_alone "$test"
		done
		wait
		alone=()
		taps+=("$results"/*.tap)
	done
	show_failures "${taps[@]}"
	prove --exec "$BASH $here/replay.sh" "${taps[@]}"
}

main() {
	local programs
	kernel=${1:-stock}
	[ $# = 0 ] || shift
	[ -e "$here/kernels/$kernel.sh" ] || die "no kernel named $kernel"
	# shellcheck source=/dev/null
	. "$here/kernels/$kernel.sh"
	check_timeout=${TIMEOUT:-$check_timeout}
	shared=yes long=${LONG:-no}
	[ "$long" = no ] || check_cpus=${long_cpus:-$check_cpus}
	divide_tests "$@"
	if [ $# = 0 ]; then
		readarray -t alone < <(all_alone)
	elif [ ${#together[@]} = 0 ]; then
		shared=no
		[ ${#alone[@]} -gt 0 ] || die "none of these runs on $kernel"
	fi
	readarray -t programs < <(heads_say guest-needs selftests/run.sh "$@" | cut -d ' ' -f 1)
	need_packages perl "${guest_packages[@]}" "${kernel_packages[@]}" "${programs[@]}"
	mkdir -p "$cache/results/$tree_id"
	cd "$cache/results/$tree_id" || exit
	locked "check-$kernel-$tree_id" check_all "$@"
}

main "$@"
