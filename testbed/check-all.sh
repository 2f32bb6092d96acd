#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# check-all.sh [PATTERN...]: every check on every kernel, or those whose command matches a pattern. A
# failure does not stop the rest; the end says what became of each.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# One command a line; quick ones first.
steps() {
	cat <<-END
		make check LONG=yes KERNEL=uml
		make check LONG=yes KERNEL=uml-time
		make check LONG=yes KERNEL=uml-debug
		make check LONG=yes KERNEL=stock
		make check LONG=yes KERNEL=rt
		make check LONG=yes KERNEL=6.12
		make check LONG=yes KERNEL=7.2
		make check LONG=yes KERNEL=7.2-rt
		make check LONG=yes KERNEL=newest
		make check LONG=yes KERNEL=arm64
		make check LONG=yes KERNEL=x86-debug
		make check LONG=yes KERNEL=kcsan
		make coverage
		make torture KERNEL=uml
		make torture KERNEL=uml-debug
		make torture KERNEL=stock PARAMETERS=oops=100
		make litmus
		make model
		testbed/client.sh uml
		testbed/client.sh stock
		testbed/sessions.sh uml
		testbed/deb.sh check
		testbed/rpm.sh check
		testbed/top.sh uml
		testbed/drgn.sh
		make reach
		testbed/in-tree.sh check
		testbed/canary.sh stock
		testbed/canary.sh uml-debug
		testbed/canary.sh rt
		testbed/canary.sh x86-debug
		testbed/canary.sh kcsan
	END
}

# is_wanted STEP [PATTERN...]
is_wanted() {
	local step=$1 pattern
	shift
	[ $# -gt 0 ] || return 0
	for pattern; do
		[[ $step =~ $pattern ]] && return
	done
	return 1
}

run_step() {
	local words began=$SECONDS status
	read -ra words <<<"$1"
	echo "== $1"
	"${words[@]}" </dev/null
	status=$?
	results+=("$(printf '%-6s %3d:%02d  %s' "$(verdict "$status")" \
		$(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$1")")
	[ "$status" = 0 ] || failed=$((failed + 1))
}

verdict() {
	if [ "$1" = 0 ]; then echo passed; else echo FAILED; fi
}

main() {
	local step wanted=() results=() failed=0
	trap 'exit 130' INT
	while read -r step; do
		! is_wanted "$step" "$@" || wanted+=("$step")
	done < <(steps)
	for step in "${wanted[@]}"; do
		run_step "$step"
	done
	echo "== $((${#wanted[@]} - failed)) of ${#wanted[@]} passed"
	[ ${#results[@]} = 0 ] || printf '%s\n' "${results[@]}"
	[ "$failed" = 0 ] && [ ${#wanted[@]} -gt 0 ]
}

main "$@"
