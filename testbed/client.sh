#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# client.sh [KERNEL]: build the client of Documentation/clients.rst in a directory of its own, as the
# manual says, against the kpool built for this kernel. Then load it in a guest.

# shellcheck disable=SC2154,SC2034 # shared with what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages source kernel unpacked modules uml qemu; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done

build_client() {
	kernel_make "$1" KCFLAGS=-Werror KPOOL="$modules_build" modules
}

guest_script() {
	cat <<-END
		insmod kpool.ko && insmod client/greet.ko || exit
		! rmmod kpool 2>/dev/null || exit
		rmmod greet && rmmod kpool || exit
		[ "\$(dmesg | grep -c 'greet: number [0-9] from kpool/greet')" = 10 ]
	END
}

main() {
	local log
	kernel=${1:-uml} build=yes coverage=''
	[ -e "$here/kernels/$kernel.sh" ] || die "no kernel named $kernel"
	# shellcheck source=/dev/null
	. "$here/kernels/$kernel.sh"
	"$here/testbed.sh" -k "$kernel" -b true || exit
	prepare_kernel
	modules_build=$cache/build/$kernel_key-$tree_id
	dir=$(mktemp -d "$cache/client.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	extract_client "$dir"
	guest_script >"$dir/client.sh"
	log=$cache/log/client-$kernel_key
	logged "$log" build_client "$dir"
	no_warnings "$log" || die "a warning is an error here"
	"$here/testbed.sh" -k "$kernel" -n -f "$dir/greet.ko:kpool/client/greet.ko" \
		-f "$dir/client.sh:kpool/client.sh" client.sh || exit
	say "the client of the manual builds, loads and runs"
}

main "$@"
