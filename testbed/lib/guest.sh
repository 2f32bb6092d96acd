# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034
# The guest: its file system, its run, the verdict on it.

trouble='WARNING:|BUG:|Oops|Kernel panic|cut here|Call Trace:|general protection fault|unable to handle'
trouble+='|KASAN|KCSAN|UBSAN|ODEBUG|INFO: task .* blocked|INFO: rcu|rcu: INFO|soft lockup|hard LOCKUP'
trouble+='|possible .*(circular|recursive|inversion|dependency)|inconsistent lock state|unsafe lock order'
trouble+='|suspicious RCU usage|Invalid wait context|held lock freed|non-static key|DEBUG_LOCKS_WARN_ON'
trouble+='|unreferenced object|scheduling while atomic|sleeping function called|bad unlock balance'
trouble+='|still held|(list_add|list_del) corruption|refcount_t:|Bad page|Slab .*(corrupt|overwritten|leak)'
trouble+='|Objects remaining|Segfault|Out of memory|page allocation failure|kernel stack|preempt_count[^_]'

# Reports that an expected oops does not excuse.
spoilt='BUG: KASAN|KCSAN|UBSAN|ODEBUG|(list_add|list_del) corruption|refcount_t:|Bad page|unreferenced object'
spoilt+='|Slab .*(corrupt|overwritten|leak)|Objects remaining|INFO: task .* blocked|rcu: INFO|soft lockup|hard LOCKUP'

# guest_scripts SCRIPT [ARG...]: the script, and the selftests that it runs, as far as they are the tree's
guest_scripts() {
	local word file files=()
	for word; do
		files+=("$tree/$word" "$tree/selftests/$word.sh")
	done
	[ "$*" != selftests/run.sh ] || files+=("$tree"/selftests/*.sh)
	for file in "${files[@]}"; do
		[ ! -f "$file" ] || echo "$file"
	done
}

# heads_say KEY SCRIPT [ARG...]: what the scripts have behind "# KEY: "
heads_say() {
	local files
	readarray -t files < <(guest_scripts "${@:2}")
	[ ${#files[@]} = 0 ] || sed -n "s/^# $1: //p" "${files[@]}" | sort -u
}

# add_program STAGE PROGRAM: with its shared libraries and their loader, each where it is on the host.
add_program() {
	local stage=$1 program file
	program=$(PATH=$PATH:/usr/sbin:/sbin command -v "$2") || die "there is no $2 to put into the guest"
	{ echo "$program"; ldd "$program" | grep -o '/[^ ]*'; } | while read -r file; do
		install -D "$(realpath "$file")" "$stage$file" || exit
	done || die "cannot put $2 into the guest"
	cp "$program" "$stage/bin/"
}

# A script that wants a program of Debian's in its guest has the line "# guest-needs: PACKAGE PROGRAM". A
# guest of another architecture gets none.
add_needed_programs() {
	local stage=$1 package program
	[ -z "${guest_busybox:-}" ] || return 0
	while read -r package program; do
		need_packages "$package"
		add_program "$stage" "$program"
	done < <(heads_say guest-needs "${@:2}")
}

# A script that wants a module of the kernel's own, if that has it, has the line "# guest-modules: NAME".
# /lib/modules/NAME then lists the files to load, in their order.
add_kernel_modules() {
	local stage=$1 name what file
	[ -n "${kernel_modules:-}" ] || return 0
	while read -r name; do
		mkdir -p "$stage/lib/modules"
		modprobe -S "${kernel_modules##*/}" --show-depends "$name" | while read -r what file; do
			[ "$what" = insmod ] || continue
			install -D "$file" "$stage$file" || exit
			echo "$file"
		done >"$stage/lib/modules/$name" || die "cannot put the module $name into the guest"
	done < <(heads_say guest-modules "${@:2}")
}

# pack_initramfs STAGE OUT SCRIPT [ARG...]
pack_initramfs() {
	local stage=$1 out=$2
	shift 2
	mkdir -p "$stage"/{bin,etc,kpool}
	cp "${guest_busybox:-/bin/busybox}" "$stage/bin/"
	install -m 755 "$testbed/guest-init" "$stage/init"
	add_needed_programs "$stage" "$@"
	add_kernel_modules "$stage" "$@"
	{
		printf 'export KERNEL=%q CPUS=%q ICOUNT=%q\n' "$kernel" "$cpus" "$icount"
		printf 'export LONG=%q FAMILY=%q\n' "${LONG:-no}" "${kernel_family:-$kernel}"
		printf 'HANG_AFTER=%q COVERAGE=%q\n' "$(hang_after)" "${coverage:+yes}"
		printf 'run_script() { '
		script_command "$@"
		printf '; }\n'
	} >"$stage/etc/kpool-script"
	(cd "$stage" && find . | cpio --quiet -o -H newc -R 0:0) >"$out"
}

# A file of the tree is given to the shell, everything else is a command of busybox.
script_command() {
	[ ! -e "$stage/kpool/$1" ] || printf 'sh '
	printf '%q ' "$@"
}

# Sleeping would spoil an instruction count, and simulated time has no hangs.
hang_after() {
	case $icount:$machine in
	no:qemu) echo $((timeout > 40 ? timeout - timeout / 20 - 15 : 0)) ;;
	*) echo 0 ;;
	esac
}

# keep_coverage: the counters that the guest sent, with what the compiler knows of them, in a directory
# of this boot's own. A guest that dies has sent none.
keep_coverage() {
	local boot
	[ -s "$run/coverage" ] || return 0
	boot=$(mktemp -d "$coverage/$kernel.XXXXXX") || exit
	base64 -d "$run/coverage" | tar xzm -C "$boot" || die "cannot read the guest's counters"
	cp "$modules_build"/*.gcno "$modules_build"/core/*.gcno "$boot/" || exit
}

# run_guest: show what the script prints; set verdict to its exit status, or leave it empty.
# The kernel's log goes to file descriptor 4, what the script prints to 1.
run_guest() {
	local ended
	[ -p "$run/output" ] || mkfifo "$run/output"
	relay <"$run/output" &
	# a process group of its own keeps the terminal's Ctrl-C from it: end_guest does that
	set -m
	exec_guest >"$run/output" 4>"$console" 2>"$run/errors" </dev/null &
	guest=$!
	sleep "$timeout" &
	alarm=$!
	stutter &
	stutterer=$!
	set +m
	wait -n -p ended "$guest" "$alarm" 2>/dev/null
	hung=no
	if [ "$ended" != "$guest" ]; then
		hung=yes
		[ -s "$run/verdict" ] || "ask_guest_$machine"
	fi
	end_guest 2>/dev/null
	wait
	verdict=$(cat "$run/verdict" 2>/dev/null)
}

# Linux died while it booted. QEMU's emulator can do that to it, such as by an int3 of a branch that is
# being patched. Nothing of kpool is in the guest by then.
died_in_boot() {
	[ -z "$verdict" ] && [ "$hung" = no ] && ! grep -q 'kpool-testbed: begin' "$console" &&
		grep -q 'Kernel panic - not syncing: Fatal exception' "$console"
}

# A guest whose machine has other things to do; tests must not take that for a fault.
stutter() {
	while [ "${stutters:-no}" = yes ] && kill -STOP "$guest"; do
		sleep "$((RANDOM % 4 ? 0 : RANDOM % 4)).$((RANDOM % 1000))"
		kill -CONT "$guest"
		sleep "$((RANDOM % 4)).$((RANDOM % 1000))"
	done
}

exec_guest() {
	ulimit -c 0
	exec "${guest_command[@]}"
}

# User Mode Linux takes its helper processes with it. Bash reports the end of a job, which is of no
# use here, so call this without stderr.
end_guest() {
	[ -n "${guest:-}" ] || return
	kill -KILL "$guest" "$alarm"
	# with the sleep that it is in
	kill -KILL -- "-$stutterer"
	wait "$guest" "$alarm" "$stutterer"
	guest=''
}

# The first failure says enough of a mutant.
end_early() {
	echo 1 >"$run/verdict"
	kill -USR1 $$
}

relay() {
	local line
	while IFS= read -r line; do
		line=${line%$'\r'}
		case $line in
		'kpool-testbed: coverage '*) echo "${line##* }" >>"$run/coverage" ;;
		'kpool-testbed: dump') "dump_guest_$machine" ;;
		'kpool-testbed: exit '*) echo "${line##* }" >"$run/verdict" ;;
		*) printf '%s\n' "$line" ;;
		esac
		case ${mutant:-0}:$line in 0:*) ;; *:'not ok '*) end_early ;; esac
	done
}

# Print what the kernel said while the script ran, but for what a test announced as expected. Whether
# a suspend can fail, the test knows.
judged_console() {
	tr -d '\r' <"$console" | awk -v spoilt="$spoilt" '
		/kpool-testbed: begin/ { on = 1 }
		/kpool-testbed: expect begin/ { expected = 1; oops = /expect begin: oops/ }
		/Freezing .* failed/ { refused = 1 }
		/Restarting / { refused = 0 }
		refused && /Call Trace:/ { next }
		on && (!expected || (oops && $0 ~ spoilt))
		/kpool-testbed: expect end/ { expected = 0 }
		END { if (expected) print "BUG: expect begin without expect end" }' |
		without_foreign_races
}

# Linux has races of its own, also below what a module calls. KCSAN's report of one counts if one of
# the two accesses stands in a module's function. So it does if each stands in what a module has
# called directly, such as rb_erase(). Of another report title and frames go; the rest stays, as lines
# of others can have come between.
without_foreign_races() {
	awk '
		function end_report(side, i) {
			for (side = 1; side <= sides; side++)
				if (!near[side])
					foreign = 1
			for (i = 1; i <= n; i++)
				if (ours || !foreign || line[i] !~ /BUG: KCSAN:|\+0x[0-9a-f]+\//)
					print line[i]
			n = sides = ours = foreign = 0
		}
		/BUG: KCSAN:/ {
			ours = 1
			end_report()
			reporting = 1
		}
		!reporting { print; next }
		{ line[++n] = $0 }
		/ by (task|interrupt).* on cpu [0-9]+:$/ { near[++sides] = depth = 0 }
		/\+0x[0-9a-f]+\/0x[0-9a-f]+/ {
			depth++
			if (/ \[[a-z][a-z0-9_]*\]$/) {
				if (depth == 1)
					ours = 1
				if (depth <= 2)
					near[sides] = 1
			}
		}
		/==========$/ { end_report(); reporting = 0 }
		END { if (reporting) { ours = 1; end_report() } }'
}

# show_trouble: the log from the first complaint on; false if there is none.
show_trouble() {
	local found
	found=$(judged_console | grep -n -m 1 -E "$trouble")
	[ -n "$found" ] || return
	say "the kernel complained; its log from there:"
	judged_console | tail -n "+${found%%:*}" | grep -v 'kpool-testbed: end' | head -n 150 >&2
}

show_end() {
	say "the last lines of its console:"
	if [ -s "$console" ]; then
		tr -d '\r' <"$console" | tail -n 60 >&2
	else
		cat "$run/errors" >&2
	fi
}

# judge: is the run good? If not, say why and show what matters of the console.
judge() {
	if [ -n "$verdict" ]; then
		! show_trouble || return 124
		return "$verdict"
	fi
	if [ "$hung" = yes ]; then
		say "the guest did not end within $timeout seconds"
	else
		say "the guest died without a verdict"
	fi
	show_trouble || show_end
	return 125
}
