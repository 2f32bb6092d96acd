# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# Debian's kernels that are not installed: unpacked into the cache, image and headers. If this machine's
# compiler or C library is too old for the headers, the compiler that they want is unpacked there, too.

# Packages that a root needs beside the compiler that headers depend on.
root_packages=(bash binutils coreutils dash diffutils findutils grep libc6-dev make mawk sed)

# kernel_versions STATE SERIES FLAVOUR KIND: of the packages linux-KIND-VERSION
kernel_versions() {
	apt_program=apt-cache foreign_apt "$1" pkgnames "linux-$4-${2:+$2.}" |
		sed -n "s/^linux-$4-\([0-9].*[0-9]-$3\)\$/\1/p"
}

# newest_kernel STATE SERIES FLAVOUR: its version, such as 7.2.12+deb13-rt-amd64; of any series without one.
# Headers are published before their image, which is signed first.
newest_kernel() {
	{
		kernel_versions "$@" image
		kernel_versions "$@" binary
	} | sort -u | comm -12 - <(kernel_versions "$@" headers | sort) | sort -V | tail -n 1
}

# kernel_debs STATE WHERE VERSION ARCH: the names of the packages to unpack, but for the image. What runs
# in a guest of another architecture, this machine does not have.
kernel_debs() {
	local more=() wanted='^(linux-headers|linux-kbuild|busybox)-'
	[ "$2" = here ] || more=("${root_packages[@]}") wanted=.
	[ "$4" = amd64 ] || more+=("busybox-static:$4")
	foreign_apt "$1" --simulate --no-install-recommends install "linux-headers-$3:$4" "${more[@]}" |
		awk -v wanted="$wanted" '/^Inst / && $2 ~ wanted { print $2 }'
}

# unpack_image STATE VERSION INTO ARCH: linux-binary has since 6.19 what was in linux-image. Only the kernel
# is needed, which comes before its thousands of modules.
unpack_image() {
	local state=$1/image name
	mkdir -p "$state" "$3/boot"
	for name in binary image; do
		(cd "$state" && foreign_apt "$1" download "linux-$name-$2:$4") && break
	done
	dpkg-deb --fsys-tarfile "$state"/*.deb 2>/dev/null |
		tar x -O --occurrence=1 --wildcards '*/vmlinuz*' >"$3/boot/vmlinuz-$2"
	test -s "$3/boot/vmlinuz-$2"
}

# unpack_debs INTO DEB...: as if installed, on a Debian with merged /usr. The headers name their common
# part by an absolute path.
unpack_debs() {
	local into=$1 deb
	mkdir -p "$into"/{dev,proc,tmp} "$into"/usr/{bin,sbin,lib,lib64}
	ln -s usr/{bin,sbin,lib,lib64} "$into"
	ln -s mawk "$into/usr/bin/awk"
	: >"$into/dev/null"
	for deb in "${@:2}"; do
		dpkg-deb --fsys-tarfile "$deb" | tar x -C "$into" --no-same-owner --keep-directory-symlink \
			--exclude './usr/share/doc/*' --exclude './usr/share/man/*' --exclude './usr/share/locale/*'
	done
	sed -i -E "s#(^|[[:space:]=])/usr/(src/linux-headers|lib/linux-kbuild)#\1$into/usr/\2#g" \
		"$into"/usr/src/linux-headers-*/Makefile
}

# in_root ROOT CMD...: in a root, which sees the cache. The mounts end with the command.
in_root() {
	local options=(--mount)
	[ "$(id -u)" = 0 ] || options+=(--map-root-user)
	mkdir -p "$1$cache"
	# shellcheck disable=SC2016 # the inner shell's
	DEB_BUILD_ARCH=amd64 PATH=/usr/sbin:/usr/bin:/sbin:/bin unshare "${options[@]}" bash -ec '
		mount --rbind /proc "$1/proc"
		mount --bind /dev/null "$1/dev/null"
		mount --bind "$2" "$1$2"
		exec chroot "$1" "${@:3}"' - "$1" "$cache" "${@:2}"
}

# download_kernel INTO WHERE SERIES FLAVOUR SUITE...
download_kernel() {
	local into=$1 where=$2 series=$3 flavour=$4 arch=${4##*-} state=$1.apt version debs
	local apt_options=(-o APT::Architectures::=amd64 -o APT::Architectures::="$arch")
	rm -rf "$state" "$into"
	mkdir -p "$into"
	foreign_apt_setup "$state" "${@:5}"
	version=$(newest_kernel "$state" "$series" "$flavour")
	[ -n "$version" ] || die "there is no such kernel"
	debs=$(kernel_debs "$state" "$where" "$version" "$arch")
	# shellcheck disable=SC2086 # several packages
	(cd "$state" && foreign_apt "$state" download $debs)
	unpack_debs "$into" "$state"/*.deb
	unpack_image "$state" "$version" "$into" "$arch"
	rm -rf "$state"
	touch "$into/.kpool-complete"
}

unpack_once() {
	[ -e "$1/.kpool-complete" ] && return
	say "fetching Debian's kernel for ${1##*/debian-} (once, about a minute)"
	logged "$cache/log/${1##*/}" bash -ec "
		. '$testbed/lib/common.sh'; . '$testbed/lib/source.sh'; . '$testbed/lib/unpacked.sh'
		download_kernel \"\$@\"" - "$@"
}

# unpacked_kernel WHERE SERIES FLAVOUR SUITE...: sets all that describes the newest kernel of that series, or
# of any without one, in these suites. WHERE modules are compiled: here, or in-root, by the compiler that is
# unpacked. What is there is used until it is deleted, as with a source.
unpacked_kernel() {
	local root=$cache/kernel/debian-$kernel version
	need_packages "${kernel_packages[@]}"
	locked "kernel-debian-$kernel" unpack_once "$root" "$@" || exit
	[ "$1" = here ] || kernel_root=$root
	kernel_image=$(echo "$root"/boot/vmlinuz-*)
	version=${kernel_image##*/vmlinuz-}
	kernel_title="Debian's Linux $version"
	kernel_dir=$root/usr/src/linux-headers-$version
	kernel_key=debian-$version
	kernel_arch=x86_64
	[ "${3##*-}" = amd64 ] || kernel_arch=${3##*-} guest_busybox=$root/bin/busybox
}
