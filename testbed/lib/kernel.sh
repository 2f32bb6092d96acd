# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# Kernels that are built here: configured from fragments, kept in the cache.

# merged_config FRAGMENT...: all fragments as one; of two lines for one option the later wins.
merged_config() {
	local fragment files=()
	for fragment; do
		files+=("$testbed/configs/$fragment.config")
	done
	awk '
		match($0, /CONFIG_[A-Za-z0-9_]+/) && (/^CONFIG_/ || / is not set$/) {
			option = substr($0, RSTART, RLENGTH)
			if (!(option in line))
				order[++n] = option
			line[option] = $0
		}
		END { for (i = 1; i <= n; i++) print line[order[i]] }' "${files[@]}"
}

# stuck WANTED CONFIG: an option that Kconfig silently dropped would make the tests test less.
# An option that cannot be set is as good as one that is "not set".
stuck() {
	local line option bad=0
	while read -r line; do
		grep -qxF "$line" "$2" && continue
		option=$(grep -o 'CONFIG_[A-Za-z0-9_]*' <<<"$line" | head -n 1)
		[[ $line = *"is not set" ]] && ! grep -q "^$option=" "$2" && continue
		echo "did not stick: $line" >&2
		bad=1
	done <"$1"
	return $bad
}

compile_kernel() {
	local source=$1 arch=$2 dir=$3 targets=$4
	rm -rf "$dir"
	mkdir -p "$dir"
	merged_config "${@:5}" >"$dir/wanted.config"
	make -C "$source" O="$dir" ARCH="$arch" KCONFIG_ALLCONFIG="$dir/wanted.config" allnoconfig
	stuck "$dir/wanted.config" "$dir/.config"
	# shellcheck disable=SC2086 # several targets
	make -j"$(nproc)" -C "$source" O="$dir" ARCH="$arch" $targets
	touch "$dir/.kpool-complete"
}

built_kernel_key() {
	local source=$1
	shift
	echo "${source##*/}-$({ merged_config "$@"; gcc -dumpfullversion; } | short_hash)"
}

build_once() {
	local title=$1 minutes=$2 dir=$5
	[ -e "$dir/.kpool-complete" ] && return
	say "building $title (once, about $minutes minutes on two cores)"
	logged "$cache/log/${dir##*/}" bash -ec "
		. '$testbed/lib/common.sh'; . '$testbed/lib/kernel.sh'
		compile_kernel \"\$@\"" - "${@:3}"
}

# Of a kernel that is to tell which lines of kpool ran, there is one more.
coverage_fragment() {
	[ -z "${coverage:-}" ] || echo gcov
}

# build_kernel NAME TITLE MINUTES SERIES SUITE ARCH TARGETS FRAGMENT...: sets kernel_dir and kernel_key.
# A half-built kernel has no stamp and is built anew.
build_kernel() {
	local name=$1 title=$2 minutes=$3 series=$4 suite=$5 arch=$6 targets=$7 source
	shift 7
	# shellcheck disable=SC2046 # one word or none
	set -- "$@" $(coverage_fragment)
	source=$(kernel_source "$series" "$suite") || exit
	kernel_key=$name-$(built_kernel_key "$source" "$@")
	kernel_dir=$cache/kernel/$kernel_key
	locked "kernel-$kernel_key" build_once "$title" "$minutes" "$source" "$arch" "$kernel_dir" "$targets" "$@" || exit
}
