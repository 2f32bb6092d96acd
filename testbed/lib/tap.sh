# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# TAP output of a script that tests on the host.

tap_begin() {
	number=0 failed=0
	echo "TAP version 13"
}

# result STATUS NAME
result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=$((failed + 1))
	fi
}

# is NAME EXPECTED GOT
is() {
	[ "$2" = "$3" ]
	result $? "$1"
	[ "$2" = "$3" ] || printf 'expected:\n%s\ngot:\n%s\n' "$2" "$3" | sed 's/^/# /'
}

# The status is that of the whole script.
tap_end() {
	echo "1..$number"
	[ "$failed" = 0 ]
}
