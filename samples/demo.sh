#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_quickstart kpool_sha256 kpool_httpd
# guest-needs: wrk wrk
# Shows kpool at work: loads it, runs the sample modules, checks what they did.
#
# usage: demo.sh [DIRECTORY...]
#
# The files below the directories are hashed in the kernel (default: /kpool and /bin, and /data if it
# exists). Every digest is compared with sha256sum's.
# The load on the HTTP server is made by wrk, if there is one. Needs root. The exit status is 0 only if everything was right.

debugfs=/sys/kernel/debug
kpool=$debugfs/kpool
hasher=$debugfs/kpool_sha256
tmp=/tmp/kpool-demo.$$

say() {
	printf '\n== %s\n\n' "$*"
}

fail() {
	echo "demo: FAILED: $*" >&2
	exit 1
}

# Leave no module loaded, also after a failure.
clean_up() {
	for module in kpool_httpd kpool_sha256 kpool_quickstart kpool; do
		[ ! -d /sys/module/$module ] || rmmod $module
	done
	rm -rf "$tmp"
}

load() {
	echo "# insmod $*"
	insmod "$@" || fail "insmod $1"
}

show() {
	echo "# cat $1"
	sed 's/^/  /' "$1" || fail "cannot read $1"
	echo
}

summary() {
	sed -n "s/^$1 //p" $hasher/summary
}

quickstart() {
	say "Quick start: 10,000 random numbers, 100 tasks, a pool of 10 workers"
	load samples/kpool_quickstart.ko
	dmesg | sed -n 's/.*kpool_quickstart: /  /p'
	echo
	show $kpool/pools
}

prepare_hashing() {
	say "A real job: SHA-256 of every file below $*, an item per file"
	mkdir -p "$tmp" || fail "cannot make $tmp"
	find "$@" -type f >"$tmp/list" || fail "cannot list the files"
	[ -s "$tmp/list" ] || fail "no files below $*"
	tr '\n' '\0' <"$tmp/list" | xargs -0 sha256sum >"$tmp/expected" ||
		fail "sha256sum"
	load samples/kpool_sha256.ko
}

# The pool is busy while this writer lives; it returns when all is hashed.
hash_all() {
	cat "$tmp/list" >$hasher/paths
}

check_digests() {
	cat $hasher/digests >"$tmp/digests" || fail "cannot read the digests"
	cmp -s "$tmp/digests" "$tmp/expected" ||
		fail "digests differ with $1 workers"
	[ "$(summary unreadable)" = 0 ] || fail "files could not be read"
}

hash_with_workers() {
	echo "$1" >$kpool/sha256/capacity || fail "cannot tune the capacity"
	hash_all || fail "cannot hash"
	check_digests "$1"
	printf '  %7s  %6s  %6s  %7s  %s\n' "$1" "$(summary files)" \
		"$(($(summary bytes) >> 20))" "$(summary milliseconds)" \
		"$(summary files_per_second)"
}

measure_hashing() {
	echo
	echo "The capacity is turned from 1 to 2 to 4 on the live pool, by"
	echo "# echo N >$kpool/sha256/capacity"
	echo "and after each run every digest is compared with sha256sum's:"
	echo
	echo "  workers   files     MiB  time_ms  files/s"
	for workers in 1 2 4; do
		hash_with_workers $workers
	done
	echo
	echo "  $(wc -l <"$tmp/digests") digests of $(wc -l <"$tmp/expected") equal, each time"
}

wait_until_busy() {
	while kill -0 "$1" 2>/dev/null; do
		grep -q '^pending [1-9]' $kpool/sha256/stats && return
	done
}

show_tables_in_flight() {
	say "The same once more, and while it runs, what debugfs shows"
	hash_all &
	writer=$!
	wait_until_busy $writer
	show $kpool/pools
	show $kpool/sha256/workers
	show $kpool/sha256/stats
	wait $writer || fail "cannot hash"
	check_digests 4
}

start_server() {
	say "A server: HTTP in the kernel, an item per connection"
	ip link set lo up
	load samples/kpool_httpd.ko root=samples port=0 capacity=4
	url=http://127.0.0.1:$(cat /sys/module/kpool_httpd/parameters/port)
	echo
}

fetch_file() {
	echo "# wget -q -O - $url/README.rst"
	wget -q -O "$tmp/fetched" "$url/README.rst" || fail "cannot fetch"
	cmp -s "$tmp/fetched" samples/README.rst || fail "not the same file"
	sed '/./!d; s/^/  /' "$tmp/fetched" | head -n 6
	echo "  ... $(wc -c <"$tmp/fetched") bytes, the same as samples/README.rst"
	echo
}

# Four connections hold four workers for as long as wrk keeps them.
serve_load() {
	echo "# wrk -t 1 -c 4 -d 2s $url/README.rst"
	wrk -t 1 -c 4 -d 2s "$url/README.rst" >"$tmp/wrk" &
	client=$!
	sleep 1
	echo "  ... and while it runs:"
	echo
	show $kpool/httpd/workers
	show $kpool/httpd/stats
	wait $client || fail "wrk: $(cat "$tmp/wrk")"
	echo "wrk says:"
	sed 's/^/  /' "$tmp/wrk"
	echo
	show $debugfs/kpool_httpd/stats
	! grep -e Non-2xx -e 'Socket errors' "$tmp/wrk" || fail "wrk met errors"
}

serve_files() {
	start_server
	fetch_file
	if command -v wrk >/dev/null; then
		serve_load
	else
		echo "  (there is no wrk here to make it work harder)"
	fi
}

unload() {
	say "Each pool ends with its module; the next instant kpool can go too"
	for module in kpool_httpd kpool_sha256 kpool_quickstart kpool; do
		echo "# rmmod $module"
		rmmod $module || fail "rmmod $module"
	done
}

cd "$(dirname "$0")/.." || exit 1
[ ! -d /sys/module/kpool ] || fail "kpool is loaded already: rmmod it first"
trap clean_up EXIT
[ -d $debugfs/bdi ] || mount -t debugfs debugfs $debugfs || fail "no debugfs"
if [ $# = 0 ]; then
	set -- /kpool /bin
	[ ! -d /data ] || set -- "$@" /data
fi

say "A pool of kernel threads, on Linux $(uname -r) with $(grep -c ^processor /proc/cpuinfo) CPUs"
load kpool.ko
quickstart
prepare_hashing "$@"
measure_hashing
show_tables_in_flight
serve_files
unload
say "All right"
