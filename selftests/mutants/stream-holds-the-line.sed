# SPDX-License-Identifier: GPL-2.0-only
# file: pending.c
# kernel: uml
# tests: stream
# breaks: A job that follows another keeps those behind it from units that are free.
/^struct kpool_item \*kpool_next_eligible/,/^}/s/if ((item->flags & __KPOOL_FOLLOWS) ||/if (item->flags \& __KPOOL_FOLLOWS)\n\t\t\treturn NULL;\n\t\tif (/
