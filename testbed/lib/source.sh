# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# Kernel source packages of another Debian suite, without touching the machine's own apt.

linux_series=7.2
linux_suite=trixie-backports
apt_options=()

debian_mirror() {
	# shellcheck disable=SC2016 # apt's own variable
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' |
		grep -v security | head -n 1
}

# own_suites: the sources of this machine's release, updates and security too.
own_suites() {
	local codename
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Component: main' |
		awk -v codename="$codename" -v components="${apt_components:-main}" '
			$2 == codename || index($2, codename "-") == 1 {
			print "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]", $1, $2, components
		}' | grep -v -e -backports -e -proposed
}

# foreign_apt STATE ARG...: apt-get, or $apt_program, with its own lists and an empty status, below STATE.
foreign_apt() {
	local state=$1
	shift
	"${apt_program:-apt-get}" -qq "${apt_options[@]}" -o Dir::Etc::SourceList="$state/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
		-o Dir::State::Lists="$state/lists" -o Dir::Cache="$state/cache" \
		-o Dir::State::status="$state/status" -o APT::Sandbox::User="$(id -un)" \
		-o Acquire::Languages=none -o Acquire::Retries=3 -o Debug::NoLocking=true "$@"
}

# suite_sources SUITE...: own stands for this machine's; main, or what apt_components has
suite_sources() {
	local suite mirror
	mirror=$(debian_mirror)
	[ -n "$mirror" ] || die "apt knows no Debian mirror"
	for suite; do
		if [ "$suite" = own ]; then
			own_suites
		else
			echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite ${apt_components:-main}"
		fi
	done
}

# foreign_apt_setup STATE SUITE...
foreign_apt_setup() {
	local state=$1
	shift
	mkdir -p "$state"/{lists/partial,cache/archives/partial}
	: >"$state/status"
	suite_sources "$@" >"$state/sources.list"
	foreign_apt "$state" update
}

patches_hash() {
	cat "$testbed/patches/$1"-*.patch 2>/dev/null | short_hash
}

# The unpacked source of a series, if it is there: patches are part of its name.
cached_source() {
	local stamp
	for stamp in "$cache/source/linux-$1-"*"-$(patches_hash "$1")/.kpool-complete"; do
		if [ -e "$stamp" ]; then
			echo "${stamp%/*}"
			return
		fi
	done
	return 1
}

unpack_source() {
	local deb=$1 series=$2 into=$3 patch
	dpkg-deb --fsys-tarfile "$deb" |
		tar x -O --wildcards "./usr/src/linux-source-$series.tar.*" |
		tar xJ -C "$into" --strip-components=1
	for patch in "$testbed/patches/$series"-*.patch; do
		[ ! -e "$patch" ] || patch -d "$into" -p1 <"$patch"
	done
}

download_source() {
	local series=$1 suite=$2 state=$cache/apt-$1 deb into
	rm -rf "$state"
	foreign_apt_setup "$state" "$suite"
	(cd "$state" && foreign_apt "$state" download "linux-source-$series")
	deb=$(echo "$state/linux-source-$series"_*.deb)
	into=$cache/source/linux-$series-$(dpkg-deb -f "$deb" Version)-$(patches_hash "$series")
	rm -rf "$into"
	mkdir -p "$into"
	unpack_source "$deb" "$series" "$into"
	touch "$into/.kpool-complete"
	rm -rf "$state"
}

fetch_source() {
	cached_source "$1" >/dev/null && return
	say "fetching the source of Linux $1 (once, about a minute)"
	logged "$cache/log/source-$1" bash -ec "
		. '$testbed/lib/common.sh'; . '$testbed/lib/source.sh'
		set -o pipefail
		download_source '$1' '$2'"
}

# kernel_source SERIES SUITE: print the directory of the source, fetched if need be.
kernel_source() {
	locked "source-$1" fetch_source "$@" && cached_source "$1"
}
