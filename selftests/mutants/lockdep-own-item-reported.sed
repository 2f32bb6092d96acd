# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.c
# kernel: uml-debug
# tests: lock_order
# breaks: An item that waits for another of its pool is reported.
/^void kpool_map_wait_item/,/^}/s/READ_ONCE(item->home) == worker->pool->id/0/
