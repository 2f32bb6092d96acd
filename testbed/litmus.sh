#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# litmus.sh [--code] [NAME...]: does the kernel's memory model give the order that the code relies
# on?  --code only compares the tests with the code, and prints what is wrong.
#
# Each selftests/litmus/NAME.litmus has some of the code's own accesses and an outcome that must not
# be. herd7 says that it is Never seen, and that it is Sometimes seen as soon as any one of the
# marked barriers is taken away. A mark is a comment at the end of a line:
#
#   // barrier: NAME            the line is removed, with all others that have this mark
#   // barrier: NAME => TEXT    TEXT takes its place
#
# A line "# code: FILE:FUNCTION TEXT" in the head of a test says which code it is about. FUNCTION must
# be in FILE, and TEXT in it; "A ... B" is A, and B after it. A comment of the code names the test.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages source; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
tests=$tree/selftests/litmus
herd=$cache/herd7

# herd7

# Of the packages, the program, its model library and the C library it was linked with: they run
# where they are unpacked.
unpack_herd() {
	local deb
	for deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar x -C "$herd" --wildcards --wildcards-match-slash \
			--exclude './usr/lib/*/gconv/*' --exclude './usr/share/doc/*' \
			--exclude './usr/share/man/*' --exclude './usr/bin/[!h]*'
	done
	test -x "$herd/usr/bin/herd7"
}

# Only the newest Debian has it. With an empty status apt names all that it depends on.
download_herd() {
	local state=$herd.apt
	rm -rf "$state" "$herd"
	foreign_apt_setup "$state" sid
	foreign_apt "$state" -y --no-install-recommends --download-only install herdtools7
	mkdir -p "$herd"
	unpack_herd "$state"/cache/archives/*.deb
	rm -rf "$state"
	touch "$herd/.kpool-complete"
}

fetch_herd() {
	[ -e "$herd/.kpool-complete" ] && return
	say "fetching herd7 (once, about half a minute)"
	logged "$cache/log/herd7" bash -ec "
		. '$testbed/lib/common.sh'; . '$testbed/lib/source.sh'; herd=$herd
		$(declare -f unpack_herd download_herd)
		set -o pipefail
		download_herd"
}

prepare_herd() {
	local source
	need_packages dpkg tar "${source_packages[@]}"
	source=$(kernel_source "$linux_series" "$linux_suite") || exit
	model=$source/tools/memory-model
	locked herd7 fetch_herd || exit
	loader=$(echo "$herd"/usr/lib/*-linux-gnu/ld-linux-*.so.*)
	[ -x "$loader" ] || die "herd7 came without its C library"
}

# observe FILE: Never, Sometimes or Always, and "racy" if accesses race; or what herd7 complains of.
observe() {
	local said
	said=$(cd "$model" && "$loader" --library-path "${loader%/*}" "$herd/usr/bin/herd7" \
		-set-libdir "$herd/usr/share/herdtools7/herd" -conf linux-kernel.cfg "$1" 2>&1)
	awk '
		/^Warning|^Fatal|rror/ { print; exit }
		/^Flag data-race/ { racy = " and racy" }
		/^Observation/ { print $3 racy }' <<<"$said"
}

# Check a test

marks() {
	sed -n 's|.*// barrier: \([a-z-]*\).*|\1|p' "$1" | sort -u
}

# weaken FILE MARK: the test without that barrier
weaken() {
	sed -e "s|^\(\t*\).*// barrier: $2 => |\1|" -e "\|// barrier: $2\$|d" "$1"
}

# function_of FILE FUNCTION: its text, if FILE defines it
function_of() {
	awk -v name="$2" '
		!inside && /^[a-z]/ && !/;$/ && match($0, "(^|[^a-zA-Z0-9_])" name "[(]") { inside = 1 }
		inside { print }
		/^}/ { inside = 0 }' "$tree/$1"
}

# has_text BODY TEXT: word for word, and its parts in that order
has_text() {
	local body=" $1" rest="$2 ... " part
	while [ -n "$rest" ]; do
		part=${rest%% ... *}
		rest=${rest#* ... }
		[[ $body = *[!a-zA-Z0-9_]"$part"* ]] || return
		body=${body#*[!a-zA-Z0-9_]"$part"}
	done
}

# Is the test about code that exists? How the code is broken into lines does not matter.
find_code() {
	local place text body
	grep -q '# code: ' "$1" || echo "it names no code"
	sed -n 's/.*# code: //p' "$1" | while read -r place text; do
		body=$(function_of "${place%:*}" "${place#*:}" 2>/dev/null | tr -s '[:space:]' ' ')
		if [ -z "$body" ]; then
			echo "there is no ${place#*:}() in ${place%:*}"
		elif ! has_text "$body" "$text"; then
			echo "${place#*:}() has no: $text"
		fi
	done
}

# Print what is wrong with the test; nothing, if it is good.
complain() {
	local file=$1 name=$2
	[ "$(head -n 1 "$file")" = "C $name" ] || echo "its first line is not \"C $name\""
	grep -q '^exists ' "$file" || echo "it has no outcome that must not be"
	[ -n "$(marks "$file")" ] || echo "it marks no barrier"
	find_code "$file"
	# with its hyphens, it can only be in a comment
	grep -qwF -- "$name" "$tree"/*.[ch] "$tree"/core/*.[ch] || echo "no comment of the code names it"
}

# Running

# report TITLE WANTED GOT
report() {
	number=$((number + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $number - $1"
	else
		failed=$((failed + 1))
		echo "not ok $number - $1"
		echo "# ${3//$'\n'/$'\n# '}"
	fi
}

try_weakened() {
	local file=$1 name=$2 mark got
	while read -r mark; do
		weaken "$file" "$mark" >"$weak"
		# most are racy then, which is not what is asked
		got=$(observe "$weak")
		report "$name without $mark: Sometimes" Sometimes "${got% and racy}"
		barriers=$((barriers + 1))
	done < <(marks "$file")
}

try_test() {
	local file=$tests/$1.litmus
	report "$1 is about the code" '' "$(complain "$file" "$1")"
	report "$1: Never" Never "$(observe "$file")"
	try_weakened "$file" "$1"
}

check_code() {
	local name
	for name; do
		complain "$tests/$name.litmus" "$name" | sed "s/^/$name: /"
	done
}

main() {
	local name names=() number=0 failed=0 barriers=0 only_code=no
	[ "${1-}" != --code ] || { only_code=yes; shift; }
	names=("$@")
	if [ $# = 0 ]; then
		for name in "$tests"/*.litmus; do
			name=${name##*/}
			names+=("${name%.litmus}")
		done
	fi
	if [ "$only_code" = yes ]; then
		check_code "${names[@]}"
		return
	fi
	prepare_herd
	weak=$(mktemp --suffix=.litmus)
	trap 'rm -f "$weak"' EXIT
	trap 'exit 130' INT
	echo "TAP version 13"
	for name in "${names[@]}"; do
		[ -e "$tests/$name.litmus" ] || die "no litmus test named $name"
		try_test "$name"
	done
	echo "1..$number"
	say "litmus: ${#names[@]} tests, $barriers barriers, $failed failures"
	[ "$failed" = 0 ]
}

main "$@"
