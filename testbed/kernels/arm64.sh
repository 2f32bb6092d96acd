# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Debian's Linux 6.12 for arm64, in QEMU. The second serial port of that machine is on its PCI bus.

# shellcheck source=/dev/null
. "$testbed/lib/debian.sh"

kernel_packages=(qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
qemu=(qemu-system-aarch64 -machine virt -cpu "max,pauth-impdef=on")
qemu_console=ttyAMA0
qemu_output=(-chardev "stdio,id=output" -device "pci-serial,chardev=output")
qemu_output_name=ttyS0

prepare_kernel() {
	unpacked_kernel here 6.12 arm64 own bookworm-backports
}
