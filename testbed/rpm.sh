#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# rpm.sh build: build the RPM packages, in build/rpm.
# rpm.sh check: build them, have rpmlint check them, and try them: see lib/packaging.sh. The chroot's DKMS is
# Debian's, of which rpm knows nothing.

# shellcheck disable=SC2154 # set by what is sourced

set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages source unpacked modules guest packaging; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
# shellcheck source=/dev/null
. "$here/kernels/stock.sh"

rpm_packages=(rpm python3-docutils rsync)

# run_rpmbuild DIR TARBALL: Debian's rpm does not know which of Debian's packages are installed.
run_rpmbuild() {
	rpmbuild -ta --nodeps --define "_topdir $1/top" --define "_rpmdir $1" --define "_srcrpmdir $1" \
		--define "_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" "$2"
}

# build_packages_in DIR [VERSION]
build_packages_in() {
	local version source
	rm -rf "$1"
	mkdir -p "$1"
	versioned_copy "$1/source" "${@:2}"
	version=$(sed -n 's/^Version:\t//p' "$1/source/rpm/kpool.spec")
	source=$1/kpool-$version.tar.gz
	tar czf "$source" -C "$1" --transform "s/^source/kpool-$version/" source || exit
	logged "$cache/log/rpm-$tree_id" run_rpmbuild "$1" "$source"
	rm -rf "$1/source" "$1/top" "$source"
}

# Ignore what rpmlint wants of a distribution's package: a group, a packager, a signature, an address.
# It takes the source of DKMS for a development package, and SPDX names of licenses for unknown ones.
check_with_rpmlint() {
	local found
	found=$(rpmlint "$1"/*.rpm | grep -E ': [EW]: ' | grep -vE \
		' (no-(buildroot|group|packager|url)-tag|no-signature|invalid-(url|license)|requires-on-release) ?|'\
'kpool-dkms.* devel-file-in-non-devel-package|manpage-not-compressed|no-manual-page-for-binary')
	[ -z "$found" ] || die "rpmlint is not content: $found"
}

# Run this in the chroot.
script() {
	cat <<-'END'
		install() {
			rpm --force-debian --nodeps -U "$@"
		}
		install /packages/old/*.noarch.rpm
		built 0.0.9
		install /packages/new/*.noarch.rpm
		built "$1"
		tools_run
		build_client env KPOOL_BUILD_ONLY=/client KPOOL_EXAMPLE="/usr/share/doc/kpool-devel-$1/quickstart.c" \
			sh /packages/client
		rpm --force-debian -e kpool-devel kpool-tools
		built "$1"
		rpm --force-debian -e kpool-dkms
		nothing_is_left
	END
}

check() {
	local dir=$cache/build/rpm-$tree_id
	need_packages mmdebstrap rpmlint "${rpm_packages[@]}" "${guest_packages[@]}" "${kernel_packages[@]}"
	prepare_kernel
	rm -rf "$dir"
	build_packages_in "$dir/packages/old" 0.0.9
	build_packages_in "$dir/packages/new"
	check_with_rpmlint "$dir/packages/new"
	cp "$tree/debian/tests/client" "$dir/packages/"
	script | try_packages rpm "$dir" dkms,kmod,linux-headers-amd64,python3,rpm
}

build() {
	need_packages "${rpm_packages[@]}"
	build_packages_in "$tree/build/rpm"
	ls "$tree"/build/rpm/*.rpm
}

case ${1:-} in
build | check) "$1" ;;
*) die "usage: rpm.sh build|check" ;;
esac
