# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# kpool and the modules that use it, built for one kernel in a copy of the tree.

products=('.git' '*.o' '*.ko' '*.mod' '*.mod.c' '.*.cmd' '.*.d' '*.order' 'Module.symvers' '*.gcno'
	'.tmp_*' '.module-common.o' 'built-in.a')

copy_tree() {
	local pattern excludes=()
	for pattern in "${products[@]}"; do
		excludes+=("--exclude=$pattern")
	done
	mkdir -p "$1"
	rsync -a --delete "${excludes[@]}" "$tree/" "$1/"
	find "$1" -name '*.ko' -delete
}

# The versions of compiler and pahole, and a kernel without its vmlinux, are not the module's fault.
no_warnings() {
	! grep -i 'warning' "$1" |
		grep -v -e '^warning: the compiler differs from the one used to build the kernel$' \
			-e '^warning: pahole version differs from the one used to build the kernel$' \
			-e 'Skipping BTF' -e 'clock skew' -e 'modification time'
}

make_modules() {
	make -j"$(nproc)" -C "$kernel_dir" ARCH="$kernel_arch" M="$1" KCFLAGS=-Werror \
		KPOOL_WITH="samples selftests bench" KPOOL_GCOV="${coverage:+y}" modules
}

build_locked() {
	local dir=$1 log=$cache/log/modules-${1##*/}
	copy_tree "$dir"
	logged "$log" make_modules "$dir"
	no_warnings "$log" || die "a warning is an error here"
	stage_tree "$dir" "$2"
}

# stage_tree BUILD STAGE: what the guest needs of the tree, without sources and objects.
stage_tree() {
	mkdir -p "$2/kpool"
	rsync -am --include='/kpool.ko' --include='/selftests/***' --include='/samples/***' \
		--include='/bench/***' --exclude='*' "$1/" "$2/kpool/"
	find "$2/kpool" -type f \( -name '*.[cho]' -o -name '.*' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name '*.order' -o -name Module.symvers -o -name Kbuild -o -name '*.gcno' \) -delete
}

# build_modules STAGE: build for the chosen kernel, put the result below STAGE.
build_modules() {
	local name=$kernel_key-$tree_id${coverage:+-coverage}
	modules_build=$cache/build/$name
	locked "build-$name" build_locked "$modules_build" "$1" || exit
}
