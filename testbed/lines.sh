#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# lines.sh [CPUS [CASES]]: how many cache lines move between the CPUs of a guest per item? Of each
# contender of the bench, in these cases of tiny.c (tiny-2-2): the lines of the items themselves, all
# others, and the eight moved most. Of these it shows moves and stores, where they are, and the last
# function that has moved them. kthread_run is left out.
#
# QEMU's emulator counts by a plugin, plugins/lines.c. The header for it is in the source package of the
# QEMU that is installed.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages source; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
results=$cache/results/$tree_id/lines
items=3000

# fetch_header VERSION INTO
fetch_header() {
	local state=$2.apt
	rm -rf "$state" "$2"
	foreign_apt_setup "$state" own
	sed 's/^deb /deb-src /' -i "$state/sources.list"
	foreign_apt "$state" update
	(cd "$state" && foreign_apt "$state" --download-only source "qemu=$1")
	mkdir -p "$2"
	tar x -O --wildcards '*/include/qemu/qemu-plugin.h' -f "$state"/qemu_*.orig.tar.* >"$2/qemu-plugin.h"
	rm -rf "$state"
	touch "$2/.kpool-complete"
}

fetch_header_once() {
	[ -e "$2/.kpool-complete" ] && return
	say "fetching the source of QEMU $1 for a header (once, about 25 MB)"
	logged "$cache/log/${2##*/}" bash -ec "
		. '$testbed/lib/common.sh'; . '$testbed/lib/source.sh'
		$(declare -f fetch_header)
		fetch_header \"\$@\"" - "$@"
}

# build_plugin: sets plugin
build_plugin() {
	local version header
	# shellcheck disable=SC2016 # dpkg-query's own variable
	version=$(dpkg-query -W -f '${source:Version}' qemu-system-x86)
	header=$cache/source/qemu-plugin-${version#*:}
	locked qemu-plugin fetch_header_once "$version" "$header" || exit
	plugin=$results/lines.so
	logged "$cache/log/lines-$tree_id" gcc -O2 -Wall -Werror -fPIC -shared -fvisibility=hidden \
		-I"$header" -o "$plugin" "$here/plugins/lines.c"
}

# run_guest CPUS CASES: no CPU halts, or it could not be waited for
run_guest() {
	"$here/testbed.sh" -k stock -c "$1" -m 1G -t 1200 -a idle=poll -p "$plugin,out=$results/moves" \
		bench/lines.sh "$items" "$2" >"$results/output" || die "the guest failed: $results/output"
	sed -n 's/^KALLSYMS //p' "$results/output" | base64 -d | gzip -d | sort >"$results/functions"
	grep -a "^stock," "$results/output" >"$results/rounds"
}

# name_functions: the last word of each line of moves is an address of code
name_functions() {
	{
		cut -d ' ' -f 1,3 "$results/functions"
		awk '/^LINE/ { print $5, "~" }' "$results/moves" | sort -u
	} | LC_ALL=C sort | awk '$2 != "~" { name = $2; next } { print $1, name }'
}

report() {
	name_functions >"$results/names"
	awk -v items="$items" '
		FILENAME ~ /names$/ { name[$1] = $2; next }
		FILENAME ~ /rounds$/ {
			split($0, f, ",")
			what[++n] = sprintf("%-12s %-15s", f[2], f[3])
			next
		}
		/^ROUND/ { round++ }
		what[round] ~ /kthread_run/ { next }
		/^LINE/ && $3 >= items / 20 {
			where = $2 >= 0 && $2 < 8192 ? sprintf("queue+%d", $2) : "elsewhere"
			printf "%d 1 %08d %12s %8.2f %8.2f  %-12s %s\n", round, 99999999 - $3, "",
			       $3 / items, $4 / items, where, name[$5]
		}
		/^SUM/ { printf "%d 0 0 %s items %.2f, all others %.2f\n", round, what[round],
			 $2 / items, $3 / items }
		' "$results/names" "$results/rounds" "$results/moves" | sort -n -k 1,1 -k 2,2 -k 3,3 | awk '$2 == 0 { n = 0 } n++ <= 8' | cut -d ' ' -f 4-
}

main() {
	mkdir -p "$results"
	# shellcheck disable=SC2046 # several packages
	need_packages gcc $(packages_of stock)
	build_plugin
	run_guest "${1:-2}" "${2:-tiny-2-2}"
	report
}

main "$@"
