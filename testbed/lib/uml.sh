# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# How a User Mode Linux guest is built and started.

uml_arguments=()

# prepare_uml TITLE MINUTES FRAGMENT...
prepare_uml() {
	local title=$1 minutes=$2
	shift 2
	need_packages "${kernel_packages[@]}"
	kernel_arch=um
	build_kernel "$kernel" "$title" "$minutes" "$linux_series" "$linux_suite" um "linux modules" "$@"
}

prepare_guest_uml() {
	local append_words
	read -ra append_words <<<"$append"
	[ -z "${dump:-}" ] || die "only QEMU can dump the guest's memory"
	[ "$icount" = no ] || die "only QEMU can count instructions"
	guest_command=("$kernel_dir/linux" "mem=$memory" "initrd=$initramfs" "uml_dir=$run" seccomp=on
		"ncpus=$cpus" "con0=null,fd:4" "con1=null,fd:1" con=null panic=1 loglevel=4
		printk.devkmsg=on kpool_output=tty1 "${uml_arguments[@]}" "${append_words[@]}")
}

# Its threads are the host's: gdb would show their stacks, on a machine that has it.
ask_guest_uml() {
	:
}
