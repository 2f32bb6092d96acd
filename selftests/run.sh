#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Run selftests, in the order of their names or in the order given, on this
# kernel.  The arguments are names of scripts, without .sh; none means all.
# The output of each stands between a begin and an end line.  KERNEL names the
# test bed's kernel and is unset on a real machine.

cd "$(dirname "$0")" || exit 1
[ -d /sys/module/kpool ] || insmod ../kpool.ko || exit 1

run_one() {
	echo "# kpool-selftest begin $1"
	sh "./$1.sh"
	run_status=$?
	echo "# kpool-selftest end $1 $run_status"
	[ "$run_status" -eq 0 ] || [ "$run_status" -eq 4 ]
}

if [ $# -eq 0 ]; then
	for script in *.sh; do
		case ${script%.sh} in
		run | ktap) ;;
		*) set -- "$@" "${script%.sh}" ;;
		esac
	done
fi

failed=0
for name in "$@"; do
	run_one "${name%.sh}" || failed=1
done
exit "$failed"
