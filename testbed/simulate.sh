#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# simulate.sh [KERNEL]: try SEEDS seeds from FIRST on, in one guest for each processor of this
# machine. A seed that fails is shrunk to the fewest operations and shown with a trace. MASK and
# VARIANT, as printed for a seed that fails, choose one such run; TRACE=1 shows it also if it passes.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=/dev/null
. "$here/lib/common.sh"
# shellcheck source=/dev/null
. "$here/lib/packages.sh"

# guest FIRST SEEDS [PARAMETER=VALUE...]: what it prints goes to $out, its kernel's log to $console.
guest() {
	"$here/testbed.sh" -k "$kernel" -t "$limit" -o "$console" selftests/simulate/run.sh "$@" \
		>"$out" 2>"$out.errors" </dev/null
}

# Which run was it that the kernel did not survive? Prints FIRST MASK VARIANT.
panicked_in() {
	sed -n 's/.*simulate: panic in FIRST=\([0-9]*\) SEEDS=1 MASK=\(0x[0-9a-f]*\) VARIANT=\([0-9]*\).*/\1 \2 \3/p' \
		"$console" | tail -n 1
}

# A panic ends the guest: start another that goes on from there, until none panics.
shrink_panic() {
	local run=$1 next first mask variant
	tr -d '\r' <"$console" | grep -E 'BUG|WARNING|panic' | head -n 5
	while :; do
		read -r first mask variant <<<"$run"
		say "seed $first ends in a panic: MASK=$mask VARIANT=$variant; shrinking"
		guest "$first" 1 "mask=$mask" "variant=$variant" again=1
		next=$(panicked_in)
		case $next in '' | "$run") break ;; esac
		run=$next
	done
	read -r first mask variant <<<"$run"
	guest "$first" 1 "mask=$mask" "variant=$variant" shrink=0 trace=1
	tr -d '\r' <"$console" | sed -n 's/^.*simulate: //p'
	echo "seed $first ends in a panic: FIRST=$first SEEDS=1 MASK=$mask VARIANT=$variant"
}

# shard NAME FIRST SEEDS [PARAMETER=VALUE...]: one guest's share; false if a seed fails.
shard() {
	local out=$run/$1 console=$run/$1.console status panic
	shift
	guest "$@"
	status=$?
	[ "$status" != 0 ] || return 0
	panic=$(panicked_in)
	if [ -n "$panic" ]; then
		shrink_panic "$panic" >"$out.failure"
	elif [ "$status" = 1 ]; then
		grep -v '^simulate: done' "$out" >"$out.failure"
	else
		cat "$out" "$out.errors" >"$out.failure"
		echo "the guest has not ended: it is one of the next seeds" >>"$out.failure"
	fi
	return 1
}

# Equal shares, or one guest for a few seeds.
run_shards() {
	local jobs share i pids=() failed=0
	jobs=${JOBS:-$(nproc)}
	[ "$seeds" -ge 100000 ] || jobs=1
	share=$(((seeds + jobs - 1) / jobs))
	for ((i = 0; i < jobs; i++)); do
		shard "$i" $((first + i * share)) "$share" "$@" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || failed=1
	done
	return "$failed"
}

main() {
	local parameters=() begin=$SECONDS
	kernel=${1:-uml-time} first=${FIRST:-1} seeds=${SEEDS:-10000} limit=${TIMEOUT:-7200}
	[ "$kernel" = uml-time ] || die "only uml-time has one CPU and simulated time"
	# shellcheck disable=SC2046 # several packages
	need_packages $(packages_of "$kernel")
	[ -z "${MASK:-}" ] || parameters+=("mask=$MASK" shrink=0)
	[ -z "${VARIANT:-}" ] || parameters+=("variant=$VARIANT")
	[ -z "${TRACE:-}" ] || parameters+=("trace=$TRACE")
	run=$(mktemp -d "${TMPDIR:-/tmp}/kpool-simulate.XXXXXX")
	trap 'rm -rf "$run"' EXIT
	trap 'exit 130' INT
	if run_shards "${parameters[@]}"; then
		[ -z "${TRACE:-}" ] || grep -v '^simulate: done' "$run/0"
		say "$seeds seeds from $first agree with the model ($((SECONDS - begin)) s)"
	else
		cat "$run"/*.failure
		say "a seed fails"
		return 1
	fi
}

main "$@"
