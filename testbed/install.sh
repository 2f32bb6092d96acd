#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# install.sh: type the commands that README.rst shows below "Building and installing", in a chroot: as a user, in
# a checkout. The client of clients.rst is built against each installed kpool.ko by the command of that page, and
# loaded by modprobe in a guest. See lib/packaging.sh.

# shellcheck disable=SC2154 # set by what is sourced

set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages source modules guest packaging; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
# shellcheck source=/dev/null
. "$here/kernels/stock.sh"

# The second kernel is the VERSION of README.
chroot_packages=dkms,kmod,linux-headers-amd64,linux-headers-rt-amd64,sudo

# The commands of README, one a line, without the comments behind them
commands() {
	awk '
		/^Building and installing/ { inside = 1 }
		/^Limits/ { inside = 0 }
		inside && sub(/^    /, "") { sub(/[ \t]+#.*/, ""); print }' "$tree/README.rst"
}

# The command that clients.rst shows below "Build it"
client_command() {
	sed -nE 's/^    (make -C .* KPOOL=.* modules)$/\1/p' "$tree/Documentation/clients.rst"
}

# Run this in the chroot. Its kernel is the machine's: uname and depmod get the release of Debian's
# instead. The file that insmod is given is kept for the guest. "make modules" leaves objects for the
# other kernel in the checkout, which DKMS copies.
script() {
	cat <<-'END'
		export DEBIAN_FRONTEND=noninteractive
		kernel=$(basename "$(dirname /lib/modules/*[0-9]-amd64/build)")
		other=$(basename "$(dirname /lib/modules/*-rt-amd64/build)")
		mkdir /client
		echo "$kernel" >/client/kernel
		# stand_in COMMAND BODY
		stand_in() {
			printf '#!/bin/sh\n%s\n' "$2" >"/usr/local/bin/$1"
			chmod 755 "/usr/local/bin/$1"
		}
		stand_in uname "if [ \"\$*\" = -r ]; then echo $kernel; else exec /bin/uname \"\$@\"; fi"
		stand_in depmod "exec /sbin/depmod \"\${@:-$kernel}\""
		stand_in insmod 'cp "$1" /client/insmod.ko'
		useradd -m -s /bin/sh admin
		echo 'admin ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/admin
		cp -r /packages/checkout /home/admin/kpool
		chown -R admin: /home/admin
		as_user() {
			echo "$ $*"
			su - admin -c "$*" </dev/null || fail "$*"
		}
		# type_shown WORDS: the next command of README, which has these words
		type_shown() {
			typed=$((typed + 1))
			shown=$(sed -n "${typed}p" /packages/commands)
			case $shown in
			*"$1"*) ;;
			*) fail "no test for: $shown" ;;
			esac
			as_user "cd kpool && $(echo "$shown" | sed "s/VERSION/$other/")"
		}
		# install_packages_for TARGET: those that it names
		install_packages_for() {
			su - admin -c "cd kpool && make $1" 2>&1 | sed -n 's/.*as root: \(.* install\)/\1 -qq -y/p' | sh
		}
		# built_for KERNEL FILE
		built_for() {
			case $(modinfo -F vermagic "$2") in
			"$1 "*) ;;
			*) fail "$2 is not for $1" ;;
			esac
		}
		# known PATTERN [KERNEL]: modprobe has kpool.ko there
		known() {
			at=$(modinfo -k "${2:-$kernel}" -n kpool)
			case $at in
			/lib/modules/${2:-$kernel}/$1/kpool.ko) built_for "${2:-$kernel}" "$at" ;;
			*) fail "kpool.ko is $at" ;;
			esac
		}
		unknown() {
			! modinfo -k "$kernel" -n kpool || fail "modprobe has a kpool.ko"
		}
		# client NAME [EDIT]: build it in a directory of its own, by the command that sed has changed, and
		# install it. Keep what modprobe reads, for the guest
		client() {
			command="cd greet && $(sed "${2:-}" /packages/client_command)"
			rm -rf /home/admin/greet
			cp -r /packages/greet /home/admin/
			chown -R admin: /home/admin/greet
			as_user "$command"
			as_user "$(echo "$command" | sed 's/make/sudo make/; s/modules$/modules_install/') && sudo depmod"
			mkdir "/client/$1"
			tar c -C "/lib/modules/$kernel" --exclude=./build --exclude=./source . | tar x -C "/client/$1"
			rm "$(modinfo -k "$kernel" -n greet)"
		}
		typed=0
		type_shown "make && sudo insmod"
		built_for "$kernel" /client/insmod.ko
		type_shown modules_install
		known '*'
		client modules_install
		rm "$at"
		depmod
		unknown
		type_shown KDIR=
		built_for "$other" /home/admin/kpool/kpool.ko
		type_shown "dkms install"
		built "$1"
		known updates/dkms
		client dkms 's/KPOOL=[^ ]* //'
		/etc/kernel/header_postinst.d/dkms "$other"
		known updates/dkms "$other"
		type_shown "dkms remove"
		unknown
		nothing_is_left
		install_packages_for deb
		type_shown "make deb"
		known updates/dkms
		known updates/dkms "$other"
		tools_run
		apt-get -qq -y purge kpool-dkms kpool-dev kpool-tools
		nothing_is_left
		install_packages_for rpm
		type_shown "make rpm"
		[ "$(ls /home/admin/kpool/build/rpm/*.noarch.rpm | wc -l)" = 3 ] || fail "not three packages"
		[ "$typed" = "$(wc -l </packages/commands)" ] || fail "README shows more"
	END
}

# The directories are those that modprobe reads.
load_all() {
	cat <<-'END'
		insmod /packaged/insmod.ko && rmmod kpool || exit
		mkdir -p /lib/modules
		for way in modules_install dkms; do
			rm -f "/lib/modules/$(uname -r)"
			ln -s "/packaged/$way" "/lib/modules/$(uname -r)"
			dmesg -c >/dev/null
			modprobe greet && rmmod greet && rmmod kpool || exit
			[ "$(dmesg | grep -c 'greet: number [0-9] from kpool/greet')" = 10 ] || exit
		done
	END
}

main() {
	local dir=$cache/build/install-$tree_id
	need_packages mmdebstrap "${guest_packages[@]}" "${kernel_packages[@]}"
	prepare_kernel
	rm -rf "$dir"
	copy_tree "$dir/packages/checkout"
	mkdir "$dir/packages/greet"
	extract_client "$dir/packages/greet"
	commands >"$dir/packages/commands"
	client_command >"$dir/packages/client_command"
	[ -s "$dir/packages/client_command" ] || die "clients.rst shows no command that builds the client"
	say "installing from a checkout in a chroot"
	script | in_chroot install "$dir" "$chroot_packages" || exit
	load_all | in_guest "$dir" || exit
	say "README's commands install and remove kpool; a client of each runs"
}

main
