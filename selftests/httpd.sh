#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# long: debian uml-debug
# needs: kpool_httpd
# guest-needs: wrk wrk
# The sample kpool_httpd, on a pool and on a workqueue: honest clients, clients
# that send nonsense or are slow, and rmmod under all of them.
#
# Each group of requests is one result; its diagnostics say which request failed.

# shellcheck disable=SC2317 # wait_until and group_check are given functions to call

. "$(dirname "$0")/ktap.sh"

HTTPD_KO=$SELFTESTS/../samples/kpool_httpd.ko
tmp=/tmp/httpd.$$
www=$tmp/www
ask_nr=0
stats=/sys/kernel/debug/kpool_httpd/stats
patience=60	# seconds; only a hang needs them

# How long wrk is to go on, so that something is served; and to wait for one answer.
case ${KERNEL:-} in
x86-debug | kcsan) a_while="10s --timeout 8s" ;;
*) a_while=1s ;;
esac

# The server

# start_server [PARAMETER...]
start_server() {
	insmod "$HTTPD_KO" "root=$www" port=0 "backend=$backend" "$@" || return
	port=$(cat /sys/module/kpool_httpd/parameters/port)
}

stop_server() {
	rmmod kpool_httpd
}

# count NAME: one of the server's counters
count() {
	awk -v name="$1" '$1 == name { print $2 }' "$stats"
}

counts() {
	[ "$(count "$1")" = "$2" ]
}

# sums_up: the identities of the counters, once no connection is open.  The last ones are counted a
# little later than they end.
sums_up() {
	wait_until counts open 0 && wait_until adds_up
}

adds_up() {
	awk '{ n[$1] = $2 }
		END {
			exit n["accepted"] != n["refused"] + n["closed"] ||
			     n["requests"] != n["answered_2xx"] + n["answered_4xx"] +
					      n["answered_5xx"] + n["aborted"]
		}' "$stats" || return
	[ "$backend" = kpool ] || return 0
	cat "$stats" "$KPOOL_DEBUGFS/httpd/stats" | awk '
		NR > 1 && $1 == "refused" && "refused" in n { exit n["refused"] != $2 }
		{ n[$1] = $2 }'
}

# end_server NAME: it has counted right, and goes
end_server() {
	end_failed=0
	sums_up || end_failed=1
	[ "$end_failed" -eq 0 ] || ktap_diag "$(cat "$stats")"
	stop_server || end_failed=1
	ktap_result "$end_failed" "$backend: $1: the counters add up, and the server goes"
}

# Clients

# ask REQUEST: send it, and stay connected until the server closes
ask() {
	ask_nr=$((ask_nr + 1))
	mkfifo "$tmp/$ask_nr.in"
	exec 9<>"$tmp/$ask_nr.in"
	# shellcheck disable=SC2059 # requests are formats: \r\n
	printf "$1" >&9
	timeout "$patience" nc 127.0.0.1 "$port" <"$tmp/$ask_nr.in" >"$tmp/out" 2>/dev/null 9>&-
	ask_status=$?
	exec 9>&-
}

# ask_in_time REQUEST: the same, where the server does not wait for its client.  One that stood
# still is let go with nothing, and another is sent, unless it was our patience that ended.
ask_in_time() {
	for _ in 1 2 3 4 5; do
		ask "$1"
		if [ -s "$tmp/out" ] || [ "$ask_status" -ge 124 ]; then break; fi
	done
}

# ask_and_end REQUESTS: send them, then nothing more, and take all answers
ask_and_end() {
	# shellcheck disable=SC2059
	printf "$1" | timeout "$patience" nc 127.0.0.1 "$port" >"$tmp/out"
}

# connect NAME: a client that can be told what to do, one step at a time
connect() {
	rm -f "$tmp/$1.in"
	mkfifo "$tmp/$1.in"
	# what the last of this name was told is no answer
	: >"$tmp/$1.out"
	# opened here, so that no child can be late, and nc see an end between two writes
	exec 9<>"$tmp/$1.in"
	# for reading too: a write must not wait for a client that has gone
	sleep 1000 <&9 9>&- &
	echo $! >"$tmp/$1.holder"
	timeout 1000 nc 127.0.0.1 "$port" <&9 >"$tmp/$1.out" 2>/dev/null 9>&- &
	echo $! >"$tmp/$1.pid"
	exec 9>&-
}

say() {
	# shellcheck disable=SC2059
	printf "$2" >"$tmp/$1.in"
}

has_ended() {
	! kill -0 "$(cat "$tmp/$1.pid")" 2>/dev/null
}

has_answer() {
	grep -q "$2" "$tmp/$1.out"
}

disconnect() {
	kill "$(cat "$tmp/$1.holder")" "$(cat "$tmp/$1.pid")" 2>/dev/null
	wait "$(cat "$tmp/$1.holder")" "$(cat "$tmp/$1.pid")" 2>/dev/null
}

# statuses: of the answers in what came, in their order
statuses() {
	awk '/^HTTP\/1.1 / { printf "%s%s", n++ ? " " : "", $2 }' "${1:-$tmp/out}"
}

# body: what came after the head
body() {
	sed '1,/^\r*$/d' "$tmp/out"
}

# has_field TEXT: in what came
has_field() {
	grep -qi "^$1" "$tmp/out"
}

group_begin() {
	group_failed=0
}

# group_check WHAT COMMAND...
group_check() {
	group_what=$1
	shift
	"$@" && return
	ktap_diag "failed: $group_what"
	ktap_diag "$(head -c 500 "$tmp/out" | tr -d '\r' | tr -cd '\n -~')"
	group_failed=1
}

group_end() {
	ktap_result "$group_failed" "$backend: $1"
}

# statuses_are STATUSES WHAT
statuses_are() {
	got=$(statuses)
	group_check "$2: $got instead of $1" [ "$got" = "$1" ]
}

# answers STATUSES WHAT REQUEST: the server answers so, then closes by itself
answers() {
	ask "$3"
	statuses_are "$1" "$2"
}

answers_in_time() {
	ask_in_time "$3"
	statuses_are "$1" "$2"
}

# answers_all STATUSES WHAT REQUESTS: the same, but the client ends
answers_all() {
	ask_and_end "$3"
	statuses_are "$1" "$2"
}

H='Host: a\r\n'
C='Host: a\r\nConnection: close\r\n\r\n'

make_files() {
	mkdir -p "$www/dir/deep" "$tmp/outside"
	echo "the index" >"$www/index.html"
	echo "deep" >"$www/dir/deep/file.txt"
	: >"$www/empty"
	echo "with a space" >"$www/a b.css"
	dd if=/dev/urandom of="$www/random" bs=1000 count=777 2>/dev/null
	dd if=/dev/urandom of="$www/middle" bs=1000 count=100 2>/dev/null
	echo SECRET >"$tmp/outside/secret"
	echo SECRET >"$tmp/secret"
	ln -s dir/deep/file.txt "$www/inside"
	ln -s ../secret "$www/relative"
	ln -s "$tmp/secret" "$www/absolute"
	ln -s ../outside "$www/way"
	mkdir "$www/proc"
	mount -t proc proc "$www/proc"
	ln -s loop "$www/loop"
	mkfifo "$www/fifo"
	mknod "$www/zero" c 1 5
}

# Fails if a range is not checked, or the log does not say which.
bad_parameters_are_refused() {
	group_begin
	for pair in root=/none root=/etc/kpool-script port=65536 port=-1 capacity=0 \
		capacity=513 queue_depth=-1 queue_depth=65537 read_timeout_ms=0 \
		drain_timeout_ms=-1 max_header=127 max_header=65537 backend=thread \
		address=localhost; do
		insmod "$HTTPD_KO" "root=$www" port=0 "$pair" 2>/dev/null
		dmesg -c >"$tmp/out"
		group_check "$pair is refused" [ ! -d /sys/module/kpool_httpd ]
		group_check "$pair is explained" grep -q \
			"kpool_httpd: ${pair%%=*}: .*is not .*[a-z0-9]" "$tmp/out"
		! is_loaded kpool_httpd || stop_server
	done
	group_end "a bad parameter fails the insmod and is explained"
}

# fetch PATH FILE: with busybox's wget
fetch() {
	rm -f "$tmp/out"
	wget -q -O "$tmp/out" "http://127.0.0.1:$port/$1" 2>/dev/null
	group_check "$1 is $2" cmp -s "$tmp/out" "$www/$2"
}

# Fails if a piece is sent twice or not at all, or a path is decoded wrongly.
files_are_sent() {
	group_begin
	fetch index.html index.html
	fetch "" index.html
	fetch empty empty
	fetch random random
	fetch dir/deep/file.txt dir/deep/file.txt
	fetch dir//./deep/../deep/file.txt dir/deep/file.txt
	fetch a%20b.css "a b.css"
	fetch "%64ir/%64eep/%66ile.txt?query=%00" dir/deep/file.txt
	fetch inside dir/deep/file.txt
	group_end "files are served byte by byte"
}

# Fails if a head misses what a client relies on.
heads_are_complete() {
	group_begin
	answers 200 "a file" "GET /random HTTP/1.1\r\n$C"
	group_check "its length" has_field "Content-Length: 777000"
	group_check "its date" has_field "Date: [MTWFS][a-z][a-z], [0-9]* [A-Z].* GMT"
	group_check "its type" has_field "Content-Type: application/octet-stream"
	group_check "its end" has_field "Connection: close"
	answers 200 "a style sheet" "GET /a%%20b.css HTTP/1.1\r\n$C"
	group_check "its type" has_field "Content-Type: text/css"
	answers 200 "HEAD" "HEAD /random HTTP/1.1\r\n$C"
	group_check "its length" has_field "Content-Length: 777000"
	group_check "no body" [ -z "$(body)" ]
	answers 404 "HEAD of nothing" "HEAD /none HTTP/1.1\r\n$C"
	group_check "no body" [ -z "$(body)" ]
	answers 405 "POST" "POST / HTTP/1.1\r\n$C"
	group_check "what is allowed" has_field "Allow: GET, HEAD"
	group_end "answers have the fields they need"
}

# Fails if a request is lost, taken twice, or answered out of order; or a connection is kept or
# closed against the client's wish.
connections_are_kept() {
	group_begin
	was_accepted=$(count accepted)
	answers_all "200 404 200 405 403 200" "pipelined requests" \
		"GET /inside HTTP/1.1\r\n${H}\r\nGET /none HTTP/1.1\r\n${H}\r\n\
HEAD / HTTP/1.1\r\n${H}\r\nPUT / HTTP/1.1\r\n${H}Content-Length: 3\r\n\r\nabc\
GET /dir HTTP/1.1\r\n${H}\r\n\r\n\r\nGET /inside HTTP/1.1\r\n${H}\r\n"
	group_check "their bodies" [ "$(grep -c '^deep$' "$tmp/out")" = 2 ]
	group_check "one connection" [ "$(count accepted)" = $((was_accepted + 1)) ]
	answers 200 "close" "GET / HTTP/1.1\r\n${H}Connection: x, Close\r\n\r\nGET / HTTP/1.1\r\n\r\n"
	answers 200 "1.0" "GET / HTTP/1.0\r\n\r\n"
	answers_all "200 200" "1.0, kept" \
		"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\nGET / HTTP/1.0\r\n\r\n"
	group_check "told so" has_field "Connection: keep-alive"
	answers 200 "1.9 is 1.1" "GET / HTTP/1.9\r\n$C"
	answers 200 "absolute form" "GET http://a:80/inside HTTP/1.1\r\n$C"
	group_check "its file" [ "$(body)" = deep ]
	answers 200 "absolute form without a path" "GET http://a?b HTTP/1.1\r\n$C"
	group_check "its file" [ "$(body)" = "the index" ]
	answers 200 "lines before" "\r\n\r\nGET / HTTP/1.1\r\n$C"
	connect kept
	say kept 'GET /inside HTTP/1.1\r\nHo'
	say kept 'st: a\r\n\r'
	say kept '\n'
	group_check "a request in pieces" wait_until has_answer kept deep
	say kept "HEAD / HTTP/1.1\r\n$C"
	group_check "one later" wait_until has_ended kept
	group_check "both" [ "$(statuses "$tmp/kept.out")" = "200 200" ]
	disconnect kept
	group_end "connections are kept, and closed, as the client wishes"
}

# Fails (an answer too much, too late, or another) if a syntax check is left out.
malformed_requests_are_refused() {
	group_begin
	answers 400 "no version" 'GET /\r\n\r\n'
	answers 400 "one word" 'GET\r\n\r\n'
	answers 400 "no method" " / HTTP/1.1\r\n$C"
	answers 400 "no target" "GET  HTTP/1.1\r\n$C"
	answers 400 "two spaces" "GET  / HTTP/1.1\r\n$C"
	answers 400 "four words" "GET / / HTTP/1.1\r\n$C"
	answers 400 "a space at the end" "GET / HTTP/1.1 \r\n$C"
	answers 400 "a tab" "GET\t/ HTTP/1.1\r\n$C"
	answers 400 "a method that is no token" "G(T / HTTP/1.1\r\n$C"
	answers 400 "another protocol" "GET / HTTQ/1.1\r\n$C"
	answers 400 "lower case" "GET / http/1.1\r\n$C"
	answers 400 "half a version" "GET / HTTP/1\r\n$C"
	answers 400 "too long a version" "GET / HTTP/1.11\r\n$C"
	answers 400 "a letter in the version" "GET / HTTP/1.x\r\n$C"
	answers 505 "HTTP/2" "PRI * HTTP/2.0\r\n\r\n"
	answers 505 "HTTP/0" "GET / HTTP/0.9\r\n\r\n"
	answers 501 "an unknown method" "BREW / HTTP/1.1\r\n$C"
	answers 501 "a method in lower case" "get / HTTP/1.1\r\n$C"
	answers 405 "OPTIONS *" "OPTIONS * HTTP/1.1\r\n$C"
	answers 405 "CONNECT" "CONNECT a:80 HTTP/1.1\r\n$C"
	answers 400 "a target without slash" "GET index.html HTTP/1.1\r\n$C"
	answers 400 "a star" "GET * HTTP/1.1\r\n$C"
	answers 400 "a fragment" "GET /#a HTTP/1.1\r\n$C"
	answers 400 "no host in the target" "GET http:///index.html HTTP/1.1\r\n$C"
	answers 400 "another scheme" "GET ftp://a/ HTTP/1.1\r\n$C"
	answers 400 "a byte above ASCII" "GET /\\351 HTTP/1.1\r\n$C"
	answers 400 "a bare LF" 'GET / HTTP/1.1\nHost: a\r\n'
	answers 400 "a bare CR" 'GET / HTTP/1.1\rHost: a\r\n'
	answers 400 "a NUL" 'GET / HTTP/1.1\r\nHost: a\000'
	answers 400 "a control character" 'GET / HTTP/1.1\r\nHost: a\001'
	answers 400 "binary noise" '\026\003\001\002\000\001\000\001\374\003\003'
	answers 400 "no host" 'GET / HTTP/1.1\r\n\r\n'
	answers 400 "two hosts" "GET / HTTP/1.1\r\n${H}Host: b\r\n\r\n"
	answers 400 "a host with a space" 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n'
	answers 400 "a host with a path" 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'
	answers 400 "no colon" "GET / HTTP/1.1\r\n${H}X\r\n\r\n"
	answers 400 "no name" "GET / HTTP/1.1\r\n${H}: x\r\n\r\n"
	answers 400 "a space before the colon" 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'
	answers 400 "a name that is no token" "GET / HTTP/1.1\r\n${H}X/Y: x\r\n\r\n"
	answers 400 "a continued line" "GET / HTTP/1.1\r\n${H}X: x\r\n y\r\n\r\n"
	answers 400 "a line that continues nothing" "GET / HTTP/1.1\r\n ${H}\r\n"
	answers 417 "an expectation" "GET / HTTP/1.1\r\n${H}Expect: 100-continue\r\n\r\n"
	ask_and_end "GET / HTTP/1.1\r\n${H}"
	group_check "half a request" [ "$(statuses)" = 400 ]
	ask_and_end ''
	group_check "nothing" [ ! -s "$tmp/out" ]
	group_end "malformed requests are refused"
}

# Fails if the body of one request is taken for the next, or a length is believed.
bodies_are_skipped_or_refused() {
	group_begin
	answers 200 "a body" \
		"GET / HTTP/1.1\r\n${H}Connection: close\r\nContent-Length: 5\r\n\r\nGET /"
	answers_all "200 200" "one that looks like a request" \
		"GET / HTTP/1.1\r\n${H}Content-Length: 22\r\n\r\nGET /none HTTP/1.0\r\n\r\n\
HEAD / HTTP/1.1\r\n${H}\r\n"
	ask_and_end "GET / HTTP/1.1\r\n${H}Content-Length: 9\r\n\r\nhalf"
	group_check "half a body" [ "$(statuses)" = 400 ]
	answers 413 "a long one" "GET / HTTP/1.1\r\n${H}Content-Length: 65537\r\n\r\n"
	answers 413 "64 bits of it" "GET / HTTP/1.1\r\n${H}Content-Length: 18446744073709551615\r\n\r\n"
	answers 400 "65 bits of it" "GET / HTTP/1.1\r\n${H}Content-Length: 18446744073709551616\r\n\r\n"
	answers 400 "a negative length" "GET / HTTP/1.1\r\n${H}Content-Length: -1\r\n\r\n"
	answers 400 "a signed length" "GET / HTTP/1.1\r\n${H}Content-Length: +1\r\n\r\n"
	answers 400 "a hexadecimal length" "GET / HTTP/1.1\r\n${H}Content-Length: 0x1\r\n\r\n"
	answers 400 "no length" "GET / HTTP/1.1\r\n${H}Content-Length:\r\n\r\n"
	answers 400 "two lengths" \
		"GET / HTTP/1.1\r\n${H}Content-Length: 0\r\nContent-Length: 0\r\n\r\n"
	answers 400 "a list of lengths" "GET / HTTP/1.1\r\n${H}Content-Length: 0, 0\r\n\r\n"
	answers 411 "chunks" "GET / HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
	answers 501 "another coding" "GET / HTTP/1.1\r\n${H}Transfer-Encoding: gzip\r\n\r\n"
	answers 400 "chunks and a length" \
		"GET / HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n"
	answers 400 "chunks in 1.0" "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
	group_end "bodies are skipped or refused"
}

# never_leaves STATUS WHAT PATH
never_leaves() {
	answers "$1" "$2" "GET $3 HTTP/1.1\r\n$C"
	group_check "$2 tells no secret" [ "$(grep -c SECRET "$tmp/out")" = 0 ]
}

# Fails if the root can be left by a path, by a link, or to something that is no file.
no_file_outside_is_sent() {
	group_begin
	never_leaves 404 "dots" /../secret
	never_leaves 404 "many dots" "/../../../../../../..$tmp/secret"
	never_leaves 404 "dots below" /dir/../../secret
	never_leaves 404 "encoded dots" /%%2e%%2e/secret
	never_leaves 404 "half encoded dots" /.%%2E/secret
	never_leaves 400 "an encoded slash" /..%%2fsecret
	never_leaves 400 "an encoded slash before" %%2f..%%2fsecret
	never_leaves 400 "a NUL" /secret%%00.html
	never_leaves 400 "no hexadecimal" /%%zz
	never_leaves 400 "half an encoding" /%%2
	never_leaves 400 "no encoding" /%%
	never_leaves 404 "encoded twice" /%%252e%%252e/secret
	never_leaves 404 "backslashes" '/..\\secret'
	never_leaves 404 "slashes" "//$tmp/secret"
	never_leaves 404 "absolute form" "http://a/../secret"
	never_leaves 404 "a relative link" /relative
	never_leaves 404 "an absolute link" /absolute
	never_leaves 404 "a linked directory" /way/secret
	never_leaves 403 "a magic link" "/proc/1/root$tmp/secret"
	never_leaves 403 "a magic link to a file" /proc/1/exe
	never_leaves 403 "a loop of links" /loop
	never_leaves 403 "a directory" /dir
	never_leaves 404 "a directory without index" /dir/
	never_leaves 404 "a file as a directory" /index.html/
	never_leaves 403 "a fifo" /fifo
	never_leaves 403 "a device" /zero
	group_end "no path leaves the directory, and only files are served"
}

# pad N: so many letters
pad() {
	printf '%*s' "$1" '' | tr ' ' x
}

# Fails if what is received is not bounded, or the bound is off by one.
size_of_the_head_is_limited() {
	group_begin
	# 51 bytes are around the padding
	answers 200 "256 bytes" "GET / HTTP/1.1\r\n${H}X: $(pad $((256 - 51)))\r\nConnection: close\r\n\r\n"
	answers 431 "257 bytes" "GET / HTTP/1.1\r\n${H}X: $(pad $((257 - 51)))\r\nConnection: close\r\n\r\n"
	answers 431 "many fields" "GET / HTTP/1.1\r\n${H}$(for i in 1 2 3 4 5 6 7 8 9; do
		printf '%s' "Field-$i: 123456789 123456789\r\n"; done)"
	answers 414 "a long line" "GET /$(pad 300)"
	# answered before nc has written it all, which the server puts up with for a second
	answers_in_time 431 "more than a page" "GET / HTTP/1.1\r\n${H}X: $(pad 20000)\r\n\r\n"
	group_end "the size of a request's head is limited"
}

# Fails if a name that no file can have is not told from a mistake of the server.
long_names_are_refused() {
	group_begin
	answers 414 "a long name" "GET /$(pad 300) HTTP/1.1\r\n$C"
	answers 414 "a long path" "GET /$(for _ in 1 2 3 4 5 6 7 8 9; do
		printf '%s/' "$(pad 250)$(pad 250)"; done) HTTP/1.1\r\n$C"
	group_end "long names are refused"
}

# drip NAME TEXT: a byte at a time, until the server has had enough
drip() {
	drip_rest=$2
	while [ -n "$drip_rest" ] && ! has_ended "$1"; do
		printf '%.1s' "$drip_rest" >"$tmp/$1.in"
		drip_rest=${drip_rest#?}
		usleep 20000
	done
}

# drip_in_time TEXT: as ask_in_time
drip_in_time() {
	for _ in 1 2 3 4 5; do
		connect drip
		drip drip "$1"
		wait_until has_ended drip
		disconnect drip
		if [ -s "$tmp/drip.out" ] || [ -z "$drip_rest" ]; then break; fi
	done
}

# Fails (waits for ever, or for the drip's end) if no limit is set, or if each byte extends it.  Also
# fails if an idle connection is taken for half a request.
slow_requests_time_out() {
	group_begin
	answers_in_time 408 "half a request" "GET / HTTP/1.1\r\n${H}"
	answers_in_time 408 "half a body" "GET / HTTP/1.1\r\n${H}Content-Length: 5\r\n\r\nabc"
	answers_in_time 200 "idle after a request" "GET / HTTP/1.1\r\n${H}\r\n"
	ask ''
	group_check "idle from the start" [ ! -s "$tmp/out" ]
	drip_in_time "GET /$(pad 2000)"
	group_check "a byte at a time" [ -n "$drip_rest" ]
	group_check "the answer to it" [ "$(statuses "$tmp/drip.out")" = 408 ]
	group_end "slow requests time out"
}

sent_more_than() {
	[ "$(count bytes)" -gt "$1" ]
}

# fetch_stalled: a client that takes nothing of a large file until it is told to.  More than a head
# is sent: the server knows the file's size.
fetch_stalled() {
	was_sent=$(count bytes)
	rm -f "$tmp/go"
	mkfifo "$tmp/go"
	printf "GET /large HTTP/1.0\r\n\r\n" | timeout 1000 nc 127.0.0.1 "$port" 2>/dev/null | {
		read -r _ <"$tmp/go"
		cat
	} >"$tmp/large.out" &
	stalled=$!
	wait_until sent_more_than $((was_sent + 10000))
}

# large_came: it has the whole file behind the head
large_came() {
	tail -c "$large_size" "$tmp/large.out" | cmp -s - "$www/large"
}

# Fails (the worker hangs) if sending has no limit, and if an answer cut short goes uncounted.
slow_readers_are_cut() {
	group_begin
	: >"$tmp/out"
	fetch_stalled
	group_check "a stalled reader" wait_until counts cut 1
	group_check "its worker is free" wait_until counts open 0
	echo >"$tmp/go"
	wait "$stalled"
	group_end "a client that does not read is cut off"
}

# Fails (garbage, or a client that waits for ever) if a file that shrinks is not noticed.
shrinking_files_are_noticed() {
	group_begin
	: >"$tmp/out"
	fetch_stalled
	: >"$www/large"
	echo >"$tmp/go"
	wait "$stalled"
	group_check "the rest of a file that shrinks" [ "$(count cut)" = 1 ]
	group_end "a file that shrinks ends its connection"
}

# Fails if a request that is broken off is counted as answered, or not at all.  The client dies with
# part of an answer unread, so TCP resets the connection.
broken_connections_are_counted() {
	group_begin
	: >"$tmp/out"
	was_sent=$(count bytes)
	rm -f "$tmp/broken.in" "$tmp/broken.out"
	mkfifo "$tmp/broken.in" "$tmp/broken.out"
	exec 8<>"$tmp/broken.out" 9<>"$tmp/broken.in"
	nc 127.0.0.1 "$port" <"$tmp/broken.in" >"$tmp/broken.out" 2>/dev/null 8>&- 9>&- &
	printf 'GET /middle HTTP/1.1\r\nHost: a\r\n\r\nGET / HT' >&9
	group_check "an answer is sent" wait_until sent_more_than $((was_sent + 100000))
	kill -KILL $!
	wait $! 2>/dev/null
	exec 8>&- 9>&-
	group_check "half a request is broken off" wait_until counts aborted 1
	group_end "a broken connection is counted"
}

held_by() {
	connect "$1"
	say "$1" 'GET / HTTP'
	wait_until counts open "$2"
}

# Fails if a connection beyond the bound is taken, dropped, or waits; or room is not given back.
full_server_refuses() {
	group_begin
	held_by first 1
	held_by second 2
	held_by third 3
	answers 503 "the fourth" "GET / HTTP/1.1\r\n$C"
	group_check "is told when to come back" has_field "Retry-After: 1"
	answers 503 "the fifth, without a word" ''
	# counted a little later than it ends
	group_check "two refusals" wait_until counts refused 2
	say third "/1.1\r\n$C"
	disconnect first
	group_check "the third was waiting" wait_until has_answer third 'HTTP/1.1 200'
	wait_until counts open 1
	answers 200 "there is room again" "GET / HTTP/1.1\r\n$C"
	disconnect second
	disconnect third
	group_end "what is beyond the bound gets 503"
}

# Under simulated time a busy guest has no time that passes, and wrk never ends.
load_is_endless() {
	[ "${KERNEL:-}" = uml-time ]
}

# wrk_errors: that it met in any run, but for "timeout".  That is how it counts answers that come
# late, as they do in a guest that stands still.  A longer --timeout takes 8 MB a second
wrk_errors() {
	grep -e 'Non-2xx' -e 'Socket errors' "$tmp/out" | grep -v 'connect 0, read 0, write 0,'
}

# wrk_is_content: in this run something was answered, and nothing late
wrk_is_content() {
	grep -q '^ *[1-9][0-9]* requests in' "$tmp/run" && ! grep -q 'Socket errors' "$tmp/run"
}

# Fails if wrk, which is neither malformed nor slow, meets errors.
load_is_answered() {
	if load_is_endless; then
		ktap_skip "$backend: wrk is served" "simulated time"
		return
	fi
	: >"$tmp/out"
	# a guest that stands still counts nothing, or late answers
	for _ in 1 2 3 4 5 6 7 8; do
		# shellcheck disable=SC2086 # several words
		wrk -t 2 -c 8 -d $a_while "http://127.0.0.1:$port/dir/deep/file.txt" >"$tmp/run" 2>&1
		cat "$tmp/run" >>"$tmp/out"
		! wrk_is_content || break
	done
	group_begin
	group_check "wrk counts requests, none late" wrk_is_content
	group_check "without errors" [ -z "$(wrk_errors)" ]
	group_end "wrk is served"
}

# Fails if a refusal and an acceptance that race are counted wrongly, or rmmod under load leaves
# anything behind.
overload_is_refused() {
	if load_is_endless; then
		ktap_skip "$backend: too many are refused" "simulated time"
		stop_server
		return
	fi
	group_begin
	start_load
	group_check "some are refused" wait_until counts_more_than refused 0
	group_check "some are served" wait_until counts_more_than answered_2xx 0
	end_load
	group_check "the counters add up" sums_up
	answered_before=$(count answered_2xx)
	start_load
	wait_until counts_more_than answered_2xx "$answered_before"
	stop_server
	group_check "rmmod under load" [ $? = 0 ]
	end_load
	group_end "too many are refused, and rmmod under load is clean"
}

counts_more_than() {
	[ "$(count "$1")" -gt "$2" ]
}

start_load() {
	wrk -t 2 -c 32 -d 1000s "http://127.0.0.1:$port/random" >/dev/null 2>&1 &
	load=$!
}

end_load() {
	kill "$load"
	wait "$load" 2>/dev/null
}

# Fails if rmmod waits for idle clients, does not wait for an answer that is being sent, or cuts it.
rmmod_drains() {
	group_begin
	: >"$tmp/out"
	connect idle
	say idle "GET / HTTP/1.1\r\n${H}\r\n"
	group_check "a connection idles" wait_until has_answer idle index
	connect half
	# in one write: the connection that answers the first has the half one too
	say half "GET / HTTP/1.1\r\n${H}\r\nGET / HTTP"
	group_check "another is halfway" wait_until has_answer half index
	fetch_stalled
	stop_server &
	remover=$!
	group_check "the idle connection ends at once" wait_until has_ended idle
	group_check "so does half a request" wait_until has_ended half
	group_check "which is told why" [ "$(statuses "$tmp/half.out")" = "200 503" ]
	group_check "the transfer goes on" kill -0 "$stalled"
	group_check "rmmod waits for it" kill -0 "$remover"
	timeout "$patience" nc 127.0.0.1 "$port" </dev/null >/dev/null 2>&1
	group_check "no connection is accepted" [ $? = 1 ]
	echo >"$tmp/go"
	wait "$stalled"
	group_check "the file is complete" large_came
	wait "$remover"
	group_check "rmmod succeeds" [ $? = 0 ]
	disconnect idle
	disconnect half
	group_end "rmmod drains"
}

# Fails (rmmod hangs) if a client can hold it up for ever.
rmmod_cuts_what_does_not_end() {
	group_begin
	: >"$tmp/out"
	fetch_stalled
	dmesg -c >/dev/null
	stop_server
	group_check "rmmod succeeds" [ $? = 0 ]
	dmesg >"$tmp/out"
	group_check "the log tells" grep -q "kpool_httpd: 1 connections are cut" "$tmp/out"
	echo >"$tmp/go"
	wait "$stalled"
	group_end "rmmod cuts what does not end in time"
}

# More than the buffers of a connection hold.
large_size=$((8 << 20))

make_large() {
	dd if=/dev/urandom of="$www/large" bs=65536 count=$((large_size >> 16)) 2>/dev/null
}

test_backend() {
	backend=$1
	start_server read_timeout_ms=100000 max_header=4096 || return
	files_are_sent
	heads_are_complete
	connections_are_kept
	malformed_requests_are_refused
	bodies_are_skipped_or_refused
	no_file_outside_is_sent
	broken_connections_are_counted
	load_is_answered
	end_server "many requests"

	start_server read_timeout_ms=100000 max_header=256
	size_of_the_head_is_limited
	end_server "long heads"

	start_server read_timeout_ms=100000 max_header=65536
	long_names_are_refused
	end_server "long names"

	start_server read_timeout_ms=1000
	slow_requests_time_out
	end_server "slow requests"

	make_large
	# longer than a client stands still before it asks
	start_server read_timeout_ms=10000
	slow_readers_are_cut
	end_server "slow readers"

	start_server read_timeout_ms=100000
	shrinking_files_are_noticed
	end_server "shrinking files"

	start_server read_timeout_ms=100000 capacity=2 queue_depth=1
	full_server_refuses
	end_server "too many clients"

	start_server read_timeout_ms=100000 capacity=4
	overload_is_refused

	make_large
	start_server read_timeout_ms=100000 drain_timeout_ms=3600000
	rmmod_drains

	start_server read_timeout_ms=100000 drain_timeout_ms=300
	rmmod_cuts_what_does_not_end
	rm "$www/large"
}

ktap_begin
[ -e "$HTTPD_KO" ] || ktap_skip_all "the samples are not built"
command -v wrk >/dev/null || ktap_skip_all "there is no wrk"
mount_debugfs || ktap_skip_all "there is no debugfs"
ifconfig lo up
make_files
backend=kpool
bad_parameters_are_refused
test_backend kpool
test_backend workqueue
umount "$www/proc"
ktap_result $? "no file of the directory is open any more"
rm -rf "$tmp"
ktap_end
