# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# Share what deb.sh, rpm.sh and install.sh need. kpool is installed and removed in a chroot of this
# machine's Debian, where DKMS builds kpool.ko for Debian's kernel. A client is built against it
# there, and both are loaded in a guest.

# versioned_copy DIR [VERSION]: a copy of the tree, which is given this version
versioned_copy() {
	copy_tree "$1"
	[ $# -gt 1 ] || return 0
	sed -i "1s/(.*)/($2)/" "$1/debian/changelog"
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$2\"/" "$1/dkms.conf"
	sed -i "s/^\(Version:\t\).*/\1$2/" "$1/rpm/kpool.spec"
}

# chroot_begin: functions of what happens in the chroot
chroot_begin() {
	cat <<-'END'
		set -eu
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
		tools_run() {
			kpool-top --root /none -b 2>&1 | grep -q "^kpool-top: there is no /none/pools" ||
				fail "no kpool-top"
			[ -e "$(echo /usr/share/man/man8/kpool-top.8*)" ] || fail "no manual page"
			[ -e /usr/share/kpool/kpool.drgn.py ] || fail "no script for drgn"
		}
		# build_client COMMAND...: have it run debian/tests/client
		build_client() {
			mkdir /client
			"$@"
			cp /lib/modules/*/updates/dkms/kpool.ko /client/
			basename "$(dirname /lib/modules/*/build)" >/client/kernel
		}
		nothing_is_left() {
			left=$(find / -xdev -name '*kpool*' ! -path '/packages/*' ! -path '/client/*' \
				! -path '/home/*' ! -path '/proc/*' ! -path '/sys/*')
			[ -z "$left" ] || fail "left behind: $left"
		}
	END
}

# run_chroot DIR PACKAGE,... VERSION: with DIR/packages, which has the script; leaves what was built in
# DIR/client.
run_chroot() {
	local suite
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mmdebstrap --variant=apt --format=null --include="$2" "$suite" /dev/null \
		- --customize-hook="copy-in '$1/packages' /" \
		--customize-hook="chroot \"\$1\" sh /packages/script '$3'" \
		--customize-hook="sync-out /client '$1/client'" < <(own_suites)
}

# in_chroot KIND DIR PACKAGE,... <SCRIPT: run it there, with the version as its argument
in_chroot() {
	local kind=$1 dir=$2 built version
	version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$tree/dkms.conf")
	{ chroot_begin; cat; } >"$dir/packages/script"
	mkdir "$dir/client"
	logged "$cache/log/$kind-chroot-$tree_id" run_chroot "$dir" "$3" "$version"
	built=$(cat "$dir/client/kernel")
	[ "/lib/modules/$built/build" = "$kernel_dir" ] ||
		die "Debian's kernel is $built, this machine has ${kernel_dir}: apt-get install linux-image-amd64"
}

# in_guest DIR <SCRIPT: run it where /packaged is DIR/client
in_guest() {
	cat >"$1/client/load.sh"
	"$here/testbed.sh" -k stock -f "$1/client:packaged" -f "$1/client/load.sh:kpool/load.sh" load.sh
}

# try_packages KIND DIR PACKAGE,... <SCRIPT
try_packages() {
	say "installing, upgrading and removing the packages in a chroot"
	in_chroot "$@"
	in_guest "$2" <<-'END' || exit
		insmod /packaged/kpool.ko && insmod /packaged/quickstart.ko && rmmod quickstart && rmmod kpool
	END
	say "the packages are installed, upgraded and removed; a client of them runs"
}
