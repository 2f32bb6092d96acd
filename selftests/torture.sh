#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# torture.sh [SECONDS [PARAMETER...]]: torture kpool, while clients come and go
# and people read and write in debugfs.  Without arguments it takes a minute or
# less, on uml with pools that are broken on purpose, which it must find out.

. "$(dirname "$0")/ktap.sh"

torture=/sys/module/kpool_torture
busy=/tmp/torture-busy

# torture_seconds: of the test itself
torture_seconds() {
	if is_long; then echo 60; else echo 15; fi
}

# torture_parameters: for this kernel
torture_parameters() {
	case ${KERNEL:-} in
	*debug | kcsan) echo "stall=60 onoff_interval=3" ;;
	uml*) echo "exits=1000" ;;
	*) echo "exits=1000 onoff_interval=3" ;;
	esac
}

# wait_for_end SECONDS: until the test has ended by itself, or for so long
wait_for_end() {
	wait_left=$(($1 * 5))
	while [ "$wait_left" -gt 0 ]; do
		case $(cat "$torture/parameters/result") in
		SUCCESS | FAILURE) return 0 ;;
		esac
		usleep 200000
		wait_left=$((wait_left - 1))
	done
	return 1
}

# torture_said: what the last test has said
torture_said() {
	dmesg | awk '
		/kpool-torture: Start of test/ { n = 0 }
		/kpool-torture: / { line[n++] = $0 }
		END { for (i = 0; i < n; i++) print line[i] }'
}

# unload_if_ended: to unload it while it hangs would hang as well
unload_if_ended() {
	wait_for_end 1 && rmmod kpool_torture
}

# broken_is_found BROKEN INVARIANT [PARAMETER...]: it must end with a failure, and say why
broken_is_found() {
	broken=$1
	invariant=$2
	shift 2
	found=1
	load_test kpool_torture "broken=$broken" duration=60 stat_interval=0 "$@" &&
		wait_for_end 90 &&
		torture_said | grep -q -F "!!! $invariant: " &&
		torture_said | grep -q -F "End of test: FAILURE: " && found=0
	unload_if_ended || found=1
	[ "$found" = 0 ] || ktap_diag "$(torture_said)"
	ktap_result "$found" \
		"a pool that is broken on purpose is found out: $broken, by \"$invariant\""
}

# Fails if the check of that invariant is removed from the torture.
all_broken_are_found() {
	broken_is_found lose "exactly once"
	broken_is_found twice "exactly once"
	broken_is_found overlap "one run at a time"
	broken_is_found order "order"
	broken_is_found counter "counters"
	broken_is_found capacity "capacity"
	broken_is_found late "late start" stall=1
	broken_is_found early "early start"
	broken_is_found hang "hang" stall=1
	broken_is_found leak "leak"
	broken_is_found answer "answer"
	broken_is_found pause "pause"
	broken_is_found closed "closed"
}

# Beside the torture, for as long as the file exists.

read_and_write_debugfs() {
	while [ -e "$busy" ]; do
		cat "$KPOOL_DEBUGFS"/pools "$KPOOL_DEBUGFS"/torture-*/*
		for dir in "$KPOOL_DEBUGFS"/torture-*; do
			echo 7 >"$dir/expiry_ms"
			echo 3 >"$dir/max_blocked"
			echo -2 >"$dir/nice"
		done
		echo nonsense >"$KPOOL_DEBUGFS/torture-1/capacity"
		usleep 20000
	done >/dev/null 2>&1
}

load_and_unload_clients() {
	round=0
	while [ -e "$busy" ]; do
		round=$((round + 1))
		load_test client "items=$((round % 7 * 5))" "use_default=$((round % 2))"
		usleep $((round % 5 * 10000))
		rmmod client
		usleep 50000
	done >/dev/null 2>&1
	echo "$round" >"$busy-rounds"
}

# expect_oopses BEGIN_OR_END: what the kernel says of them is no news
expect_oopses() {
	echo "kpool-testbed: expect $1" >/dev/kmsg
	[ "$1" = end ] || echo 0 >/proc/sys/kernel/panic_on_oops
}

# Fails if anything that the torture checks is not so.
torture_succeeds() {
	seconds=$1
	shift
	succeeded=1
	: >"$busy"
	# shellcheck disable=SC2046 # each word is a parameter
	load_test kpool_torture "duration=$seconds" verbose=1 $(torture_parameters) "$@"
	! mount_debugfs || read_and_write_debugfs &
	load_and_unload_clients &
	wait_for_end $((seconds + 120))
	ended=$?
	rm "$busy"
	[ "$ended" = 0 ] && wait && unload_if_ended &&
		! torture_said | grep -q -F '!!!' &&
		torture_said | grep -q -F "End of test: SUCCESS: " && succeeded=0
	ktap_diag "$(torture_said)"
	ktap_diag "a client came and went $(cat "$busy-rounds") times meanwhile"
	ktap_result "$succeeded" "kpool survives $seconds seconds of torture"
}

ktap_begin
if [ "${KERNEL:-}" = uml-time ]; then
	ktap_skip "kpool survives torture" "needs time that passes while code runs"
else
	[ $# -gt 0 ] || [ "${KERNEL:-uml}" != uml ] || all_broken_are_found
	[ $# -gt 0 ] || set -- "$(torture_seconds)"
	case $* in *oops=*) expect_oopses begin ;; esac
	torture_succeeds "$@"
	case $* in *oops=*) expect_oopses end ;; esac
fi
ktap_end
