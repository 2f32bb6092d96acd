#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# replay.sh NAME.tap: print what a test printed, and exit as it did. No status means that it never
# ended; 4 is how a selftest says that it skipped everything.

cat "$1"
status=$(cat "${1%.tap}.status" 2>/dev/null)
[ "$status" != 4 ] || status=0
exit "${status:-125}"
