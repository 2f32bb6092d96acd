#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Several pools as one: each of them has its own files and counters.

. "$(dirname "$0")/ktap.sh"

hold=/sys/module/multi/parameters/hold

# shards_show KEY: its value in each of the four, or what is missing
shards_show() {
	for shard in 0 1 2 3; do
		awk -v key="$1" '$1 == key { print $2 }' "$KPOOL_DEBUGFS/shard-$shard/stats"
	done | xargs
}

# shellcheck disable=SC2317 # wait_until calls it
shards_run() {
	[ "$(shards_show running)" = "2 2 2 2" ]
}

# Fails if the pools have one set of files or counters, or none.
each_has_its_own_files() {
	echo 1 >"$hold"
	wait_until shards_run
	ktap_is "each pool has a stats file" "2 2 2 2" "$(shards_show submitted)"
	ktap_is "each pool counts what it runs" "2 2 2 2" "$(shards_show running)"
	ktap_is "each pool has its line in pools" "shard-0 shard-1 shard-2 shard-3" \
		"$(awk '$NF == "multi" { print $1 }' "$KPOOL_DEBUGFS/pools" | xargs)"
	ktap_is "each pool has its workers" 2 \
		"$(grep -c running "$KPOOL_DEBUGFS/shard-3/workers")"
	echo 9 >"$KPOOL_DEBUGFS/shard-3/capacity"
	ktap_is "each pool can be tuned alone" "2 2 2 9" "$(shards_show capacity)"
	echo 0 >"$hold"
	ktap_is "the files go with the pools" "" \
		"$(cd "$KPOOL_DEBUGFS" && echo shard-* | sed 's/shard-\*//')"
}

# Fails if zero, as the value in force, is set back as a request for the default.
zero_is_set_back() {
	insmod "$KPOOL_KO" min_workers=1
	load_tested multi || return
	run_case multi refused_tune_is_undone
	unload_test multi
}

ktap_begin
if load_tested multi; then
	run_listed multi
	! mount_debugfs || each_has_its_own_files
	unload_test multi
fi
rmmod kpool
zero_is_set_back
rmmod kpool
load_kpool
ktap_end
