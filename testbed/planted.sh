#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# planted.sh KERNEL [PLANT...]: plant a bug in an item, one a boot, and see the run fail for it; and pass
# when nothing is planted.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"

# What a kernel's checkers find.
plants_of() {
	case $1 in
	*debug) echo nothing freed atomic order object leak ;;
	kcsan) echo nothing race atomic order ;;
	rt) echo nothing atomic ;;
	*) die "no checkers are known of a kernel named $1" ;;
	esac
}

# How each is reported. The report that names the function may be of any of these.
report_of() {
	case $1 in
	race) echo 'KCSAN: data-race in race' ;;
	freed) echo 'KASAN: (slab-)?use-after-free in freed' ;;
	atomic) echo 'scheduling while atomic' ;;
	order) echo 'possible circular locking dependency' ;;
	object) echo 'ODEBUG: free active .* fires' ;;
	leak) echo 'unreferenced object' ;;
	esac
}

boot() {
	"$here/testbed.sh" -k "$kernel" -t "${TIMEOUT:-600}" sh -c \
		"insmod kpool.ko && insmod selftests/planted.ko plant=$1" >"$log" 2>&1
	status=$?
}

# try PLANT NUMBER: 124 is how the test bed says that the kernel complained; it has shown the log then.
try() {
	boot "$1"
	if [ "$1" = nothing ]; then
		[ "$status" = 0 ] && echo "ok $2 - $kernel says nothing about nothing" && return
	elif [ "$status" = 124 ] && grep -Eq "$(report_of "$1")" "$log" && grep -q 'planted\]' "$log"; then
		echo "ok $2 - $kernel reports $1"
		return
	fi
	echo "not ok $2 - $kernel, $1: exit status $status"
	sed 's/^/# /' "$log"
	return 1
}

main() {
	local plants plant number=0 failed=0
	[ $# -gt 0 ] || die "usage: planted.sh KERNEL [PLANT...]"
	kernel=$1
	plants=$(plants_of "$kernel") || exit
	[ $# = 1 ] || plants="${*:2}"
	read -ra plants <<<"$plants"
	log=$(mktemp "${TMPDIR:-/tmp}/kpool-planted.XXXXXX")
	trap 'rm -f "$log"' EXIT
	echo "TAP version 13"
	echo "1..${#plants[@]}"
	for plant in "${plants[@]}"; do
		number=$((number + 1))
		try "$plant" "$number" || failed=1
	done
	return "$failed"
}

main "$@"
