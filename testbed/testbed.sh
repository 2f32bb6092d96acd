#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Boots a kernel with kpool in it, runs one script there, and returns the script's exit status.
#
# The guest has no disk: its root is an initramfs with busybox. /kpool holds kpool.ko and, with
# their modules, selftests/, samples/ and bench/. SCRIPT is a file below /kpool or a command of
# busybox; it runs in /kpool, and finds KERNEL, CPUS and ICOUNT in its environment.
#
# The run also fails when the guest hangs, dies, or its kernel prints a warning. A test that
# provokes one on purpose writes "kpool-testbed: expect begin" to /dev/kmsg before, and
# "kpool-testbed: expect end" after it. A test that provokes an oops writes "expect begin: oops".
#
# With a directory in KPOOL_COVERAGE, the kernel and kpool are built to count which lines run, and the
# counters of each boot go there.
#
# With a number in KPOOL_MUTANT, that one of the mutants compiled into kpool is chosen (mutants.sh; 0 is
# none). The guest ends with the first test that fails.
#
# A kernel is one file in kernels/: what it needs, how it is prepared, and how it is run.
# shellcheck disable=SC2154,SC2034 # shared with what is sourced

usage() {
	cat <<-END
	usage: testbed.sh [OPTION...] SCRIPT [ARG...]
	  -k KERNEL     $(known_kernels) (default stock)
	  -c CPUS       processors of the guest
	  -m MEMORY     memory of the guest, such as 512M
	  -t SECONDS    time limit of the guest (default 300)
	  -i            make the guest's clock count instructions (one CPU, QEMU only)
	  -1            emulate all CPUs in one thread (QEMU only)
	  -N            two NUMA nodes, half of the CPUs in each (x86 in QEMU only)
	  -a WORDS      append them to the kernel's command line
	  -O            let the kernel survive an oops
	  -s            stop the guest again and again, for up to four seconds
	  -f SRC:DEST   put a file or directory into the guest; may be repeated
	  -o FILE       keep the kernel's log there
	  -d FILE       when the script prints "kpool-testbed: dump", dump the guest's memory there and
	                end; that is a pass (QEMU only)
	  -p PLUGIN     load a plugin into the emulator: its file and arguments (QEMU only)
	  -b            only build what is needed, boot nothing
	  -n            build nothing: that has been done
	Exit status: the script's; 124 for a kernel warning, 125 for no verdict (hang, panic),
	126 when the guest could not be built or started.
	END
}

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"
for part in packages source kernel unpacked modules uml qemu guest; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done

known_kernels() {
	local file names=()
	for file in "$testbed"/kernels/*.sh; do
		file=${file##*/}
		names+=("${file%.sh}")
	done
	echo "${names[*]}"
}

parse() {
	local option
	kernel=stock cpus='' memory='' timeout=300 icount=no nodes=one console='' build=yes extra_files=()
	dump='' append='' plugin='' on_oops=oops=panic emulator_threads=multi stutters=no coverage=${KPOOL_COVERAGE:-}
	mutant=${KPOOL_MUTANT:-0}
	while getopts k:c:m:t:i1Na:Osf:o:d:p:bnh option; do
		case $option in
		k) kernel=$OPTARG ;;
		c) cpus=$OPTARG ;;
		m) memory=$OPTARG ;;
		t) timeout=$OPTARG ;;
		a) append=$OPTARG ;;
		O) on_oops='' ;;
		s) stutters=yes ;;
		i) icount=yes cpus=1 ;;
		1) emulator_threads=single ;;
		N) nodes=two ;;
		f) extra_files+=("$OPTARG") ;;
		o) console=$OPTARG ;;
		d) dump=$OPTARG ;;
		p) plugin=$OPTARG ;;
		b) build=only ;;
		n) build=no ;;
		h) usage; exit 0 ;;
		*) usage >&2; exit 2 ;;
		esac
	done
	script=("${@:OPTIND}")
	[ "$build" = only ] || [ ${#script[@]} -gt 0 ] || { usage >&2; exit 2; }
}

choose_kernel() {
	local description=$testbed/kernels/$kernel.sh
	[ -e "$description" ] || die "no kernel named $kernel; there are: $(known_kernels)"
	# shellcheck source=/dev/null
	. "$description"
	cpus=${cpus:-$default_cpus}
	memory=${memory:-$default_memory}
}

clean_up() {
	end_guest 2>/dev/null
	rm -rf "$run"
}

add_files() {
	local pair to
	for pair in "${extra_files[@]}"; do
		to=$run/tree/${pair#*:}
		mkdir -p "${to%/*}"
		cp -rL "${pair%%:*}" "$to" || die "cannot add ${pair%%:*}"
	done
}

main() {
	local programs
	parse "$@"
	choose_kernel
	readarray -t programs < <(heads_say guest-needs "${script[@]}" | cut -d ' ' -f 1)
	need_packages "${guest_packages[@]}" "${kernel_packages[@]}" "${programs[@]}"
	prepare_kernel
	run=$(mktemp -d "${TMPDIR:-/tmp}/kpool-testbed.XXXXXX")
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	trap : USR1
	build_modules "$run/tree"
	[ "$build" != only ] || exit 0
	add_files
	initramfs=$run/initramfs
	console=${console:-$run/console}
	pack_initramfs "$run/tree" "$initramfs" "${script[@]}"
	[ "$mutant" = 0 ] || python3 "$testbed/lib/mutate.py" choose "$mutant" "$initramfs" || exit 126
	"prepare_guest_$machine"
	run_guest
	if died_in_boot; then
		say "Linux died before it had started anything; booting it once more"
		run_guest
	fi
	keep_coverage
	judge
}

main "$@"
