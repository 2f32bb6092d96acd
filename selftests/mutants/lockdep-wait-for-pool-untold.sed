# SPDX-License-Identifier: GPL-2.0-only
# file: annotate.c
# kernel: uml-debug
# tests: lock_order_circle
# breaks: Lockdep does not know who waits for a pool.
/^void kpool_map_wait_pool/,/^}/s/if (kpool_is_part_of(pool))/if (1)/
