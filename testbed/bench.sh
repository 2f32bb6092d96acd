#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# bench.sh [GROUND...]: run the bench on each ground, all without any:
#
#	icount	Debian's kernel in QEMU, one CPU, whose clock counts instructions
#	uml	User Mode Linux, two CPUs: times
#	stock	Debian's kernel in QEMU, two CPUs: times, to be compared with each other only
#	httpd	the sample server on kpool and on a workqueue, with wrk as its client
#	holds	the longest time under a lock, in instructions
#
# OpenZFS's taskq takes part on icount and stock: Debian's zfs-dkms is for Debian's own kernel. Where it
# cannot be had or built, the bench goes without it.
#
# Tables are shown as they come, targets once more at the end. The rounds, the tables and a picture go
# to the cache. With RATIOS=yes only bench/ratios is written.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"
# shellcheck source=/dev/null
. "$here/lib/packages.sh"
# shellcheck source=/dev/null
. "$here/lib/source.sh"
# shellcheck source=/dev/null
. "$here/lib/spl.sh"

results=$cache/results/$tree_id/bench

# on_stock ARG...: testbed.sh with Debian's kernel, and with spl.ko if there is one
on_stock() {
	local release spl options=()
	release=$(. "$here/kernels/stock.sh" && newest_stock)
	if spl=$(find_spl "$release"); then
		options=(-f "$spl/module/spl/spl.ko:kpool/bench/spl.ko")
	else
		say "without OpenZFS's taskq: no spl.ko for Linux $release"
	fi
	KPOOL_SPL=$spl "$here/testbed.sh" -k stock "${options[@]}" "$@"
}

# The sizes are such that all grounds together take less than 25 minutes.
run_ground() {
	case $1 in
	icount) on_stock -i -m 1G -t 1200 bench/bench.sh icount 8000 800 7 ;;
	uml) "$here/testbed.sh" -k uml -m 4G -t 1200 bench/bench.sh uml 20000 2000 7 ;;
	stock) on_stock -m 2G -t 1200 bench/bench.sh stock 5000 500 7 ;;
	httpd) "$here/testbed.sh" -k stock -t 600 bench/httpd.sh ;;
	holds) "$here/testbed.sh" -k stock -i -m 2G -t 1800 bench/holds.sh ;;
	*) die "no ground named $1" ;;
	esac
}

# packages_for GROUND
packages_for() {
	case $1 in
	uml) packages_of uml ;;
	httpd) packages_of stock bench/httpd.sh ;;
	*) packages_of stock ;;
	esac
}

# Fails if the bench does not run to its end.
bench_ground() {
	local output=$results/$1.txt status
	say "bench: $1"
	run_ground "$1" | tee "$output" | grep -v '^CSV '
	status=${PIPESTATUS[0]}
	sed -n 's/^CSV //p' "$output" >"$results/$1.csv"
	return "$status"
}

# draw GROUND: the median cost of each contender, by case
draw() {
	local csv=$results/$1.csv columns
	[ -s "$csv" ] && command -v gnuplot >/dev/null || return 0
	awk -F, -f "$tree/bench/medians.awk" "$csv" >"$results/$1.dat"
	columns=$(head -n 1 "$results/$1.dat" | wc -w)
	gnuplot -e "data='$results/$1.dat'; columns=$columns; picture='$results/$1.svg'; ground='$1'" \
		"$tree/bench/draw.gnuplot" || say "gnuplot cannot draw $1"
}

write_ratios() {
	"$here/testbed.sh" -k stock -i -t 600 bench/ratios.sh | sed -n 's/^RATIO //p' >"$results/ratios"
	[ -s "$results/ratios" ] || die "no ratios"
	cp "$results/ratios" "$tree/bench/ratios"
}

bench_grounds() {
	local ground failed=0
	for ground; do
		bench_ground "$ground" || failed=$((failed + 1))
		draw "$ground"
	done
	echo
	for ground; do
		grep -h '^TARGET ' "$results/$ground.txt"
	done
	say "all of it: $results"
	[ "$failed" = 0 ]
}

main() {
	mkdir -p "$results"
	if [ "${RATIOS:-}" = yes ]; then
		write_ratios
		return
	fi
	[ $# -gt 0 ] || set -- icount uml stock httpd holds
	# shellcheck disable=SC2046 # several packages
	need_packages gnuplot-nox $(for ground; do packages_for "$ground"; done)
	bench_grounds "$@"
}

main "$@"
