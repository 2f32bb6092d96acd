#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# coverage.sh [KERNEL...]: which lines of the module do the selftests run? They are run on the kernels
# below, or on those named, built to count. The counters of all boots together make the table, with
# what the other kernels have counted before.
#
# A line counts if the compiler made code of it on one of the kernels. It is covered if it ran in one
# of the boots. A guest that dies, or has no debugfs, tells nothing.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"
# shellcheck source=/dev/null
. "$here/lib/packages.sh"

# Where it is quick, with simulated time, and under the checkers, for which kpool has code of its own.
runs() {
	cat <<-END
		uml
		uml-time
		uml-debug
	END
}

# is_wanted RUN [KERNEL...]
is_wanted() {
	[ $# = 1 ] || [[ " ${*:2} " = *" ${1%% *} "* ]]
}

# The counters of an earlier run on that kernel are of another kpool.
run_suite() {
	local words
	read -ra words <<<"$1"
	rm -rf "$coverage/${words[0]}".*
	KPOOL_COVERAGE=$coverage LONG=yes "$here/check.sh" "${words[@]}" </dev/null
}

# gcov's text of each file in each boot: "COUNT: LINE: TEXT" below "-: 0:Source:FILE". The compiler saw
# the module's own files by their path in the tree.
annotated() {
	local boot
	cd "$tree" || exit
	for boot in "$coverage"/*.??????/; do
		gcov -t "$boot"/*.gcda 2>/dev/null
	done
}

# of_engine: one line for each that counts, "FILE LINE yes|no TEXT", of the module's own files.
of_engine() {
	awk -F : '
		$3 == "Source" { file = $4 ~ /^(core\/)?[^\/]*\.c$/ ? $4 : "" }
		!file || $2 == 0 || $1 ~ /^ *-$/ { next }
		{
			key = file " " $2 + 0
			if ($1 !~ /#|=/)
				ran[key] = 1
			sub(/^[^:]*:[^:]*:/, "")
			text[key] = $0
		}
		END {
			for (key in text)
				print key, (key in ran) ? "yes" : "no", text[key]
		}' | sort -k 1,1 -k 2,2n
}

# table LINES: per file, and in all
table() {
	awk '
		function row(name, lines, covered) {
			printf "%-14s %6d %8d %7.1f %%\n", name, lines, covered, 100 * covered / lines
		}
		BEGIN { printf "%-14s %6s %8s %9s\n", "file", "lines", "covered", "percent" }
		!($1 in lines) { order[++files] = $1 }
		{ lines[$1]++; all++ }
		$3 == "yes" { covered[$1]++; all_covered++ }
		END {
			for (i = 1; i <= files; i++)
				row(order[i], lines[order[i]], covered[order[i]])
			if (all)
				row("total", all, all_covered)
		}' "$1"
}

# uncovered LINES
uncovered() {
	sed -n 's/^\([^ ]*\) \([^ ]*\) no /\1:\2: /p' "$1"
}

# is_enough LINES: at least so many per cent
is_enough() {
	awk -v least="${LEAST:-95}" '
		$3 == "yes" { covered++ }
		END { exit !(NR && 100 * covered >= least * NR) }' "$1"
}

report() {
	annotated | of_engine >"$lines"
	[ -s "$lines" ] || die "no boot has told which lines ran"
	echo "Not covered:"
	uncovered "$lines"
	echo
	table "$lines"
}

main() {
	local run failed=0 lines
	# shellcheck disable=SC2046 # several packages
	need_packages perl $(cd "$tree" && packages_of uml selftests/*.sh)
	coverage=$cache/coverage/$tree_id lines=$cache/coverage/$tree_id/lines
	mkdir -p "$coverage"
	trap 'exit 130' INT
	while read -r run; do
		! is_wanted "$run" "$@" || run_suite "$run" || failed=1
	done < <(runs)
	report
	[ "$failed" = 0 ] || say "the suite has failures, see above"
	is_enough "$lines" || { say "less than ${LEAST:-95} % of the lines are covered"; failed=1; }
	return "$failed"
}

main "$@"
