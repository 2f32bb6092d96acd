# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# Share what every script of the test bed uses.

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
testbed=$tree/testbed
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kpool

say() {
	echo "kpool: $*" >&2
}

# 126 is no verdict of a guest: it says that there was none to ask.
die() {
	say "$*"
	exit 126
}

# Kbuild cannot take such a path, neither of a module nor of a kernel.
case $tree$cache in
*[[:space:]:]*) die "no path may have a space or a colon: $tree, $cache" ;;
esac

# logged LOG CMD...: run CMD with its output in LOG; should it fail, show the end of it.
logged() {
	local log=$1
	shift
	mkdir -p "${log%/*}"
	"$@" >"$log" 2>&1 </dev/null && return
	tail -n 40 "$log" >&2
	die "failed: $* (all of it: $log)"
}

# locked NAME CMD...: run CMD while no other run holds the lock NAME.
# CMD runs in a subshell, and what it starts does not inherit the lock.
locked() {
	local lock=$cache/lock/$1
	shift
	mkdir -p "${lock%/*}"
	(
		flock -n 9 || { say "waiting for another run"; flock 9; }
		"$@" 9>&-
	) 9>"$lock"
}

# From here on each job in the background has a process group of its own, which Ctrl-C does not reach.
stop_jobs_when_interrupted() {
	set -m
	trap 'kill -- $(jobs -p | sed s/^/-/); exit 130' INT TERM
}

short_hash() {
	sha256sum | cut -c 1-12
}

# Several trees can share the cache.
tree_id=$(short_hash <<<"$tree")
