#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# deb.sh build: build the Debian packages, in build/deb.
# deb.sh check: build them, have lintian check them; install, upgrade and remove them in a chroot of this
# machine's Debian, where DKMS builds kpool.ko for Debian's kernel; then build a client against them there,
# and load both in a guest.

# shellcheck disable=SC2154,SC2034 # shared with what is sourced

set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages source modules guest; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
# shellcheck source=/dev/null
. "$here/kernels/stock.sh"

# build_packages_in DIR [VERSION]: of a copy of the tree, which is given this version
build_packages_in() {
	local source=$1/source
	rm -rf "$1"
	copy_tree "$source"
	if [ $# -gt 1 ]; then
		sed -i "1s/(.*)/($2)/" "$source/debian/changelog"
		sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$2\"/" "$source/dkms.conf"
	fi
	logged "$cache/log/deb-$tree_id" env -C "$source" dpkg-buildpackage -us -uc
	rm -rf "$source"
}

# The mail address is no real one: this is no package of an archive.
check_with_lintian() {
	local found
	found=$(lintian --info --fail-on none --suppress-tags \
		bogus-mail-host,bogus-mail-host-in-debian-changelog \
		"$1"/*.changes 2>&1 | grep '^[EW]:')
	[ -z "$found" ] || die "lintian is not content: $found"
}

# What happens in the chroot, where apt has the packages of /debs/old and then of /debs/new.
chroot_script() {
	cat <<-'END'
		set -eu
		export DEBIAN_FRONTEND=noninteractive
		fail() {
			echo "FAILED: $*"
			exit 1
		}
		# built VERSION: this one, and only this one, is installed for the kernel
		built() {
			dkms status
			dkms status | grep -q "^kpool/$1, .*: installed" || fail "no $1"
			[ "$(dkms status | wc -l)" = 1 ] || fail "another version is left"
			[ -e "$(echo /lib/modules/*/updates/dkms/kpool.ko)" ] || fail "no kpool.ko"
			[ -e "$(echo /var/lib/dkms/kpool/kernel-*/Module.symvers)" ] || fail "no symbols"
		}
		apt-get -qq -y --no-install-recommends install /debs/old/*.deb
		built 0.0.9
		apt-get -qq -y --no-install-recommends install /debs/new/*.deb
		built "$1"
		mkdir /client
		KPOOL_BUILD_ONLY=/client sh /debs/new/client
		cp /lib/modules/*/updates/dkms/kpool.ko /client/
		basename "$(dirname /lib/modules/*/build)" >/client/kernel
		apt-get -qq -y remove kpool-dev
		built "$1"
		apt-get -qq -y purge kpool-dkms
		left=$(find / -xdev -name '*kpool*' ! -path '/debs/*' ! -path '/client/*' ! -path '/proc/*' \
			! -path '/sys/*')
		[ -z "$left" ] || fail "left behind: $left"
	END
}

# try_in_chroot DIR VERSION: with old/, new/ and the script below DIR; leaves what was built in DIR/client.
try_in_chroot() {
	local suite
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mmdebstrap --variant=apt --format=null --include=linux-headers-amd64,kmod "$suite" /dev/null \
		- --customize-hook="copy-in '$1/debs' /" \
		--customize-hook="chroot \"\$1\" sh /debs/script '$2'" \
		--customize-hook="sync-out /client '$1/client'" < <(own_suites)
}

guest_script() {
	cat <<-'END'
		insmod /deb/kpool.ko && insmod /deb/quickstart.ko && rmmod quickstart && rmmod kpool
	END
}

check() {
	local dir=$cache/build/deb-$tree_id version built
	need_packages mmdebstrap lintian dpkg-dev debhelper dh-dkms "${guest_packages[@]}" "${kernel_packages[@]}"
	prepare_kernel
	version=$(dpkg-parsechangelog -l "$tree/debian/changelog" -S Version)
	rm -rf "$dir"
	build_packages_in "$dir/debs/old" 0.0.9
	build_packages_in "$dir/debs/new"
	check_with_lintian "$dir/debs/new"
	chroot_script >"$dir/debs/script"
	cp "$tree/debian/tests/client" "$dir/debs/new/"
	mkdir "$dir/client"
	say "installing, upgrading and removing the packages in a chroot"
	logged "$cache/log/deb-chroot-$tree_id" try_in_chroot "$dir" "$version"
	built=$(cat "$dir/client/kernel")
	[ "/lib/modules/$built/build" = "$kernel_dir" ] ||
		die "Debian's kernel is $built, this machine has ${kernel_dir}: apt-get install linux-image-amd64"
	guest_script >"$dir/client/load.sh"
	"$here/testbed.sh" -k stock -f "$dir/client:deb" -f "$dir/client/load.sh:kpool/load.sh" load.sh || exit
	say "the packages are installed, upgraded and removed; a client of them runs"
}

build() {
	need_packages dpkg-dev debhelper dh-dkms rsync
	build_packages_in "$tree/build/deb"
	ls "$tree"/build/deb/*.deb
}

case ${1:-} in
build | check) "$1" ;;
*) die "usage: deb.sh build|check" ;;
esac
