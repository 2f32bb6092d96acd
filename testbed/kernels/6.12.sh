# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Linux 6.12, of Debian 12's security updates and backports, in QEMU.

# shellcheck source=/dev/null
. "$testbed/lib/debian.sh"

prepare_kernel() {
	unpacked_kernel here 6.12 amd64 own bookworm-backports
}
