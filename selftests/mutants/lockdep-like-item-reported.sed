# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.c
# kernel: uml-debug
# tests: lock_order
# breaks: An item that waits for one with the same function is reported.
/^void kpool_map_wait_item/,/^}/s/READ_ONCE(worker->fn) == fn/0/
