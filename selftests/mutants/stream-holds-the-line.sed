# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: stream
# breaks: A job that follows another keeps those behind it from units that are free.
/^static bool kpool_has_line_work/,/^}/s/^\treturn kpool_must_park(item) ||/\tif (item->flags \& __KPOOL_FOLLOWS)\n\t\treturn false;\n&/
