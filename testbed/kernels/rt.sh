# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Debian 12's own Linux with PREEMPT_RT, in QEMU.

# shellcheck source=/dev/null
. "$testbed/lib/debian.sh"

long_cpus="2 4"

prepare_kernel() {
	unpacked_kernel here 6.1 rt-amd64 own
}
