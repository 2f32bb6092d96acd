# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Linux 7.2, of Debian 13's backports, in QEMU.

# shellcheck source=/dev/null
. "$testbed/lib/debian.sh"

prepare_kernel() {
	unpacked_kernel in-root 7.2 amd64 trixie trixie-backports
}
