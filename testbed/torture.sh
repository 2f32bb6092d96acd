#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# torture.sh KERNEL MINUTES [PARAMETER...]: run the torture test for so long, with parameters for its
# module, in the test bed. It runs once for each number of processors that suits the kernel, or for
# those in CPUS.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"
# shellcheck source=/dev/null
. "$here/lib/packages.sh"

main() {
	local kernel=${1:-stock} minutes=${2:-10} cpus failed=0
	[ -e "$here/kernels/$kernel.sh" ] || die "no kernel named $kernel"
	# shellcheck source=/dev/null
	. "$here/kernels/$kernel.sh"
	need_packages "${guest_packages[@]}" "${kernel_packages[@]}"
	for cpus in ${CPUS:-$check_cpus}; do
		say "$kernel, $cpus CPUs: torture for $minutes minutes"
		"$here/testbed.sh" -k "$kernel" -c "$cpus" -t $((minutes * 60 + 300)) \
			selftests/torture.sh $((minutes * 60)) "${@:3}" || failed=1
	done
	return "$failed"
}

main "$@"
