# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: item
# breaks: Who waits for a pending item is forgotten when it starts.
/^void kpool_odd_begin/,/^}/s/if (item->flags & __KPOOL_WATCHED)/if (0)/
