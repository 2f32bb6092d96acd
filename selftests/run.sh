#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Run selftests, in the order of their names or in the order given, on this
# kernel.  The arguments are names of scripts here or in ported/, without .sh;
# "ported" means all of those, none means all but those that boot alone or, without
# LONG=yes, are long on this kernel.  The output of each stands between a begin
# and an end line.  KERNEL names the test bed's kernel and is unset on a real
# machine.

cd "$(dirname "$0")" || exit 1
[ -d /sys/module/kpool ] || insmod ../kpool.ko || exit 1

run_one() {
	run_script=$1.sh
	[ -e "$run_script" ] || run_script=ported/$1.sh
	# what the kernel said before would only be searched again and again
	[ -z "${KERNEL:-}" ] || dmesg -c >/dev/null
	echo "# kpool-selftest begin $1"
	sh "./$run_script"
	run_status=$?
	echo "# kpool-selftest end $1 $run_status"
	[ "$run_status" -eq 0 ] || [ "$run_status" -eq 4 ]
}

# run_named NAME...: what others source is no selftest
run_named() {
	for name in "$@"; do
		name=${name##*/}
		case $name in
		run.sh | ktap.sh) continue ;;
		esac
		run_one "${name%.sh}" || failed=1
	done
}

# shared: the scripts that can share a guest, or a machine, with others
shared() {
	shared_not='^# boots: alone'
	[ "${LONG:-no}" = yes ] || shared_not="$shared_not|^# long:.* ${KERNEL:-none}( |$)"
	grep -LE "$shared_not" ./*.sh
}

failed=0
# shellcheck disable=SC2046 # names without spaces
[ $# -gt 0 ] || set -- $(shared) ported
for arg in "$@"; do
	case $arg in
	ported) run_named ported/*.sh ;;
	*) run_named "$arg" ;;
	esac
done
exit "$failed"
