#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# deb.sh build: build the Debian packages, in build/deb.
# deb.sh check: build them, have lintian check them, and try them: see lib/packaging.sh.

# shellcheck disable=SC2154 # set by what is sourced

set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages source modules guest packaging; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
# shellcheck source=/dev/null
. "$here/kernels/stock.sh"

deb_packages=(build-essential dpkg-dev debhelper dh-dkms python3-docutils rsync)

# build_packages_in DIR [VERSION]
build_packages_in() {
	rm -rf "$1"
	versioned_copy "$1/source" "${@:2}"
	logged "$cache/log/deb-$tree_id" env -C "$1/source" dpkg-buildpackage -us -uc
}

# The mail address is no real one: this is no package of an archive.
check_with_lintian() {
	local found
	found=$(lintian --info --fail-on none --suppress-tags \
		bogus-mail-host,bogus-mail-host-in-debian-changelog \
		"$1"/*.changes 2>&1 | grep '^[EW]:')
	[ -z "$found" ] || die "lintian is not content: $found"
}

# Run this in the chroot. At first autopkgtest installs what debian/tests/control declares, headers of
# a kernel too, and builds the client. Only a machine of its own could load it.
script() {
	cat <<-'END'
		export DEBIAN_FRONTEND=noninteractive
		build_client autopkgtest --no-built-binaries --ignore-restrictions=isolation-machine \
			--env=KPOOL_BUILD_ONLY=/client /packages/new/source/ /packages/new/*.deb -- null
		built "$1"
		apt-get -qq -y purge kpool-dkms kpool-dev
		nothing_is_left
		apt-get -qq -y --no-install-recommends install /packages/old/*.deb
		built 0.0.9
		apt-get -qq -y --no-install-recommends install /packages/new/*.deb
		built "$1"
		tools_run
		apt-get -qq -y remove kpool-dev kpool-tools
		built "$1"
		apt-get -qq -y purge kpool-dkms
		nothing_is_left
	END
}

check() {
	local dir=$cache/build/deb-$tree_id
	need_packages mmdebstrap lintian "${deb_packages[@]}" "${guest_packages[@]}" "${kernel_packages[@]}"
	prepare_kernel
	rm -rf "$dir"
	build_packages_in "$dir/packages/old" 0.0.9
	build_packages_in "$dir/packages/new"
	check_with_lintian "$dir/packages/new"
	script | try_packages deb "$dir" autopkgtest
}

build() {
	need_packages "${deb_packages[@]}"
	build_packages_in "$tree/build/deb"
	rm -rf "$tree/build/deb/source"
	ls "$tree"/build/deb/*.deb
}

case ${1:-} in
build | check) "$1" ;;
*) die "usage: deb.sh build|check" ;;
esac
