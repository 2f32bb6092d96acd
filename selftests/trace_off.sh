#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boots: alone
# kernels: stock
# icount: yes
# needs: kpool_traced kpool_untraced
# Tracepoints that are off cost a no-op each: an item has three, for submit, start and end.  Its costs, in
# instructions, are compared between kpool.ko and a copy of it, which has no tracepoints.  The compiler can
# do a little more or less around them: eight instructions are allowed.

. "$(dirname "$0")/ktap.sh"

tracing=/sys/kernel/tracing

# cost MODULE: of 1000 items
cost() {
	cat "/sys/module/$1/parameters/cost"
}

# dearer_by LEAST MOST: by so many instructions per item, with tracepoints
dearer_by() {
	off_traced=$(cost kpool_traced)
	off_untraced=$(cost kpool_untraced)
	ktap_diag "instructions of 1000 items: $off_traced with tracepoints, $off_untraced without"
	[ "$off_untraced" -gt 0 ] && [ $((off_traced - off_untraced)) -ge $(($1 * 1000)) ] &&
		[ $((off_traced - off_untraced)) -le $(($2 * 1000)) ]
}

ktap_begin
[ "${ICOUNT:-no}" = yes ] || ktap_skip_all "wants a clock that counts instructions"
mount -t tracefs none "$tracing"
[ -d "$tracing/events/kpool" ] || ktap_skip_all "this kernel has no tracing"
for module in kpool_traced kpool_untraced; do
	insmod "$SELFTESTS/trace_off/$module.ko"
	ktap_result $? "$module is loaded"
done
# Fails if a tracepoint that is off is more than a no-op, or there is one more on the way of an item.
dearer_by -8 8
ktap_result $? "tracepoints that are off cost nothing"
# Fails if the comparison would not see them.
echo 1 >"$tracing/events/kpool/enable"
dearer_by 100 100000
ktap_result $? "those that are on cost something"
echo 0 >"$tracing/events/kpool/enable"
dearer_by -8 8
ktap_result $? "off again, they cost nothing"
rmmod kpool_traced && rmmod kpool_untraced
ktap_result $? "both are removed"
ktap_end
