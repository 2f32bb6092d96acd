# SPDX-License-Identifier: GPL-2.0-only
# file: item.c
# kernel: uml-debug
# tests: lock_order
# breaks: Lockdep does not know that cancel waits.
/^int kpool_cancel_wait(/,/^}/s/kpool_map_wait_item(item);/;/
