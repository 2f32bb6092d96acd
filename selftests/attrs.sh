#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Bad attributes through the API, debugfs and module parameters: each is
# refused, named in the log, and changes nothing.

. "$(dirname "$0")/ktap.sh"

TUNABLES="capacity min_workers queue_depth max_blocked nonblocking expiry_ms
nice policy rt_priority node when_full stall_ms max_bypass cpumask"
dir=$KPOOL_DEBUGFS/client
cpu1_online=/sys/devices/system/cpu/cpu1/online

# said TEXT NAME: how many lines of the log start like that and go on to NAME
said() {
	dmesg | grep -c "kpool: $1: .*$2"
}

# read_value FILE: into value
read_value() {
	read -r value <"$dir/$1"
}

# begin_refusals FILE: what follows must be refused, logged, and leave its value
begin_refusals() {
	refusals_file=$1
	read_value "$1"
	refusals_value=$value
	refusals_said=$(said client "$1")
	refusals_failed=0
	refusals=0
}

# refused STATUS WHAT: of a write to that file
refused() {
	refusals=$((refusals + 1))
	read_value "$refusals_file"
	if [ "$1" -eq 0 ]; then
		ktap_diag "$refusals_file takes $2"
		refusals_failed=1
	elif [ "$value" != "$refusals_value" ]; then
		ktap_diag "$refusals_file is changed by $2"
		refusals_failed=1
	fi
}

# end_refusals: a line of the log for each, at least
end_refusals() {
	if [ "$(said client "$refusals_file")" -lt $((refusals_said + refusals)) ]; then
		ktap_diag "the log does not mention $refusals_file each time"
		refusals_failed=1
	fi
}

# refuse_text TEXT: with an error that depends on what it is
refuse_text() {
	refuse_status=0
	{ echo "$1" >"$dir/$refusals_file"; } 2>/tmp/refusal || refuse_status=1
	refused $refuse_status "\"$1\""
	read -r refuse_said </tmp/refusal
	case $refusals_file:${1#-} in
	cpumask:* | *: | *:*[!0-9]*) refuse_error="Invalid argument" ;;
	*) refuse_error="out of range" ;;
	esac
	case $refuse_said in
	*"$refuse_error"*) return ;;
	esac
	ktap_diag "$refusals_file: \"$1\" fails with: $refuse_said"
	refusals_failed=1
}

# refuse_bytes FILE: in one write
refuse_bytes() {
	dd bs=2M if="$1" of="$dir/$refusals_file" 2>/dev/null
	refused $? "$1"
}

# Bytes that a line of text cannot have, and more of them than a page.
make_bytes() {
	mkdir -p /tmp/bytes
	printf '1\0' >/tmp/bytes/nul_after_digit
	printf '\0\0\0\0' >/tmp/bytes/nuls
	printf '\377\376' >/tmp/bytes/no_text
	printf '0\nx' >/tmp/bytes/second_line
	dd if=/dev/zero bs=1M count=1 of=/tmp/bytes/million_nuls 2>/dev/null
	tr '\0' 1 </tmp/bytes/million_nuls >/tmp/bytes/million_digits
	printf '1%4095s' "" >/tmp/bytes/page_of_spaces
}

# Fails if a file parses up to the first bad byte, stores before it looks, or trusts a length.
bad_writes_are_refused() {
	make_bytes
	for file in $TUNABLES; do
		begin_refusals "$file"
		for text in "" " " 1x 0x 99999999999999999999 2147483648 -2147483648 "1 2" \
			bogus UNLIMITED "%s%n" -99; do
			# to the kernel this is a list of two CPUs
			[ "$file:$text" = "cpumask:1 2" ] || refuse_text "$text"
		done
		for bytes in /tmp/bytes/*; do
			refuse_bytes "$bytes"
		done
		end_refusals
		ktap_result "$refusals_failed" "bad writes to $file are refused"
	done
	rm -r /tmp/bytes
}

# Fails if a row of the attribute table is wrong, or a word is taken where it means nothing.
out_of_range_is_refused() {
	range_failed=0
	for pair in nonblocking:2 when_full:3 when_full:refuse nice:20 nice:-21 rt_priority:100 min_workers:65537 policy:5 \
		min_workers:unlimited nice:unlimited rt_priority:never expiry_ms:unlimited stall_ms:none \
		capacity:none max_bypass:none max_bypass:-1 node:-1 node:100000 cpumask:100000 cpumask:1-0 policy:deadline; do
		begin_refusals "${pair%%:*}"
		refuse_text "${pair#*:}"
		end_refusals
		[ "$refusals_failed" -eq 0 ] || range_failed=1
	done
	ktap_result "$range_failed" "debugfs refuses what is out of range"
}

# refusal FILE TEXT LINE...: a write of the text adds these lines to the log, each once
refusal() {
	refusal_file=$1
	refusal_text=$2
	shift 2
	dmesg >/tmp/before
	! echo "$refusal_text" >"$dir/$refusal_file" || refusal_failed=1
	dmesg >/tmp/after
	for line in "$@"; do
		[ "$(grep -c "kpool: client: $line\$" /tmp/after)" -eq \
			$(($(grep -c "kpool: client: $line\$" /tmp/before) + 1)) ] && continue
		ktap_diag "the log lacks: $line"
		refusal_failed=1
	done
} 2>/dev/null

# Fails if the log has the range of another attribute, or leaves out a word.
refusals_name_what_is_allowed() {
	refusal_failed=0
	refusal capacity many \
		'bad capacity "many"; allowed: 1 to 2147483647 or unlimited, 0 for the default'
	refusal queue_depth x \
		'bad queue_depth "x"; allowed: 0 to 2147483647 or none or unlimited, 0 for the default'
	refusal rt_priority 100 'bad rt_priority "100"; allowed: 1 to 99, 0 for the default'
	refusal node -1 'bad node "-1"; allowed: 0 to [0-9]* or any'
	refusal policy x 'bad policy "x"; allowed: 0 to 4 or normal, 0 for the default' \
		'policy may be "normal"' 'policy may be "batch"' 'policy may be "idle"' \
		'policy may be "fifo"' 'policy may be "rr"'
	refusal when_full drop_oldest \
		'when_full cannot be drop_oldest: the pool was created with wait, .*'
	refusal cpumask 0-x 'bad cpumask "0-x"; allowed: a list of CPUs like 0-3,5, or all'
	printf 2 | dd bs=1 count=1 seek=1 conv=notrunc of="$dir/capacity" 2>/dev/null
	dmesg | grep -q 'kpool: client: bad write to capacity: 1 bytes at 1; allowed: one value' ||
		refusal_failed=1
	ktap_result "$refusal_failed" "the log says what is allowed"
}

# Fails if each piece of a write in several counts as the first.
second_value_is_refused() {
	for pair in capacity:3 capacity:4 latency:off; do
		{ echo "${pair#*:}" && ! echo "${pair#*:}" 2>/dev/null; } >"$dir/${pair%:*}"
		ktap_result $? "a second value for $pair is refused"
	done
	echo 0 >"$dir/capacity"
}

# refuse_offset BYTES SKIP: a write that does not begin at the start of the file
refuse_offset() {
	printf '%s' "$1" | dd bs=1 count=1 seek="$2" conv=notrunc of="$dir/$refusals_file" 2>/dev/null
	refused $? "\"$1\" at offset $2"
}

# Fails if the second piece of a value, or one at an offset, is taken for a value.
writes_at_an_offset_are_refused() {
	for file in $TUNABLES; do
		begin_refusals "$file"
		refuse_offset 1 1
		refuse_offset 0 1
		refuse_offset 1 4096
		end_refusals
		ktap_result "$refusals_failed" "writes at an offset of $file are refused"
	done
}

TABLES="stats workers errors stalls diagnosis latency"

# Fails if a file is missing, is not in the manual, or has another mode.
files_are_for_root_only() {
	ktap_is "debugfs files are those of the manual, for root only" \
		"$({
			for file in $TABLES; do echo "$file 400"; done
			for file in $TUNABLES; do echo "$file 600"; done
		} | sort)" "$(cd "$dir" && stat -c '%n %a' ./* | sed 's:^./::' | sort)"
	ktap_is "pools is for root only" 400 "$(stat -c %a "$KPOOL_DEBUGFS/pools")"
	files_failed=0
	for file in "$KPOOL_DEBUGFS/pools" "$dir/stats" "$dir/workers" "$dir/errors" "$dir/stalls" \
			"$dir/diagnosis"; do
		! dd if=/dev/zero of="$file" bs=1 count=1 2>/dev/null || files_failed=1
	done
	ktap_result "$files_failed" "debugfs tables take no writes"
}

# bad_parameter NAME VALUE: loading fails, and the log names parameter and range
bad_parameter() {
	parameter_said=$(said "$1" "bad .*allowed")
	if insmod "$KPOOL_KO" "$1=$2" 2>/dev/null; then
		rmmod kpool
		ktap_diag "kpool loads with $1=$2"
		parameter_failed=1
	elif [ "$(said "$1" "bad .*allowed")" -le "$parameter_said" ]; then
		ktap_diag "the log does not name $1 and its range after $1=$2"
		parameter_failed=1
	fi
}

# Fails if a parameter is stored unchecked, or only its first line is looked at: mutant
# second-line-of-a-parameter.
bad_parameters_are_refused() {
	for file in $TUNABLES; do
		parameter_failed=0
		bad_parameter "$file" -99
		bad_parameter "$file" ""
		bad_parameter "default_$file" 99999999999999999999
		ktap_result "$parameter_failed" "bad values of ${file} and default_${file} fail"
	done
	parameter_failed=0
	for pair in nonblocking=2 nice=20 rt_priority=100 min_workers=65537 node=100000 \
		capacity=none policy=bogus when_full=3 cpumask=100000; do
		bad_parameter "${pair%%=*}" "${pair#*=}"
	done
	# in quotes, as the kernel takes the lines of its arguments for arguments
	for file in cpumask default_cpumask; do
		bad_parameter "$file" '"0
x"'
	done
	if [ -w "$cpu1_online" ]; then
		echo 0 >"$cpu1_online"
		bad_parameter cpumask 1
		echo 1 >"$cpu1_online"
	fi
	ktap_result "$parameter_failed" "parameters out of range fail the load"
	parameter_failed=0
	for pair in "capacity=2 min_workers=3" "default_capacity=2 default_min_workers=3" \
			"node=63 default_node=0"; do
		# shellcheck disable=SC2086 # two parameters
		if insmod "$KPOOL_KO" $pair 2>/dev/null; then
			rmmod kpool
			parameter_failed=1
		fi
	done
	ktap_result "$parameter_failed" "parameters that contradict each other fail the load"
}

# Fails if modinfo, which reads this, shows a parameter without its type.
parameters_have_a_type() {
	parameter_failed=0
	tr '\0' '\n' <"$KPOOL_KO" | grep -a ^parmtype= >/tmp/parmtypes
	for file in $TUNABLES; do
		case $file in
		cpumask) parameter_type=cpulist ;;
		*) parameter_type="int or word" ;;
		esac
		for prefix in "" default_; do
			grep -qx "parmtype=$prefix$file:$parameter_type" /tmp/parmtypes ||
				parameter_failed=1
		done
	done
	ktap_result "$parameter_failed" "parameters have a type"
}

# stat_of POOL KEY
stat_of() {
	awk -v key="$2" '$1 == key { print $2 }' "$KPOOL_DEBUGFS/$1/stats"
}

# Fails if a parameter does not reach the pools that leave the attribute to it.
parameters_are_the_defaults() {
	insmod "$KPOOL_KO" capacity=3 queue_depth=unlimited expiry_ms=never nice=-3 \
		policy=batch nonblocking=yes cpumask=0 \
		default_capacity=5 default_queue_depth=none default_nice=7
	load_test client
	ktap_is "parameters are the defaults of a pool" "3 unlimited never -3 batch yes 0" \
		"$(for key in capacity queue_depth expiry_ms nice policy nonblocking cpumask; do
			stat_of client $key
		done | xargs)"
	rmmod client
	load_test client use_default=1
	ktap_is "parameters default_* make the default pool, and the rest its defaults" \
		"5 0 7 never batch 0" \
		"$(for key in capacity queue_depth nice expiry_ms policy cpumask; do
			stat_of default $key
		done | xargs)"
	rmmod client
	rmmod kpool
}

# parameter_of NAME
parameter_of() {
	cat "/sys/module/kpool/parameters/$1"
}

# read_as_written PREFIX PAIR...: load kpool with all of them, and read each
read_as_written() {
	read_prefix=$1
	shift
	read_parameters=
	for pair; do
		read_parameters="$read_parameters $read_prefix$pair"
	done
	# shellcheck disable=SC2086 # several parameters
	insmod "$KPOOL_KO" $read_parameters || read_failed=1
	for pair; do
		value=$(parameter_of "$read_prefix${pair%%=*}")
		[ "$value" != "${pair#*=}" ] || continue
		ktap_diag "$read_prefix$pair reads $value"
		read_failed=1
	done
	rmmod kpool
}

# Fails if a parameter is shown as kpool keeps it, and not as a person wrote it.
parameters_read_as_written() {
	read_failed=0
	for prefix in "" default_; do
		read_as_written "$prefix" capacity=unlimited min_workers=3 queue_depth=unlimited \
			max_blocked=unlimited nonblocking=no when_full=wait expiry_ms=never \
			max_bypass=unlimited nice=-7 policy=normal node=0 cpumask=0
		read_as_written "$prefix" nonblocking=yes stall_ms=never max_bypass=3 policy=rr \
			rt_priority=50 node=any cpumask=all
	done
	ktap_result "$read_failed" "parameters read as they are written"
	load_kpool
	load_test client
	read_failed=0
	for file in $TUNABLES; do
		case $file in
		cpumask) continue ;;	# "all" there, a list here
		esac
		[ "$(parameter_of "$file")" = "$(stat_of client "$file")" ] &&
			[ "$(parameter_of "default_$file")" = "$(stat_of client "$file")" ] &&
			continue
		ktap_diag "$file reads $(parameter_of "$file") $(parameter_of "default_$file")"
		read_failed=1
	done
	ktap_result "$read_failed" "parameters that are not given read as a pool's attributes"
	rmmod client
	rmmod kpool
}

# Fails if a default of min_workers forbids smaller pools, or is above their capacity.
small_pool_has_fewer_min_workers() {
	insmod "$KPOOL_KO" min_workers=4 nice=5
	load_test client capacity=2
	ktap_is "a small pool has no more min_workers than capacity" "2 2" \
		"$(stat_of client capacity) $(stat_of client min_workers)"
	echo 1 >"$dir/min_workers"
	echo 0 >"$dir/min_workers"
	read_value min_workers
	ktap_is "that is its default when it is tuned, too" 2 "$value"
	echo none >"$dir/nice"
	read_value nice
	ktap_is "nice may be none, which is not its default" 0 "$value"
	echo 0 >"$dir/nice"
	read_value nice
	ktap_is "nice 0 is its default" 5 "$value"
	rmmod client
	load_test client capacity=9
	ktap_is "a larger pool has its min_workers" 4 "$(stat_of client min_workers)"
	rmmod client
	load_test client use_default=1
	ktap_is "the default pool has its min_workers" 4 "$(stat_of default min_workers)"
	rmmod client
	rmmod kpool
	insmod "$KPOOL_KO" min_workers=4 default_capacity=3
	ktap_is "a small default pool has fewer min_workers" 3 "$(parameter_of default_min_workers)"
	rmmod kpool
}

# Fails if all asks for the default, or NULL for all: mutants all-is-the-default-mask, null-mask-is-all,
# parameter-all-is-the-default.
all_cpus_are_not_the_default() {
	insmod "$KPOOL_KO" cpumask=0 default_cpumask=all
	load_test client use_default=1
	ktap_is "the default pool has all CPUs" all "$(stat_of default cpumask)"
	rmmod client
	load_test client
	ktap_is "a pool has the default mask" 0 "$(stat_of client cpumask)"
	echo all >"$dir/cpumask"
	ktap_is "it can have all CPUs" all "$(stat_of client cpumask)"
	echo 1 >/sys/module/client/parameters/unmask
	ktap_is "NULL is the default mask again" 0 "$(stat_of client cpumask)"
	rmmod client
	rmmod kpool
	[ "$(cat /sys/devices/system/cpu/online)" != 0 ] || return 0
	insmod "$KPOOL_KO" cpumask=0 default_cpumask=1
	ktap_is "both masks are kept" "0 1" "$(parameter_of cpumask) $(parameter_of default_cpumask)"
	rmmod kpool
}

ktap_begin
run_cases attrs
if mount_debugfs; then
	load_test client
	bad_writes_are_refused
	out_of_range_is_refused
	refusals_name_what_is_allowed
	second_value_is_refused
	writes_at_an_offset_are_refused
	files_are_for_root_only
	rmmod client
fi
rmmod kpool
# there, each load takes a second
if [ "${KERNEL:-}" != uml-debug ] || is_long; then
	bad_parameters_are_refused
	parameters_read_as_written
fi
parameters_have_a_type
parameters_are_the_defaults
small_pool_has_fewer_min_workers
all_cpus_are_not_the_default
load_kpool
ktap_end
