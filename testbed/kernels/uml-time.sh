# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# User Mode Linux with simulated time: code takes no time, and sleeping is skipped. One CPU.

kernel_title="User Mode Linux 7.2 with simulated time"
machine=uml
kernel_packages=("${build_packages[@]}")
default_cpus=1
default_memory=256M
check_cpus="1"
check_timeout=1200
uml_arguments=(time-travel=inf-cpu)

prepare_kernel() {
	prepare_uml "$kernel_title" 4 uml-base uml-time
}
