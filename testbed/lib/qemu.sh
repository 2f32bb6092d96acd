# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# How a guest is started in QEMU: an x86 one, unless the kernel's file has another emulator.

qemu=(qemu-system-x86_64 -cpu max)
qemu_console=ttyS0
# where the output of the script comes from
qemu_output=(-serial stdio)
qemu_output_name=ttyS1

# prepare_x86 TITLE MINUTES FRAGMENT...: a kernel that is built here
prepare_x86() {
	local title=$1 minutes=$2
	shift 2
	need_packages "${kernel_packages[@]}"
	kernel_arch=x86_64
	build_kernel "$kernel" "$title" "$minutes" "$linux_series" "$linux_suite" x86_64 \
		"bzImage modules" "$@"
	kernel_image=$kernel_dir/arch/x86/boot/bzImage
}

# A KVM that is there cannot always run our kernel (nested, or a host that forbids too much). It has
# to boot one within seconds. The answer holds until the machine restarts.
kvm_works() {
	local answer
	[ "$kernel_arch" = x86_64 ] && [ -r /dev/kvm ] && [ -w /dev/kvm ] || return
	answer=$cache/kvm-$(cat /proc/sys/kernel/random/boot_id)
	[ -e "$answer" ] || { rm -f "$cache"/kvm-*; probe_kvm >"$answer"; }
	grep -q yes "$answer"
}

probe_kvm() {
	local probe=$run/probe
	say "trying KVM (once, at most 6 seconds)"
	mkdir -p "$probe"
	pack_initramfs "$probe/tree" "$probe/initramfs" true
	timeout -s KILL 6 qemu-system-x86_64 -accel kvm -smp 2 -m 512 -kernel "$kernel_image" \
		-initrd "$probe/initramfs" -append "$(kernel_command_line)" -display none -no-reboot \
		-nodefaults -serial null -serial stdio </dev/null 2>/dev/null |
		grep -q 'kpool-testbed: exit 0' && echo yes || echo no
}

# On a busy machine the timer is late for the kernel's check of it.
kernel_command_line() {
	echo "console=$qemu_console loglevel=4 $on_oops panic=-1 mitigations=off no_timer_check" \
		"unknown_nmi_panic panic_print=0x40" \
		"printk.devkmsg=on kpool_output=$qemu_output_name ${qemu_append:-} $append"
}

# Where each CPU has a thread of the emulator, one can miss for ever that another has just patched the
# code that it runs.
choose_accelerator() {
	if [ "$icount" = yes ]; then
		echo -accel tcg,thread=single -icount shift=0,sleep=off
	elif [ -z "$plugin" ] && kvm_works; then
		echo -accel kvm
	else
		echo -accel "tcg,thread=$emulator_threads"
	fi
}

choose_nodes() {
	local node size half=$((cpus / 2)) last
	[ "$nodes" = two ] && [ "$kernel_arch" = x86_64 ] || return
	last=($((half - 1)) $((cpus - 1)))
	size=$(($(numfmt --from=iec "$memory") / 2))
	for node in 0 1; do
		echo -n "-object memory-backend-ram,id=node$node,size=$size "
		echo -n "-numa node,nodeid=$node,memdev=node$node,"
		echo -n "cpus=$((node * half))-${last[node]} "
	done
}

prepare_guest_qemu() {
	local accelerator numa
	read -ra accelerator < <(choose_accelerator)
	read -ra numa < <(choose_nodes)
	mkfifo "$run"/monitor.{in,out}
	guest_command=("${qemu[@]}" "${accelerator[@]}" -smp "$cpus" -m "$memory" "${numa[@]}"
		-kernel "$kernel_image" -initrd "$initramfs" -append "$(kernel_command_line)"
		-display none -no-reboot -nodefaults -serial "file:$console" "${qemu_output[@]}"
		-chardev "pipe,id=monitor,path=$run/monitor" -mon chardev=monitor)
	[ -z "$plugin" ] || guest_command+=(-plugin "$plugin")
	[ -z "${dump:-}" ] || guest_command+=(-device vmcoreinfo)
}

# The guest stands still while its memory is written. -p: drgn 0.0.22 finds the page tables by their
# virtual addresses only.
dump_guest_qemu() {
	echo 0 >"$run/verdict"
	printf 'dump-guest-memory -p %s\nquit\n' "$dump" >"$run/monitor.in"
}

# A kernel that still takes its one interrupt that cannot be masked panics, which shows each CPU's stack.
ask_guest_qemu() {
	echo nmi >"$run/monitor.in"
	timeout 30 tail --pid="$guest" -f /dev/null
}
