# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Linux in QEMU with every checker that goes interaction with KASAN. Unlike User Mode Linux it survives an
# oops, if a test asks for that.

kernel_title="Linux 7.2 with every checker"
machine=qemu
kernel_packages=("${build_packages[@]}" qemu-system-x86 lz4)
default_cpus=2
default_memory=2G
check_cpus="2"
check_timeout=5400

prepare_kernel() {
	prepare_x86 "$kernel_title" 15 x86-base x86-debug
}
