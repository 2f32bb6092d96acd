# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# kpool and the modules that use it, built for one kernel in a copy of the tree.

products=('.git' '*.o' '*.ko' '*.mod' '*.mod.c' '.*.cmd' '.*.d' '*.order' 'Module.symvers' '*.gcno'
	'.tmp_*' '.module-common.o' 'built-in.a' '/selftests/debugfs_stress' '/build')

# Only what differs is written, and is then newer than what was built of it. The times of the tree,
# such as those of a fresh clone, mean nothing.
copy_tree() {
	local pattern excludes=()
	for pattern in "${products[@]}"; do
		excludes+=("--exclude=$pattern")
	done
	mkdir -p "$1"
	rsync -rlpc --delete "${excludes[@]}" "$tree/" "$1/"
}

# newest_build DIR: another tree's build for the same kernel, or nothing
newest_build() {
	local other
	while read -r other; do
		if [ "$other" != "$1" ] && [ -e "$other/Module.symvers" ]; then
			echo "$other"
			return
		fi
	done < <(ls -td "${1%-*}"-???????????? 2>/dev/null)
}

# adopt_build OTHER DIR: begin with a copy of what another tree has built. Kbuild's notes name objects by
# their path; no time must change, or all would be built again.
adopt_build() {
	local file
	rm -rf "$2.new"
	cp -a "$1" "$2.new" || return
	grep -rlIF --include='.*.cmd' --include='*.mod' --include=modules.order "$1/" "$2.new" |
		while read -r file; do
			sed -i.old "s#$1/#$2/#g" "$file" && touch -r "$file.old" "$file" && rm "$file.old"
		done
	mv "$2.new" "$2"
}

# A tree that has built nothing, such as a fresh clone, need not build what another one has. Objects
# that count know the path that they were built in.
adopt_once() {
	local other
	[ ! -e "$1" ] && [ -z "${coverage:-}" ] || return 0
	other=$(newest_build "$1")
	[ -z "$other" ] || locked "build-${other##*/}" adopt_build "$other" "$1"
}

# extract_client DIR: the Kbuild and the greet.c that clients.rst shows
extract_client() {
	awk -v dir="$1" '
		/^    # SPDX-License-Identifier/ && !kbuild { file = dir "/Kbuild"; kbuild = 1 }
		/^    \/\/ SPDX-License-Identifier/ { file = dir "/greet.c" }
		/^[^ ]/ { file = "" }
		file { sub(/^    /, ""); print > file }' "$tree/Documentation/clients.rst"
}

# The versions of compiler and pahole, and a kernel without its vmlinux, are not the module's fault.
no_warnings() {
	! grep -i 'warning' "$1" |
		grep -v -e '^warning: the compiler differs from the one used to build the kernel$' \
			-e '^warning: pahole version differs from the one used to build the kernel$' \
			-e 'Skipping BTF' -e 'clock skew' -e 'modification time'
}

# needed_modules SCRIPT [ARG...]: those that are selftests, by their names, and those that the scripts
# load, by ktap.sh's functions or by "# needs: MODULE..." in their heads; nothing if that is not known.
needed_modules() {
	local files
	readarray -t files < <(guest_scripts "$@")
	[ ${#files[@]} -gt 0 ] && [ "$*" != selftests/run.sh ] || return 0
	{
		[ "$1" != selftests/run.sh ] || printf '%s\n' "${@:2}"
		[[ " $* " != *" ported "* ]] || "$tree/selftests/run.sh" -l ported
		sed -nE -e 's/^# needs: //p' \
			-e 's/^[^#]*\b(load_test|load_tested|run_cases) +([a-z][a-z0-9_]*).*/\2/p' "${files[@]}"
	} | sort -u
}

# kernel_make DIR ARG...: a module's make in DIR, by the compiler of the chosen kernel; without BTF, which
# only a debugger wants
kernel_make() {
	local in=()
	[ -z "${kernel_root:-}" ] || in=(in_root "$kernel_root")
	"${in[@]}" make -j"$(nproc)" -C "$kernel_dir" ARCH="$kernel_arch" M="$1" \
		CONFIG_DEBUG_INFO_BTF_MODULES= "${@:2}"
}

# make_modules DIR ARG...: those that the script needs, or all. What a debugger wants is ten times the
# rest, and a guest in QEMU would spend most of its time loading it.
make_modules() {
	kernel_make "$1" KCFLAGS="-Werror -g0" W="${kernel_warnings:-}" KPOOL_SPL="${KPOOL_SPL:-}" \
		KBUILD_EXTRA_SYMBOLS="${KPOOL_SPL:+$KPOOL_SPL/module/Module.symvers}" \
		KPOOL_WITH="samples selftests bench" KPOOL_GCOV="${coverage:+y}" \
		KPOOL_ONLY="$(needed_modules "${script[@]}" | xargs)" "${@:2}" modules
}

build_locked() {
	local dir=$1 log=$cache/log/modules-${1##*/}
	adopt_once "$dir"
	copy_tree "$dir"
	logged "$log" make_modules "$dir"
	no_warnings "$log" || die "a warning is an error here"
	[ "$build" = only ] || stage_tree "$dir" "$2"
}

# built_modules DIR: the last build's, by their paths below DIR. Others are there from earlier ones.
built_modules() {
	sed -e "s#^$1/##" -e 's#\.o$#.ko#' "$1/modules.order"
}

# stage_tree BUILD STAGE: what the guest needs of the tree, without sources and objects.
stage_tree() {
	mkdir -p "$2/kpool"
	rsync -am --exclude='*.[cho]' --exclude='*.ko' --exclude='.*' --exclude='*.mod' --exclude='*.mod.c' \
		--exclude='*.order' --exclude=Module.symvers --exclude='*.gcno' \
		--include='/selftests/***' --include='/samples/***' --include='/bench/***' --exclude='*' \
		"$1/" "$2/kpool/"
	built_modules "$1" | rsync -a --files-from=- "$1/" "$2/kpool/"
}

# build_modules STAGE: build for the chosen kernel, put the result below STAGE.
build_modules() {
	local name=$kernel_key-$tree_id${coverage:+-coverage}
	modules_build=$cache/build/$name
	if [ "$build" = no ]; then
		stage_tree "$modules_build" "$1"
	else
		locked "build-$name" build_locked "$modules_build" "$1" || exit
	fi
}
