#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# check-all.sh [PATTERN...]: every check on every kernel, or those whose command matches a pattern. A
# failure does not stop the rest; the end says what became of each. With CONTINUE=yes, what has passed before
# with the same content of the tree is not run again.

# shellcheck disable=SC2154 # set by what is sourced

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
# shellcheck source=/dev/null
. testbed/lib/common.sh

# A command a line; quick commands first.
steps() {
	cat <<-END
		testbed/hints.sh
		make lint
		make demo
		make check LONG=yes KERNEL=uml
		make check LONG=yes KERNEL=uml-time
		make check LONG=yes KERNEL=uml-debug
		make check LONG=yes KERNEL=stock
		make check LONG=yes KERNEL=rt
		make check KERNEL=6.12
		make check KERNEL=7.2
		make check KERNEL=7.2-rt
		make check KERNEL=newest
		make check KERNEL=arm64
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
		testbed/install.sh
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

# tree_content: a hash of all files of the tree, but for packages that were built in it
tree_content() {
	tar --exclude-vcs --exclude=./build --sort=name --mtime=@0 --owner=0 --group=0 -c . | short_hash
}

run_step() {
	local words began=$SECONDS status
	if [ "${CONTINUE:-}" = yes ] && grep -qxFs "$1" "$passed"; then
		results+=("$(printf '%-6s %6s  %s' passed before "$1")")
		return
	fi
	read -ra words <<<"$1"
	echo "== $1"
	"${words[@]}" </dev/null
	status=$?
	[ "$status" != 0 ] || echo "$1" >>"$passed"
	results+=("$(printf '%-6s %3d:%02d  %s' "$(verdict "$status")" \
		$(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$1")")
	[ "$status" = 0 ] || failed=$((failed + 1))
}

verdict() {
	if [ "$1" = 0 ]; then echo passed; else echo FAILED; fi
}

main() {
	local step wanted=() results=() failed=0 passed
	trap 'exit 130' INT
	passed=$cache/passed/$(tree_content)
	mkdir -p "${passed%/*}"
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
