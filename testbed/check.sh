#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# check.sh KERNEL [TEST...]: run selftests, all or those named, in the test bed, once for each number
# of processors that suits the kernel (or for those in CPUS); prove judges what they printed.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"
# shellcheck source=/dev/null
. "$here/lib/packages.sh"

begin_test() {
	name=$1
	: >"$results/$name.tap"
	say "$kernel, $cpus CPUs: $name"
}

end_test() {
	echo "$2" >"$results/$1.status"
	name=''
}

# Cut the guest's output into one file per test; what no test printed is shown.
split_output() {
	local line name='' words
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
	compgen -G "$results/*.status" >/dev/null
}

# What the tests cannot say themselves. 0 and 1 are verdicts of the tests.
judge_boot() {
	echo "TAP version 13"
	echo "1..3"
	ok "1 - the guest lives and ends" test "$1" != 125
	ok "2 - its kernel does not complain" test "$1" != 124
	ok "3 - tests ran" some_test_ran
	case $1 in 0 | 1 | 124 | 125) ;; *) echo "Bail out! the test bed fails ($1)" ;; esac
}

run_tests() {
	local results=$kernel-${cpus}cpu status
	rm -rf "$results"
	mkdir -p "$results"
	"$here/testbed.sh" -k "$kernel" -c "$cpus" -t "$check_timeout" -o "$results/console" \
		selftests/run.sh "$@" | split_output
	status=${PIPESTATUS[0]}
	[ "$status" -lt 126 ] || exit 1
	judge_boot "$status" >"$results/boot.tap"
	echo 0 >"$results/boot.status"
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

check_all() {
	local cpus taps=()
	for cpus in ${CPUS:-$check_cpus}; do
		run_tests "$@"
		taps+=("$kernel-${cpus}cpu"/*.tap)
	done
	show_failures "${taps[@]}"
	prove --exec "$BASH $here/replay.sh" "${taps[@]}"
}

main() {
	kernel=${1:-stock}
	[ $# = 0 ] || shift
	[ -e "$here/kernels/$kernel.sh" ] || die "no kernel named $kernel"
	# shellcheck source=/dev/null
	. "$here/kernels/$kernel.sh"
	check_timeout=${TIMEOUT:-$check_timeout}
	need_packages perl
	mkdir -p "$cache/results/$tree_id"
	cd "$cache/results/$tree_id" || exit
	locked "check-$kernel-$tree_id" check_all "$@"
}

main "$@"
