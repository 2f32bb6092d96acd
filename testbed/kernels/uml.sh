# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# User Mode Linux with SMP: boots and runs in half a second, at native speed.

kernel_title="User Mode Linux 7.2"
machine=uml
kernel_packages=("${build_packages[@]}")
default_cpus=2
default_memory=256M
check_cpus="2"
check_timeout=1200

prepare_kernel() {
	prepare_uml "$kernel_title" 5 uml-base
}
