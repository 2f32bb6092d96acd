#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# top.sh [KERNEL]: have tools/kpool-top read what a guest's debugfs has shown, and what is made of that;
# on the live screen, too, in tmux.

# shellcheck disable=SC2154 # set by what is sourced

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages tap; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done

# Files that kpool-top reads

# Directories that imitate debugfs; the link "root" is what is read.
record() {
	"$here/testbed.sh" -k "$1" -f "$here/record.sh:kpool/testbed/record.sh" testbed/record.sh \
		>"$dir/output" || die "cannot record: $(cat "$dir/output")"
	sed -n 's/^record: //p' "$dir/output" | base64 -d | tar xz -C "$dir" || die "no record"
}

# variant NAME [POOL...]: like "busy", with these pools only
variant() {
	local name=$1 pool
	shift
	mkdir "$dir/$name"
	head -n 1 "$dir/busy/pools" >"$dir/$name/pools"
	for pool; do
		cp -r "$dir/busy/$pool" "$dir/$name/"
		grep "^$pool " "$dir/busy/pools" >>"$dir/$name/pools"
	done
}

# add_pool VARIANT NAME NUMBER: one with this number in each column of numbers
add_pool() {
	cp -r "$dir/busy/sha256" "$dir/$1/$2"
	sed -i -E "/^(alive|idle|running|units|pending|blocked) /s/ .*/ $3/" "$dir/$1/$2/stats"
	sed -n "s/^sha256 /$2 /p" "$dir/busy/pools" >>"$dir/$1/pools"
}

make_variants() {
	variant gone quickstart
	variant none
	variant many quickstart sha256
	add_pool many b 9
	add_pool many a 10
	add_pool many c 100
	mkdir "$dir/unloaded"
	variant secret quickstart
	chmod 0 "$dir/secret/pools"
	variant older quickstart
	sed -i /^pending/d "$dir/older/quickstart/stats"
}

use() {
	ln -s "$1" "$dir/next" && mv -T "$dir/next" "$dir/root"
}

batch() {
	"$dir/kpool-top" --root "$dir/root" -b -n 1 -d 0.1 "$@"
}

# Batch mode

# column HEAD <BLOCK: the cells of all pools, from the top
column() {
	awk -v head="$1" '
		/^$/ { exit }
		column { print $column }
		$1 == "POOL" { for (i = 1; i <= NF; i++) if ($i == head) column = i }' | xargs
}

# of KEY POOL RECORD: what the record says
of() {
	awk -v key="$1" '$1 == key { print $2 }' "$dir/$3/$2/stats"
}

# Fails if a file that the kernel prints is not understood.
batch_shows_the_record() {
	local block key pairs='ALIVE:alive IDLE:idle RUN:running PEND:pending BLOCK:blocked STATE:state'
	use busy
	block=$(batch)
	is "pools are listed" "quickstart sha256" "$(column POOL <<<"$block")"
	is "owners are listed" "kpool_quickstart kpool_sha256" "$(column OWNER <<<"$block")"
	for key in $pairs; do
		is "${key%:*} is as recorded" "$(of "${key#*:}" quickstart busy) $(of "${key#*:}" sha256 busy)" \
			"$(column "${key%:*}" <<<"$block")"
	done
	is "units have the capacity beside them" "0/10 2/2" "$(column UNITS <<<"$block")"
	is "the pool was full" "64 1" "$(of pending sha256 busy) $(of blocked sha256 busy)"
}

read_block() {
	local line
	while IFS= read -r line && [ -n "$line" ]; do
		echo "$line"
	done
}

# is_rate NAME COUNT SECONDS RATE
is_rate() {
	awk -v count="$2" -v seconds="$3" -v rate="$4" 'BEGIN {
		error = rate * seconds / count - 1
		exit !(error * error < 0.02 * 0.02) }'
	result $? "$1: $2 in $3 s are $4 a second"
}

# percentile COLUMN: the end of the row that 99 % of what was counted between two records are in or below
percentile() {
	paste "$dir/first/sha256/latency" "$dir/last/sha256/latency" | awk -v column="$1" '
		{ counts[NR] = NF > 3 ? $(column + 3) - $column : $column; from[NR] = NF > 3 ? $4 : $1 }
		NR > 2 { total += counts[NR] }
		END { for (i = 3; seen < 0.99 * total; i++) { seen += counts[i]; end = 2 * from[i] }
			if (end < 1000) print (end ? end : 1) "us"
			else if (end < 1000000) print int(end / 1000) "ms"
			else print int(end / 1000000) "s" }'
}

# Fails if what has grown between two samples is divided by something else than the time between them.
batch_shows_rates() {
	local block seconds pair tries=0
	use first
	exec 3< <(exec "$dir/kpool-top" --root "$dir/root" -b -d 0.2)
	block=$(read_block <&3)
	is "nothing has changed" "0.0 0.0 - -" \
		"$(column SUB/S <<<"$block") $(column WAIT99 <<<"$block")"
	use last
	while [ "$(column SUB/S <<<"$block")" = "0.0 0.0" ] && [ $((tries += 1)) -lt 100 ]; do
		block=$(read_block <&3)
	done
	kill $!
	exec 3<&-
	seconds=$(sed -n '1s/.* in \([0-9.]*\) s,.*/\1/p' <<<"$block")
	is "the busiest pool comes first" "sha256 quickstart" "$(column POOL <<<"$block")"
	for pair in SUB/S:125 DONE/S:125 FAIL/S:5; do
		is_rate "${pair%:*}" "${pair#*:}" "$seconds" "$(column "${pair%:*}" <<<"$block" | cut -d ' ' -f 1)"
	done
	is "the percentile of waiting is shown" "$(percentile 2) -" "$(column WAIT99 <<<"$block")"
	is "the percentile of running is shown" "$(percentile 3) -" "$(column RUN99 <<<"$block")"
}

# Fails if the order is that of texts, or of another column.
batch_sorts() {
	local head
	use many
	for head in ALIVE IDLE RUN UNITS PEND BLOCK; do
		is "pools are sorted by $head" "c a b" \
			"$(batch -s "$head" | column POOL | grep -oE '\b[abc]\b' | xargs)"
	done
	is "pools are sorted by name" "a b c quickstart sha256" "$(batch -s pool | column POOL)"
	is "the order is reversed" "b a c" \
		"$(batch -s run -r | column POOL | grep -oE '\b[abc]\b' | xargs)"
}

# Fails if the worker that has run for longest is not the first one, or a histogram lacks a row.
batch_shows_a_pool() {
	local block
	use busy
	block=$(batch -p sha256)
	is "workers are listed, longest run first" \
		"$(tail -n +2 "$dir/busy/sha256/workers" | grep running | sort -s -k3,3nr)" \
		"$(sed -n '/^workers of/,$p' <<<"$block" | grep running)"
	use last
	block=$(batch -p sha256)
	is "histograms show every count" "$(awk 'NR > 2 { w += $2; r += $3 } END { print w, r }' "$dir/last/sha256/latency")" \
		"$(sed -n '/^from_us/,/^$/p' <<<"$block" | tr -d '#' |
			awk '/^[0-9]/ { w += $2; r += $3 } END { print w, r }')"
	is "latency is off" "latency of quickstart: off" \
		"$(batch -p quickstart | grep ^latency)"
	is "an unknown pool is reported" "no pool nil" "$(batch -p nil | grep '^no pool')"
}

# refuses NAME TEXT COMMAND...: one line, and exit status 1
refuses() {
	local name=$1 text=$2 output status
	shift 2
	output=$("$@" 2>&1 </dev/null)
	status=$?
	is "$name" "1 kpool-top: $text" "$status $output"
}

# A user that must not read what root can read.
unprivileged() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# Fails with a traceback, or with a line that names another cause.
failures_have_one_line() {
	local root=$dir/root
	use none
	is "the absence of pools is reported" "no pools" "$(batch | grep '^no ')"
	use unloaded
	refuses "kpool is not loaded" "there is no $root/pools: kpool is not loaded, or debugfs is not mounted" \
		batch
	use secret
	refuses "no permission" "no permission to read $root: only root has it" \
		unprivileged "$dir/kpool-top" --root "$root" -b
	use older
	refuses "another version" "$root has no pending: it is of another version of kpool" batch
	use busy
	refuses "no terminal" "this is no terminal: use -b" "$dir/kpool-top" --root "$root"
}

# The screen

in_tmux() {
	TMUX='' TMUX_TMPDIR=$dir tmux -L kpool -f /dev/null "$@"
}

screen() {
	in_tmux capture-pane -p
}

# shows NAME REGEX: wait for a line of the screen
shows() {
	local i status=1
	for ((i = 0; i < 200 && status; i++)); do
		if screen | grep -qE "$2"; then status=0; else sleep 0.1; fi
	done
	result "$status" "$1"
	[ "$status" = 0 ] || { echo "# no line has $2:"; screen | sed 's/^/# /'; }
}

press() {
	in_tmux send-keys "$@"
}

# resized NAME WIDTH HEIGHT REGEX: of the last line
resized() {
	local i last=''
	in_tmux resize-window -x "$2" -y "$3"
	for ((i = 0; i < 200; i++)); do
		last=$(screen | sed -n "$3p")
		[[ ! $last =~ $4 ]] || break
		sleep 0.1
	done
	[[ $last =~ $4 ]]
	result $? "$1"
}

# first_pool NAME POOL: in the line below the head
first_pool() {
	is "$1" "$2" "$(screen | sed -n '3s/^[> ]\([^ ]*\) .*/\1/p')"
}

screen_follows_keys() {
	use busy
	in_tmux new-session -d -x 100 -y 30 "'$dir/kpool-top' --root '$dir/root' -d 0.2; echo \$? >'$dir/status'"
	shows "a pool is chosen" '^>quickstart '
	press Down
	shows "another one is chosen" '^>sha256 '
	shows "its workers are shown" '^ [0-9]+ +running .*sha256_job_run \[kpool_sha256\]'
	press l
	shows "its latency is shown" '^ from_us +waiting +running'
	press l
	press '<'
	shows "another column sorts" ' by BLOCK$'
	first_pool "the blocked pool comes first" sha256
	press r
	shows "the order is reversed" ' by BLOCK reversed$'
	first_pool "the blocked pool comes last" quickstart
}

screen_follows_its_size() {
	resized "a small screen has its last line" 60 7 '^ q quit'
	shows "it says what is left out" '^ [0-9]+ more lines'
	resized "a tiny screen has what fits" 4 2 '^ POO'
	resized "a screen of one character" 1 1 '^ ?$'
	resized "a large screen has its last line" 120 40 '^ q quit'
	shows "it has the last column" 'RUN99 OWNER$'
}

screen_follows_the_pools() {
	use gone
	shows "the chosen pool is gone" '^ no pool sha256$'
	is "the line of a removed pool is gone" "" "$(screen | grep '^.sha256 ')"
	press Up
	shows "one that is left can be chosen" '^>quickstart '
	use none
	shows "all pools are gone" '^ no pools$'
	use unloaded
	shows "kpool is unloaded" '^ there is no .*/pools: kpool is not loaded'
	use busy
	shows "kpool is back" '^.sha256 '
	press q
	is "q ends it" 0 "$(timeout 20 sh -c "until [ -s '$dir/status' ]; do sleep 0.1; done; cat '$dir/status'")"
}

main() {
	# shellcheck disable=SC2046 # several packages
	need_packages tmux python3 util-linux $(packages_of "${1:-uml}")
	PATH=/usr/sbin:/usr/bin:/sbin:/bin
	dir=$(mktemp -d "${TMPDIR:-/tmp}/kpool-top.XXXXXX")
	trap 'in_tmux kill-server 2>/dev/null; rm -rf "$dir"' EXIT
	chmod 755 "$dir"
	install -m 755 "$tree/tools/kpool-top" "$dir/"
	tap_begin
	record "${1:-uml}"
	make_variants
	batch_shows_the_record
	batch_shows_rates
	batch_sorts
	batch_shows_a_pool
	failures_have_one_line
	screen_follows_keys
	screen_follows_its_size
	screen_follows_the_pools
	tap_end
}

main "$@"
