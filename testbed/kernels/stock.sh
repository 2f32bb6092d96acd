# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Debian's own kernel and headers in QEMU: what users run.

# shellcheck source=/dev/null
. "$testbed/lib/debian.sh"

kernel_packages=(qemu-system-x86 linux-image-amd64 linux-headers-amd64)
kernel_warnings=1
long_cpus="2 4"
check_timeout=1200

newest_stock() {
	local build
	for build in /lib/modules/*-amd64/build; do
		build=${build%/build}
		[ ! -e "/boot/vmlinuz-${build##*/}" ] || echo "${build##*/}"
	done | grep -v -e '-rt-' | sort -V | tail -n 1
}

prepare_kernel() {
	local version
	need_packages "${kernel_packages[@]}"
	version=$(newest_stock)
	[ -n "$version" ] || die "no kernel in /boot has its headers in /lib/modules"
	kernel_title="Debian's Linux $version"
	kernel_key=stock-$version
	kernel_modules=/lib/modules/$version
	kernel_dir=$kernel_modules/build
	kernel_image=/boot/vmlinuz-$version
	kernel_arch=x86_64
}
