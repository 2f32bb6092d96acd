#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_httpd
# guest-needs: wrk wrk
# The sample kpool_httpd on a kpool and on a workqueue, in turns, with wrk as its
# client.
#
# usage: httpd.sh [rounds [seconds [connections]]]
#
# Prints requests per second. For each case and backend these are the median of the rounds, the least
# and the most. The last figure is what part of the workqueue's median kpool reaches.
# A client and a server that share the processors are measured, so only the
# comparison means something.

rounds=${1:-5}
seconds=${2:-2}
connections=${3:-16}

cd "$(dirname "$0")/.." || exit 1
tmp=/tmp/kpool-bench.$$

fail() {
	echo "bench: $*" >&2
	exit 1
}

clean_up() {
	[ ! -d /sys/module/kpool_httpd ] || rmmod kpool_httpd
	rm -rf "$tmp"
}

# measure CASE FILE [HEADER]: one line of the results
measure() {
	url=http://127.0.0.1:$port/$2
	set -- "$1" ${3:+-H "$3"}
	case_name=$1
	shift
	wrk -t 1 -c "$connections" -d "${seconds}s" "$@" "$url" >"$tmp/wrk" || fail "wrk"
	! grep -e Non-2xx -e 'Socket errors' "$tmp/wrk" || fail "errors with $backend"
	awk -v name="$case_name $backend" '/^Requests\/sec:/ { print name, $2 }' "$tmp/wrk"
}

# round BACKEND: all cases on it
round() {
	backend=$1
	insmod samples/kpool_httpd.ko "root=$tmp/www" port=0 "backend=$backend" \
		"capacity=$connections" queue_depth=1024 || fail "insmod"
	port=$(cat /sys/module/kpool_httpd/parameters/port)
	measure kept small
	measure anew small "Connection: close"
	measure large large
	rmmod kpool_httpd || fail "rmmod"
}

# Neither of the two always goes first.
all_rounds() {
	number=0
	while [ "$number" -lt "$rounds" ]; do
		if [ $((number % 2)) = 0 ]; then
			round kpool && round workqueue
		else
			round workqueue && round kpool
		fi
		number=$((number + 1))
	done
}

report() {
	sort -k 1,2 -k 3n | awk '
		{ key = $1 " " $2; value[key, ++n[key]] = $3; cases[$1] }
		function median(key, m) {
			m = n[key]
			return (value[key, int((m + 1) / 2)] + value[key, int(m / 2) + 1]) / 2
		}
		function show(name, backend, key) {
			key = name " " backend
			printf "%-8s %-10s %8.0f %8.0f %8.0f", name, backend, median(key),
			       value[key, 1], value[key, n[key]]
		}
		END {
			printf "%-8s %-10s %8s %8s %8s %6s\n", "case", "backend", "median",
			       "least", "most", "ratio"
			split("kept anew large", order)
			for (i = 1; i <= 3; i++) {
				name = order[i]
				show(name, "workqueue")
				print ""
				show(name, "kpool")
				printf " %6.2f\n", median(name " kpool") / median(name " workqueue")
			}
		}'
}

[ -d /sys/module/kpool ] || insmod kpool.ko || fail "cannot load kpool.ko"
command -v wrk >/dev/null || fail "there is no wrk"
trap clean_up EXIT
ip link set lo up
mkdir -p "$tmp/www"
head -c 1000 /dev/urandom >"$tmp/www/small"
head -c 1000000 /dev/urandom >"$tmp/www/large"
all_rounds >"$tmp/results" || exit
report <"$tmp/results"
