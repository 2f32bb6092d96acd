#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# needs: kpool_bench
# The guest's part of testbed/lines.sh: a round of each of these cases, and the kernel's
# functions.
#
# usage: lines.sh ITEMS CASES

sh "$(dirname "$0")/bench.sh" stock "$1" 100 1 "$2" | sed -n 's/^CSV //p'
grep ' [tT] ' /proc/kallsyms | gzip | base64 | sed 's/^/KALLSYMS /'
