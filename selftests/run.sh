#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run.sh [NAME...]: run selftests on this kernel, in the order of their names or as given.
# "ported" means all in ported/, none means all but those that boot alone or, without LONG=yes, are
# long on this kernel.  The output of each stands between a begin and an end line.  KERNEL names the
# test bed's kernel, FAMILY those that are like it; both are unset on a real machine.
#
# run.sh -l [ported]: print the names of all selftests here, or of those in ported/.
#
# A selftest is a script, NAME.sh, or else a module in the list "tests" of Kbuild, whose cases run.

cd "$(dirname "$0")" || exit 1

# modules DIR: those in the list "tests"
modules() {
	sed -n 's/^tests += \(.*\)\.o$/\1/p' "$1/Kbuild"
}

# selftests DIR: all there; what others source is none
selftests() {
	{
		modules "$1"
		find "$1" -maxdepth 1 -name '*.sh' | sed 's/.*\/\(.*\)\.sh$/\1/'
	} | grep -vx -e run -e ktap | sort -u
}

# default DIR NAME: what is run without a script
default() {
	modules "$1" | grep -qx "$2" || {
		echo "# no selftest is named $2"
		return 1
	}
	# ktap.sh looks for the module beside $0
	sh -c '. ./ktap.sh; ktap_begin; run_cases "$1"; ktap_end' "./$1/$2" "$2"
}

run_one() {
	run_dir=.
	[ -e "$1.sh" ] || modules . | grep -qx "$1" || run_dir=ported
	# older lines of the kernel would only be searched again and again
	[ -z "${KERNEL:-}" ] || dmesg -c >/dev/null
	echo "# kpool-selftest begin $1"
	if [ -e "$run_dir/$1.sh" ]; then
		sh "$run_dir/$1.sh"
	else
		default "$run_dir" "$1"
	fi
	run_status=$?
	echo "# kpool-selftest end $1 $run_status"
	[ "$run_status" -eq 0 ] || [ "$run_status" -eq 4 ]
}

# shared: the selftests that can share a guest, or a machine, with others
shared() {
	shared_not='^# boots: alone'
	[ "${LONG:-no}" = yes ] ||
		shared_not="$shared_not|^# long:.* (${KERNEL:-none}|${FAMILY:-none})( |$)"
	for name in $(selftests .); do
		grep -qsE "$shared_not" "$name.sh" || echo "$name"
	done
}

if [ "${1:-}" = -l ]; then
	selftests "${2:-.}"
	exit
fi
# 4 is kselftest's exit status for what cannot run here
sh -c '. ./ktap.sh; load_kpool' ./run || exit 4
failed=0
# shellcheck disable=SC2046 # names without spaces
[ $# -gt 0 ] || set -- $(shared) $([ ! -d ported ] || echo ported)
for arg in "$@"; do
	case $arg in
	ported) names=$(selftests ported) ;;
	*) names=$arg ;;
	esac
	for name in $names; do
		run_one "$name" || failed=1
	done
done
exit "$failed"
