#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# in-tree.sh add TREE: add kpool to a source tree of Linux, or update it there.
# in-tree.sh series TREE: write the same as a patch series for that tree, which is only read, to
# build/series.
# in-tree.sh check [TREE]: make the series, for Linux 7.2 or TREE, and check it. That is checkpatch,
# and a build after each patch, with kpool built in and as a module. Then boot both, run the KUnit
# tests and selftests.
#
# The files are those of this tree, with other paths in them. in-tree/ has what only Linux needs.
# lib/kpool/ has the engine, because the core kernel does not depend on it.

# shellcheck disable=SC2154,SC2034 # shared with what is sourced
# shellcheck disable=SC2016 # text of makefiles

set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages source kernel modules uml guest; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done

# In their order in the series.
parts=(engine kunit selftests documentation)

# Editing

# edit FILE COMMAND [ARG...]: replace the file by what the command prints of it
edit() {
	"${@:2}" "$into/$1" >"$into/$1.new" || die "cannot edit $1"
	mv "$into/$1.new" "$into/$1"
}

# insert_after FILE LINE TEXT: TEXT behind the only such line, if it is not there
insert_after() {
	! grep -qxF -e "${3##*$'\n'}" "$into/$1" || return 0
	[ "$(grep -cxF "$2" "$into/$1")" = 1 ] || die "$1 has no line \"$2\", or several"
	edit "$1" awk -v line="$2" -v text="$3" '{ print } $0 == line { print text }'
}

# adapted FILE...: with the paths that files have in Linux
adapted() {
	sed -e 's|#include "kpool\.h"|#include <linux/kpool.h>|' \
		-e 's|Documentation/\([a-z-]*\.rst\)|Documentation/core-api/kpool/\1|g' \
		-e 's|Documentation/ is the|Documentation/core-api/kpool/ is the|' \
		-e 's|selftests/litmus/|Documentation/litmus-tests/kpool/|g' \
		-e 's|core/\([a-z_]*\.[ch]\)|lib/kpool/\1|g' \
		-e 's|\bkpool\.c\b|pool.c|g' \
		-e 's|^\(#define TRACE_INCLUDE_PATH\) core$|\1 .|' "$@"
}

# without_older_kernels: compat.h, without paragraphs for versions of Linux that lack something
without_older_kernels() {
	awk 'BEGIN { RS = "" }
		/#if LINUX_VERSION_CODE|#ifndef [a-z]/ { next }
		NR > 1 && text { print text "\n" }
		{ text = $0 }
		END { print text }' |
		sed -e '/<linux\/version\.h>/d' -e 's/ && !defined(KPOOL_NO_STACK_OF)//'
}

# Print what is declared in kpool.h for modules that kpool is linked into.
for_linked_in() {
	awk '/^\/\* kpool linked into a module/ { inside = 1 }
		/^#endif/ { inside = 0 }
		inside == want' want="$1" "$tree/kpool.h"
}

# sender FORMAT: the author of the last commit
sender() {
	git -C "$tree" log -1 --format="$1"
}

# maintainers: the entry, with the paths that are there
maintainers() {
	local line
	while IFS= read -r line; do
		[[ $line != F:* ]] || [ -e "$into/${line#F:$'\t'}" ] || continue
		printf '%s\n' "${line/@MAINTAINER@/$(sender '%an <%ae>')}"
	done <"$tree/in-tree/MAINTAINERS"
}

update_maintainers() {
	edit MAINTAINERS awk -v entry="$(maintainers)" '
		/^KPOOL$/ { skip = 1 }
		!skip && /^KPROBES$/ { print entry "\n"; done = 1 }
		!skip
		/^$/ { skip = 0 }
		END { exit !done }'
}

# Parts

# The list of kpool.mk.
engine_files() {
	make -s -f - <<-END
		KPOOL_EMBED :=
		obj := .
		include $tree/kpool.mk
		\$(info \$(kpool-core))
		all: ;
	END
}

add_engine() {
	local dir=$into/lib/kpool file files
	read -ra files < <(engine_files)
	[ ${#files[@]} -gt 0 ] || die "cannot read kpool.mk"
	rm -rf "$dir"
	mkdir -p "$dir"
	for_linked_in 0 | adapted >"$into/include/linux/kpool.h"
	# kpool.o is the name of the module
	adapted "$tree/kpool.c" >"$dir/pool.c"
	for file in main "${files[@]}"; do
		adapted "$tree/core/$file.c" >"$dir/$file.c"
	done
	for file in "$tree"/core/*.h; do
		[ "${file##*/}" = embed.h ] || adapted "$file" >"$dir/${file##*/}"
	done
	without_older_kernels <"$tree/core/compat.h" >"$dir/compat.h"
	{
		grep -v '^#endif /\* _KPOOL_INTERNAL_H' "$dir/internal.h"
		echo '/* pool.c: called by main.c */'
		for_linked_in 1 | grep '^[a-z].*;$'
		printf '\n#endif /* _KPOOL_INTERNAL_H */\n'
	} >"$dir/internal.h.new" && mv "$dir/internal.h.new" "$dir/internal.h"
	cp "$tree/in-tree/Kconfig" "$dir/"
	{
		cat "$tree/in-tree/Makefile"
		printf '%s\n' "${files[@]/%/.o}" | fmt -w 68 | sed 's/^/kpool-y += /'
		printf '\n# %s\nCFLAGS_debug.o := -I$(src)\n' "trace/define_trace.h includes trace.h"
	} >"$dir/Makefile"
	insert_after lib/Kconfig 'source "lib/fonts/Kconfig"' $'\nsource "lib/kpool/Kconfig"'
	insert_after lib/Makefile 'obj-$(CONFIG_PLDMFW) += pldmfw/' $'\nobj-$(CONFIG_KPOOL) += kpool/'
}

add_kunit() {
	local dir=$into/lib/kpool
	cp "$tree/in-tree/kpool_kunit.c" "$dir/"
	cp "$tree/in-tree/kunitconfig" "$dir/.kunitconfig"
	cat "$tree/in-tree/Kconfig.kunit" >>"$dir/Kconfig"
	sed -i '/^# trace/i\kpool-$(CONFIG_KPOOL_KUNIT_TEST) += kpool_kunit.o\n' "$dir/Makefile"
}

# left_out NAME: a selftest that loads kpool.ko anew, wants a boot of its own, or is about pages or
# samples that are not there; or a module that only those, or the test bed, need
left_out() {
	local script=$tree/selftests/$1.sh
	[[ " recipes doc_examples scenarios canary cpuhp_exhaust " != *" $1 "* ]] || return 0
	[ -e "$script" ] &&
		grep -qE '^# boots: alone|KPOOL_KO|samples/|simulate|^[^#]*\brmmod kpool$' "$script"
}

# Without what is left out, and what is not in this directory.
selftests_kbuild() {
	local name names expressions=()
	readarray -t names < <(sed -nE 's/^(tests|obj-m) \+= ([a-z_]+)\.o$/\2/p' "$tree/selftests/Kbuild")
	for name in "${names[@]}"; do
		! left_out "$name" || expressions+=(-e "/ \\+= $name\\.o\$/d" -e "/^CFLAGS_$name\\.o/d")
	done
	sed -E "${expressions[@]}" -e 's| -I\$\(src\)/\.\.$||' -e 's|\$\(src\)/\.\./core|$(srctree)/lib/kpool|' \
		-e '/^recipes-y/,/^$/d' -e '/^obj-m .*\/$/d' -e '/^# The simulator/,/^$/d' \
		"$tree/selftests/Kbuild" | cat -s
}

add_selftests() {
	local dir=$into/tools/testing/selftests/kpool name file
	rm -rf "$dir"
	mkdir -p "$dir/torture"
	cp "$tree"/in-tree/selftests/* "$tree"/selftests/{run,ktap}.sh "$dir/"
	mv "$dir/gitignore" "$dir/.gitignore"
	selftests_kbuild >"$dir/Kbuild"
	for file in "$tree"/selftests/*.{sh,c}; do
		name=${file##*/}
		left_out "${name%.*}" || [ -e "$dir/$name" ] || adapted "$file" >"$dir/$name"
	done
	for file in "$tree"/selftests/*.h "$tree"/selftests/torture/*.[ch]; do
		adapted "$file" >"$dir/${file#"$tree/selftests/"}"
	done
	without_older_kernels <"$tree/selftests/compat.h" >"$dir/compat.h"
	insert_after tools/testing/selftests/Makefile 'TARGETS += kexec' 'TARGETS += kpool'
}

# Pages about this tree stay here, and so does what others say of it and of them.
pages=(guidelines api attributes debugfs debugging tracing)

adapted_page() {
	perl -0pe 's/``which-pool.rst`` compares[^\n]*\n//; s/  ``clients.rst`` has an example\.//;
		s/``samples[^\n]*\n//; s/  This makes HTML of the manual.*?\n\n(?=\S)/\n\n/s;
		s/  ``make demo`` prints examples\.//; s/  ``selftests\/[^`]*``\s[^.]*\.//;
		s/(kernel-doc:: )kpool\.h/$1include\/linux\/kpool.h/' "$1"
}

add_documentation() {
	local dir=$into/Documentation/core-api/kpool litmus=$into/Documentation/litmus-tests/kpool page file
	rm -rf "$dir" "$litmus"
	mkdir -p "$dir" "$litmus"
	cp "$tree/in-tree/index.rst" "$dir/"
	for page in "${pages[@]}"; do
		adapted_page "$tree/Documentation/$page.rst" >"$dir/$page.rst"
	done
	for file in "$tree"/Documentation/ABI/testing/*; do
		adapted "$file" >"$into/Documentation/ABI/testing/${file##*/}"
	done
	for file in "$tree"/selftests/litmus/*.litmus; do
		adapted "$file" | sed 's|# code: pool\.c|# code: lib/kpool/pool.c|' >"$litmus/${file##*/}"
	done
	insert_after Documentation/core-api/index.rst '   workqueue' '   kpool/index'
}

# pages_named FILE...: what they call a page of the manual, by its path in Linux
pages_named() {
	grep -rhoE 'Documentation/core-api/kpool/[a-z-]+\.rst' "$@"
	grep -rhoE --include='*.rst' '``[a-z/-]+\.rst``' "$@" | tr -d '`' | sed 's|^|Documentation/core-api/kpool/|'
}

# Text that has been added must not speak of files that are not there, nor of targets of this
# Makefile.
no_dangling_names() {
	local page found dirs=(lib/kpool include/linux/kpool.h Documentation/{core-api,litmus-tests}/kpool)
	found=$(cd "$into" && grep -rnE '\b(core|samples|selftests/litmus|testbed)/[a-z]|kpool\.mk|embed\.h|\bkpool\.c\b|make (docs|demo|lint|tables|check|mutants|litmus)' \
		"${dirs[@]}")
	[ -z "$found" ] || die "what has been added names what is not there: $found"
	while read -r page; do
		[ -e "$into/$page" ] || die "there is no $page, which has been named"
	done < <(cd "$into" && pages_named "${dirs[@]}" Documentation/ABI/testing/*kpool \
		tools/testing/selftests/kpool | sort -u)
}

# is_linux DIR: of a version that needs no stand-ins
is_linux() {
	[ -e "$1/lib/Kconfig" ] || die "$1 is no source tree of Linux"
	awk '/^(VERSION|PATCHLEVEL) = / { version = version * 1000 + $3 }
		END { exit version < 7002 }' "$1/Makefile" || die "$1 is older than Linux 7.2"
}

add() {
	local part
	into=$(cd "$1" && pwd -P) || exit
	is_linux "$into"
	for part in "${parts[@]}"; do
		"add_$part"
	done
	update_maintainers
	no_dangling_names
	say "kpool is in $into: CONFIG_KPOOL"
}

# The series

edited=(MAINTAINERS lib/Kconfig lib/Makefile Documentation/core-api/index.rst tools/testing/selftests/Makefile)

series_git() {
	git -C "$into" -c user.name="$(sender %an)" -c user.email="$(sender %ae)" -c core.autocrlf=false "$@"
}

commit_parts() {
	local part
	for part in "${parts[@]}"; do
		"add_$part"
		update_maintainers
		series_git add -A -f && series_git commit -q -s -F "$tree/in-tree/messages/$part" || exit
	done
	no_dangling_names
}

# series TREE DIR
series() {
	local from out=$2 file
	from=$(cd "$1" && pwd -P) || exit
	is_linux "$from"
	[ ! -e "$from/lib/kpool" ] || die "$from has kpool already"
	into=$(mktemp -d "${TMPDIR:-/tmp}/kpool-series.XXXXXX")
	trap 'rm -rf "$into"' EXIT
	(cd "$from" && cp --parents "${edited[@]}" "$into/") || exit
	mkdir -p "$into"/include/linux "$into"/Documentation/ABI/testing
	series_git init -q -b kpool
	series_git add -A -f && series_git commit -q -m base || exit
	commit_parts
	rm -rf "$out"
	series_git config branch.kpool.description "$(cat "$tree/in-tree/messages/cover-letter")"
	series_git format-patch -q --cover-letter --cover-from-description=subject -o "$out" \
		"-${#parts[@]}" || exit
	rm -rf "$into"
	say "the series is in $out: $(find "$out" -name '*.patch' | wc -l) files"
}

# Checks

# The entry in MAINTAINERS for the directories answers what checkpatch asks after each added file. A
# row of tunables.h can become declarations, with their semicolons; one of attributes.rst has a
# default that is also its only word.
checkpatch_series() {
	local found
	found=$(cd "$linux" && scripts/checkpatch.pl --quiet --no-summary \
		--ignore FILE_PATH_CHANGES,TRAILING_SEMICOLON,REPEATED_WORD "$work"/series/000[1-9]-*.patch)
	[ -z "$found" ] || die "checkpatch is not content: $found"
}

# build_linux NAME VALUE: with CONFIG_KPOOL=VALUE
build_linux() {
	local log=$cache/log/in-tree-$1-$tree_id
	merged_config uml-base in-tree | sed "s/^CONFIG_KPOOL=.*/CONFIG_KPOOL=$2/" >"$work/wanted.config"
	logged "$log-config" make -C "$linux" O="$objects" ARCH=um \
		KCONFIG_ALLCONFIG="$work/wanted.config" allnoconfig
	logged "$log" make -j"$(nproc)" -C "$linux" O="$objects" ARCH=um KCFLAGS=-Werror linux modules
	no_warnings "$log" || die "$1: a warning is an error here"
}

# Each patch alone must leave a tree that can be built.
build_patches() {
	local patch
	for patch in "$work"/series/000[1-9]-*.patch; do
		patch -d "$linux" -p1 -s <"$patch" || die "${patch##*/} does not apply"
		build_linux "${patch##*/}" y
		say "${patch##*/} builds"
	done
	stuck "$work/wanted.config" "$objects/.config" || exit
}

# added_content: a hash of all that "add" writes
added_content() {
	(cd "$linux" && find lib/kpool include/linux/kpool.h Documentation/{core-api,litmus-tests}/kpool \
		Documentation/ABI/testing/*-kpool tools/testing/selftests/kpool "${edited[@]}" -type f -print0 |
		sort -z | xargs -0 sha256sum | short_hash)
}

# A tree that has all patches is up to date: "add" must change nothing. In a subshell, for series() removes
# what "into" names when the script exits.
add_again() {
	local before
	before=$(added_content)
	(add "$linux") || exit
	[ "$(added_content)" = "$before" ] || die "\"add\" writes something else than the series"
}

run_kunit_tool() {
	local log=$cache/log/in-tree-kunit-$tree_id
	logged "$log" env -C "$linux" tools/testing/kunit/kunit.py exec --build_dir="$objects" --timeout=60 'kpool*'
	grep -qE 'Ran ([1-9][0-9]*) tests: passed: \1$' "$log" || die "no KUnit test has passed (see $log)"
}

check_manual() {
	local log=$cache/log/in-tree-docs-$tree_id
	logged "$log" make -C "$linux" O="$work/docs" SPHINXDIRS=core-api/kpool htmldocs
	! grep -iE 'kpool.*(warning|error)' "$log" || die "the manual has errors"
}

# The selftests as kselftest installs them, and the modules, below stage.
install_tests() {
	local log=$cache/log/in-tree-install-$tree_id
	rm -rf "$stage"
	mkdir -p "$stage/kpool"
	logged "$log" make -C "$linux" O="$objects" ARCH=um TARGETS=kpool FORCE_TARGETS=1 KDIR="$objects" \
		KSFT_INSTALL_PATH="$stage/kpool/kselftest" kselftest-install
	no_warnings "$log" || die "a warning is an error here"
	logged "$log" make -C "$objects" ARCH=um INSTALL_MOD_PATH="$stage" modules_install
}

# selftests_script: default_cpumask has a CPU that is not online when the command line is parsed.
selftests_script() {
	cat <<-'END'
		[ -d /sys/module/kpool ] || modprobe kpool || exit
		dmesg | grep -q '# kpool: pass:[1-9][0-9]* fail:0 ' || exit
		[ "$(cat /sys/module/kpool/parameters/default_capacity)" = 7 ] || exit
		[ "$(cat /sys/module/kpool/parameters/default_cpumask)" = 1 ] || exit
		ln -s /proc/self/fd/1 /dev/stdout
		KSELFTEST_RUN_SH_ARGS="submit group stall tune" kselftest/run_kselftest.sh
	END
}

# Without kpool, a built-in client gets an error.
bad_parameters_script() {
	cat <<-'END'
		dmesg | grep -q 'kpool: module parameters: min_workers 9 is above capacity 8' || exit
		insmod kselftest/kpool/submit.ko || exit
		read -r name _ </sys/module/submit/parameters/list
		! echo "$name" >/sys/module/submit/parameters/run
	END
}

# boot NAME PARAMETERS: run NAME_script in the guest
boot() {
	local output=$cache/log/in-tree-$1-output-$tree_id status
	run=$(mktemp -d "${TMPDIR:-/tmp}/kpool-in-tree.XXXXXX")
	console=$cache/log/in-tree-$1-console-$tree_id initramfs=$run/initramfs append=$2
	"$1_script" >"$stage/kpool/$1.sh"
	pack_initramfs "$stage" "$initramfs" "$1.sh"
	prepare_guest_uml
	run_guest >"$output"
	judge
	status=$?
	rm -rf "$run"
	[ "$status" = 0 ] || { tail -n 30 "$output" >&2; die "$1: the guest fails ($status): $output"; }
}

# boot_tests VALUE: with CONFIG_KPOOL=VALUE
boot_tests() {
	local parameters="kpool.default_capacity=7 kpool.default_cpumask=1"
	install_tests
	# a module would not be loaded
	[ "$1" != y ] || parameters+=" kpool.default_cpumask=0-x"
	boot selftests "$parameters"
	say "CONFIG_KPOOL=$1: $(grep -cE '^# +ok ' "$cache/log/in-tree-selftests-output-$tree_id") cases pass"
}

check_locked() {
	local source=$1
	linux=$work/linux objects=$work/objects stage=$work/stage
	kernel=uml machine=uml cpus=2 memory=256M timeout=600 icount=no coverage='' mutant=0
	kernel_dir=$objects kernel_modules=''
	rsync -a --delete --exclude=/.kpool-complete "$source/" "$linux/" || exit
	series "$source" "$work/series"
	checkpatch_series
	build_patches
	add_again
	run_kunit_tool
	boot_tests y
	boot bad_parameters "kpool.capacity=8 kpool.min_workers=9"
	build_linux module m
	boot_tests m
	check_manual
	say "the series is good"
}

check() {
	local source=${1:-}
	need_packages "${guest_packages[@]}" "${build_packages[@]}" git perl python3 python3-sphinx
	[ -n "$source" ] || source=$(kernel_source "$linux_series" "$linux_suite") || exit
	work=$cache/build/in-tree-$tree_id
	mkdir -p "$work"
	locked "in-tree-$tree_id" check_locked "$source"
}

main() {
	local command=${1:-}
	[ -n "$(sender %ae)" ] || die "$tree is no git checkout, whose last commit has the sender of the series"
	case $command:$# in
	add:2) add "$2" ;;
	series:2) series "$2" "$tree/build/series" ;;
	check:[12]) check "${2:-}" ;;
	*) die "usage: in-tree.sh add TREE | series TREE | check [TREE]" ;;
	esac
}

main "$@"
