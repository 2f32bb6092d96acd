# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# spl.ko, the module of OpenZFS that has its taskq, for the bench. It is built in the cache of Debian's
# zfs-dkms, which is in the component contrib; nothing of it is installed or copied into the tree.

# build_spl INTO RELEASE: what a zfs-dkms of that release does, but for all other modules
build_spl() {
	local into=$1 release=$2 state=$1.apt headers=/lib/modules/$2 apt_components=contrib
	rm -rf "$state" "$into" "$into.deb"
	foreign_apt_setup "$state" own
	(cd "$state" && foreign_apt "$state" download zfs-dkms)
	dpkg-deb -x "$state"/zfs-dkms_*.deb "$into.deb"
	mv "$into.deb"/usr/src/zfs-* "$into"
	(cd "$into" && ./configure --with-config=kernel --with-linux="$headers/source" \
		--with-linux-obj="$headers/build")
	make -j"$(nproc)" -C "$headers/build" M="$into/module" CONFIG_ZFS=m ZFS_MODULES=spl/ modules
	rm -rf "$state" "$into.deb"
	touch "$into/.kpool-complete"
}

build_spl_once() {
	[ -e "$1/.kpool-complete" ] && return
	say "building OpenZFS's spl.ko (once, about five minutes on two cores)"
	logged "$cache/log/${1##*/}" bash -ec "
		. '$testbed/lib/common.sh'; . '$testbed/lib/source.sh'; . '$testbed/lib/spl.sh'
		build_spl \"\$@\"" - "$@"
}

# find_spl RELEASE: print the directory in which spl.ko has been built for this kernel, building it if need
# be. False if it cannot be had.
find_spl() {
	local dir=$cache/kernel/spl-$1
	locked "kernel-spl-$1" build_spl_once "$dir" "$1" && echo "$dir"
}
