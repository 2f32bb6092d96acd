#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# reach.sh [NAME...]: compile kpool.ko, in all these ways or some, where no guest of the test bed
# goes. That is for other architectures, by clang, and for kernels without features that most have;
# with W=1, and each warning an error. The kernels are prepared for modules, not built.

# shellcheck disable=SC2154,SC2034 # shared with what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages source kernel modules; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done

# Options that all have, as far as the architecture does. CGROUP_FREEZER needs the freezer, LATENCYTOP
# stack traces.
common=(64BIT EXPERT DEBUG_KERNEL PRINTK BUG SYSFS PROC_FS MODULES MODULE_UNLOAD WERROR SMP NUMA HOTPLUG_CPU
	DEBUG_FS CGROUPS CGROUP_FREEZER LATENCYTOP)

# A line each: name, architecture, compiler, and options that differ, "-" for off. Those of one
# architecture and compiler follow each other: they share a directory, and most of what is compiled.
reaches() {
	cat <<-END
		x86_64           x86_64 gcc   SMP NUMA HOTPLUG_CPU DEBUG_FS FREEZER STACKTRACE MODULE_UNLOAD WERROR
		no-debugfs       x86_64 gcc   -DEBUG_FS
		no-stacktrace    x86_64 gcc   -LATENCYTOP -STACKTRACE
		no-numa          x86_64 gcc   -NUMA
		no-smp           x86_64 gcc   -SMP -NUMA -HOTPLUG_CPU
		no-freezer       x86_64 gcc   -CGROUP_FREEZER -FREEZER
		no-module-unload x86_64 gcc   -MODULE_UNLOAD
		modversions      x86_64 gcc   MODVERSIONS
		bare             x86_64 gcc   -DEBUG_FS -LATENCYTOP -STACKTRACE -SMP -NUMA -HOTPLUG_CPU -CGROUP_FREEZER -FREEZER -MODULE_UNLOAD -PRINTK -BUG
		i386             i386   gcc   -64BIT -NUMA
		arm64            arm64  aarch64-linux-gnu-
		no-hotplug       arm64  aarch64-linux-gnu- -HOTPLUG_CPU
		s390x            s390   s390x-linux-gnu-
		clang            x86_64 clang
		clang-hardened   x86_64 clang LTO_CLANG_THIN CFI RANDSTRUCT_FULL FORTIFY_SOURCE MODVERSIONS
		clang-debug      x86_64 clang PROVE_LOCKING DEBUG_OBJECTS DEBUG_ATOMIC_SLEEP GCOV_KERNEL
		clang-arm64      arm64  clang
	END
}

# The newest clang that this Debian has.
clang_version() {
	apt-cache pkgnames clang- | sed -n 's/^clang-\([0-9]*\)$/\1/p' | sort -n | tail -n 1
}

# packages_of COMPILER
packages_of() {
	case $1 in
	gcc) echo gcc ;;
	clang) echo "clang-$clang lld-$clang llvm-$clang" ;;
	aarch64-*) echo gcc-aarch64-linux-gnu ;;
	s390x-*) echo gcc-s390x-linux-gnu ;;
	esac
}

# Sets compiler_words to what make wants to be told.
set_compiler() {
	case $1 in
	gcc) compiler_words=() ;;
	clang) compiler_words=("LLVM=-$clang") ;;
	*) compiler_words=("CROSS_COMPILE=$1") ;;
	esac
}

# option_lines [-]OPTION...
option_lines() {
	local option
	for option; do
		case $option in
		-*) echo "# CONFIG_${option#-} is not set" ;;
		*) echo "CONFIG_$option=y" ;;
		esac
	done
}

# The common options but for those that differ, and these.
all_options() {
	local option
	for option in "${common[@]}"; do
		[[ " $* " = *" -$option "* ]] || echo "$option"
	done
	printf '%s\n' "$@"
}

# prepare_headers DIR ARCH OPTION...: what a module needs; DIR can be prepared with other options.
prepare_headers() {
	local dir=$1 arch=$2
	shift 2
	mkdir -p "$dir"
	# shellcheck disable=SC2046 # options are words
	option_lines $(all_options "$@") >"$dir/all.config"
	option_lines "$@" >"$dir/wanted.config"
	make -C "$source" O="$dir" ARCH="$arch" "${compiler_words[@]}" \
		KCONFIG_ALLCONFIG="$dir/all.config" allnoconfig || return
	stuck "$dir/wanted.config" "$dir/.config" || return
	make -j"$(nproc)" -C "$source" O="$dir" ARCH="$arch" "${compiler_words[@]}" modules_prepare
}

# The kernel has no symbols, as it is not built. The tests and samples are compiled where compilers differ
# most.
compile_module() {
	local dir=$1 arch=$2 module=$3 with=$4
	rm -rf "$module"
	copy_tree "$module"
	make -j"$(nproc)" -C "$dir" ARCH="$arch" "${compiler_words[@]}" M="$module" W=1 KCFLAGS=-Werror \
		KBUILD_MODPOST_WARN=1 KPOOL_WITH="$with" modules
}

# Functions that the compiler calls for an operation that the machine lacks, but Linux does not have.
lacking() {
	nm -u "$1/kpool.ko" | grep -E ' (__u?(div|mod|divmod)[dt]i[34]|__aeabi_u?l(div)?mod|__multi3)$'
}

# Files that are left of a build after "make clean", that the tree does not have.
left_by_clean() {
	logged "$log-clean" make -C "$3" KDIR="$1" ARCH="$2" "${compiler_words[@]}" clean
	rsync -rcn --delete --itemize-changes --exclude=.git --exclude=/build "$tree/" "$3/" | grep '^\*deleting'
}

# reach NAME ARCH COMPILER OPTION...: is silent but for its name if all is well
reach() {
	local name=$1 arch=$2 compiler=$3 with='' log=$cache/log/reach-$tree_id-$1
	local dir=$cache/kernel/reach-$arch-${compiler%-}-${source##*/} module=$cache/build/reach-$tree_id
	shift 3
	set_compiler "$compiler"
	logged "$log-headers" prepare_headers "$dir" "$arch" "$@"
	[ "$name" != clang ] || with="samples selftests bench"
	logged "$log" compile_module "$dir" "$arch" "$module" "$with"
	grep -v -e 'Module.symvers is missing' -e 'undefined!$' -e 'modpost: suppressed .* unresolved' \
		-e 'Modules may not have dependencies or modversions' \
		-e 'You may get many unresolved symbol errors' \
		-e 'You can set KBUILD_MODPOST_WARN=1' "$log" >"$log.judged"
	no_warnings "$log.judged" || die "$name: a warning is an error here"
	! lacking "$module" || die "$name: Linux has no such function"
	! left_by_clean "$dir" "$arch" "$module" || die "$name: \"make clean\" leaves files"
	say "$name: compiled"
}

# is_wanted NAME [NAME...]: is it one of the others, or are there none?
is_wanted() {
	[ $# = 1 ] || [[ " ${*:2} " = *" $1 "* ]]
}

wanted_packages() {
	local name arch compiler options
	while read -r name arch compiler options; do
		! is_wanted "$name" "$@" || packages_of "$compiler"
	done < <(reaches) | xargs -n 1 | sort -u
}

main() {
	local name arch compiler options clang found=0 packages
	clang=$(clang_version)
	readarray -t packages < <(wanted_packages "$@")
	need_packages "${build_packages[@]}" rsync lz4 "${packages[@]}"
	source=$(kernel_source "$linux_series" "$linux_suite") || exit
	while read -r name arch compiler options; do
		is_wanted "$name" "$@" || continue
		# shellcheck disable=SC2086 # several options
		locked "reach-$arch-$compiler" reach "$name" "$arch" "$compiler" $options || exit
		found=$((found + 1))
	done < <(reaches)
	[ "$found" -gt 0 ] || die "no such name; there are: $(reaches | sed 's/ .*//' | xargs)"
	say "kpool.ko is compiled without a warning in $found ways"
}

main "$@"
