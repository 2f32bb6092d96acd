#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# model.sh: does the protocol of core/queue.h keep its promises, in all interleavings of a small model?
#
# Debian's spin looks at every state of selftests/promela/rings.pml, with one unit and with two. Then the
# model is weakened in one way at a time, and has to fail.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
weakenings=(FUNCTION_LEFT GENERATION_KEPT IDLE_LATE IDLE_OPENS ROOM_NOT_LIMITED TAG_KEPT TAKER_LATE WAITERS_LEFT)
# two workers with a run, so that two starts can want the same slot
two_units=(-DCAPACITY=2 -DDISTINCT -DRING=1)
two_units_weakenings=(TAKER_OVERWRITTEN)

# verify [-D...]: print how many errors there are, and how many states; or why that is not known.
verify() {
	(
		cd "$dir" || exit
		if ! { spin -a "$@" "$tree/selftests/promela/rings.pml" &&
			gcc "$optimize" -DSAFETY -DCOLLAPSE -DMEMLIM=4000 -o pan pan.c &&
			./pan -m200000 -w24; } >log 2>&1; then
			echo "no result: $(grep -im 1 error log || tail -n 1 log)"
		elif grep -E 'out of memory|MEMLIM bound|max search depth too small' log ||
			{ grep -q 'errors: 0' log && grep 'Search not completed' log; }; then
			:
		else
			sed -n 's/.*errors: \([0-9]*\)/\1 errors/p; s/ states, stored.*/ states/p' log
		fi | tr -s ' \n' ' '
	)
}

# judge ERRORS NAME [-D...]: is that what is found?
judge() {
	local found
	found=$(verify "${@:3}")
	number=$((number + 1))
	if [[ $found == "$1 errors"* ]]; then
		echo "ok $number - $2: $found"
	else
		failed=1
		echo "not ok $number - $2: $found"
	fi
}

main() {
	local weakening failed=0 number=0 optimize=-O2
	need_packages spin gcc libc6-dev
	dir=$(mktemp -d "${TMPDIR:-/tmp}/kpool-model.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	echo "1..$((${#weakenings[@]} + ${#two_units_weakenings[@]} + 2))"
	judge 0 "rings"
	judge 0 "rings, two units" "${two_units[@]}"
	# an error is found sooner than code is optimized
	optimize=-O0
	for weakening in "${weakenings[@]}"; do
		judge 1 "$weakening is found" "-D$weakening"
	done
	for weakening in "${two_units_weakenings[@]}"; do
		judge 1 "$weakening is found" "-D$weakening" "${two_units[@]}"
	done
	return "$failed"
}

main "$@"
