#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# mutants.sh [NAME...]: remove one protection at a time, and see a test fail.
#
# Each selftests/mutants/NAME.sed says which file it changes, which tests on which kernel notice,
# and what breaks. A mutant that no test notices is a missing test.

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=testbed/lib/common.sh
. "$here/lib/common.sh"
top=${here%/*}
mutants=$top/selftests/mutants

# A line of a mutant's head.
head_of() {
	sed -n "s/^# $1: //p" "$mutants/$2.sed"
}

# Only what differs from the mutant before is new, so that little has to be built again.
make_mutant() {
	local file
	file=$(head_of file "$1")
	rsync -rlpc --delete --exclude .git "$top/" "$tree/" || return
	sed -i -f "$mutants/$1.sed" "$tree/$file" || return
	! cmp -s "$top/$file" "$tree/$file"
}

# run_tests TREE NAME: those that are to notice.
run_tests() {
	local tests
	read -ra tests <<<"$(head_of tests "$2")"
	CPUS=2 TIMEOUT=${TIMEOUT:-120} "$1/testbed/check.sh" "$(head_of kernel "$2")" "${tests[@]}" \
		>"$tree.log" 2>&1 </dev/null
}

# A test that fails anyway, or takes too long on this machine, notices nothing.
passes_unchanged() {
	local key
	key=$(head_of kernel "$1"):$(head_of tests "$1")
	[ -n "${baseline[$key]:-}" ] || baseline[$key]=$(run_tests "$top" "$1" && echo pass || echo fail)
	[ "${baseline[$key]}" = pass ]
}

# Does a test fail? A mutant that cannot be built or booted is not caught.
is_caught() {
	! run_tests "$tree" "$1" && grep -q '^Result: FAIL' "$tree.log"
}

try_all() {
	local name number=0 survived=0 names=("$@")
	declare -A baseline
	if [ $# = 0 ]; then
		for name in "$mutants"/*.sed; do
			name=${name##*/}
			names+=("${name%.sed}")
		done
	fi
	trap 'exit 130' INT
	echo "TAP version 13"
	echo "1..${#names[@]}"
	for name in "${names[@]}"; do
		number=$((number + 1))
		if ! passes_unchanged "$name"; then
			echo "not ok $number - $name: its tests fail without it"
		elif ! make_mutant "$name"; then
			echo "not ok $number - $name changes nothing"
		elif is_caught "$name"; then
			echo "ok $number - $name is caught"
			sed -n 's/^\(  Failed test.*\|# kpool-testbed.*\|.*not ok.*\)/# \1/p' "$tree.log" | head -n 3
			continue
		else
			echo "not ok $number - $name survives"
			tail -n 5 "$tree.log" | sed 's/^/# /'
		fi
		survived=$((survived + 1))
	done
	[ "$survived" = 0 ]
}

main() {
	tree=$cache/mutant/tree
	mkdir -p "$tree"
	locked mutants try_all "$@"
}

main "$@"
