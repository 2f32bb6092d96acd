# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: weight
# breaks: A worker that ran a heavy item goes on holding its units.
/^bool kpool_odd_end/,/^}/s/run->units -= extra;/;/
