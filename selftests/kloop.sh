#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: stock
# oopses: yes
# needs: kpool_kloop
# guest-needs: e2fsprogs mkfs.ext4
# guest-needs: e2fsprogs e2fsck
# guest-modules: ext4
# The sample kpool_kloop, on a pool and on a workqueue.  A file system is made on the device, filled
# and checked.  The pool is tuned, loses a worker, and is removed, all under I/O.
#
# Each group of checks is one result; its diagnostics say which check failed.  All that could wait
# for a lost request runs in the background: where one does not end, the test gives up.

# shellcheck disable=SC2317 # wait_until, group_check and ends are given functions to call

. "$(dirname "$0")/ktap.sh"

KLOOP_KO=$SELFTESTS/../samples/kpool_kloop.ko
parameters=/sys/module/kpool_kloop/parameters
pool=$KPOOL_DEBUGFS/kloop
disk=/dev/kloop0
tmp=/tmp/kloop.$$
image=$tmp/image
mnt=$tmp/mnt
megabytes=40
writers="1 2 3 4"

# Checks

group_begin() {
	group_failed=0
}

# group_check WHAT COMMAND...
group_check() {
	group_what=$1
	shift
	"$@" >"$tmp/out" 2>&1 && return
	ktap_diag "failed: $group_what"
	ktap_diag "$(tail -c 500 "$tmp/out" | tr -cd '\n -~')"
	group_failed=1
}

group_end() {
	ktap_result "$group_failed" "$engine: $1"
}

# background NAME COMMAND...: its status goes to a file
background() {
	background_name=$tmp/$1
	shift
	rm -f "$background_name.status"
	{
		"$@" >"$background_name.out" 2>&1
		echo $? >"$background_name.status"
	} &
}

# give_up WHAT: tasks that wait for a lost request cannot be killed
give_up() {
	ktap_diag "$1 does not end"
	[ ! -e "$pool" ] || ktap_diag "$(cat "$pool/stats" "$pool/workers")"
	ktap_not_ok "$engine: each request ends"
	ktap_end
}

# ended NAME: wait for it; its status
ended() {
	wait_until [ -s "$tmp/$1.status" ] || give_up "$1" >&3
	cat "$tmp/$1.out"
	return "$(cat "$tmp/$1.status")"
}

# ends COMMAND...
ends() {
	background "$1" "$@"
	ended "$1"
}

# The device

# plug [PARAMETER...]
# shellcheck disable=SC2120 # called by group_check
plug() {
	insmod "$KLOOP_KO" "file=$image" "engine=$engine" "$@" && [ -b "$disk" ]
}

unplug() {
	echo 1 >"$parameters/unplug"
}

unload() {
	rmmod kpool_kloop
}

new_image() {
	rm -f "$image"
	truncate -s "${megabytes}M" "$image"
}

# count NAME: one of the pool's counters
count() {
	awk -v name="$1" '$1 == name { print $2 }' "$pool/stats"
}

counts() {
	[ "$(count "$1")" = "$2" ]
}

counts_more_than() {
	[ "$(count "$1")" -gt "$2" ]
}

# adds_up: a request has ended a little earlier than its item
adds_up() {
	awk '{ n[$1] = $2 }
		END {
			exit n["submitted"] == 0 || n["pending"] || n["running"] ||
			     n["submitted"] != n["completed"] + n["cancelled"] +
					       n["dropped"] + n["died"]
		}' "$pool/stats"
}

# Past the page cache.

direct_read() {
	dd "if=$disk" of=/dev/null iflag=direct "$@"
}

direct_write() {
	dd "of=$disk" conv=notrunc oflag=direct "$@"
}

# The files

# load_ext4: in the test bed, load the modules that /lib/modules/ext4 lists.  A module for another
# processor fails, which does not matter.
load_ext4() {
	if [ -e /lib/modules/ext4 ]; then
		while read -r ext4_module; do
			insmod "$ext4_module" 2>/dev/null
		done </lib/modules/ext4
	else
		modprobe ext4 2>/dev/null
	fi
	is_loaded ext4
}

# make_source: many small files, and some of several requests
make_source() {
	mkdir -p "$tmp/source/large" "$tmp/source/small"
	for n in 1 2 3 4 5; do
		head -c $((n * 150000)) /dev/urandom >"$tmp/source/large/$n"
	done
	cp "$SELFTESTS"/*.sh "$tmp/source/small/"
	(cd "$tmp/source" && find . -type f -exec sha256sum '{}' +) >"$tmp/sums"
}

make_fs() {
	mkfs.ext4 -q -F "$disk"
}

mount_fs() {
	mount -t ext4 "$disk" "$mnt"
}

unmount_fs() {
	umount "$mnt"
}

# fill: all writers at once
fill() {
	for n in $writers; do
		background "writer_$n" cp -r "$tmp/source" "$mnt/$n"
	done
}

# filled: no writer failed
filled() {
	filled_failed=0
	for n in $writers; do
		ended "writer_$n" || filled_failed=1
	done
	return "$filled_failed"
}

# tree_is_whole N...: what was mounted anew holds what was written
tree_is_whole() {
	for n; do
		(cd "$mnt/$n" && sha256sum -s -c "$tmp/sums") || return
	done
}

# is_clean DEVICE-OR-FILE
is_clean() {
	e2fsck -f -n "$1"
}

# is_repaired FILE: its journal is replayed, and some errors are corrected
is_repaired() {
	e2fsck -f -y "$1"
	[ $? -le 1 ]
}

# Fails if a request is lost, answered with the data of another, or cut short; and if a refused
# request stays in blk-mq.
file_system_works() {
	group_begin
	new_image
	group_check "the device is there" plug "$@"
	group_check "mkfs" ends make_fs
	group_check "mount" ends mount_fs
	fill
	group_check "files are written" filled
	group_check "rmmod is refused while it is mounted" refuses unload
	group_check "unmount" ends unmount_fs
	group_check "mount again" ends mount_fs
	# shellcheck disable=SC2086 # several words
	group_check "all files are whole" ends tree_is_whole $writers
	group_check "unmount again" ends unmount_fs
	group_check "fsck of the device" ends is_clean "$disk"
	[ "$engine" = workqueue ] || group_check "the counters add up" wait_until adds_up
	refused=0
	[ "$engine" = workqueue ] || refused=$(count refused)
	group_check "rmmod" ends unload
	group_check "fsck of the file" is_clean "$image"
}

refuses() {
	! "$@"
}

engine_works() {
	file_system_works
	group_end "a file system works"
}

# Fails as the above; hangs if the queue is not run once a worker is free again.
smallest_pool_works() {
	file_system_works capacity=1 queue_depth=0
	group_check "requests were refused" [ "$refused" -gt 0 ]
	group_end "a file system works on a pool of one"
}

direct_read_at() {
	direct_read bs=4k count=1 "skip=$1"
}

# Fails if there is no room callback, or it does not run the queue: nothing else does, as no request
# ends.
grown_pool_takes_refused_request() {
	group_begin
	new_image
	group_check "the device is there" plug capacity=1 queue_depth=0
	echo 1 >"$parameters/hold"
	background first direct_read_at 0
	group_check "a request is held" wait_until counts running 1
	background second direct_read_at 1000
	group_check "another is refused" wait_until counts_more_than refused 0
	echo 2 >"$pool/capacity"
	group_check "it starts once the capacity has grown" wait_until counts running 2
	background third direct_read_at 2000
	background fourth direct_read_at 3000
	echo 2 >"$pool/queue_depth"
	group_check "two more are queued" wait_until counts pending 2
	echo 0 >"$parameters/hold"
	for name in first second third fourth; do
		group_check "the $name ends" ended "$name"
	done
	group_check "the counters add up" wait_until adds_up
	group_check "rmmod" ends unload
	group_end "a pool that has grown takes refused requests"
}

tune() {
	echo "$2" >"$pool/$1"
}

all_written() {
	for n in $writers; do
		[ -s "$tmp/writer_$n.status" ] || return
	done
}

# Fails if a request is lost, or a worker too many or too few is kept, when the limits change.
live_pool_is_tuned() {
	group_begin
	new_image
	group_check "the device is there" plug
	group_check "mkfs" ends make_fs
	group_check "mount" ends mount_fs
	fill
	tuned=0
	until all_written && [ $tuned -gt 0 ]; do
		for value in 1 8 2 16 1 4; do
			group_check "capacity $value" tune capacity $value
			group_check "queue_depth none" tune queue_depth none
			group_check "queue_depth $value" tune queue_depth $value
		done
		tuned=$((tuned + 1))
		[ $tuned -lt 1000 ] || break
	done
	group_check "files are written" filled
	group_check "unmount" ends unmount_fs
	group_check "mount again" ends mount_fs
	# shellcheck disable=SC2086 # several words
	group_check "all files are whole" ends tree_is_whole $writers
	group_check "unmount again" ends unmount_fs
	group_check "fsck" ends is_clean "$disk"
	group_check "the counters add up" wait_until adds_up
	group_check "the capacity is the last one" [ "$(cat "$pool/capacity")" = 4 ]
	group_check "rmmod" ends unload
	ktap_diag "the limits were changed in $tuned rounds"
	group_end "a pool is tuned under I/O"
}

# read_on N: until told to stop; a line for each error
read_on() {
	until [ -e "$tmp/stop" ]; do
		direct_read bs=256k count=4 "skip=$1" || echo "$1" >>"$tmp/failed_reads"
	done
}

failed_reads() {
	wc -l <"$tmp/failed_reads"
}

# Fails if the request of a dead worker does not end, or ends without an error.  Also fails if others
# fail, or their data differs, or if the pool does not go on.
killed_worker_costs_a_request() {
	group_begin
	new_image
	group_check "the device is there" plug "capacity=$1" queue_depth=2
	group_check "mkfs" ends make_fs
	group_check "mount" ends mount_fs
	fill
	group_check "files are written" filled
	group_check "unmount" ends unmount_fs
	: >"$tmp/failed_reads"
	rm -f "$tmp/stop"
	for n in $writers; do
		background "reader_$n" read_on "$n"
	done
	echo "kpool-testbed: expect begin: oops" >/dev/kmsg
	submitted=$(count submitted)
	echo 1 >"$parameters/kill_next"
	group_check "a worker dies" wait_until counts died 1
	group_check "others go on" wait_until counts_more_than submitted $((submitted + 100))
	echo "kpool-testbed: expect end" >/dev/kmsg
	: >"$tmp/stop"
	for n in $writers; do
		group_check "reader $n ends" ended "reader_$n"
	done
	group_check "one read fails: $(failed_reads)" [ "$(failed_reads)" = 1 ]
	group_check "the error is listed" grep -q 'died.*pool_item_fn' "$pool/errors"
	group_check "mount" ends mount_fs
	# shellcheck disable=SC2086 # several words
	group_check "all files are whole" ends tree_is_whole $writers
	group_check "unmount again" ends unmount_fs
	group_check "fsck" ends is_clean "$disk"
	group_check "the counters add up" wait_until adds_up
	group_check "rmmod" ends unload
	group_end "a worker of $1 that dies costs one request"
}

# write_on N: until it fails
write_on() {
	while dd "if=$tmp/source/large/$1" "of=$mnt/rewritten_$1" bs=64k conv=fsync; do
		:
	done
	return 1
}

write_kept() {
	cp -r "$tmp/source" "$mnt/kept" && sync
}

# reads_nothing: from a file descriptor opened before, an error or the end
reads_nothing() {
	dd "of=$tmp/read" iflag=direct bs=64k count=1 <&7
	[ ! -s "$tmp/read" ]
}

# Fails (hangs, or the kernel complains) if a request is left when the device goes.  Also fails if an
# old opener finds a module or a pool that has gone, or if what was written before is lost.
device_goes_under_io() {
	group_begin
	new_image
	group_check "the device is there" plug "$@"
	group_check "mkfs" ends make_fs
	group_check "mount" ends mount_fs
	group_check "files are written" ends write_kept
	for n in $writers; do
		background "writer_$n" write_on "$n"
	done
	exec 7<"$disk"
	wait_until [ -e "$mnt/rewritten_1" ]
	group_check "unplug" ends unplug
	group_check "its pool has gone" [ ! -e "$pool" ]
	group_check "its node has gone" wait_until [ ! -e "$disk" ]
	for n in $writers; do
		group_check "writer $n ends, by an error" refuses ended "writer_$n"
	done
	group_check "an old opener reads nothing" ends reads_nothing
	group_check "unplug again" ends unplug
	group_check "unmount" ends unmount_fs
	group_check "rmmod is refused while it is open" refuses unload
	exec 7<&-
	group_check "rmmod" ends unload
	group_check "the file can be repaired" is_repaired "$image"
	group_check "the device comes back" plug "$@"
	group_check "mount again" ends mount_fs
	group_check "files written before are whole" ends tree_is_whole kept
	group_check "unmount again" ends unmount_fs
	group_check "fsck" ends is_clean "$disk"
	group_check "rmmod again" ends unload
	group_end "the device goes under I/O${1:+, with $*}"
}


bad_parameters_are_refused() {
	group_begin
	new_image
	mkdir -p "$tmp/directory"
	: >"$tmp/empty"
	for pair in engine=thread capacity=0 capacity=1000000 queue_depth=-1 file=/none \
		"file=$tmp/directory" "file=$tmp/empty"; do
		dmesg -c >/dev/null
		insmod "$KLOOP_KO" "file=$image" "$pair" 2>/dev/null
		dmesg -c >"$tmp/log"
		group_check "$pair is refused" refuses is_loaded kpool_kloop
		group_check "$pair is explained" grep -q "kpool_kloop: ${pair%%=*}: " "$tmp/log"
		! is_loaded kpool_kloop || unload
	done
	group_end "a bad parameter fails the insmod and is explained"
}

# Not asserted: how fast they are.

# rate UNITS COMMAND...: so many of them in a second
rate() {
	rate_units=$1
	shift
	rate_start=$(cut -d ' ' -f 1 /proc/uptime)
	"$@" >/dev/null 2>&1 || return
	cut -d ' ' -f 1 /proc/uptime | awk -v start="$rate_start" -v units="$rate_units" '
		{ printf "%.1f", units / ($1 - start + 0.005) }'
}

write_large() {
	direct_write if=/dev/zero bs=256k count=$((megabytes * 4))
}

read_small() {
	for n in $writers; do
		background "reader_$n" direct_read bs=4k count=2000 "skip=$((n * 2100))"
	done
	for n in $writers; do
		ended "reader_$n" || return
	done
}

compare_engines() {
	for engine in kpool workqueue kpool workqueue; do
		new_image
		if ! plug capacity=4; then
			ktap_not_ok "$engine: the device is there"
			continue
		fi
		compared=$(rate "$megabytes" write_large)
		ktap_diag "$engine: $compared MiB/s written in 256 KiB, $(rate 8000 read_small) reads/s of 4 KiB by 4 tasks"
		ends unload
		ktap_result $? "$engine: the device was measured"
	done
}

ktap_begin
exec 3>&1
[ -e "$KLOOP_KO" ] || ktap_skip_all "the sample is not built, or the kernel has no block devices"
command -v mkfs.ext4 >/dev/null || ktap_skip_all "there is no mkfs.ext4"
command -v e2fsck >/dev/null || ktap_skip_all "there is no e2fsck"
mount_debugfs || ktap_skip_all "there is no debugfs"
load_ext4 || ktap_skip_all "there is no ext4"
mkdir -p "$mnt"
make_source
engine=kpool
bad_parameters_are_refused
engine_works
smallest_pool_works
grown_pool_takes_refused_request
live_pool_is_tuned
killed_worker_costs_a_request 4
killed_worker_costs_a_request 1
device_goes_under_io
device_goes_under_io capacity=1 queue_depth=0
engine=workqueue
engine_works
device_goes_under_io
compare_engines
rm -rf "$tmp"
ktap_end
