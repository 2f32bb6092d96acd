#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# drgn.sh: hold a pool in a guest, and have QEMU dump the guest's memory. Compare what
# tools/kpool.drgn.py says of it with what debugfs has shown before. Debian's kernel, for it comes
# with debug information.

# shellcheck disable=SC2154,SC2034 # shared with what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages modules tap; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
# shellcheck source=/dev/null
. "$here/kernels/stock.sh"

# fetch_vmlinux VERSION FILE: the package is large and of no other use, so it is not installed.
fetch_vmlinux() {
	local version=$1 file=$2 package=linux-image-$1 dir=$2.new
	[ ! -e "$file" ] || return 0
	say "fetching the debug information of Linux $version (once, about 900 MB)"
	rm -rf "$dir"
	mkdir -p "$dir"
	logged "$cache/log/vmlinux" env -C "$dir" apt-get -qq -o APT::Sandbox::User="$(id -un)" download \
		"$package-dbg=$(dpkg-query -W -f '${Version}' "$package")"
	dpkg-deb --fsys-tarfile "$dir/$package-dbg"_*.deb |
		tar x -O "./usr/lib/debug/boot/vmlinux-$version" >"$dir/vmlinux"
	[ -s "$dir/vmlinux" ] || die "no vmlinux in $package-dbg"
	mv "$dir/vmlinux" "$file"
	rm -rf "$dir"
}

# The test bed builds modules without debug information. The guest gets this one, without it.
build_with_debug_info() {
	copy_tree "$dir/source"
	logged "$cache/log/drgn-$tree_id" make -j"$(nproc)" -C "$kernel_dir" M="$dir/source" modules
	objcopy --strip-debug "$dir/source/kpool.ko" "$dir/kpool.ko" || die "cannot strip kpool.ko"
}

dump_guest() {
	"$here/testbed.sh" -k stock -m 256M -d "$dir/core" -f "$dir/kpool.ko:kpool/kpool.ko" \
		-f "$here/dump.sh:kpool/testbed/dump.sh" testbed/dump.sh >"$dir/shown" ||
		die "the guest failed: $(cat "$dir/shown")"
	[ -s "$dir/core" ] || die "no dump"
}

run_drgn() {
	drgn -q -c "$dir/core" -s "$vmlinux" -s "$dir/source/kpool.ko" "$tree/tools/kpool.drgn.py" "$@" 2>&1
}

# shown FILE: what debugfs has shown
shown() {
	sed -n "s/^$1: //p" "$dir/shown"
}

# said KEY: a number of drgn's, 0 if it is left out
said() {
	grep -oE "\b$1 [0-9]+" <<<"$output" | head -n 1 | cut -d ' ' -f 2 | grep . || echo 0
}

stats_agree() {
	local key value
	while read -r key value; do
		case $key in
		submitted | completed | failed | cancelled | dropped | died | refused | spawned | purged | retired | \
			alive | idle | running | units | pending | delayed | blocked)
			is "$key is shown" "$value" "$(said "$key")"
			;;
		esac
	done < <(shown stats)
	is "state and owner are shown" "diagnosis: open, owner diagnosis" "$(grep -o '^diagnosis: .*, owner [a-z]*' <<<"$output")"
}

# drgn sees each thread later than debugfs has.
threads_agree() {
	is "workers are listed" "$(shown workers | awk 'NR > 1 { print $1, $2, $5, $6 }' | sort)" \
		"$(sed -nE 's/^  (running|blocked) worker ([0-9]+) \(.*\): (\w+ \[\w+\]) for .*/\2 \1 \3/p
			s/^  (\w+) worker ([0-9]+) for .*/\2 \1 -/p' <<<"$output" | sort)"
	is "blocked submitters are listed" "$(shown diagnosis | sed -nE '/^blocked/,$s/^  submitter ([0-9]+): (.*) for .*/\1 \2/p')" \
		"$(sed -nE 's/^  blocked submitter ([0-9]+) \(.*\): (.*) for .*/\1 \2/p' <<<"$output")"
	is "no time is less than before" "" "$({ shown workers | awk 'NR > 1 { print $1, $3 }'
		sed -nE 's/^  .* ([0-9]+)( \(.*\):.*)? for ([0-9]+) ms.*/\1 \3/p' <<<"$output"; } |
		awk '$1 in ms && $2 < ms[$1] { print "pid", $1, ms[$1], $2 } { ms[$1] = $2 }')"
	is "a submitter has its stack" 1 "$(sed -n '/blocked submitter/,$p' <<<"$output" | grep -c " kpool_sleep ")"
}

main() {
	local output vmlinux
	need_packages python3-drgn binutils "${guest_packages[@]}" "${kernel_packages[@]}"
	prepare_kernel
	PATH=/usr/sbin:/usr/bin:/sbin:/bin
	vmlinux=$cache/vmlinux-${kernel_key#stock-}
	locked vmlinux fetch_vmlinux "${kernel_key#stock-}" "$vmlinux" || exit
	dir=$(mktemp -d "${TMPDIR:-/tmp}/kpool-drgn.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	tap_begin
	build_with_debug_info
	dump_guest
	output=$(run_drgn)
	result $? "the script ends well"
	stats_agree
	threads_agree
	is "a pool that is not there is reported" "no pool nil" "$(run_drgn nil)"
	[ "$failed" = 0 ] || printf '%s\n' "$output" | sed 's/^/# /'
	tap_end
}

main "$@"
