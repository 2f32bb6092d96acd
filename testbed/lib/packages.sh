# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# Debian packages: installed for root, asked for otherwise.

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

need_packages() {
	local package missing=()
	if ! command -v dpkg-query >/dev/null; then
		say "not a Debian system; going on without a look at its packages"
		return
	fi
	for package; do
		is_installed "$package" || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ]; then
		die "packages are missing; as root: apt-get install --no-install-recommends ${missing[*]}"
	fi
	install_packages "${missing[@]}"
}
