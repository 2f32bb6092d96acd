#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# lint.sh [LINTER...]: what can be said of the code without running it. Each linter is silent when it
# is content; what it prints fails the run. They run side by side.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages source modules uml; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
# shellcheck source=/dev/null
. "$here/kernels/stock.sh"

linters=(shellcheck spelling words rooms version tables manual abi scenarios mutants litmus sparse checkpatch
	kernel_doc docs coccinelle)

c_files() {
	find . -name '*.[ch]' ! -name '*.mod.c' ! -path './.git/*' | sort
}

scripts() {
	grep -rlE --exclude-dir=.git --exclude-dir=build '^#!.*sh$|shellcheck shell=' . | sort
}

lint_shellcheck() {
	scripts | xargs shellcheck -x -P SCRIPTDIR
}

lint_spelling() {
	find . -type f ! -path './.git/*' ! -path './build/*' ! -name COPYING ! -name '*.o' ! -name '*.ko' -print0 |
		xargs -0 codespell -q 3 -L filp,parm
}

prose() {
	c_files
	find . '(' -name '*.rst' -o -name '*.mut' -o -name '*.litmus' -o -name '*.py' -o -name kpool-top ')' \
		! -path './.git/*' ! -path './build/*' | sort
	# not this file, which has the words
	scripts | grep -vxF ./testbed/lint.sh
}

# Words that leave open which thread, caller or state is meant, or that have given way to those of the
# code; name it by these. The first list is of words in a sentence, the second of what is in no word.
# The third is looked for between any characters that are no letters, so in names of functions, cases,
# variants and mutants, too. The fourth is looked for there only if it is joined to another word, by
# "_" or "-".
lint_words() {
	local whole joined
	whole='actors?|deeds?|dice|ghosts?|droppers?|rous(e|es|ed)|unmade|remade|in[_-](line|vain)|at[_-]rest|no[_-]hang'
	whole+='|warm[_-]workers?|min[_-]warm|forgotten[_-](items?|pools?|multi)|(cancel|disable)[_-]wait'
	whole+='|hand(s|ed|ing)?[ _-]on|the[ _-]stuck|count of arrivals'
	joined='acts?|acted|aside|cast|told|served|ranks?|displaced'
	prose | xargs grep -nwiE 'who|whoever|whatever|those who|in vain|at rest|dropped\(\)'
	prose | xargs grep -niE "nobody|somebody|untold|hope|circle|limbo|doom|stranger|outsider|bury|burial|\
purger|settler|blam(e|ing)|follower|withdraw|stateful|displac(e([^d]|$)|ing)"
	prose | xargs grep -niE "(^|[^[:alpha:]])($whole)([^[:alpha:]]|$)"
	prose | xargs grep -niE "[_-]($joined)([^[:alpha:]]|$)|(^|[^[:alpha:]])($joined)[_-]"
}

# Parts of kpool.h and of the manual are generated.
lint_tables() {
	python3 "$here/lib/tables.py" .
}

# Compare what the manual lists with what the code has.
lint_manual() {
	python3 "$here/lib/manual.py" .
}

# The form of Documentation/ABI.
lint_abi() {
	"$linux/tools/docs/get_abi.py" --dir Documentation/ABI validate
}

# How the files of the engine call each other: the table is always shown.
lint_rooms() {
	python3 "$here/lib/rooms.py" . >&3 || echo "the rooms are not as they should be"
}

# The version stands in the module, in dkms.conf, in Debian's changelog and in the spec of RPM. It
# also stands in commands of the manual, and on top of the changelog.
lint_version() {
	local module dkms debian spec changelog
	module=$(sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' core/main.c)
	dkms=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
	debian=$(sed -n '1s/^kpool (\(.*\)) .*/\1/p' debian/changelog)
	spec=$(sed -n 's/^Version:\t//p' rpm/kpool.spec)
	changelog=$(sed -nE 's/^([0-9]+\.[0-9]+\.[0-9]+).*/\1/p' CHANGELOG.rst | head -n 1)
	[ "$module" = "$dkms" ] || echo "core/main.c says $module, dkms.conf says $dkms"
	[ "$module" = "$debian" ] || echo "core/main.c says $module, debian/changelog says $debian"
	[ "$module" = "$spec" ] || echo "core/main.c says $module, rpm/kpool.spec says $spec"
	grep -noE 'kpool[-/][0-9]+\.[0-9]+\.[0-9]+' README.rst Documentation/*.rst | grep -v "[-/]$module\$"
	[ "$module" = "$changelog" ] || echo "core/main.c says $module, CHANGELOG.rst says $changelog"
}

# A mutant that no longer fits the code removes nothing.
lint_mutants() {
	python3 "$testbed/lib/mutate.py" check .
}

# A litmus test of code that has changed since shows nothing about it.
lint_litmus() {
	"$here/litmus.sh" --code
}

# The timelines of the manual are those that the selftest checks.
lint_scenarios() {
	diff <(sed -nE 's/^ +([0-9]+)  +(.+)$/\1 \2/p' Documentation/scenarios.rst) \
		<(sed -nE 's/^\t\t\{ ([0-9]+), "(.+)" \},$/\1 \2/p' selftests/scenarios.c)
}

# gcc's extra warnings are errors in the build for the tests; nothing is compiled twice.
lint_sparse() {
	local log=$cache/log/sparse-$tree_id
	# shellcheck disable=SC2034 # build_modules reads them
	local build=only script=(selftests/run.sh)
	( build_modules '' && locked "build-${modules_build##*/}" \
		logged "$log" make_modules "$modules_build" C=2 ) 2>&3 ||
		echo "the modules cannot be built"
	grep -E '(warning|error):|^WARNING' "$log" | grep -v 'differs from the one used to build the kernel'
}

# checkpatch IGNORED: the C files whose names it reads
checkpatch() {
	xargs -P "$(nproc)" -n 24 "$linux/scripts/checkpatch.pl" --no-tree --strict --terse --quiet \
		--show-types --no-summary -f --ignore "$1" 2>&1 | grep -v 'uninitialized value'
}

# The tree is not the kernel's. LINUX_VERSION_CODE has its place in compat.h, where its comparison is
# taken for one of constants. A row of tunables.h can become declarations, with their semicolons. Trace
# events are laid out as the kernel lays out its own. A plugin of QEMU is no code of the kernel.
lint_checkpatch() {
	c_files | grep -v -e '^./core/trace.h$' -e '^./testbed/plugins/' | checkpatch LINUX_VERSION_CODE,CONSTANT_COMPARISON,TRAILING_SEMICOLON
	echo core/trace.h | checkpatch OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT
	c_files | grep '^./testbed/plugins/' | checkpatch PREFER_KERNEL_TYPES,CAMELCASE,BIT_MACRO
}

# kernel-doc ends the section Return at an empty line, and has the rest in the description.
lint_kernel_doc() {
	c_files | xargs "$linux/scripts/kernel-doc" -none -Werror
	awk '/^ \* Return:/ { inside = 1 } /\*\// { inside = 0 }
		inside && /^ \*$/ { print FILENAME ":" FNR ": empty line in Return" }' kpool.h
}

# The manual, HTML and man pages; in the cache, so that build/docs stays as it is.
lint_docs() {
	"$here/docs.sh" "$cache/docs/$tree_id"
}

# The patches that need a feature say so themselves.
lint_coccinelle() {
	find "$linux/scripts/coccinelle" -name '*.cocci' | sort |
		xargs -P "$(nproc)" -I '{}' spatch --very-quiet --no-show-diff -D report \
			--cocci-file '{}' --include-headers --dir . 2>/dev/null
}

need_linter_packages() {
	need_packages gcc libc6-dev make rsync perl python3 sparse coccinelle shellcheck codespell \
		gnuplot-nox python3-docutils python3-sphinx "${source_packages[@]}" "${kernel_packages[@]}"
}

# A linter that finds something exits as it likes; what counts is what it prints.
run_linter() {
	local findings
	findings=$("lint_$1" 2>&1)
	say "lint: $1, after $SECONDS s"
	[ -n "$findings" ] || return 0
	printf '%s\n' "$findings"
	say "lint: $1 is not content"
	return 1
}

main() {
	local linter job jobs=() failed=0
	exec 3>&1
	[ $# = 0 ] || linters=("$@")
	cd "$tree" || exit
	need_linter_packages
	prepare_kernel
	linux=$(kernel_source "$linux_series" "$linux_suite") || exit
	stop_jobs_when_interrupted
	for linter in "${linters[@]}"; do
		run_linter "$linter" </dev/null &
		jobs+=("$!")
	done
	for job in "${jobs[@]}"; do
		wait "$job" || failed=$((failed + 1))
	done
	say "lint: $((${#linters[@]} - failed)) of ${#linters[@]} are content"
	[ "$failed" = 0 ]
}

main "$@"
