#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# mutants.sh [NAME...]: remove one protection at a time, and see a test, or the simulation, fail.
#
# selftests/mutants/*.mut say what each mutant changes, what breaks, and which tests on which kernel
# notice; see lib/mutate.py. A mutant that no test notices is a missing test.
#
# As many as possible are compiled into one tree. Trying one then takes no build: its number is
# written into the modules, and the guest boots. Those whose tests count instructions are built one by
# one. KERNELS="..." tries only those whose tests run there.
# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"
for part in packages source kernel unpacked modules uml qemu; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done
top=$tree
work=$cache/mutants/$tree_id
all_kernels="simulate uml-time uml uml-debug stock x86-debug kcsan rt"

mutate() {
	python3 "$top/testbed/lib/mutate.py" "$@"
}

# set_tree [DIR]: the tree with the changed files of DIR. Only what differs from the one before is new,
# so that little has to be built again.
set_tree() {
	rsync -rlpc --delete --exclude .git --exclude /names "${@/%//}" "$top/" "$work/tree/"
}

# Print what to try, in lines: NUMBER NAME KERNEL TESTS..., of the "NUMBER NAME" that are read. Quick
# kernels come first, and what the same tests are to notice together. The simulation, which has a
# kernel of its own, stands for one.
tries() {
	awk -F '\t' -v wanted=" ${KERNELS:-$all_kernels} " '
		function want(kernel, tests) {
			if (tests != "-" && index(wanted, " " kernel " "))
				print index(" '"$all_kernels"' ", " " kernel " "), nr[$1], $1, kernel, tests
		}
		FNR == NR { split($0, word, " "); nr[word[2]] = word[1]; next }
		$1 in nr { want("simulate", $5); want($3, $4) }' - "$work/list" |
		sort -k 1n -k 5 -s | cut -d ' ' -f 2-
}

# The kernels that anything is to be tried on.
kernels() {
	local kernel
	for kernel in $all_kernels; do
		! awk '{ print 0, $1 }' "$work/list" | tries | cut -d ' ' -f 3 | grep -qx "$kernel" ||
			echo "${kernel/simulate/uml-time}"
	done | sort -u
}

# compile_on KERNEL FILE...: is their syntax good, in kpool and in the simulation?
compile_on() {
	local dir file objects=() simulated=()
	kernel=$1
	# shellcheck source=/dev/null
	. "$here/kernels/$kernel.sh"
	prepare_kernel
	dir=$work/syntax-$kernel
	copy_tree "$dir"
	shopt -s nullglob
	[[ " ${*:2} " != *.h\ * ]] || set -- "$kernel" *.c core/*.c
	for file in "${@:2}"; do
		file=${file%.c}
		simulated+=("selftests/simulate/engine-${file##*/}.o")
		objects+=("${file/#kpool/kpool-main}.o")
	done
	[ "$kernel" != uml-time ] || objects+=("${simulated[@]}")
	# there is no object for objtool and for check-local-export
	kernel_make "$dir" -k KCFLAGS="-Werror -fsyntax-only" CONFIG_OBJTOOL= cmd_check_local_export= \
		KPOOL_WITH=selftests/simulate "${objects[@]}"
}

# compile DIR FILE...: the tree with the changed files of DIR, on each kernel.
compile() {
	local kernel
	set_tree "$1" || return
	tree=$work/tree
	cd "$tree" || return
	for kernel in $(kernels); do
		(compile_on "$kernel" "${@:2}") || return
	done
}

# run NUMBER KERNEL TEST...: with this mutant of $tried chosen. For the simulation, TEST is how many seeds
# to try.
run() {
	local kernel=$2 limit=${TIMEOUT:-$limit} built=()
	export KPOOL_MUTANT=$1
	[ "$1" = 0 ] || built=(-n)
	if [ "$kernel" = simulate ]; then
		"$tried/testbed/testbed.sh" -k uml-time -t "$limit" -o "$work/console" \
			"${built[@]}" selftests/simulate/run.sh 1 "$3" shrink=0
		return
	fi
	# shellcheck source=/dev/null
	CPUS=$(. "$here/kernels/$kernel.sh" && echo "${check_cpus%% *}") TIMEOUT=$limit \
		"$tried/testbed/check.sh" "$kernel" "${@:3}"
}

# outcome NUMBER KERNEL TEST...: passes, fails, or none, as of a mutant that cannot be built or booted
outcome() {
	local status
	run "$@" >"$work/log" 2>&1 </dev/null
	status=$?
	case $2:$status in
	*:0) echo passes ;;
	simulate:1 | simulate:124 | simulate:125) echo fails ;;
	simulate:*) echo none ;;
	*) if grep -q '^Result: FAIL' "$work/log"; then echo fails; else echo none; fi ;;
	esac
}

# passes KERNEL TEST...: without a mutant? A test that fails anyway notices nothing. How long it takes
# says how long it can take with a mutant.
passes() {
	local key="$tried $*" began=$SECONDS
	limit=1200
	if [ -z "${took[$key]:-}" ]; then
		took[$key]=fails
		[ "$(outcome 0 "$@")" != passes ] || took[$key]=$((SECONDS - began))
	fi
	[ "${took[$key]}" != fails ] && limit=$((4 * took[$key] + 20))
}

# Print what was noticed, in a few lines.
evidence() {
	sed -nE -e 's/^(  Failed test.*|# kpool-testbed.*|.*not ok.*|seed [0-9]*: .*)/# \1/p' \
		-e 's/^.*(simulate: panic in FIRST=[0-9]*).*/# \1/p' "$work/log" | head -n 3
}

# verdict OK TEXT: one line of the output
verdict() {
	count=$((count + 1))
	echo "$1 $count - $2"
	[ "$1" = ok ] || survived=$((survived + 1))
}

# try NUMBER NAME KERNEL TEST...
try() {
	case $(outcome "$1" "${@:3}") in
	fails)
		verdict ok "$2 is caught"
		evidence
		;;
	passes) verdict "not ok" "$2 survives ${*:3}" ;;
	*) no_verdict "$2 cannot be built or booted" ;;
	esac
}

no_verdict() {
	verdict "not ok" "$1"
	tail -n 5 "$work/log" | sed 's/^/# /'
}

# Try the mutants that can be chosen in one tree.
try_batch() {
	local number name kernel tests
	tried=$work/tree
	took=()
	set_tree "$1" || die "cannot copy the tree"
	while read -r number name kernel tests; do
		# shellcheck disable=SC2086 # several tests
		if passes "$kernel" $tests; then
			try "$number" "$name" "$kernel" $tests
		else
			no_verdict "$name: $kernel $tests fails without it"
		fi
	done < <(tries <"$1/names")
}

# Try a mutant that is built by itself.
try_alone() {
	local number name kernel tests
	while read -r number name kernel tests; do
		tried=$top
		# shellcheck disable=SC2086 # several tests
		if ! passes "$kernel" $tests; then
			no_verdict "$name: $kernel $tests fails without it"
			continue
		fi
		tried=$work/tree
		mutate apply "$top" "$name" "$work/alone/$name" || die "cannot apply $name"
		set_tree "$work/alone/$name" || die "cannot copy the tree"
		# shellcheck disable=SC2086 # several tests
		try "$number" "$name" "$kernel" $tests
	done < <(sed 's/^/0 /' | tries)
}

# List the mutants whose tests count instructions, of which some go into the choice of a mutant.
counted() {
	awk -F '\t' '$4 ~ /costs|holds/ { print $1 }' "$work/list"
}

try_all() {
	local batch count=0 survived=0 limit
	declare -A took
	trap 'exit 130' INT
	rm -rf "$work/combined" "$work/alone"
	mkdir -p "$work/tree" "$work/combined"
	mutate list "$top" "$@" >"$work/list" || exit 1
	echo "TAP version 13"
	if [ $# = 1 ]; then
		try_alone <<<"$1"
	else
		cut -f 1 "$work/list" | grep -vxFf <(counted) |
			mutate combine "$top" "$work/combined" "$0" --compile || exit 1
		shopt -s nullglob
		for batch in "$work"/combined/*/; do
			try_batch "${batch%/}"
		done
		took=()
		try_alone < <(counted && cat "$work/combined/alone")
	fi
	echo "1..$count"
	[ "$survived" = 0 ]
}

main() {
	case ${1:-} in
	--compile) compile "${@:2}" ;;
	--list)
		need_packages python3
		mutate list "$top" "${@:2}" | awk -F '\t' '{ print $1 " (" $2 "): " $6 }'
		;;
	*)
		need_packages python3 "${guest_packages[@]}" "${build_packages[@]}"
		locked "mutants-$tree_id" try_all "$@"
		;;
	esac
}

main "$@"
