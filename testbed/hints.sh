#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# hints.sh: see what the commands of the manual say on a machine that lacks packages and root, or is
# no Debian. See it, too, where the tree has a path that Kbuild cannot take. Nothing is built.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages modules tap; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done

# A line each: a command, and packages that it must name, among them those that it uses last.
commands() {
	cat <<-END
		make check: gcc perl busybox-static linux-headers-amd64 qemu-system-x86 e2fsprogs trace-cmd
		make check KERNEL=uml: gcc perl busybox-static flex patch xz-utils
		make check KERNEL=arm64: gcc perl qemu-system-arm
		make demo: gcc qemu-system-x86 wrk
		make bench: gnuplot-nox gcc qemu-system-x86 flex wrk
		make coverage: gcc perl flex xz-utils
		make torture KERNEL=uml: gcc flex xz-utils
		make simulate: gcc flex xz-utils
		make mutants NAMES=owner-not-checked: python3 gcc flex xz-utils
		make lint: sparse coccinelle shellcheck python3-sphinx linux-headers-amd64 patch xz-utils
		make docs: gnuplot-nox python3-sphinx patch xz-utils
		make reach: gcc flex gcc-aarch64-linux-gnu gcc-s390x-linux-gnu lz4
		make litmus: patch xz-utils
		make model: spin gcc
		make deb: build-essential debhelper dh-dkms rsync
		make rpm: rpm python3-docutils rsync
		testbed/client.sh stock: gcc qemu-system-x86 linux-headers-amd64
		testbed/client.sh uml: gcc flex xz-utils
		testbed/sessions.sh uml: gcc flex xz-utils
		testbed/install.sh: mmdebstrap gcc rsync qemu-system-x86
		testbed/deb.sh check: mmdebstrap lintian debhelper qemu-system-x86
		testbed/rpm.sh check: mmdebstrap rpmlint rpm qemu-system-x86
		testbed/top.sh uml: tmux python3 gcc flex xz-utils
		testbed/drgn.sh: python3-drgn gcc qemu-system-x86
		testbed/canary.sh uml-debug: gcc flex xz-utils
		testbed/canary.sh rt: gcc qemu-system-x86
	END
}

# elsewhere BIN COMMAND...: run it in a copy of the tree, as a user that is not root, with these programs
elsewhere() {
	local user=() bin=$1
	shift
	[ "$(id -u)" != 0 ] || user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	env -u MAKEFLAGS -u MAKELEVEL -C "$dir/tree" PATH="$bin" XDG_CACHE_HOME="$dir/cache" "${user[@]}" \
		"$@" 2>&1 </dev/null | grep -v '^make'
}

# Fails if the packages are named in several rounds, of which this would be the first.
packages_are_named_at_once() {
	local command wanted said name missing
	while IFS=: read -r command wanted; do
		# shellcheck disable=SC2086 # several words
		said=$(elsewhere "$dir/no-packages:$PATH" $command)
		missing=''
		for name in $wanted; do
			[[ "$said " = *" $name "* ]] || missing+=" $name"
		done
		is "$command names its packages" "" "$missing"
		is "$command says nothing else" "kpool: packages are missing; as root: apt-get install" \
			"${said%% --no-install-recommends *}"
	done < <(commands)
}

# Fails if the reason is a command that is not found.
debian_is_named() {
	is "the test bed wants Debian" \
		"kpool: the test bed wants Debian, whose packages it uses; there is no dpkg-query here" \
		"$(elsewhere "$dir/no-debian" make check)"
}

# Fails if the reason is an error of Kbuild or of a shell.
path_is_named() {
	mv "$dir/tree" "$dir/a tree"
	is "make names the path" \
		"Makefile:5: *** The path \"$dir/a tree\" has a space or a colon, which Kbuild cannot take: move the tree.  Stop." \
		"$(env -C "$dir/a tree" make modules 2>&1)"
	is "the test bed names the path" \
		"kpool: no path may have a space or a colon: $dir/a tree, $cache" \
		"$("$dir/a tree/testbed/check.sh" uml 2>&1)"
}

main() {
	need_packages rsync make util-linux
	dir=$(mktemp -d "${TMPDIR:-/tmp}/kpool-hints.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	chmod 755 "$dir"
	mkdir -m 1777 "$dir/cache"
	mkdir "$dir/no-packages" "$dir/no-debian"
	printf '#!/bin/sh\nexit 1\n' >"$dir/no-packages/dpkg-query"
	chmod 755 "$dir/no-packages/dpkg-query"
	ln -s /usr/bin/* "$dir/no-debian/"
	rm "$dir"/no-debian/dpkg*
	copy_tree "$dir/tree"
	tap_begin
	packages_are_named_at_once
	debian_is_named
	path_is_named
	tap_end
}

main "$@"
