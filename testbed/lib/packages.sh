# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# Debian packages: installed for root, asked for otherwise. So that they are asked for at once, the file
# of a kernel names its own in kernel_packages. A script needs those together with its own.

guest_packages=(gcc libc6-dev make rsync cpio kmod busybox-static)
# what kernel_source() unpacks and patches by
source_packages=(patch xz-utils)
build_packages=(gcc libc6-dev make flex bison bc libelf-dev libssl-dev "${source_packages[@]}")

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

apt_install() {
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=600 \
		--no-install-recommends install "$@"
}

apt_knows() {
	local package
	for package; do
		apt-cache show "$package" >/dev/null 2>&1 || return
	done
}

# Lists that are too old name files that the mirror no longer has: so try, update, try again.
install_packages() {
	say "installing packages: $*"
	mkdir -p "$cache/log"
	apt_knows "$@" && apt_install "$@" >"$cache/log/apt" 2>&1 && return
	logged "$cache/log/apt-update" apt-get -qq update
	logged "$cache/log/apt" apt_install "$@"
}

# packages_of KERNEL [SCRIPT...]: what testbed.sh needs for that, so that a script that calls it can ask for
# all at once
packages_of() {
	# shellcheck source=/dev/null
	(. "$testbed/kernels/$1.sh" && printf '%s\n' "${guest_packages[@]}" "${kernel_packages[@]}")
	shift
	[ $# = 0 ] || sed -nE 's/^# guest-needs: (\S+) .*/\1/p' "${@/#/$tree/}"
}

need_packages() {
	local package missing=()
	command -v dpkg-query >/dev/null ||
		die "the test bed wants Debian, whose packages it uses; there is no dpkg-query here"
	for package; do
		[[ " ${missing[*]} " = *" $package "* ]] || is_installed "$package" || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ]; then
		die "packages are missing; as root: apt-get install --no-install-recommends ${missing[*]}"
	fi
	install_packages "${missing[@]}"
}
