#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# demo.sh KERNEL: run samples/demo.sh in the test bed, with files to work on.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"
# shellcheck source=/dev/null
. "$here/lib/packages.sh"
# shellcheck source=/dev/null
. "$here/kernels/stock.sh"

# shellcheck disable=SC2046 # several packages
need_packages $(packages_of stock) $(packages_of "${1:-stock}" samples/demo.sh)
prepare_kernel
headers=$(realpath "${kernel_dir%/build}/source")
exec "$here/testbed.sh" -k "${1:-stock}" -m 1024M -o "$cache/demo-console" \
	-f "$kernel_image:data/vmlinuz" -f "$headers/include/linux:data/linux" samples/demo.sh
