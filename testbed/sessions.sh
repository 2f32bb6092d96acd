#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# sessions.sh [KERNEL]: type what pages of the manual show behind "# " in a guest. Compare what they
# show below it with the last lines that are printed there. The width of white space and times of the
# log do not count.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"

# sessions PAGE: its blocks of lines that begin with such a line, without their indentation. A pool that a page
# calls rx, for want of another name, is sha256 here.
sessions() {
	awk '
		/^    # / { inside = 1 }
		/^[^ ]/ { inside = 0 }
		inside && NF { print substr($0, 5) }' "$tree/Documentation/$1.rst" |
		sed -E 's#(^|[ >/])rx/#\1sha256/#g'
}

# The kernel without kpool is for attributes.rst, kpool_sha256 has the pool of debugfs.rst.
guest_script() {
	cat <<-'END'
		. selftests/ktap.sh
		squeezed() {
			sed -e 's/^\[ *[0-9.]*\] //' -e 's/  */ /g' -e 's/ $//'
		}
		# type_all PAGE
		type_all() {
			typed=
			while IFS= read -r line; do
				case $line in
				"# "*)
					compare
					typed=${line#??}
					printed=$(sh -c "$typed" 2>&1)
					status=$?
					shown=
					;;
				*) shown="$shown$line
		" ;;
				esac
			done <"/kpool/sessions/$1"
			compare
		}
		compare() {
			[ -n "$typed" ] || return 0
			if [ -z "$shown" ]; then
				ktap_result "$status" "$typed"
				return
			fi
			ktap_is "$typed" "$(printf %s "$shown" | squeezed)" \
				"$(echo "$printed" | tail -n "$(printf %s "$shown" | wc -l)" | squeezed)"
		}
		echo "KTAP version 1"
		type_all attributes
		mkdir -p /srv/www && echo hello >/srv/www/index.html
		ip link set lo up
		type_all httpd
		insmod samples/kpool_sha256.ko
		cd /sys/kernel/debug/kpool || exit
		type_all debugfs
		type_all debugging
		type_all tools
		ktap_end
	END
}

main() {
	local page
	dir=$(mktemp -d "${TMPDIR:-/tmp}/kpool-sessions.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	mkdir "$dir/sessions"
	for page in attributes httpd debugfs debugging tools; do
		sessions "$page" >"$dir/sessions/$page"
		[ -s "$dir/sessions/$page" ] || die "$page.rst shows no commands"
	done
	guest_script >"$dir/sessions/run.sh"
	"$here/testbed.sh" -k "${1:-uml}" -f "$dir/sessions:kpool/sessions" sessions/run.sh
}

main "$@"
