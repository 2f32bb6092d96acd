#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_embedded kpool_embedded_test
# kpool linked into two modules, which are loaded beside kpool.ko: see kpool.mk.

. "$(dirname "$0")/ktap.sh"

embedded_sample=$SELFTESTS/../samples/embedded/kpool_embedded.ko
embedded_test=$SELFTESTS/embedded/kpool_embedded_test.ko
embedded_files=${KPOOL_DEBUGFS%/*}

# said TEXT: how many lines of the log have it
said() {
	dmesg | grep -c -F "$1"
}

# pools_of MODULE: the names of the pools that its copy of kpool has
pools_of() {
	awk 'NR > 1 { print $1 }' "$embedded_files/$1/pools"
}

# owner_of MODULE POOL
owner_of() {
	awk -v name="$2" '$1 == name { print $NF }' "$embedded_files/$1/pools"
}

# shellcheck disable=SC2317 # wait_until calls it
sum_is() {
	[ "$(cat /sys/module/kpool_embedded/parameters/sum)" = "$1" ]
}

# Fails if a copy exports kpool's symbols, or takes names in sysfs or debugfs that are taken.
copies_load_beside_kpool() {
	insmod "$embedded_sample" capacity=3
	ktap_result $? "a copy loads beside kpool.ko"
	insmod "$embedded_test"
	ktap_result $? "a second copy loads beside both"
	wait_until sum_is 338350
	ktap_result $? "items of a copy run"
	ktap_is "a copy has its own parameters only" "capacity sum" \
		"$(find /sys/module/kpool_embedded/parameters -type f | sed 's/.*\///' | sort | xargs)"
	ktap_is "no copy uses kpool.ko" 0 "$(cat /sys/module/kpool/refcnt)"
}

# Fails if the directory has another name than the module, or is shared.
copies_have_their_own_files() {
	if ! mount_debugfs; then
		ktap_skip "copies have their own files" "no debugfs"
		return
	fi
	ktap_is "the pools of a copy are in its directory" "squares kpool_embedded" \
		"$(pools_of kpool_embedded) $(owner_of kpool_embedded squares)"
	ktap_is "those of the second are in another" "test" "$(pools_of kpool_embedded_test)"
	ktap_is "kpool.ko's has none of them" "" "$(pools_left)"
	ktap_is "an attribute is in force" 3 "$(cat "$embedded_files/kpool_embedded/squares/capacity")"
	echo nonsense 2>/dev/null >"$embedded_files/kpool_embedded/squares/capacity"
	ktap_is "the log has the name of the copy" "1 0" \
		"$(said "kpool_embedded: squares: bad capacity") $(said " kpool: squares")"
}

# Fails if a pool pins the module that it and kpool belong to.
copies_are_removed() {
	ktap_is "a pool of a copy does not pin its module" 0 "$(cat /sys/module/kpool_embedded/refcnt)"
	rmmod kpool
	ktap_result $? "kpool.ko is removed before the copies"
	rmmod kpool_embedded
	ktap_result $? "a copy is removed"
	[ ! -e "$embedded_files/kpool_embedded" ]
	ktap_result $? "its files are removed"
	rmmod kpool_embedded_test
	ktap_result $? "the second is removed"
	insmod "$embedded_sample" && rmmod kpool_embedded
	ktap_result $? "a copy loads without kpool.ko"
}

# Fails (oopses) if an item runs when its code has gone, also in a pool that was created by an item of
# the default pool. Also fails if such an item uses the default pool when that is freed: mutants
# exit-orphans-once, exit-frees-the-default-early.
copy_ends_what_is_left() {
	insmod "$embedded_test" leave=1
	rmmod kpool_embedded_test
	ktap_result $? "a copy with pools and items left is removed"
	ktap_is "what ran was awaited, the rest dropped, the default pool drained" 1 \
		"$(said "kpool_embedded_test: left with 0: 5 ran, 4 dropped, then -108")"
	ktap_is "the log reports the pool" 1 \
		"$(said "kpool_embedded_test: test: module kpool_embedded_test removed without kpool_destroy()")"
	ktap_is "the log reports the pool that an item has created since" 1 \
		"$(said "kpool_embedded_test: late: module kpool_embedded_test removed without kpool_destroy()")"
	! insmod "$embedded_test" fail=1 2>/dev/null && [ ! -e "$embedded_files/kpool_embedded_test" ]
	ktap_result $? "a module whose init function fails leaves nothing"
}

ktap_begin
copies_load_beside_kpool
copies_have_their_own_files
copies_are_removed
copy_ends_what_is_left
load_kpool
ktap_end
