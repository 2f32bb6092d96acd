#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# canary.sh KERNEL [PLANT...]: plant a bug in an item, one a boot, and see the run fail for it; and pass
# when nothing is planted.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"
# shellcheck source=/dev/null
. "$here/lib/packages.sh"

# Name what a kernel's checkers find; and a hang, which the test bed has to find on those of QEMU.
plants_of() {
	case $1 in
	uml-debug) echo nothing freed atomic order object leak ;;
	x86-debug) echo nothing freed atomic order object leak hang ;;
	kcsan) echo nothing race atomic order hang ;;
	rt | 7.2-rt) echo nothing atomic hang ;;
	stock | 6.12 | 7.2 | newest) echo nothing hang ;;
	*) die "no checkers are known of a kernel named $1" ;;
	esac
}

# How each is reported. The report that names the function can be of any of these.
report_of() {
	case $1 in
	race) echo 'KCSAN: data-race in race' ;;
	freed) echo 'KASAN: (slab-)?use-after-free in freed' ;;
	atomic) echo 'scheduling while atomic' ;;
	order) echo 'possible circular locking dependency' ;;
	object) echo 'ODEBUG: free active .* fires' ;;
	leak) echo 'unreferenced object' ;;
	hang) echo 'NMI: Not continuing' ;;
	esac
}

boot() {
	local limit=600
	[ "$1" != hang ] || limit=150
	"$here/testbed.sh" -k "$kernel" -t "${TIMEOUT:-$limit}" sh -c \
		"insmod kpool.ko && insmod selftests/canary.ko plant=$1" >"$log" 2>&1
	status=$?
}

# try PLANT NUMBER: 124 is how the test bed says that the kernel complained, 125 that the guest did not
# end. It has shown the log then.
try() {
	local found=124
	[ "$1" != hang ] || found=125
	boot "$1"
	if [ "$1" = nothing ]; then
		[ "$status" = 0 ] && echo "ok $2 - $kernel says nothing about nothing" && return
	elif [ "$status" = "$found" ] && grep -Eq "$(report_of "$1")" "$log" && grep -q 'canary\]' "$log"; then
		echo "ok $2 - $kernel reports $1"
		return
	fi
	echo "not ok $2 - $kernel, $1: exit status $status"
	sed 's/^/# /' "$log"
	return 1
}

main() {
	local plants plant number=0 failed=0
	[ $# -gt 0 ] || die "usage: canary.sh KERNEL [PLANT...]"
	kernel=$1
	plants=$(plants_of "$kernel") || exit
	[ $# = 1 ] || plants="${*:2}"
	read -ra plants <<<"$plants"
	# shellcheck disable=SC2046 # several packages
	need_packages $(packages_of "$kernel")
	log=$(mktemp "${TMPDIR:-/tmp}/kpool-canary.XXXXXX")
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
