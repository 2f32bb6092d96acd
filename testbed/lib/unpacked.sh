# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# Debian's kernels that are not installed: unpacked into the cache, image and headers.

# own_suites: the sources of this machine's release, updates and security too.
own_suites() {
	local codename
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Component: main' |
		awk -v codename="$codename" '$2 == codename || index($2, codename "-") == 1 {
			print "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]", $1, $2, "main"
		}' | grep -v -e -backports -e -proposed
}

# kernel_packages STATE FLAVOUR: what the flavour's image and headers consist of.
kernel_packages() {
	foreign_apt "$1" --simulate --no-install-recommends install "linux-image-$2" "linux-headers-$2" |
		awk '/^Inst linux-(image|headers|kbuild)-[0-9]/ { print $2 }'
}

# Of an image only the kernel is needed, which comes before its thousands of modules.
unpack_image() {
	dpkg-deb --fsys-tarfile "$1" 2>/dev/null |
		tar x -C "$2" --occurrence=1 "./boot/vmlinuz-$3"
	test -s "$2/boot/vmlinuz-$3"
}

# The headers name their common part by an absolute path.
unpack_headers() {
	local deb=$1 into=$2
	dpkg-deb -x "$deb" "$into"
	sed -i -E "s#(^|[[:space:]=])/usr/(src/linux-headers|lib/linux-kbuild)#\1$into/usr/\2#g" \
		"$into"/usr/src/linux-headers-*/Makefile
}

download_kernel() {
	local flavour=$1 into=$2 state=$2.apt packages deb version
	rm -rf "$state" "$into"
	mkdir -p "$into" "$state"/{lists/partial,cache/archives/partial}
	: >"$state/status"
	own_suites >"$state/sources.list"
	foreign_apt "$state" update
	packages=$(kernel_packages "$state" "$flavour")
	# shellcheck disable=SC2086 # several packages
	(cd "$state" && foreign_apt "$state" download $packages)
	for deb in "$state"/*.deb; do
		version=${deb##*/linux-image-}
		case $deb in
		*/linux-image-*) unpack_image "$deb" "$into" "${version%%_*}" ;;
		*) unpack_headers "$deb" "$into" ;;
		esac
	done
	rm -rf "$state"
	touch "$into/.kpool-complete"
}

unpack_once() {
	[ -e "$2/.kpool-complete" ] && return
	say "fetching Debian's $1 kernel (once, about half a minute)"
	logged "$cache/log/${2##*/}" bash -ec "
		. '$testbed/lib/common.sh'; . '$testbed/lib/source.sh'; . '$testbed/lib/unpacked.sh'
		download_kernel \"\$@\"" - "$@"
}

# unpacked_kernel FLAVOUR: sets all that describes the kernel. What is there is used until it is
# deleted, as with a source.
unpacked_kernel() {
	local root=$cache/kernel/debian-$1 version
	locked "kernel-debian-$1" unpack_once "$1" "$root" || exit
	kernel_image=$(echo "$root"/boot/vmlinuz-*)
	version=${kernel_image##*/vmlinuz-}
	kernel_title="Debian's Linux $version"
	kernel_dir=$root/usr/src/linux-headers-$version
	kernel_key=debian-$version
	kernel_arch=x86_64
}
