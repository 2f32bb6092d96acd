# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.c
# kernel: uml-debug
# tests: lock_order_item
# breaks: Lockdep does not know who waits for an item.
/^void kpool_map_wait_item/,/^}/s/if (worker \&\& (/if (1 || (/
