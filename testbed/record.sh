#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_quickstart kpool_sha256
# record.sh, in a guest: print what debugfs shows of two pools, as an archive of three directories. "first"
# is before sha256 has run anything, "busy" while it is full, "last" after 125 items, 5 of which failed.

kpool=/sys/kernel/debug/kpool

# record NAME: a file of debugfs has no size, which tar wants
record() {
	for pool in quickstart sha256; do
		mkdir -p "/tmp/record/$1/$pool"
		for file in stats workers latency; do
			cat "$kpool/$pool/$file" >"/tmp/record/$1/$pool/$file" || exit
		done
	done
	cat "$kpool/pools" >"/tmp/record/$1/pools" || exit
}

# More paths than the pool takes at once, so that their writer is blocked.
paths() {
	for _ in $(seq 120); do
		echo /tmp/big
	done
	for _ in $(seq 5); do
		echo /tmp/none
	done
}

# Each file takes so long that the pool stays full; what is left is read at once when it is empty.
dd if=/dev/zero of=/tmp/big bs=1M count=64 2>/dev/null
insmod kpool.ko && insmod samples/kpool_quickstart.ko && insmod samples/kpool_sha256.ko || exit
echo on >$kpool/sha256/latency
record first
paths >/sys/kernel/debug/kpool_sha256/paths &
until record busy && grep -qx 'blocked 1' /tmp/record/busy/sha256/stats; do
	kill -0 $! || exit
done
: >/tmp/big
wait $! || exit
record last
tar c -C /tmp/record . | gzip | base64 | sed 's/^/record: /'
