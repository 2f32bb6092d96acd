# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Debian's own kernel with PREEMPT_RT, in QEMU. It is unpacked into the cache, not installed.

machine=qemu
kernel_packages=(qemu-system-x86 gcc libc6-dev libelf-dev)
default_cpus=2
default_memory=512M
check_cpus="2"
long_cpus="2 4"
check_timeout=1800

prepare_kernel() {
	need_packages "${kernel_packages[@]}"
	unpacked_kernel rt-amd64
}
