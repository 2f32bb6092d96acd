#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# model.sh: does the protocol of core/ring.c keep its promises, in all interleavings of a small model?
#
# Debian's spin looks at every state of selftests/promela/rings.pml. Then the model is weakened in one way
# at a time, and has to fail.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
weakenings=(FUNCTION_LEFT GENERATION_KEPT ROOM_NOT_LIMITED TAG_KEPT TAKER_LATE WAITERS_LEFT)

# verify [-D...]: print how many errors there are, and how many states.
verify() {
	(
		cd "$dir" || exit
		spin -a "$@" "$tree/selftests/promela/rings.pml" >spin.log &&
			gcc -O2 -DCOLLAPSE -DMEMLIM=4000 -o pan pan.c &&
			./pan -m200000 -w24 | sed -n 's/.*errors: \([0-9]*\)/\1 errors/p; s/ states, stored.*/ states/p' |
			tr -s ' \n' ' '
	)
}

# judge ERRORS NAME: is that what was found?
judge() {
	if [[ $found == "$1"* ]]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		return 1
	fi
}

main() {
	local weakening found failed=0 number=1
	need_packages spin gcc libc6-dev
	dir=$(mktemp -d "${TMPDIR:-/tmp}/kpool-model.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	echo "1..$((${#weakenings[@]} + 1))"
	found=$(verify)
	judge "0 errors" "rings: $found" || failed=1
	for weakening in "${weakenings[@]}"; do
		number=$((number + 1))
		found=$(verify "-D$weakening")
		judge "1 errors" "$weakening is found: $found" || failed=1
	done
	return "$failed"
}

main "$@"
