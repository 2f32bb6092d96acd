# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# The newest Linux that any Debian has, maybe a release candidate, in QEMU.

# shellcheck source=/dev/null
. "$testbed/lib/debian.sh"

prepare_kernel() {
	unpacked_kernel in-root '' amd64 trixie trixie-backports sid experimental
}
