# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# User Mode Linux with KASAN, lockdep, debugobjects, kmemleak and fault injection.

kernel_title="User Mode Linux 7.2 with every checker"
machine=uml
kernel_packages=("${build_packages[@]}")
default_cpus=2
default_memory=1G
check_cpus="2"
check_timeout=1800

prepare_kernel() {
	prepare_uml "$kernel_title" 10 uml-base uml-debug
}
