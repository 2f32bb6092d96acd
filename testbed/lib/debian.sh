# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# Share what Debian's own kernels have in common. The packages are those that an unpacked one needs.

kernel_family=debian
machine=qemu
kernel_packages=(qemu-system-x86 gcc libc6-dev libelf-dev)
default_cpus=2
default_memory=512M
check_cpus="2"
check_timeout=1800
